//! The report of `verify`: a table of all steps, and the closing line.

use core::fmt::Write as _;
use core::time::Duration;

use crate::step::Outcome;
use crate::tally::Tally;

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
    use super::{Duration, Outcome, Tally, report};

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
