//! The report: ranked settings, and the fastest as options.

use alloc::vec::Vec;
use core::time::Duration;

use broadphase_core::{Backend, Scalar, SearchStats};

use super::profile::Profile;
use super::replay::Measurements;
use super::setting::Setting;
use crate::engine::has_many_tests;
use crate::{Algorithm, Options};

/// The measurements of one setting.
///
/// ```
/// use hexphase::Aabb;
/// use hexphase::tune::{Budget, Trace, tune};
///
/// let mut trace = Trace::default();
/// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
/// let report = tune(&trace, &Budget { rounds: 1, ..Budget::default() });
/// for trial in &report.trials {
///     println!("{}: {:?} a tick", trial.algorithm, trial.tick);
/// }
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trial<S = f32> {
    /// The structure; never [`Algorithm::Auto`].
    pub algorithm: Algorithm,
    /// Cell size of the setting; `None` if the world chose it.
    pub cell: Option<S>,
    /// Cell size that the world chose, if the setting has none and the structure has cells of one
    /// size.
    pub chosen_cell: Option<S>,
    /// Time of the first tick, in which all initial objects are inserted.
    pub first: Duration,
    /// Mean time of the ticks after the first; if there is only one tick, its time.
    pub tick: Duration,
    /// Time of the slowest tick after the first; if there is only one tick, its time.
    pub worst: Duration,
    /// Bytes allocated by the world after the last tick.
    pub bytes: usize,
    /// Numbers of tests and hits in the last search that made any tests, if the structure counts
    /// them.
    pub search: Option<SearchStats>,
    /// Whether that search tested more than 32 times as many candidates as there are objects and
    /// overlaps ([`Reason::ManyTests`](crate::Reason::ManyTests)).
    pub many_tests: bool,
    /// Whether this setting found the pairs of the first setting in every tick; `false` indicates a
    /// bug in this library.
    pub agrees: bool,
}

impl<S: Scalar> Trial<S> {
    pub(super) fn of(
        setting: &Setting<S>,
        measured: &Measurements<S>,
        first: &Measurements<S>,
        objects: usize,
    ) -> Self {
        let ticks = measured.medians();
        let others = if ticks.len() > 1 { &ticks[1..] } else { &ticks[..] };
        let count = others.len().max(1) as u32;
        Self {
            algorithm: setting.algorithm,
            cell: setting.cell,
            chosen_cell: if setting.cell.is_none() { measured.cell } else { None },
            first: ticks.first().copied().unwrap_or_default(),
            tick: others.iter().sum::<Duration>() / count,
            worst: others.iter().max().copied().unwrap_or_default(),
            bytes: measured.bytes,
            search: measured.search,
            many_tests: measured.search.is_some_and(|stats| has_many_tests(stats, objects)),
            agrees: measured.agrees(first),
        }
    }
}

/// The result of [`tune`](super::tune).
///
/// ```
/// use hexphase::tune::{Budget, Trace, tune};
/// use hexphase::{Aabb, Algorithm, Backend};
///
/// let mut trace = Trace::default();
/// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
/// let report = tune(&trace, &Budget { rounds: 1, ..Budget::default() });
/// assert!(report.trials.is_sorted_by_key(|trial| trial.tick));
/// assert_eq!((report.rounds, report.backend), (1, Backend::detect()));
/// assert_eq!(report.auto, Algorithm::Brute); // for 20 objects
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report<S = f32, const D: usize = 2> {
    /// The measurements of all settings, fastest first. Settings that found other pairs than the
    /// first setting are last.
    pub trials: Vec<Trial<S>>,
    /// Statistics of the trace.
    pub profile: Profile,
    /// Number of rounds that were replayed.
    pub rounds: usize,
    /// SIMD backend of the kernels.
    pub backend: Backend,
    /// The structure that [`Algorithm::Auto`] selects for the largest number of objects.
    pub auto: Algorithm,
    pub(super) sides: [S; D],
    pub(super) events: bool,
}

impl<S: Scalar, const D: usize> Report<S, D> {
    /// Returns the fastest setting as options for a world. The backend is not set.
    ///
    /// ```
    /// use hexphase::tune::{Budget, Trace, tune};
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut trace = Trace::default();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget { rounds: 1, ..Budget::default() });
    /// let world: BroadPhase = BroadPhase::with_options(report.options());
    /// assert!(world.is_empty());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn options(&self) -> Options<S, D> {
        let best = &self.trials[0];
        let options = Options::new().algorithm(best.algorithm).events(self.events);
        let options = Options { sides: self.sides, ..options.capacity(self.profile.objects) };
        best.cell.map_or(options, |cell| options.smallest_cell(cell))
    }
}
