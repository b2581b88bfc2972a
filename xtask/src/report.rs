//! Counts tests in the output of test runners, and prints the table of `verify`.
//!
//! A test that cannot run on this machine prints one line and succeeds:
//!
//! ```text
//! SKIPPED golden::navaids: HEXPHASE_SCENES is not set
//! ```
//!
//! Such a test is counted as skipped, not as passed. Test runners print the line only with
//! `--show-output`; `verify` passes this option to all test runners except those of doc examples.

use core::fmt::Write as _;
use core::ops::AddAssign;
use core::time::Duration;

use crate::step::Outcome;

/// The number of passed, failed and skipped tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Tally {
    /// Returns the tally of one test.
    pub(crate) fn one(passed: bool) -> Self {
        Self { passed: passed.into(), failed: (!passed).into(), skipped: 0 }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The results of all test runners in one output.
#[derive(Debug, Default)]
pub(crate) struct Results {
    /// The total of all runners.
    pub(crate) tally: Tally,
    /// Names of the skipped tests, and the missing requirements: `name: why`.
    pub(crate) skipped: Vec<String>,
    /// The hash that the simulator has printed as `HASH 0123456789abcdef`, as `, hash …`.
    pub(crate) hash: String,
}

impl Results {
    /// Parses the output of `cargo test -- --show-output`.
    pub(crate) fn read(output: &str) -> Self {
        let mut results = Self::default();
        for line in output.lines() {
            if let Some(tally) = closing_line(line) {
                results.tally += tally;
            } else if let Some(skipped) = line.strip_prefix("SKIPPED ") {
                results.skipped.push(skipped.to_owned());
            } else if let Some(hash) = line.strip_prefix("HASH ") {
                results.hash = format!(", hash {hash}");
            }
        }
        let without_running = results.skipped.len().min(results.tally.passed);
        results.tally.passed -= without_running;
        results.tally.skipped += without_running;
        results
    }
}

/// Parses `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
fn closing_line(line: &str) -> Option<Tally> {
    let counts = line.strip_prefix("test result: ")?;
    let count = |what: &str| {
        let before = counts.split([';', '.']).find_map(|part| part.trim().strip_suffix(what))?;
        before.trim().parse().ok()
    };
    Some(Tally { passed: count("passed")?, failed: count("failed")?, skipped: count("ignored")? })
}

/// Returns the report and the total. The table has a row for each step, one with the time that all
/// steps took together, and one for each skipped test; the closing line follows.
pub(crate) fn report(outcomes: &[Outcome], time: Duration) -> (String, Tally) {
    let width = outcomes.iter().map(|outcome| outcome.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut row = |status: &str, seconds: f64, name: &str, summary: &str| {
        let row = format!("{status:<7} {seconds:>8.1} s  {name:<width$}  {summary}");
        let _ = writeln!(text, "{}", row.trim_end());
    };
    let mut total = Tally::default();
    let mut skipped = Vec::new();
    for Outcome { name, seconds, tally, summary, skipped: tests } in outcomes {
        let status = match tally {
            Tally { failed: 1.., .. } => "FAILED",
            Tally { passed: 0, skipped: 1.., .. } => "skipped",
            _ => "ok",
        };
        row(status, *seconds, name, summary);
        total += *tally;
        skipped.extend(tests);
    }
    row("", time.as_secs_f64(), "all", "");
    skipped.sort();
    for tests in skipped.chunk_by(|a, b| a == b) {
        let _ = writeln!(text, "{} x skipped: {}", tests.len(), tests[0]);
    }
    let Tally { passed, failed, skipped } = total;
    let _ = write!(text, "\n{passed} passed, {failed} failed");
    if skipped > 0 {
        let _ = write!(text, ", {skipped} skipped");
    }
    text.push('\n');
    (text, total)
}

#[cfg(test)]
mod tests {
    use super::{Duration, Outcome, Results, Tally, report};

    #[test]
    fn runners_are_summed_and_skipped_tests_are_not_passed() {
        let output = "
test discs ... ok
SKIPPED golden::navaids: HEXPHASE_SCENES is not set
HASH 00ff
not SKIPPED a: b
test result: unknown
test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s
test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.50s
";
        let results = Results::read(output);
        assert_eq!(results.tally, Tally { passed: 41, failed: 1, skipped: 2 });
        assert_eq!(results.hash, ", hash 00ff");
        assert_eq!(results.skipped, ["golden::navaids: HEXPHASE_SCENES is not set"]);
    }

    #[test]
    fn steps_and_skipped_tests_are_rows_above_the_totals() {
        let outcome = |name: &str, [passed, failed, skipped]: [usize; 3], summary: &str| Outcome {
            name: name.into(),
            seconds: 1.25,
            tally: Tally { passed, failed, skipped },
            summary: summary.into(),
            skipped: vec!["golden::navaids: HEXPHASE_SCENES is not set".into(); skipped],
        };
        let format = outcome("format", [1, 0, 0], "");
        let outcomes =
            [format, outcome("doc", [0, 1, 0], ""), outcome("golden", [5, 0, 2], "7 tests")];
        let (text, total) = report(&outcomes, Duration::from_millis(2500));
        let expected = "\
ok           1.2 s  format
FAILED       1.2 s  doc
ok           1.2 s  golden  7 tests
             2.5 s  all
2 x skipped: golden::navaids: HEXPHASE_SCENES is not set

6 passed, 1 failed, 2 skipped
";
        assert_eq!(text, expected);
        assert_eq!(total, Tally { passed: 6, failed: 1, skipped: 2 });
        let (text, _) = report(&outcomes[..1], Duration::ZERO);
        assert_eq!(text.lines().last(), Some("1 passed, 0 failed"));
    }
}
