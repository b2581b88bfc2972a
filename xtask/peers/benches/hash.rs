//! Benchmarks the spatial hash, the hierarchical grid and brute force, with rstar
//! in the same run. Measures whole ticks in which every object moves.
//!
//! A tick moves every object and writes every overlapping pair into a reused buffer, in any order.
//! The velocities are the payload of our structures. rstar rebuilds its tree in each tick, which is
//! its fastest method if all objects move.
//!
//! * `hash`: each object in every cell it touches, and the cell side recommended by the article
//! * `hash 2x`: cells of twice that side
//!
//! Three ticks after the start of the scene, the result of each subject is compared with the pairs
//! that rstar finds in the same boxes. The number of pairs at the start is a constant.

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, BruteForce, Pair, SpatialIndex};
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

    let mut ours = |name: &str, backend: Backend, make: &dyn Fn() -> Box<dyn Tick<D>>| {
        let subject = Subject { name, backend: &backend.to_string(), threads: 1 };
        comparison.ours(
            subject,
            || {
                let mut tick = (make(), Vec::new());
                tick.0.start(backend);
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
        ours("hash", backend, &|| moving(SpatialHash::new(cell), boxes));
    }
    ours("hash 2x", best, &|| moving(SpatialHash::new(2.0 * cell), boxes));
    ours("hshg", best, &|| moving(Hshg::new(), boxes));
    let brute = |&backend: &Backend| n <= MAX_BRUTE_FORCE && (backend == best || measuring());
    for backend in Backend::available().filter(brute) {
        ours("brute", backend, &|| moving(BruteForce::new(), boxes));
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

/// The operations of a tick on our structures. Virtual calls are cheap: there are few per tick.
trait Tick<const D: usize> {
    fn start(&mut self, backend: Backend);
    fn tick(&mut self, out: &mut Vec<Pair>);
}

/// One of our structures, full of moving objects.
struct Moving<I> {
    index: I,
    motion: Motion,
}

fn moving<'a, const D: usize, I>(mut index: I, boxes: &Boxes<D>) -> Box<dyn Tick<D> + 'a>
where
    I: SpatialIndex<f32, D, Data = [f32; D]> + 'a,
{
    index.extend(boxes.movers()).expect("scenes have valid bounds");
    Box::new(Moving { index, motion: boxes.motion })
}

impl<const D: usize, I: SpatialIndex<f32, D, Data = [f32; D]>> Tick<D> for Moving<I> {
    fn start(&mut self, backend: Backend) {
        self.index.set_backend(backend);
    }

    fn tick(&mut self, out: &mut Vec<Pair>) {
        let tick = self.motion.tick();
        let moved = self.index.update(|_, velocity, bounds| tick.advance(velocity, bounds));
        moved.expect("scenes have valid bounds");
        out.clear();
        self.index.pairs_unordered(|a, b| out.push([a.key, b.key]));
    }
}
