//! Which structure a world stands on, and why.

use core::fmt;

use broadphase_core::Scalar;

use crate::{Algorithm, Options};

/// Up to so many objects, testing every pair is fastest.
const FEW: usize = 256;

/// What suits more objects than that.
#[cfg(feature = "hshg")]
const MANY: Algorithm = Algorithm::Hshg;
#[cfg(all(feature = "hash", not(feature = "hshg")))]
const MANY: Algorithm = Algorithm::Hash;
#[cfg(all(feature = "morton", not(any(feature = "hash", feature = "hshg"))))]
const MANY: Algorithm = Algorithm::Morton;
#[cfg(not(any(feature = "hash", feature = "hshg", feature = "morton")))]
const MANY: Algorithm = Algorithm::Brute;

/// The structure a world stands on at the moment.
///
/// Chosen from counts, and cells from sizes, never from clocks: the same history has the same
/// choice on every machine. Choices change cost, never answers.
///
/// ```
/// use hexphase::{Algorithm, Aabb, BroadPhase, Choice};
///
/// let mut world: BroadPhase<f32, 1> = BroadPhase::new();
/// world.insert(Aabb::point([0.0]), ())?;
/// world.step();
/// let choice: Choice = world.choice();
/// assert_eq!(choice.algorithm, Some(Algorithm::Brute)); // for one object
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<S = f32> {
    /// Which structure; never [`Algorithm::Auto`]. `None` for a structure of the user's own.
    pub algorithm: Option<Algorithm>,
    /// The side of its cells, if they are all of one size.
    pub cell: Option<S>,
    /// How many objects there were when it was chosen.
    pub objects: usize,
    /// Why it is this one.
    pub reason: Reason,
}

/// Why a world stands on the structure it stands on. Shown as `for few objects` and the like.
///
/// ```
/// # use hexphase::{Algorithm, BroadPhase, Options, Reason};
/// let options = Options::new().algorithm(Algorithm::Brute);
/// let mut world: BroadPhase = BroadPhase::with_options(options);
/// world.step();
/// assert_eq!(world.choice().reason, Reason::Asked);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// No step has been taken yet, and brute force costs nothing to fill.
    New,
    /// So few objects that testing every pair is fastest: up to 256 when they become more, up to
    /// 128 when they become fewer.
    Few,
    /// More objects than that.
    Many,
    /// The [options](Options::algorithm) say so.
    Asked,
    /// It is a structure of the user's own.
    Own,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::New => "until the first step",
            Self::Few => "for few objects",
            Self::Many => "for many objects",
            Self::Asked => "as asked for",
            Self::Own => "as the structure was given",
        })
    }
}

impl<S: Scalar> fmt::Display for Choice<S> {
    /// `brute`, or `hash with cells of 28`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.algorithm, self.cell) {
            (None, _) => f.write_str("custom"),
            (Some(algorithm), None) => write!(f, "{algorithm}"),
            (Some(algorithm), Some(cell)) => write!(f, "{algorithm} with cells of {cell}"),
        }
    }
}

impl<S: Scalar> Choice<S> {
    /// What every world begins with: it costs nothing to fill.
    pub(crate) const BEGIN: Self =
        Self { algorithm: Some(Algorithm::Brute), cell: None, objects: 0, reason: Reason::New };

    /// What a world of so many objects should stand on, and why.
    pub(crate) fn algorithm<const D: usize>(
        options: &Options<S, D>,
        now: Self,
        objects: usize,
    ) -> (Algorithm, Reason) {
        if options.algorithm != Algorithm::Auto {
            return (options.algorithm, Reason::Asked);
        }
        // Not back and forth at the border.
        let few = if now.algorithm == Some(Algorithm::Brute) { FEW } else { FEW / 2 };
        if objects <= few { (Algorithm::Brute, Reason::Few) } else { (MANY, Reason::Many) }
    }

    /// Whether the number of objects is so different by now that cells should be measured again.
    pub(crate) const fn is_outdated(&self, objects: usize) -> bool {
        objects > 2 * self.objects || objects < self.objects / 2
    }
}
