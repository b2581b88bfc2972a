//! The report: ranked settings, and the fastest as options.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use broadphase_core::{Backend, Scalar, SearchStats};

use super::explain::readable;
use super::profile::Profile;
use super::replay::Measurements;
use super::setting::Setting;
use super::trace::Trace;
use crate::{Algorithm, Options};

/// The measurements of one setting.
///
/// ```
/// use hexphase::Aabb;
/// use hexphase::tune::{Budget, Trace, tune};
///
/// let mut trace = Trace::new();
/// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
/// let report = tune(&trace, &Budget::new().rounds(1));
/// for trial in report.trials() {
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
    /// Cell size that the world chose; `None` if the setting has a cell size, or if the structure
    /// does not have cells of one size.
    pub chosen_cell: Option<S>,
    /// Skin of the setting, if any.
    pub skin: Option<S>,
    /// Time of the first tick, in which all initial objects are inserted.
    pub first: Duration,
    /// Mean time of the ticks after the first; if there is only one tick, its time.
    pub tick: Duration,
    /// Time of the slowest tick after the first; if there is only one tick, its time.
    pub worst: Duration,
    /// Bytes allocated by the world after the last tick.
    pub bytes: usize,
    /// Numbers of tests and hits in the last search for pairs that made any tests; `None` if the
    /// structure does not count tests.
    pub search: Option<SearchStats>,
    /// Whether this setting found the same pairs as the first setting, in every tick. `false`
    /// indicates a bug in this library.
    pub agrees: bool,
}

impl<S: Scalar> Trial<S> {
    pub(super) fn of(
        setting: &Setting<S>,
        measured: &Measurements<S>,
        first: &Measurements<S>,
    ) -> Self {
        let ticks = measured.medians();
        let others = if ticks.len() > 1 { &ticks[1..] } else { &ticks[..] };
        let count = others.len().max(1) as u32;
        Self {
            algorithm: setting.algorithm,
            cell: setting.cell,
            chosen_cell: if setting.cell.is_none() { measured.cell } else { None },
            skin: setting.skin,
            first: ticks.first().copied().unwrap_or_default(),
            tick: others.iter().sum::<Duration>() / count,
            worst: others.iter().max().copied().unwrap_or_default(),
            bytes: measured.bytes,
            search: measured.search,
            agrees: measured.agrees(first),
        }
    }
}

impl<S: Scalar> fmt::Display for Trial<S> {
    /// Writes `brute`, `hash with cells of 28 (chosen)`, or `hshg with a skin of 4.8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.algorithm)?;
        match (self.cell, self.chosen_cell) {
            (Some(cell), _) => write!(f, " with cells of {cell}")?,
            (None, Some(cell)) => {
                let cell = readable(cell.to_f64());
                write!(f, " with cells of {cell} (chosen)")?;
            }
            (None, None) => {}
        }
        self.skin.map_or(Ok(()), |skin| write!(f, " with a skin of {skin}"))
    }
}

/// The result of [`tune`](super::tune).
///
/// `Display` writes a table, an [explanation](Self::explanation) and a [snippet](Self::snippet).
///
/// ```
/// use hexphase::Aabb;
/// use hexphase::tune::{Budget, Trace, tune};
///
/// let mut trace = Trace::new();
/// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
/// let report = tune(&trace, &Budget::new().rounds(1));
/// println!("{report}");
/// assert!(report.snippet().contains("Options::new()"));
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report<S = f32, const D: usize = 2> {
    trials: Vec<Trial<S>>,
    profile: Profile,
    rounds: usize,
    backend: Backend,
    pub(super) sides: [S; D],
    pub(super) events: bool,
}

impl<S: Scalar, const D: usize> Report<S, D> {
    pub(super) fn new(
        trials: Vec<Trial<S>>,
        profile: Profile,
        rounds: usize,
        backend: Backend,
        trace: &Trace<S, D>,
    ) -> Self {
        Self { trials, profile, rounds, backend, sides: trace.sides, events: trace.events }
    }

    /// Returns the measurements of all settings, fastest first. Settings that found other pairs
    /// than the first setting come last.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert!(report.trials().is_sorted_by_key(|trial| trial.tick));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn trials(&self) -> &[Trial<S>] {
        &self.trials
    }

    /// Returns the measurements of the fastest setting.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert_eq!(report.best(), &report.trials()[0]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn best(&self) -> &Trial<S> {
        // At least one setting is always tried.
        &self.trials[0]
    }

    /// Returns the statistics of the trace.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert_eq!(report.profile().statics, 0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Returns the number of rounds that were replayed.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert_eq!(report.rounds(), 1);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub const fn rounds(&self) -> usize {
        self.rounds
    }

    /// Returns the SIMD backend of the kernels.
    ///
    /// ```
    /// use hexphase::tune::{Budget, Trace, tune};
    /// use hexphase::{Aabb, Backend};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert_eq!(report.backend(), Backend::detect());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// Returns whether all settings found the same pairs in every tick.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert!(report.all_agree());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn all_agree(&self) -> bool {
        self.trials.iter().all(|trial| trial.agrees)
    }

    /// Returns the fastest setting as options for a world. The backend is not set.
    ///
    /// ```
    /// use hexphase::tune::{Budget, Trace, tune};
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// let world: BroadPhase = BroadPhase::with_options(report.options());
    /// assert!(world.is_empty());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn options(&self) -> Options<S, D> {
        let best = self.best();
        let options = Options::new().algorithm(best.algorithm).events(self.events);
        let options = Options { sides: self.sides, ..options.capacity(self.profile.objects) };
        let options = best.cell.map_or(options, |cell| options.smallest_cell(cell));
        best.skin.map_or(options, |skin| options.skin(skin))
    }
}

impl<S: Scalar, const D: usize> fmt::Display for Report<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Vec::from([TITLES.map(String::from)]);
        table.extend(self.trials.iter().map(|trial| {
            [
                milliseconds(trial.tick),
                milliseconds(trial.worst),
                milliseconds(trial.first),
                format!("{:.1}", trial.bytes as f64 / 1e6),
                format!("{trial}{}", if trial.agrees { "" } else { ", OTHER PAIRS" }),
            ]
        }));
        let width = |column: usize| table.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: [usize; 4] = core::array::from_fn(width);
        for row in &table {
            for (text, width) in row.iter().zip(widths) {
                write!(f, "{text:>width$}  ")?;
            }
            writeln!(f, "{}", row[4])?;
        }
        write!(f, "\n{}\n{}", self.explanation(), self.snippet())
    }
}

const TITLES: [&str; 5] = ["ms a tick", "slowest", "first", "MB", "structure"];

fn milliseconds(time: Duration) -> String {
    format!("{:.4}", time.as_secs_f64() * 1e3)
}
