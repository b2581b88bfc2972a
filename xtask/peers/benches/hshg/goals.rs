//! Prints milliseconds and cycles of a tick, with the goals and the times of other libraries.

use core::hint::black_box;
use std::time::Instant;

use peers::Row;

use super::{Case, statics};

/// The maximum cost of a tick.
#[derive(Clone, Copy)]
pub(super) enum Goal {
    /// Milliseconds.
    Milliseconds(f64),
    /// Millions of cycles.
    Megacycles(f64),
    /// 1.5 times the time of another scene, plus one nanosecond per pair.
    OfScene(&'static str),
}

/// Prints a line for each measured scene.
pub(super) fn print(rows: &[Row], cases: &[Case]) {
    let mut ticks: Vec<(&str, Goal, &Row)> = Vec::new();
    let mut add = |name, scene: &str, goal| {
        ticks.extend(fastest(rows, scene, "tick").map(|row| (name, goal, row)));
    };
    cases.iter().for_each(|case| add(case.name, &case.label(case.scene), case.goal));
    add("D", statics::SCENE, Goal::Milliseconds(0.3));
    if ticks.is_empty() {
        return;
    }
    let clock = clock();
    println!(
        "a whole tick on the fastest backend; the clock is measured with dependent additions:"
    );
    println!("{clock:.2} cycles per nanosecond, so cycles are estimates\n");
    println!(
        "scene       ms per tick     goal   Mcycles     goal  fastest peer         ms   ratio"
    );
    for &(name, goal, row) in &ticks {
        let ms = milliseconds(row);
        let (goal, cycles) = match goal {
            Goal::Milliseconds(goal) => (Some(goal), None),
            Goal::Megacycles(goal) => (None, Some(goal)),
            Goal::OfScene(other) => {
                let other = ticks.iter().find(|tick| tick.0 == other);
                let of_pairs = row.pairs as f64 * 1e-6;
                (other.map(|tick| 1.5 * milliseconds(tick.2) + of_pairs), None)
            }
        };
        let peer = row.peer.as_ref();
        println!(
            "{name:<10} {ms:>12.3} {:>8} {:>9.2} {:>8}  {:<12} {:>10} {:>7}",
            number(goal),
            ms * clock,
            number(cycles),
            peer.map_or("", |peer| peer.name.as_str()),
            number(peer.map(|peer| peer.ns * row.n as f64 * 1e-6)),
            number(row.ratio()),
        );
    }
}

fn fastest<'a>(rows: &'a [Row], scene: &str, subject: &str) -> Option<&'a Row> {
    let ticks = rows.iter().filter(|row| row.scene == scene && row.subject == subject);
    ticks.min_by(|a, b| a.ns.total_cmp(&b.ns))
}

pub(super) fn milliseconds(row: &Row) -> f64 {
    row.ns * row.n as f64 * 1e-6
}

pub(super) fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.2}"))
}

/// Estimates the cycles per nanosecond: a chain of dependent additions takes one cycle each.
fn clock() -> f64 {
    const ROUNDS: u64 = 10_000_000;
    let (add, flip) = (black_box(0x9E37_79B9_7F4A_7C15_u64), black_box(0x5555_u64));
    let mut x = black_box(1_u64);
    let run = |_| {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            // Compilers cannot replace alternating additions and exclusive ors with a formula.
            x = x.wrapping_add(add) ^ flip;
        }
        x = black_box(x);
        (2 * ROUNDS) as f64 / start.elapsed().as_nanos() as f64
    };
    // Disturbances make a run slower, so the fastest run counts.
    (0..9).map(run).fold(0.0, f64::max)
}
