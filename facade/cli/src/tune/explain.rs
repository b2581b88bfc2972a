//! A report as a table, in words, and as Rust code.

use core::fmt::Write as _;
use core::time::Duration;

use hexphase::tune::{Profile, Report, Trial};
use hexphase::{Algorithm, Backend, Scalar, SearchStats};

use crate::error::Count;

/// With at most this number of objects, brute force is fast because they are few.
const FEW_OBJECTS: usize = 1024;
/// Sizes count as similar if the ratio of the largest to the smallest object is below this.
const SIMILAR_SIZE_RATIO: f64 = 4.0;
/// Settings count as equally fast if the ratio of their times is below this.
const TIE_RATIO: f64 = 1.05;

/// Returns a description of the trace, the fastest setting, and a likely reason.
pub(super) fn explanation<S: Scalar, const D: usize>(report: &Report<S, D>) -> String {
    let (best, profile) = (&report.trials[0], &report.profile);
    let facts = Facts {
        profile,
        settings: Vec::from_iter(report.trials.iter().map(|trial| Setting {
            name: name(trial),
            algorithm: trial.algorithm,
            seconds: trial.tick.as_secs_f64(),
            agrees: trial.agrees,
        })),
        has_cell: best.cell.is_some(),
        search: best.search.filter(|_| best.many_tests),
        auto: report.auto,
        rounds: report.rounds,
        backend: report.backend,
    };
    let mut text = String::new();
    // Writing to a string is infallible.
    let _ = facts.explain(&mut text);
    text
}

/// Returns Rust code that creates a world with the fastest setting. The code is complete with its
/// imports. It sets no backend, because a world uses the fastest backend by default, and no other
/// option, because the recorded worlds have none.
pub(super) fn snippet<S: Scalar, const D: usize>(report: &Report<S, D>) -> String {
    let best = &report.trials[0];
    let cell = best.cell.map(|cell| format!("{cell:?}"));
    code(best.algorithm, cell.as_deref(), report.profile.objects, &format!("{}, {D}", S::NAME))
}

/// Returns the code of a [`snippet`]. `types` are the number type and the number of dimensions.
fn code(algorithm: Algorithm, cell: Option<&str>, objects: usize, types: &str) -> String {
    let cell = cell.map_or_else(String::new, |cell| format!("    .smallest_cell({cell})\n"));
    format!(
        "use hexphase::{{Algorithm, BroadPhase, Options}};\n\n\
         let options = Options::new()\n    .algorithm(Algorithm::{algorithm:?})\n\
         {cell}    .capacity({objects});\n\
         let mut world: BroadPhase<{types}, ()> = BroadPhase::with_options(options);\n"
    )
}

/// The numbers of a report that the explanation contains, independent of the number type.
struct Facts<'a> {
    profile: &'a Profile,
    settings: Vec<Setting>,
    /// Whether the fastest setting has a cell size.
    has_cell: bool,
    /// The last search of the fastest setting, if it made too many tests.
    search: Option<SearchStats>,
    auto: Algorithm,
    rounds: usize,
    backend: Backend,
}

struct Setting {
    name: String,
    algorithm: Algorithm,
    seconds: f64,
    agrees: bool,
}

