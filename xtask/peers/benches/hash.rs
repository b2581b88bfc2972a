//! Benchmarks the spatial hash, the hierarchical grid and brute force, with rstar in the same run:
//! whole ticks in which every object moves.
//!
//! A tick moves every object and writes every overlapping pair into a reused buffer, in any order.
//! rstar rebuilds its tree in each tick, which is its fastest method if all objects move.
//!
//! * `hash`: cells of the side recommended by the article
//! * `hash 2x`: cells of twice that side
//!
//! Three ticks after the start of the scene, the result of each subject is compared with the pairs
//! that rstar finds in the same boxes.

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, BruteForce, SpatialIndex};
use broadphase_hshg::{Hshg, SpatialHash};
use peers::world::{Boxes, Indexed, Rstar, Run};
use peers::{Scene, Subject, Suite, measuring};

const SCENES: [&str; 8] = [
    "discs:10000",
    "mixed:10000",
    "tail:10000",
    "clustered:10000",
    "terdiman:10000",
    "discs3:10000",
    "discs:500000",
    "discs3:300000",
];
/// Largest number of objects for brute force, for measuring every backend, and for checking results
/// without timing.
const MAX_BRUTE_FORCE: usize = 10_000;
/// Number of ticks before the result is compared.
const TICKS: usize = 3;

fn main() {
    let mut suite = Suite::new("hash");
    for name in SCENES {
        let scene: SceneName = name.parse().expect("a scene of the generators");
        if scene.count as usize > MAX_BRUTE_FORCE && !measuring() {
            continue;
        }
        match scene.generate() {
            Objects::Flat(movers) => measure(&mut suite, name, &movers.into()),
            Objects::Solid(movers) => measure(&mut suite, name, &movers.into()),
        }
    }
    suite.finish();
}

fn measure<const D: usize>(suite: &mut Suite, name: &str, boxes: &Boxes<D>) {
    let n = boxes.len();
    let expected = Run::after(TICKS, Rstar::new(boxes)).answer();
    let mut comparison = suite.compare(Scene::objects(name, n), expected);
    let mut ours =
        |name: &str, backend: Backend, make: &dyn Fn() -> Box<dyn SpatialIndex<f32, D>>| {
            let warm = || Run::after(TICKS - 1, Indexed::new(make(), boxes).on(backend));
            comparison.ours(Subject::on(backend, name), warm, Run::tick, Run::answer);
        };
    let cell = SpatialHash::<f32, D>::recommend(boxes.bounds.iter().copied());
    let best = Backend::detect();
    for backend in Backend::available().filter(|&backend| n <= MAX_BRUTE_FORCE || backend == best) {
        ours("hash", backend, &|| Box::new(SpatialHash::<f32, D>::new(cell)));
    }
    ours("hash 2x", best, &|| Box::new(SpatialHash::<f32, D>::new(2.0 * cell)));
    ours("hshg", best, &|| Box::new(Hshg::<f32, D>::new()));
    let brute = |&backend: &Backend| n <= MAX_BRUTE_FORCE && (backend == best || measuring());
    for backend in Backend::available().filter(brute) {
        ours("brute", backend, &|| Box::new(BruteForce::<f32, D>::new()));
    }
    let warm = || Run::after(TICKS - 1, Rstar::new(boxes));
    comparison.peer("rstar", warm, Run::tick, Run::answer);
}
