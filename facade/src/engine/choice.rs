//! Selection of a world's structure, and the reason reported for this choice.

use alloc::format;
use core::fmt;

use broadphase_core::{Scalar, SearchStats};

use crate::{Algorithm, Options};

/// Maximum number of objects for which testing every pair is fastest.
const BRUTE_MAX_OBJECTS: usize = 256;

/// Maximum ratio of tests to the sum of objects and hits: up to 13 in the benchmark scenes, 100 or
/// more for bars along three axes.
///
/// A search above it changes the [`Reason`] that is reported, not the structure: `MortonCells`
/// takes 0.8 to 2.9 times as long as `Hshg` for bars and plates (longer in 16 of 18 scenes).
const MAX_TESTS: u64 = 32;

/// The algorithm that [`Algorithm::Auto`] selects for more than [`BRUTE_MAX_OBJECTS`] objects: the
/// first of these structures that is compiled.
const FOR_MANY: Algorithm = [
    #[cfg(feature = "hshg")]
    Algorithm::Hshg,
    #[cfg(feature = "hash")]
    Algorithm::Hash,
    #[cfg(feature = "morton")]
    Algorithm::Morton,
    Algorithm::Brute,
][0];

/// The structure that a world uses, returned by [`BroadPhase::choice`](crate::BroadPhase::choice).
///
/// The structure is selected by the number of objects, the cell size by their sizes, never by a
/// clock: the same operations give the same choice on every machine. The choice affects speed,
/// never results.
///
/// ```
/// use hexphase::{Aabb, Algorithm, BroadPhase, Choice};
///
/// let mut world: BroadPhase = BroadPhase::new();
/// world.insert(Aabb::point([0.0, 0.0]), ())?;
/// world.step();
/// let choice: Choice = world.choice();
/// assert_eq!(choice.algorithm, Some(Algorithm::Brute)); // for one object
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<S = f32> {
    /// The algorithm; never [`Algorithm::Auto`]. `None` for a structure supplied by the caller.
    pub algorithm: Option<Algorithm>,
    /// Side length of the cells, if all cells have one size.
    pub cell: Option<S>,
    /// Number of objects when the structure was selected.
    pub objects: usize,
    /// The reason for the selection.
    pub reason: Reason,
}

/// The reason a world uses its structure. `Display` writes a phrase such as `for few objects`.
///
/// ```
/// use hexphase::{Algorithm, BroadPhase, Options, Reason};
///
/// let options = Options::new().algorithm(Algorithm::Brute);
/// let mut world: BroadPhase = BroadPhase::with_options(options);
/// world.step();
/// assert_eq!(world.choice().reason, Reason::Asked);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The world has not made a step and has not selected a structure, for instance because it has
    /// few objects. It uses brute force.
    New,
    /// Few objects: testing every pair is fastest for up to 256 while the number grows, up to 128
    /// while it shrinks.
    Few,
    /// Too many objects for brute force: more than 256, or more than 128 while the number shrinks.
    Many,
    /// The last search tested more than 32 times as many candidates as there are objects and
    /// overlaps. This is typical of boxes that are long along different axes. No other structure is
    /// much faster for them; divide long boxes into shorter ones.
    ManyTests {
        /// Number of tests in the last search that made any tests; a cached search makes none.
        tests: u64,
        /// Number of overlaps that these tests found.
        hits: u64,
    },
    /// The memory of a better structure could not be allocated. The next step tries again.
    OutOfMemory,
    /// The algorithm was set with [`Options::algorithm`].
    Asked,
    /// The structure was supplied by the caller.
    Own,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match *self {
            Self::New => "until the first step",
            Self::Few => "for few objects",
            Self::Many => "for many objects",
            Self::ManyTests { tests, hits } => {
                let tests = tests / hits.max(1);
                return f.pad(&format!("for many objects, with {tests} tests for each overlap"));
            }
            Self::OutOfMemory => "because memory for another structure is short",
            Self::Asked => "as set in the options",
            Self::Own => "supplied by the caller",
        })
    }
}

impl<S: Scalar> fmt::Display for Choice<S> {
    /// Writes `brute`, `hash with cells of 28`, or `custom` for a structure supplied by the caller.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.algorithm, self.cell) {
            (None, _) => f.write_str("custom"),
            (Some(algorithm), None) => write!(f, "{algorithm}"),
            (Some(algorithm), Some(cell)) => write!(f, "{algorithm} with cells of {cell}"),
        }
    }
}

impl<S: Scalar> Choice<S> {
    /// The choice of every new world: brute force.
    pub(crate) const INITIAL: Self =
        Self { algorithm: Some(Algorithm::Brute), cell: None, objects: 0, reason: Reason::New };

    /// Returns the algorithm for a number of objects, and the reason.
    pub(crate) fn algorithm_for<const D: usize>(
        options: &Options<S, D>,
        current: Self,
        objects: usize,
    ) -> (Algorithm, Reason) {
        if options.algorithm != Algorithm::Auto {
            return (options.algorithm, Reason::Asked);
        }
        // Hysteresis: avoids switching back and forth near the limit.
        let limit = if current.algorithm == Some(Algorithm::Brute) {
            BRUTE_MAX_OBJECTS
        } else {
            BRUTE_MAX_OBJECTS / 2
        };
        if objects <= limit { (Algorithm::Brute, Reason::Few) } else { (FOR_MANY, Reason::Many) }
    }

    /// Returns the choice after a search with these counts, which change the reason of
    /// [`Algorithm::Auto`] to [`Reason::ManyTests`] or back.
    pub(crate) fn after_search(self, stats: SearchStats, objects: usize) -> Self {
        let reason = match self.reason {
            Reason::Many | Reason::ManyTests { .. } if has_many_tests(stats, objects) => {
                Reason::ManyTests { tests: stats.tests, hits: stats.hits }
            }
            Reason::ManyTests { .. } => Reason::Many,
            reason => reason,
        };
        Self { reason, ..self }
    }

    /// Returns whether the number of objects has doubled or halved since the cell size was
    /// computed.
    pub(crate) const fn is_outdated(&self, objects: usize) -> bool {
        objects > 2 * self.objects || objects < self.objects / 2
    }
}

/// Returns whether a search made far more tests than there are objects and hits.
pub(crate) fn has_many_tests(stats: SearchStats, objects: usize) -> bool {
    stats.tests > MAX_TESTS * (objects as u64 + stats.hits)
}