impl Facts<'_> {
    fn explain(&self, text: &mut String) -> core::fmt::Result {
        let profile = self.profile;
        let objects = profile.objects;
        let (most, ticks) = (Count(objects as u64, "object"), Count(profile.ticks as u64, "tick"));
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
        let pairs = readable(profile.pairs / objects.max(1) as f64);
        write!(text, "Sizes from {least} to {most}, median {middle}: ")?;
        match size_ratio(profile) {
            ratio if ratio < 1.5 => write!(text, "all nearly equal")?,
            ratio if ratio.is_finite() => {
                write!(text, "the largest is {} times the smallest", readable(ratio))?;
            }
            _ => write!(text, "some are points")?,
        }
        let name = if pairs == "1" { "pair" } else { "pairs" };
        writeln!(text, "; {pairs} {name} for each object.\n")?;

        let best = &self.settings[0];
        let took = best.seconds;
        let each = took * 1e9 / objects.max(1) as f64;
        let millis = took * 1e3;
        write!(text, "{} is fastest: {millis:.4} ms per tick, {each:.1} ns per object", best.name)?;
        let slower = |other: &&Setting| other.algorithm != best.algorithm && other.agrees;
        if let Some(next) = self.settings.iter().find(slower)
            && took > 0.0
        {
            let ratio = next.seconds / took;
            write!(text, "; {} takes {ratio:.2} times as long", next.name)?;
        }
        writeln!(text, ".")?;
        writeln!(text, "{}", self.reason())?;
        if let Some(stats) = self.search {
            let tests = stats.tests / stats.hits.max(1);
            writeln!(
                text,
                "A search tests {tests} candidates for each overlap; divide long boxes."
            )?;
        }
        let alike = |other: &&Setting| other.agrees && other.seconds <= took * TIE_RATIO;
        let alike = self.settings.iter().skip(1).filter(alike);
        let alike: Vec<&str> = alike.map(|other| other.name.as_str()).collect();
        if !alike.is_empty() {
            writeln!(text, "Equally fast, within 5 %: {}.", alike.join("; "))?;
        }
        if best.algorithm == self.auto && !self.has_cell {
            writeln!(text, "`auto` uses it, too.")?;
        } else {
            writeln!(text, "`auto` uses {}.", self.auto)?;
        }
        let settings = Count(self.settings.len() as u64, "setting");
        let times = match self.rounds {
            1 => String::from("once"),
            rounds => format!("{rounds} times"),
        };
        write!(text, "{settings}, each replayed {times} on {}", self.backend)?;
        if self.settings.iter().all(|setting| setting.agrees) {
            writeln!(text, "; all found the same pairs in every tick.")
        } else {
            writeln!(text, "; NOT all found the same pairs: a bug, please report it.")
        }
    }

    fn reason(&self) -> &'static str {
        let profile = self.profile;
        match self.settings[0].algorithm {
            Algorithm::Brute if profile.objects <= FEW_OBJECTS => {
                "For few objects, testing every pair costs less than maintaining a structure."
            }
            Algorithm::Brute => "A structure would save too few tests to pay for its maintenance.",
            #[cfg(feature = "full")]
            Algorithm::Hash if size_ratio(profile) < SIMILAR_SIZE_RATIO => {
                "Objects of similar size suit its cells."
            }
            #[cfg(feature = "full")]
            Algorithm::Hash => "Most objects suit its cells, whatever the size of the largest.",
            Algorithm::Hshg if size_ratio(profile) < SIMILAR_SIZE_RATIO => {
                "It sweeps along rows and keeps them sorted as objects move."
            }
            Algorithm::Hshg => "Each level holds objects of similar size, and rows stay sorted.",
            #[cfg(feature = "full")]
            Algorithm::Morton if 2 * profile.statics > profile.inserted => {
                "Static objects are sorted only once."
            }
            #[cfg(feature = "full")]
            Algorithm::Morton => "Clusters of neighbors suit objects of any size and position.",
            _ => "Selected by the number of objects.",
        }
    }
}

/// Returns the size of the largest object divided by that of the smallest.
fn size_ratio(profile: &Profile) -> f64 {
    let [least, _, most] = profile.sizes;
    if least == most { 1.0 } else { most / least }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        all if all >= 99.95 => "all".into(),
        some => format!("{some:.1} %"),
    }
}

const TITLES: [&str; 5] = ["ms a tick", "slowest", "first", "MB", "structure"];

/// Returns a table of the times and the memory of all settings, in their order.
pub(super) fn table<S: Scalar>(trials: &[Trial<S>]) -> String {
    let mut table = vec![TITLES.map(String::from)];
    table.extend(trials.iter().map(|trial| {
        [
            milliseconds(trial.tick),
            milliseconds(trial.worst),
            milliseconds(trial.first),
            format!("{:.1}", trial.bytes as f64 / 1e6),
            format!("{}{}", name(trial), if trial.agrees { "" } else { ", OTHER PAIRS" }),
        ]
    }));
    let width = |column: usize| table.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: [usize; 4] = core::array::from_fn(width);
    let mut text = String::new();
    for row in &table {
        for (cell, width) in row.iter().zip(widths) {
            text += &format!("{cell:>width$}  ");
        }
        text += &row[4];
        text.push('\n');
    }
    text
}

fn milliseconds(time: Duration) -> String {
    format!("{:.4}", time.as_secs_f64() * 1e3)
}

