//! Explanation of a report, in words and as Rust code.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use broadphase_core::Scalar;

use super::{Report, Trial};
use crate::engine::has_many_tests;
use crate::{Algorithm, Choice, Options};

/// With at most this number of objects, the report explains the speed of brute force by their small
/// number.
const FEW_OBJECTS: usize = 1024;
/// Sizes count as similar if the ratio of the largest to the smallest object is below this.
#[cfg(any(feature = "hash", feature = "hshg"))]
const SIMILAR_SIZE_RATIO: f64 = 4.0;
/// Settings count as equally fast if the ratio of their times is below this.
const TIE_RATIO: f64 = 1.05;

impl<S: Scalar, const D: usize> Report<S, D> {
    /// Returns an explanation in several lines: a description of the trace, the fastest setting,
    /// and a likely reason.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert!(report.explanation().contains("20 objects"));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn explanation(&self) -> String {
        let mut text = String::new();
        // Writing to a string is infallible.
        let _ = self.explain(&mut text);
        text
    }

    fn explain(&self, text: &mut String) -> core::fmt::Result {
        let profile = self.profile();
        let objects = profile.objects;
        let (most, ticks) = (counted(objects, "object"), counted(profile.ticks, "tick"));
        write!(text, "At most {most} at a time, {ticks}; ")?;
        match profile.moving {
            0.0 => writeln!(text, "nothing moves.")?,
            share => {
                let step = readable(profile.step);
                writeln!(text, "{} of them move in a tick, by {step} (median).", percent(share))?;
            }
        }
        if profile.statics > 0 {
            let share = profile.statics as f64 / profile.inserted as f64;
            writeln!(text, "Static: {}.", percent(share))?;
        }
        let [least, middle, most] = profile.sizes.map(readable);
        let pairs = readable(profile.pairs_per_object());
        write!(text, "Sizes from {least} to {most}, median {middle}: ")?;
        match profile.ratio() {
            ratio if ratio < 1.5 => write!(text, "all nearly equal")?,
            ratio if ratio.is_finite() => {
                write!(text, "the largest is {} times the smallest", readable(ratio))?;
            }
            _ => write!(text, "some are points")?,
        }
        let name = if pairs == "1" { "pair" } else { "pairs" };
        writeln!(text, "; {pairs} {name} for each object.\n")?;

        let best = self.best();
        let took = best.tick.as_secs_f64();
        let each = took * 1e9 / objects.max(1) as f64;
        write!(text, "{best} is fastest: {:.4} ms per tick, {each:.1} ns per object", took * 1e3)?;
        let slower = |trial: &&Trial<S>| trial.algorithm != best.algorithm && trial.agrees;
        if let Some(next) = self.trials().iter().find(slower)
            && took > 0.0
        {
            let ratio = next.tick.as_secs_f64() / took;
            write!(text, "; {next} takes {ratio:.2} times as long")?;
        }
        writeln!(text, ".")?;
        writeln!(text, "{}", self.reason())?;
        if let Some(stats) = best.search
            && has_many_tests(stats, objects)
        {
            let tests = stats.tests / stats.hits.max(1);
            writeln!(
                text,
                "A search tests {tests} candidates for each overlap; divide long boxes."
            )?;
        }
        let alike =
            |trial: &&Trial<S>| trial.agrees && trial.tick.as_secs_f64() <= took * TIE_RATIO;
        let alike: Vec<String> =
            self.trials().iter().skip(1).filter(alike).map(|trial| format!("{trial}")).collect();
        if !alike.is_empty() {
            writeln!(text, "Equally fast, within 5 %: {}.", alike.join("; "))?;
        }
        let (auto, _) = Choice::<S>::algorithm(&Options::<S, D>::new(), Choice::INITIAL, objects);
        if best.algorithm == auto && best.cell.is_none() && best.skin.is_none() {
            writeln!(text, "`auto` uses it, too.")?;
        } else {
            writeln!(text, "`auto` uses {auto}.")?;
        }
        let settings = counted(self.trials().len(), "setting");
        let times = match self.rounds() {
            1 => String::from("once"),
            rounds => format!("{rounds} times"),
        };
        write!(text, "{settings}, each replayed {times} on {}", self.backend())?;
        if self.all_agree() {
            writeln!(text, "; all found the same pairs in every tick.")
        } else {
            writeln!(text, "; NOT all found the same pairs: a bug, please report it.")
        }
    }

    /// Returns a likely reason for the speed of the fastest setting.
    fn reason(&self) -> &'static str {
        let (best, profile) = (self.best(), self.profile());
        match best.algorithm {
            Algorithm::Brute if profile.objects <= FEW_OBJECTS => {
                "For few objects, testing every pair costs less than maintaining a structure."
            }
            Algorithm::Brute => "A structure would save too few tests to pay for its maintenance.",
            #[cfg(feature = "hash")]
            Algorithm::Hash if profile.ratio() < SIMILAR_SIZE_RATIO => {
                "Objects of similar size suit its cells."
            }
            #[cfg(feature = "hash")]
            Algorithm::Hash => "Most objects suit its cells, whatever the size of the largest.",
            #[cfg(feature = "hshg")]
            Algorithm::Hshg if best.skin.is_some() => {
                "Objects move so little that candidate pairs stay valid for several ticks."
            }
            #[cfg(feature = "hshg")]
            Algorithm::Hshg if profile.ratio() < SIMILAR_SIZE_RATIO => {
                "It sweeps along rows and keeps them sorted as objects move."
            }
            #[cfg(feature = "hshg")]
            Algorithm::Hshg => "Each level holds objects of similar size, and rows stay sorted.",
            #[cfg(feature = "morton")]
            Algorithm::Morton if 2 * profile.statics > profile.inserted => {
                "Static objects are sorted only once."
            }
            #[cfg(feature = "morton")]
            Algorithm::Morton => "Clusters of neighbors suit objects of any size and position.",
            Algorithm::Auto => "Selected by the number of objects.",
        }
    }

    /// Returns Rust code that creates a world with the fastest setting. The code is complete with
    /// its imports. It sets no backend, because a world uses the fastest backend by default.
    ///
    /// ```text
    #[doc = include_str!("snippet.rs.txt")]
    /// ```
    #[must_use]
    pub fn snippet(&self) -> String {
        let best = self.best();
        let mut calls = Vec::new();
        if self.sides.iter().any(|&side| side > S::ZERO) {
            calls.push(format!("wrap({:?})", self.sides));
        }
        calls.push(format!("algorithm(Algorithm::{:?})", best.algorithm));
        calls.extend(best.cell.map(|cell| format!("smallest_cell({cell:?})")));
        calls.extend(best.skin.map(|skin| format!("skin({skin:?})")));
        if !self.events {
            calls.push("events(false)".into());
        }
        calls.push(format!("capacity({})", self.profile().objects));
        format!(
            "use hexphase::{{Algorithm, BroadPhase, Options}};\n\n\
             let options = Options::new()\n    .{};\n\
             let mut world: BroadPhase<{}, {D}, ()> = BroadPhase::with_options(options);\n",
            calls.join("\n    ."),
            S::NAME
        )
    }
}

