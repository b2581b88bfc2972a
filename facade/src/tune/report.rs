//! The report: ranked settings, and the fastest as options.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use broadphase_core::{Backend, Scalar, SearchStats};

use super::profile::Profile;
use super::replay::Measurements;
use super::setting::Setting;
use super::trace::Trace;
use crate::engine::has_many_tests;
use crate::{Algorithm, Choice, Options};

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
            first: ticks.first().copied().unwrap_or_default(),
            tick: others.iter().sum::<Duration>() / count,
            worst: others.iter().max().copied().unwrap_or_default(),
            bytes: measured.bytes,
            search: measured.search,
            agrees: measured.agrees(first),
        }
    }

    /// Returns whether the last search tested more than 32 times as many candidates as there are
    /// objects and overlaps, as reported by [`Reason::ManyTests`](crate::Reason::ManyTests).
    /// Returns `false` if the structure does not count tests.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert!(!report.best().has_many_tests(20));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn has_many_tests(&self, objects: usize) -> bool {
        self.search.is_some_and(|stats| has_many_tests(stats, objects))
    }
}

impl<S: Scalar> fmt::Display for Trial<S> {
    /// Writes `brute`, `hash with cells of 28`, or `hash with cells of 28 (chosen)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.algorithm)?;
        match (self.cell, self.chosen_cell) {
            (Some(cell), _) => write!(f, " with cells of {cell}"),
            (None, Some(cell)) => {
                write!(f, " with cells of {} (chosen)", readable(cell.to_f64()))
            }
            (None, None) => Ok(()),
        }
    }
}

/// The result of [`tune`](super::tune).
///
/// `Display` writes a table of the times and the memory of all settings.
///
/// ```
/// use hexphase::Aabb;
/// use hexphase::tune::{Budget, Trace, tune};
///
/// let mut trace = Trace::new();
/// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
/// let report = tune(&trace, &Budget::new().rounds(1));
/// println!("{report}");
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report<S = f32, const D: usize = 2> {
    trials: Vec<Trial<S>>,
    profile: Profile,
    rounds: usize,
    backend: Backend,
    sides: [S; D],
    events: bool,
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

    /// Returns the structure that [`Algorithm::Auto`] selects for the largest number of objects in
    /// the trace.
    ///
    /// ```
    /// use hexphase::tune::{Budget, Trace, tune};
    /// use hexphase::{Aabb, Algorithm};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert_eq!(report.auto(), Algorithm::Brute);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn auto(&self) -> Algorithm {
        let options = Options::<S, D>::new();
        Choice::algorithm(&options, Choice::INITIAL, self.profile.objects).0
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
        best.cell.map_or(options, |cell| options.smallest_cell(cell))
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
        Ok(())
    }
}

const TITLES: [&str; 5] = ["ms a tick", "slowest", "first", "MB", "structure"];

fn milliseconds(time: Duration) -> String {
    format!("{:.4}", time.as_secs_f64() * 1e3)
}

/// Formats a number for reading, without trailing zeros. Numbers from 0.01 to below 10^6 get two
/// decimals below 10, one below 100, and none above. All other numbers, except 0, are written in
/// scientific notation.
#[doc(hidden)]
#[must_use]
pub fn readable(number: f64) -> String {
    if number == 0.0 || (0.01..1e6).contains(&number) {
        let digits = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
        let text = format!("{number:.digits$}");
        let text = if text.contains('.') { text.trim_end_matches('0') } else { &text };
        text.trim_end_matches('.').into()
    } else {
        format!("{number:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn trial(algorithm: Algorithm, microseconds: u64) -> Trial<f32> {
        let tick = Duration::from_micros(microseconds);
        Trial {
            algorithm,
            cell: None,
            chosen_cell: None,
            first: 9 * tick,
            tick,
            worst: 2 * tick,
            bytes: 1_234_567,
            search: None,
            agrees: true,
        }
    }

    fn report(trials: Vec<Trial<f32>>) -> Report<f32, 2> {
        let profile = Profile {
            ticks: 11,
            objects: 1000,
            statics: 0,
            inserted: 1000,
            moving: 0.5,
            step: 1.25,
            sizes: [2.0, 4.0, 200.0],
            pairs: 870.0,
        };
        let backend = Backend::SCALAR;
        let mut trace = Trace::<f32, 2>::new();
        (trace.sides, trace.events) = ([1024.0, 0.0], false);
        Report::new(trials, profile, 5, backend, &trace)
    }

    #[test]
    fn options_contain_all_settings() {
        let best = Trial { cell: Some(28.0), ..trial(Algorithm::Brute, 1) };
        let options = report(Vec::from([best])).options();
        assert_eq!((options.cell, options.capacity), (Some(28.0), 1000));
        assert_eq!((options.sides, options.events), ([1024.0, 0.0], false));
        assert_eq!(options.algorithm, Algorithm::Brute);
    }

    #[test]
    fn report_table() {
        let fast = trial(Algorithm::Brute, 10);
        let cells = Trial { cell: Some(0.5), ..fast };
        let wrong = Trial { chosen_cell: Some(456.7), agrees: false, ..trial(Algorithm::Brute, 1) };
        let report = report(Vec::from([fast, cells, wrong]));
        let expected = "\
ms a tick  slowest   first   MB  structure
   0.0100   0.0200  0.0900  1.2  brute
   0.0100   0.0200  0.0900  1.2  brute with cells of 0.5
   0.0010   0.0020  0.0090  1.2  brute with cells of 457 (chosen), OTHER PAIRS
";
        assert_eq!(report.to_string(), expected);
        assert!(!report.all_agree());
    }

    #[test]
    fn many_tests_are_reported() {
        for (tests, many) in [(32 * 1009, false), (32 * 1009 + 1, true)] {
            let search = Some(SearchStats { tests, hits: 9 });
            let trial = Trial { search, ..trial(Algorithm::Brute, 1) };
            assert_eq!(trial.has_many_tests(1000), many, "{tests}");
        }
        assert!(!trial(Algorithm::Brute, 1).has_many_tests(0), "no search");
    }

    #[test]
    fn numbers_are_short_and_small_ones_are_not_zero() {
        let numbers = [0.0, 0.25, 1.0, 12.34, 100.0, 456.7, 12345.0, 1e7, 0.0015, 1e-5];
        let texts = numbers.map(readable);
        let [plain, scientific] = [&texts[..7], &texts[7..]];
        assert_eq!(plain, ["0", "0.25", "1", "12.3", "100", "457", "12345"]);
        assert_eq!(scientific, ["1.00e7", "1.50e-3", "1.00e-5"]);
    }
}
