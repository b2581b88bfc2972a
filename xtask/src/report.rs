//! The report of `verify`: a table of all steps, and the closing line.

use core::time::Duration;

use crate::step::Outcome;
use crate::tally::Tally;

/// Returns the report and the total. The table has a row for each step, then one for each skipped
/// test, and one with the time that all steps took together; the closing line follows.
pub(crate) fn report(outcomes: &[Outcome], time: Duration) -> (String, Tally) {
    let mut total = Tally::default();
    let mut rows = vec![["status", "seconds", "step", ""].map(String::from)];
    for outcome in outcomes {
        total += outcome.tally;
        rows.push([
            status(outcome.tally).to_owned(),
            format!("{:.1}", outcome.seconds),
            outcome.name.clone(),
            outcome.summary.clone(),
        ]);
    }
    rows.extend(skipped(outcomes));
    let seconds = format!("{:.1}", time.as_secs_f64());
    rows.push([String::new(), seconds, "all".to_owned(), String::new()]);

    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (statuses, times, names) = (width(0), width(1), width(2));
    let mut text = String::new();
    for [status, seconds, name, summary] in &rows {
        let row = format!("{status:<statuses$}  {seconds:>times$}  {name:<names$}  {summary}");
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&closing_line(total));
    text.push('\n');
    (text, total)
}

const fn status(tally: Tally) -> &'static str {
    if tally.failed > 0 {
        "FAILED"
    } else if tally.passed == 0 && tally.skipped > 0 {
        "skipped"
    } else {
        "ok"
    }
}

/// Returns one row for each skipped test, with the number of feature sets it was skipped in.
fn skipped(outcomes: &[Outcome]) -> Vec<[String; 4]> {
    let mut rows: Vec<([String; 4], usize)> = Vec::new();
    for outcome in outcomes {
        for test in outcome.skipped.iter().filter(|test| test.name != outcome.name) {
            let known = rows.iter_mut().find(|(row, _)| row[2] == test.name && row[3] == test.why);
            if let Some((_, times)) = known {
                *times += 1;
            } else {
                let status = "skipped".to_owned();
                rows.push(([status, String::new(), test.name.clone(), test.why.clone()], 1));
            }
        }
    }
    for (row, times) in rows.iter_mut().filter(|(_, times)| *times > 1) {
        row[3].push_str(&format!(" ({times} times)"));
    }
    rows.into_iter().map(|(row, _)| row).collect()
}

fn closing_line(total: Tally) -> String {
    let Tally { passed, failed, skipped } = total;
    match skipped {
        0 => format!("{passed} passed, {failed} failed"),
        _ => format!("{passed} passed, {failed} failed, {skipped} skipped"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Outcome, Tally, report};
    use crate::tally::Skipped;

    const TIME: Duration = Duration::from_millis(2500);

    fn outcome(name: &str, tally: (usize, usize, usize), summary: &str) -> Outcome {
        let (passed, failed, skipped) = tally;
        Outcome {
            name: name.into(),
            seconds: 1.25,
            tally: Tally { passed, failed, skipped },
            summary: summary.into(),
            skipped: Vec::new(),
        }
    }

    #[test]
    fn the_last_line_has_the_totals() {
        let (text, _) = report(&[outcome("fmt", (1, 0, 0), ""), outcome("t", (9, 2, 0), "")], TIME);
        assert_eq!(text.lines().last(), Some("10 passed, 2 failed"));
        let (text, total) = report(&[outcome("t", (9, 0, 3), "")], TIME);
        assert_eq!(text.lines().last(), Some("9 passed, 0 failed, 3 skipped"));
        assert_eq!(total, Tally { passed: 9, failed: 0, skipped: 3 });
    }

    #[test]
    fn steps_and_skipped_tests_are_rows() {
        let mut golden = outcome("golden", (5, 0, 2), "7 tests");
        let why = "HEXPHASE_SCENES is not set".to_owned();
        golden.skipped = vec![Skipped { name: "golden::navaids".into(), why }; 2];
        let (text, _) =
            report(&[outcome("fmt", (1, 0, 0), ""), outcome("doc", (0, 1, 0), ""), golden], TIME);
        let expected = "\
status   seconds  step
ok           1.2  fmt
FAILED       1.2  doc
ok           1.2  golden           7 tests
skipped           golden::navaids  HEXPHASE_SCENES is not set (2 times)
             2.5  all

6 passed, 1 failed, 2 skipped
";
        assert_eq!(text, expected);
    }
}