/// Returns a count with its noun, given in the singular: `1 tick`, `2 ticks`.
fn counted(count: usize, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        all if all >= 99.95 => "all".into(),
        some => format!("{some:.1} %"),
    }
}

/// Formats a number for reading, without trailing zeros. Numbers from 0.01 to below 10^6 get two
/// decimals below 10, one below 100, and none above. All other numbers, except 0, are written in
/// scientific notation.
pub(super) fn readable(number: f64) -> String {
    if number == 0.0 || (0.01..1e6).contains(&number) {
        let digits = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
        let text = format!("{number:.digits$}");
        let text = if text.contains('.') { text.trim_end_matches('0') } else { &text };
        text.trim_end_matches('.').into()
    } else {
        format!("{number:.2e}")
    }
}

/// The snippet that the tests below expect, as compiled code.
///
/// ```
#[doc = include_str!("snippet.rs.txt")]
/// assert!(world.is_empty());
/// ```
#[cfg(doctest)]
struct Pasted;

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::super::{Profile, Trace};
    use super::*;

    fn trial(algorithm: Algorithm, microseconds: u64) -> Trial<f32> {
        let tick = Duration::from_micros(microseconds);
        Trial {
            algorithm,
            cell: None,
            chosen_cell: None,
            skin: None,
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
        let backend = crate::Backend::SCALAR;
        let mut trace = Trace::<f32, 2>::new();
        (trace.sides, trace.events) = ([1024.0, 0.0], false);
        Report::new(trials, profile, 5, backend, &trace)
    }

    #[test]
    fn snippets_contain_all_settings() {
        let best = Trial { cell: Some(28.0), skin: Some(4.5), ..trial(Algorithm::Brute, 1) };
        let report = report(Vec::from([best]));
        assert_eq!(report.snippet(), include_str!("snippet.rs.txt"));
        let options = report.options();
        assert_eq!((options.cell, options.skin, options.capacity), (Some(28.0), 4.5, 1000));
        assert_eq!((options.sides, options.events), ([1024.0, 0.0], false));
        assert_eq!(options.algorithm, Algorithm::Brute);
    }

    #[test]
    fn report_text() {
        let fast = trial(Algorithm::Brute, 10);
        let text = format!("{}", report(Vec::from([fast, Trial { cell: Some(0.5), ..fast }])));
        let expected = "\
ms a tick  slowest   first   MB  structure
   0.0100   0.0200  0.0900  1.2  brute
   0.0100   0.0200  0.0900  1.2  brute with cells of 0.5

At most 1000 objects at a time, 11 ticks; 50.0 % of them move in a tick, by 1.25 (median).
Sizes from 2 to 200, median 4: the largest is 100 times the smallest; 0.87 pairs for each object.

brute is fastest: 0.0100 ms per tick, 10.0 ns per object.
For few objects, testing every pair costs less than maintaining a structure.
Equally fast, within 5 %: brute with cells of 0.5.
";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("\n2 settings, each replayed 5 times on scalar; all found the same"));
        assert!(text.ends_with(&report(Vec::from([fast])).snippet()), "{text}");
    }

    #[test]
    fn many_tests_are_reported() {
        for (tests, many) in [(32 * 1009, false), (32 * 1009 + 1, true)] {
            let search = Some(crate::SearchStats { tests, hits: 9 });
            let trial = Trial { search, ..trial(Algorithm::Brute, 1) };
            let text = report(Vec::from([trial])).explanation();
            let line = "\nA search tests 3587 candidates for each overlap; divide long boxes.\n";
            assert_eq!(text.contains(line), many, "{text}");
        }
    }

    #[test]
    fn different_pairs_are_reported() {
        let wrong = Trial { agrees: false, ..trial(Algorithm::Brute, 1) };
        let report = report(Vec::from([trial(Algorithm::Brute, 2), wrong]));
        let text = format!("{report}");
        assert!(!report.all_agree());
        assert!(text.contains("brute, OTHER PAIRS\n") && text.contains("NOT all found"), "{text}");
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
