//! Benchmarks the spatial hash, the hierarchical grid and brute force, with rstar
//! in the same run. Measures whole ticks in which every object moves.
//!
//! A tick moves every object and writes every overlapping pair into a reused buffer, in any order.
//! The velocities are in an array, by key. rstar rebuilds its tree in each tick, which is its
//! fastest method if all objects move.
//!
//! * `hash`: each object in every cell it touches, and the cell side recommended by the article
//! * `hash 2x`: cells of twice that side
//!
//! Three ticks after the start of the scene, the result of each subject is compared with the pairs
//! that rstar finds in the same boxes. The number of pairs at the start is a constant.

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, BruteForce, Pair, SpatialIndex, SpatialIndexExt};
use broadphase_hshg::{Hshg, SpatialHash};
use peers::world::{Boxes, Motion, Rstar, World, answer, answer_of};
use peers::{Scene, Subject, Suite, Work, measuring};

/// The scenes, and the number of pairs of each at the start.
const SCENES: [(&str, usize); 8] = [
    ("discs:10000", 1_826),
    ("mixed:10000", 9_791),
    ("tail:10000", 8_733),
    ("clustered:10000", 26_794),
    ("terdiman:10000", 11_811),
    ("discs3:10000", 3_691),
    ("discs:500000", 90_955),
    ("discs3:300000", 113_571),
];
/// Largest number of objects for brute force, for measuring every backend, and for checking results
/// without timing.
const MAX_BRUTE_FORCE: usize = 10_000;
/// Number of ticks before the result is compared.
const TICKS: usize = 3;

fn main() {
    let mut suite = Suite::new("hash");
    for (name, pairs) in SCENES {
        let scene: SceneName = name.parse().expect("a scene of the generators");
        if scene.count as usize > MAX_BRUTE_FORCE && !measuring() {
            continue;
        }
        match scene.generate() {
            Objects::Flat(movers) => measure(&mut suite, name, &movers.into(), pairs),
            Objects::Solid(movers) => measure(&mut suite, name, &movers.into(), pairs),
        }
    }
    suite.finish();
}

fn measure<const D: usize>(suite: &mut Suite, name: &str, boxes: &Boxes<D>, pairs: usize) {
    let n = boxes.len();
    let mut rstar = Rstar::new(boxes);
    assert_eq!(answer(&mut rstar).pairs, pairs as u64, "number of pairs of {name} at the start");
    (0..TICKS).for_each(|_| rstar.advance());
    let scene = Scene { name, n, work: Work::Objects(n as u64) };
    let mut comparison = suite.compare(scene, answer(&mut rstar));

    let mut ours =
        |name: &str, backend: Backend, make: &dyn Fn() -> Box<dyn SpatialIndex<f32, D>>| {
            let subject = Subject { name, backend: &backend.to_string(), threads: 1 };
            comparison.ours(
                subject,
                || {
                    let mut tick = (Moving::new(make(), boxes), Vec::new());
                    tick.0.index.set_backend(backend);
                    (1..TICKS).for_each(|_| tick.0.tick(&mut tick.1));
                    tick
                },
                |(world, out)| world.tick(out),
                |(_, out)| answer_of(out),
            );
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
    comparison.peer(
        "rstar",
        || {
            let mut tick = (Rstar::new(boxes), Vec::new());
            (1..TICKS).for_each(|_| tick.0.advance());
            tick
        },
        |(world, out)| {
            world.advance();
            world.collect(out);
        },
        |(_, out)| answer_of(out),
    );
}

/// One of our structures, full of moving objects. Virtual calls are cheap: there are few per tick.
struct Moving<const D: usize> {
    index: Box<dyn SpatialIndex<f32, D>>,
    velocities: Vec<[f32; D]>,
    motion: Motion,
}

impl<const D: usize> Moving<D> {
    fn new(mut index: Box<dyn SpatialIndex<f32, D>>, boxes: &Boxes<D>) -> Self {
        index.extend(boxes.objects()).expect("scenes have valid bounds");
        Self { index, velocities: boxes.velocities.clone(), motion: boxes.motion }
    }

    fn tick(&mut self, out: &mut Vec<Pair>) {
        let Self { index, velocities, motion } = self;
        let tick = motion.tick();
        let moved = index.update(|key, bounds| tick.advance(&mut velocities[key as usize], bounds));
        moved.expect("scenes have valid bounds");
        index.pairs_unordered(out);
    }
}
