//! Measures how the time of a tick grows with the number of objects: equal discs at equal density.
//!
//! Prints a table and draws a log-log chart into `target/growth.svg`, or into the file given by
//! `cargo xtask bench growth --svg FILE`. A tick is measured as in the suite `hshg`. parry2d is
//! measured only up to a size above which it would take too long.

#[path = "growth/chart.rs"]
mod chart;

use std::env;
use std::path::PathBuf;

use broadphase_core::scenes::{Scene as Objects, SceneKind, SceneName};
use broadphase_core::{Backend, SpatialIndex};
use peers::world::{Boxes, Grid, Parry2, Rstar, World, answer, answer_of};
use peers::{Comparison, Row, Scene, Subject, Suite, Work, measuring, target_folder};

use chart::Line;

const SIZES: [u32; 9] =
    [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
/// Maximum number of objects in scenes that are only checked, not timed.
const CHECKED: u32 = 10_000;
/// Maximum number of objects with the full number of samples. Samples of larger scenes take long,
/// so these get fewer samples.
const MAX_FULLY_SAMPLED: u32 = 1_000_000;
/// Number of the tick whose pairs are compared with the expected pairs.
const TICKS: usize = 3;
/// The two numbers of objects in the growth goal: the time per object with the larger number is at
/// most three times that with the smaller one.
const GOAL: [usize; 2] = [100_000, 10_000_000];

fn main() {
    let mut suite = Suite::new("growth");
    let sizes = SIZES.into_iter().filter(|&n| measuring() || n <= CHECKED);
    let bytes: Vec<(f64, f64)> = sizes.map(|n| (f64::from(n), measure(&mut suite, n))).collect();
    let rows = suite.rows();
    suite.finish();
    if !rows.is_empty() {
        report(&rows, &bytes);
    }
}

/// Measures one size and returns the bytes of memory per object.
fn measure(suite: &mut Suite, n: u32) -> f64 {
    let scene = SceneName::new(SceneKind::Discs, n);
    let Objects::Flat(movers) = scene.generate() else { unreachable!("discs are flat") };
    let start = Boxes::from(movers);
    let mut later = start.clone();
    (0..TICKS).for_each(|_| later.advance());
    let expected = answer(&mut Rstar::new(&later));
    drop(later);
    let name = scene.to_string();
    let scene = Scene { name: &name, n: n as usize, work: Work::Objects(n.into()) };
    let mut ticks = suite.compare(scene, expected);
    if n > MAX_FULLY_SAMPLED {
        ticks.samples(10);
    }
    ours(&mut ticks, &start);
    if n <= MAX_FULLY_SAMPLED {
        ticks.peer("parry2d", || warm(Parry2::new(&start)), tick, |(_, out)| answer_of(out));
    }
    let mut world = warm(Grid::new(&start)).0;
    world.advance();
    world.hshg.memory_use() as f64 / f64::from(n)
}

fn ours(ticks: &mut Comparison<'_>, start: &Boxes<2>) {
    let backend = Backend::detect();
    ticks.ours(
        Subject { name: "tick", backend: &backend.to_string(), threads: 1 },
        || warm(Grid::new(start)),
        tick,
        |(_, out)| answer_of(out),
    );
}

type State<W> = (W, Vec<[u32; 2]>);

/// Returns the world one tick before its result is compared.
fn warm<W: World<2>>(world: W) -> State<W> {
    let mut state = (world, Vec::new());
    (1..TICKS).for_each(|_| tick(&mut state));
    state
}

fn tick<W: World<2>>((world, out): &mut State<W>) {
    world.advance();
    world.collect(out);
}

fn report(rows: &[Row], bytes: &[(f64, f64)]) {
    let line = |subject: &'static str| {
        let rows = rows.iter().filter(|row| row.subject == subject);
        Line { name: subject, points: rows.map(|row| (row.n as f64, row.ns)).collect() }
    };
    let lines = [line("tick"), line("parry2d")];
    println!("    objects  ns per object   ms per tick     parry2d  bytes per object");
    for &(n, ns) in &lines[0].points {
        let theirs = lines[1].points.iter().find(|point| point.0 == n);
        let theirs = theirs.map_or(String::new(), |point| format!("{:.2}", point.1));
        let held = bytes.iter().find(|point| point.0 == n).map_or(0.0, |point| point.1);
        println!("{n:>11} {ns:>14.2} {:>13.3} {theirs:>11} {held:>17.1}", n * ns * 1e-6);
    }
    let at = |n: usize| rows.iter().find(|row| row.subject == "tick" && row.n == n);
    if let [Some(few), Some(many)] = GOAL.map(at) {
        let times = many.ns / few.ns;
        println!("time per object from 100 thousand to 10 million: {times:.2} times (goal 3)");
    }
    let file = env::var_os("HEXPHASE_BENCH_SVG")
        .map_or_else(|| target_folder().join("growth.svg"), PathBuf::from);
    let drawn = chart::draw(&file, &lines);
    assert!(drawn.is_ok(), "{}: {drawn:?}", file.display());
    println!("chart: {}", file.display());
}
