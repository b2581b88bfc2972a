//! The spatial hash and brute force: whole ticks, every object moving, beside rstar.
//!
//! A tick gives every object its next bounds and ends with every overlapping pair in a reused
//! buffer: ours in canonical order, rstar's in any order. rstar builds its tree anew each tick,
//! which is its fastest way when everything moves.

use broadphase_core::scenes::{Movers, Scene as Objects, SceneName};
use broadphase_core::{Aabb, Backend, BruteForce, Pair, SpatialIndex};
use broadphase_hshg::SpatialHash;
use peers::{Answer, Scene, Subject, Suite, Work};
use rstar::RTree;
use rstar::primitives::{GeomWithData, Rectangle};

/// The scenes, and the pairs each has before anything moves.
const SCENES: [(&str, usize); 7] = [
    ("discs:10000", 1_826),
    ("mixed:10000", 9_791),
    ("tail:10000", 8_733),
    ("clustered:10000", 26_794),
    ("terdiman:10000", 11_811),
    ("discs3:10000", 3_691),
    ("discs:500000", 90_955),
];
/// Brute force is hopeless above.
const BRUTE: usize = 10_000;
/// How many ticks are prepared; they are played forwards and backwards for ever.
const FRAMES: usize = 8;

fn main() {
    let mut suite = Suite::new("hash");
    for (name, pairs) in SCENES {
        let scene: SceneName = name.parse().expect("a scene of the generators");
        match scene.generate() {
            Objects::Flat(movers) => measure(&mut suite, name, movers, pairs),
            Objects::Solid(movers) => measure(&mut suite, name, movers, pairs),
        }
    }
    suite.finish();
}

fn measure<const D: usize>(suite: &mut Suite, name: &str, movers: Movers<D>, pairs: usize) {
    let n = movers.len();
    let film = film(movers);
    let mut expected = Vec::new();
    rstar_pairs(&film[1], &mut expected);
    expected.sort_unstable();
    let scene = Scene { name, n, work: Work::Objects(n as u64) };
    let mut comparison = suite.compare(scene, Answer::of_pairs(&expected));

    let mut ours = |name: &str, backend: Backend, world: &dyn Fn() -> Box<dyn Tick<D>>| {
        let subject = Subject { name, backend: &backend.to_string(), threads: 1 };
        comparison.ours(
            subject,
            || {
                let mut tick = (world(), Projector::new(&film), Vec::new());
                tick.0.start(backend, &film[0], &mut tick.2);
                assert_eq!(tick.2.len(), pairs, "pairs of {name} before anything moves");
                tick
            },
            |(world, projector, out)| world.tick(projector.next(), out),
            |(.., out)| Answer::of_pairs(out),
        );
    };
    let cell = SpatialHash::<f32, D>::recommend(film[0].iter().copied());
    for backend in Backend::available() {
        ours("hash", backend, &|| Box::new(SpatialHash::<f32, D>::new(cell)));
    }
    for backend in Backend::available().filter(|_| n <= BRUTE) {
        ours("brute", backend, &|| Box::new(BruteForce::<f32, D>::new()));
    }
    comparison.peer(
        "rstar",
        || (Projector::new(&film), Vec::new()),
        |(projector, out)| rstar_pairs(projector.next(), out),
        |(_, out)| {
            let mut sorted = out.clone();
            sorted.sort_unstable();
            Answer::of_pairs(&sorted)
        },
    );
}

/// The bounds of all objects, tick by tick.
fn film<const D: usize>(mut movers: Movers<D>) -> Vec<Vec<Aabb<f32, D>>> {
    let frame = |_| {
        let bounds = movers.all_bounds().collect();
        movers.tick();
        bounds
    };
    (0..FRAMES).map(frame).collect()
}

/// Plays a film forwards and backwards, from its second frame on.
struct Projector<'a, const D: usize> {
    film: &'a [Vec<Aabb<f32, D>>],
    shown: usize,
}

impl<'a, const D: usize> Projector<'a, D> {
    const fn new(film: &'a [Vec<Aabb<f32, D>>]) -> Self {
        Self { film, shown: 0 }
    }

    fn next(&mut self) -> &'a [Aabb<f32, D>] {
        self.shown += 1;
        let turn = 2 * (self.film.len() - 1);
        let at = self.shown % turn;
        &self.film[at.min(turn - at)]
    }
}

/// What is asked of our structures; the virtual calls are two a tick.
trait Tick<const D: usize> {
    fn start(&mut self, backend: Backend, frame: &[Aabb<f32, D>], out: &mut Vec<Pair>);
    fn tick(&mut self, frame: &[Aabb<f32, D>], out: &mut Vec<Pair>);
}

impl<const D: usize, I: SpatialIndex<f32, D, Data = ()>> Tick<D> for I {
    fn start(&mut self, backend: Backend, frame: &[Aabb<f32, D>], out: &mut Vec<Pair>) {
        self.set_backend(backend);
        let objects = (0..).zip(frame).map(|(key, &bounds)| (key, bounds, ()));
        self.extend(objects).expect("scenes have valid bounds");
        self.pairs(out);
    }

    fn tick(&mut self, frame: &[Aabb<f32, D>], out: &mut Vec<Pair>) {
        for (key, &bounds) in (0..).zip(frame) {
            self.set_bounds(key, bounds).expect("scenes have valid bounds");
        }
        self.pairs(out);
    }
}

fn rstar_pairs<const D: usize>(frame: &[Aabb<f32, D>], out: &mut Vec<Pair>) {
    let object = |(key, bounds): (u32, &Aabb<f32, D>)| {
        GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), key)
    };
    let tree = RTree::bulk_load((0..).zip(frame).map(object).collect());
    out.clear();
    // Both orders of every pair come, and every object with itself.
    let both = tree.intersection_candidates_with_other_tree(&tree);
    out.extend(both.map(|(a, b)| [a.data, b.data]).filter(|[a, b]| a < b));
}