/// Returns the name of a setting, such as `hash with cells of 28 (chosen)`.
pub(super) fn name<S: Scalar>(trial: &Trial<S>) -> String {
    let algorithm = trial.algorithm;
    match (trial.cell, trial.chosen_cell) {
        (Some(cell), _) => format!("{algorithm} with cells of {cell}"),
        (None, Some(cell)) => {
            format!("{algorithm} with cells of {} (chosen)", readable(cell.to_f64()))
        }
        (None, None) => algorithm.to_string(),
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

#[cfg(test)]
mod tests {
    use hexphase::Aabb;
    use hexphase::tune::{Budget, Trace, tune};

    use super::*;

    /// Returns an explanation of brute force, with a time in microseconds, and another setting.
    fn explain(tick: f64, other: Setting, search: Option<SearchStats>) -> String {
        let mut profile = Profile::default();
        (profile.ticks, profile.objects, profile.inserted) = (11, 1000, 1000);
        (profile.moving, profile.step, profile.pairs) = (0.5, 1.25, 870.0);
        profile.sizes = [2.0, 4.0, 200.0];
        let settings = vec![brute("brute", tick), other];
        let (auto, backend) = (Algorithm::Hshg, Backend::SCALAR);
        let profile = &profile;
        let facts = Facts { profile, settings, has_cell: false, search, auto, rounds: 5, backend };
        let mut text = String::new();
        facts.explain(&mut text).unwrap();
        text
    }

    fn brute(name: &str, tick: f64) -> Setting {
        let (algorithm, seconds) = (Algorithm::Brute, tick / 1e6);
        Setting { name: name.into(), algorithm, seconds, agrees: true }
    }

    /// The guide of the library compiles the first snippet.
    #[test]
    fn snippets_contain_all_settings() {
        let guide = include_str!("../../../src/guide/tuning.md");
        let plain = code(Algorithm::Hshg, None, 10_000, "f32, 2");
        assert!(guide.contains(&format!("```rust\n{plain}")), "{plain}");
        let with_cell = code(Algorithm::Hshg, Some("28.0"), 10_000, "f32, 2");
        let line = "    .smallest_cell(28.0)\n";
        assert!(with_cell.contains(line) && with_cell.replace(line, "") == plain, "{with_cell}");
    }

    #[test]
    fn explanation_text() {
        let expected = "\
At most 1000 objects at a time, 11 ticks; 50.0 % of them move in a tick, by 1.25 (median).
Sizes from 2 to 200, median 4: the largest is 100 times the smallest; 0.87 pairs for each object.

brute is fastest: 0.0100 ms per tick, 10.0 ns per object.
For few objects, testing every pair costs less than maintaining a structure.
Equally fast, within 5 %: brute with cells of 0.5.
`auto` uses hshg.
2 settings, each replayed 5 times on scalar; all found the same pairs in every tick.
";
        assert_eq!(explain(10.0, brute("brute with cells of 0.5", 10.0), None), expected);
        let next = Setting { algorithm: Algorithm::Hshg, ..brute("hshg", 3.0) };
        let search = SearchStats { tests: 32 * 1009 + 1, hits: 9 };
        let text = explain(2.0, next, Some(search));
        assert!(text.contains(" per object; hshg takes 1.50 times as long.\n"), "{text}");
        let tests = "\nA search tests 3587 candidates for each overlap; divide long boxes.\n";
        assert!(text.contains(tests), "{text}");
        let text = explain(2.0, Setting { agrees: false, ..brute("wrong", 1.0) }, None);
        assert!(text.contains("NOT all found") && !text.contains("Equally"), "{text}");
    }

    #[test]
    fn tables_are_aligned() {
        let mut trace = Trace::<f32, 2>::default();
        trace.push([Aabb::point([0.0; 2])]).unwrap();
        let mut trial = tune(&trace, &Budget::default()).trials[0];
        let tick = Duration::from_micros(10);
        (trial.first, trial.tick, trial.worst, trial.bytes) = (9 * tick, tick, 2 * tick, 1_234_567);
        trial.algorithm = Algorithm::Brute;
        (trial.cell, trial.chosen_cell) = (None, None);
        let (mut cells, mut wrong) = (trial, trial);
        cells.cell = Some(0.5);
        (wrong.chosen_cell, wrong.agrees, wrong.tick) = (Some(456.7), false, tick / 10);
        let expected = "\
ms a tick  slowest   first   MB  structure
   0.0100   0.0200  0.0900  1.2  brute
   0.0100   0.0200  0.0900  1.2  brute with cells of 0.5
   0.0010   0.0200  0.0900  1.2  brute with cells of 457 (chosen), OTHER PAIRS
";
        assert_eq!(table(&[trial, cells, wrong]), expected);
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
