//! The table of a report, and the names of settings.

use core::time::Duration;

use hexphase::Scalar;
use hexphase::tune::Trial;

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

/// Returns the name of a setting: `brute`, `hash with cells of 28`, or `hash with cells of 28
/// (chosen)`.
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

    #[test]
    fn tables_are_aligned() {
        let mut trace = Trace::<f32, 2>::default();
        trace.push([Aabb::point([0.0; 2])]).unwrap();
        let mut trial = tune(&trace, &Budget::default()).trials[0];
        let tick = Duration::from_micros(10);
        (trial.first, trial.tick, trial.worst, trial.bytes) = (9 * tick, tick, 2 * tick, 1_234_567);
        trial.algorithm = hexphase::Algorithm::Brute;
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
