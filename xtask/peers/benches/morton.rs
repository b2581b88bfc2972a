//! Benchmarks Morton-sorted cells, with the hierarchical grid and other libraries in the same run.
//! Measures whole ticks of the scenes with goals, static objects, a mesh, and growth.
//!
//! A tick moves every object and writes every overlapping pair into a reused buffer, in any order.
//!
//! * `from nothing`: clears the structure and fills it again
//! * `hshg`: our hierarchical grid doing the same work

#[path = "morton/mesh.rs"]
mod mesh;
#[path = "morton/statics.rs"]
mod statics;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, Pair};
use peers::world::{Boxes, Grid, Parry2, Parry3, Rstar, Sorted, World, answer, answer_of};
use peers::{Comparison, Scene, Subject, Suite, Work, measuring};

/// Number of the tick whose pairs are compared with the expected pairs.
const TICKS: usize = 3;

/// The scenes to be timed. Each has a small scene of the same kind, used if results are only
/// checked.
const SCENES: [[&str; 2]; 9] = [
    ["discs:500000", "discs:10000"],
    ["mixed:500000", "mixed:10000"],
    ["discs3:300000", "discs3:10000"],
    ["mixed3:300000", "mixed3:10000"],
    ["tail:10000", "tail:10000"],
    ["tail3:100000", "tail3:3000"],
    ["terdiman:10000", "terdiman:10000"],
    ["terdiman:100000", "terdiman:3000"],
    ["clustered:500000", "clustered:10000"],
];

/// Scenes for the growth of time with the number of objects.
const GROWTH: [&str; 5] =
    ["mixed3:1000", "mixed3:10000", "mixed3:100000", "mixed3:1000000", "mixed3:10000000"];

fn main() {
    let mut suite = Suite::new("morton");
    for [scene, small] in SCENES {
        compare(&mut suite, if measuring() { scene } else { small }, true);
    }
    statics::measure(&mut suite);
    mesh::measure(&mut suite);
    if measuring() {
        GROWTH.iter().for_each(|scene| compare(&mut suite, scene, false));
    }
    suite.finish();
}

fn compare(suite: &mut Suite, scene: &str, peers: bool) {
    let name: SceneName = scene.parse().expect("a scene of the generators");
    match name.generate() {
        Objects::Flat(movers) => {
            let boxes = Boxes::from(movers);
            let mut ticks = ours(suite, scene, &boxes, peers);
            if peers {
                theirs::<2, Parry2>(&mut ticks, "parry2d", &boxes);
            }
        }
        Objects::Solid(movers) => {
            let boxes = Boxes::from(movers);
            let mut ticks = ours(suite, scene, &boxes, peers);
            if peers {
                theirs::<3, Parry3>(&mut ticks, "parry3d", &boxes);
            }
        }
    }
}

/// Measures ticks of `MortonCells`, on every backend if `all` is set.
fn ours<'s, const D: usize>(
    suite: &'s mut Suite,
    scene: &str,
    start: &Boxes<D>,
    all: bool,
) -> Comparison<'s> {
    let mut later = start.clone();
    (0..TICKS).for_each(|_| later.advance());
    let n = start.len();
    let expected = answer(&mut Rstar::new(&later));
    let mut ticks =
        suite.compare(Scene { name: scene, n, work: Work::Objects(n as u64) }, expected);
    if n > 1_000_000 {
        ticks.samples(10);
    }
    let best = Backend::detect();
    for backend in Backend::available().filter(|&backend| all || backend == best) {
        ticks.ours(
            subject("tick", &backend.to_string()),
            || warm(Sorted::new(start).on(backend)),
            tick,
            |(_, out)| answer_of(out),
        );
    }
    ticks.ours(
        subject("hshg", &best.to_string()),
        || warm(Grid::new(start)),
        tick,
        |(_, out)| answer_of(out),
    );
    if all {
        ticks.ours(
            subject("from nothing", &best.to_string()),
            || warm(Sorted::new(start)),
            |(world, out)| {
                world.refill(&later);
                world.collect(out);
            },
            |(_, out)| answer_of(out),
        );
    }
    ticks
}

fn theirs<const D: usize, W: World<D>>(ticks: &mut Comparison<'_>, name: &str, start: &Boxes<D>) {
    ticks.peer(name, || warm(W::new(start)), tick, |(_, out)| answer_of(out));
}

/// Returns the world one tick before its result is compared.
fn warm<const D: usize, W: World<D>>(mut world: W) -> (W, Vec<Pair>) {
    let mut out = Vec::new();
    for _ in 1..TICKS {
        world.advance();
        world.collect(&mut out);
    }
    (world, out)
}

fn tick<const D: usize, W: World<D>>((world, out): &mut (W, Vec<Pair>)) {
    world.advance();
    world.collect(out);
}

const fn subject<'a>(name: &'a str, backend: &'a str) -> Subject<'a> {
    Subject { name, backend, threads: 1 }
}
