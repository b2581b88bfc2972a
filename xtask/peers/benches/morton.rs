//! Benchmarks Morton-sorted cells, with the hierarchical grid and parry in the same run: whole
//! ticks, a mesh, and growth. Few moving objects among many static ones are in the suite `hshg`.
//!
//! A tick moves every object and writes every overlapping pair into a reused buffer, in any order.
//!
//! * `from nothing`: fills a new structure
//! * `hshg`, `hshg from nothing`: our hierarchical grid doing the same work
//! * `hash`: our spatial hash, with cells of the recommended side
//! * `parry`: the tree of parry2d or parry3d

#[path = "morton/mesh.rs"]
mod mesh;

use broadphase_core::Backend;
use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_hshg::SpatialHash;
use peers::world::{Boxes, Indexed, Parry2, Parry3, Rstar, Run};
use peers::{Comparison, Scene, Subject, Suite, measuring};

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
    mesh::measure(&mut suite);
    if measuring() {
        GROWTH.iter().for_each(|scene| compare(&mut suite, scene, false));
    }
    suite.finish();
}

/// Measures a scene, on every backend and with parry if `all` is set.
fn compare(suite: &mut Suite, scene: &str, all: bool) {
    let name: SceneName = scene.parse().expect("a scene of the generators");
    match name.generate() {
        Objects::Flat(movers) => {
            let start = Boxes::from(movers);
            let mut ticks = ours(suite, scene, &start, all);
            if all {
                let warm = || Run::after(TICKS - 1, Parry2::new(&start));
                ticks.peer("parry", warm, Run::tick, Run::answer);
            }
        }
        Objects::Solid(movers) => {
            let start = Boxes::from(movers);
            let mut ticks = ours(suite, scene, &start, all);
            if all {
                let warm = || Run::after(TICKS - 1, Parry3::new(&start));
                ticks.peer("parry", warm, Run::tick, Run::answer);
            }
        }
    }
}

fn ours<'s, const D: usize>(
    suite: &'s mut Suite,
    scene: &str,
    start: &Boxes<D>,
    all: bool,
) -> Comparison<'s> {
    let later = start.after(TICKS);
    let expected = Run::after(0, Rstar::new(&later)).answer();
    let mut ticks = suite.compare(Scene::objects(scene, start.bounds.len()), expected);
    if start.bounds.len() > 1_000_000 {
        ticks.samples(10);
    }
    let warm = |world| Run::after(TICKS - 1, world);
    for backend in Backend::available().filter(|&one| all || one == Backend::detect()) {
        let sorted = || warm(Indexed::sorted(start).on(backend));
        ticks.measure(Subject::on(backend, "tick"), sorted, Run::tick, Run::answer);
    }
    let grid = || warm(Indexed::grid(start));
    ticks.measure(Subject::detected("hshg"), grid, Run::tick, Run::answer);
    if all {
        let cell = SpatialHash::<f32, D>::recommend(start.bounds.iter().copied());
        let hash = || warm(Indexed::new(Box::new(SpatialHash::<f32, D>::new(cell)), start));
        ticks.measure(Subject::detected("hash"), hash, Run::tick, Run::answer);
        ticks.measure(
            Subject::detected("from nothing"),
            || warm(Indexed::sorted(start)),
            |run| *run = Run::after(0, Indexed::sorted(&later)),
            Run::answer,
        );
        let fill = |run: &mut Run<_>| *run = Run::after(0, Indexed::grid(&later));
        ticks.measure(Subject::detected("hshg from nothing"), grid, fill, Run::answer);
    }
    ticks
}
