//! Benchmarks worlds: whole ticks with every object moving, insertions and snapshots, and the
//! overhead of a world over its structure.
//!
//! The headline is measured and printed first. In all its rows every overlapping pair is found in
//! canonical order and compared with the pairs of the step before, and each event is read:
//!
//! * `world, events`: a tick that moves every object by its velocity
//! * `world, from nothing`: a new world, insertion of all objects in one call, and a step
//! * `world, jump`: a tick that moves every object to a random place
//!
//! The other rows are ticks, unless they are described otherwise:
//!
//! * `hshg`: the structure alone, with velocities in an array by key, and sorted pairs
//! * `hshg, any order`: the structure alone with unsorted pairs; the difference is the cost of
//!   sorting
//! * `world, bare`: a world on the structure, without events; all filters are equal
//! * `world`: a world with events, each of which is read, and with filters that reject at least
//!   10 % of the overlaps
//! * `snapshot`, `restore`: saving and restoring the world of `world`; each restore switches
//!   between the current state and the state of four ticks earlier
//! * `hshg, extend`, `hshg, insert_many`: insertion of all objects into a new structure, with the
//!   default motion class, and as static objects
//! * `insert_with`, `insert_many`: insertion of all objects into a new world, one by one and in one
//!   call, as static objects with two different filters
//! * `sensors`: steps of a world at rest, with sensors among static objects
//!
//! Pairs of two worlds and pairs within a distance are in `facade/pairs.rs`.
//!
//! The pairs of each subject are compared three ticks after the start of the scene; after
//! insertions, the number of objects is compared.

#[path = "facade/pairs.rs"]
mod pairs;
#[path = "facade/sensors.rs"]
mod sensors;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, IndexObject, Pair, SpatialIndex, SpatialIndexExt};
use hexphase::{Algorithm, BroadPhase, Filter, Handle, Hshg, Motion, Options};
use peers::world::{Boxes, Grid, Rstar, World as _, answer, answer_of};
use peers::{Answer, Scene, Subject, Suite, Work, measuring};

/// Number of the tick whose pairs are compared with the expected pairs.
const TICKS: usize = 3;

type World = BroadPhase<f32, 2, [f32; 2]>;

fn main() {
    let mut suite = Suite::new("facade");
    let scenes: &[&str] =
        if measuring() { &["discs:10000", "tail:10000", "discs:500000"] } else { &["discs:1000"] };
    let boxes = |name: &str| -> Boxes<2> {
        let scene: SceneName = name.parse().expect("a scene of the generators");
        let Objects::Flat(movers) = scene.generate() else { unreachable!("{name} is flat") };
        movers.into()
    };
    let scenes: Vec<(&str, Boxes<2>)> = scenes.iter().map(|&name| (name, boxes(name))).collect();
    for (name, boxes) in &scenes {
        headline(&mut suite, name, boxes);
    }
    for (name, boxes) in &scenes {
        measure(&mut suite, name, boxes);
        insert(&mut suite, name, boxes);
        sensors::measure(&mut suite, name, boxes);
        pairs::measure(&mut suite, name, boxes);
    }
    suite.finish();
}

/// Returns the filter of an object. Every third object rejects the others of these objects, so one
/// ninth of the overlaps is rejected.
fn filter(key: u32) -> Filter {
    if key.is_multiple_of(3) { Filter::layers(1).mask(2) } else { Filter::layers(2).mask(3) }
}

fn options() -> Options<f32, 2> {
    Options::new().algorithm(Algorithm::Hshg)
}

/// A world, the motion of its objects, and its results.
struct Moving {
    world: World,
    motion: peers::world::Motion,
    /// A hash of all events, so that they are read.
    seen: u64,
}

impl Moving {
    fn new(boxes: &Boxes<2>, events: bool, filter: impl Fn(u32) -> Filter) -> Self {
        let mut world = World::with_options(options().events(events));
        for (key, bounds, velocity) in boxes.movers() {
            let put = world.insert_with(bounds, velocity, Motion::Dynamic, filter(key));
            put.expect("scenes have valid bounds");
        }
        Self { world, motion: boxes.motion, seen: 0 }
    }

    fn tick(&mut self) {
        let tick = self.motion.tick();
        let moved = self.world.update(|_, velocity, bounds| tick.advance(velocity, bounds));
        moved.expect("scenes have valid bounds");
        self.step();
    }

    /// Moves every object to a random place.
    fn jump(&mut self) {
        let jump = self.motion.jump();
        let moved = self.world.update(|handle, _, bounds| jump.advance(handle.index(), bounds));
        moved.expect("jumps have valid bounds");
        self.step();
    }

    fn step(&mut self) {
        self.world.step();
        for overlap in self.world.began().chain(self.world.ended()) {
            let [a, b] = overlap.handles.map(Handle::index);
            self.seen = self.seen.wrapping_add(u64::from(a ^ b));
        }
    }

    /// Returns the world one tick before its result is compared.
    fn started(mut self) -> Self {
        (1..TICKS).for_each(|_| self.tick());
        self
    }

    fn answer(&self) -> Answer {
        let pairs = self.world.pairs();
        Answer::of_pairs(&pairs.map(|pair| pair.handles.map(Handle::index)).collect::<Vec<_>>())
    }
}

fn headline(suite: &mut Suite, name: &str, boxes: &Boxes<2>) {
    let n = boxes.len();
    let scene = Scene { name, n, work: Work::Objects(n as u64) };
    let backend = Backend::detect().to_string();
    let subject = |name| Subject { name, backend: &backend, threads: 1 };
    let moving = || Moving::new(boxes, true, |_| Filter::ALL);

    let mut later = boxes.clone();
    (0..TICKS).for_each(|_| later.advance());
    let mut compared = suite.compare(scene, answer(&mut Rstar::new(&later)));
    let started = || moving().started();
    compared.ours(subject("world, events"), started, Moving::tick, Moving::answer);
    let object = |(_, bounds, velocity)| (bounds, velocity, Motion::Dynamic, Filter::ALL);
    let objects: Vec<_> = later.movers().map(object).collect();
    compared.ours(
        subject("world, from nothing"),
        || (moving(), Vec::new()),
        |(moving, handles)| {
            moving.world = World::with_options(options());
            moving.world.insert_many(&objects, handles).expect("scenes have valid bounds");
            moving.step();
        },
        |(moving, _)| moving.answer(),
    );

    let mut jumped = boxes.clone();
    (0..TICKS).for_each(|_| jumped.jump());
    let mut compared = suite.compare(scene, answer(&mut Rstar::new(&jumped)));
    let jumping = || {
        let mut moving = moving();
        (1..TICKS).for_each(|_| moving.jump());
        moving
    };
    compared.ours(subject("world, jump"), jumping, Moving::jump, Moving::answer);
}

fn measure(suite: &mut Suite, name: &str, boxes: &Boxes<2>) {
    let n = boxes.len();
    let mut later = Rstar::new(boxes);
    (0..TICKS).for_each(|_| later.advance());
    let mut all = Vec::new();
    later.collect(&mut all);
    let kept: Vec<Pair> =
        all.iter().copied().filter(|&[a, b]| filter(a).accepts(&filter(b))).collect();
    assert!(kept.len() * 10 <= all.len() * 9, "{} of {} pairs kept", kept.len(), all.len());

    let scene = |part| Scene { name: part, n, work: Work::Objects(n as u64) };
    let backend = Backend::detect().to_string();
    let subject = |name| Subject { name, backend: &backend, threads: 1 };

    let mut compared = suite.compare(scene(name), answer_of(&all));
    compared.ours(
        subject("hshg"),
        || {
            let (mut grid, mut out) = (Grid::new(boxes), Vec::new());
            (1..TICKS).for_each(|_| {
                grid.advance();
                grid.hshg.pairs(&mut out);
            });
            (grid, out)
        },
        |(grid, out)| {
            grid.advance();
            grid.hshg.pairs(out);
        },
        |(_, out)| Answer::of_pairs(out),
    );
    compared.ours(
        subject("hshg, any order"),
        || {
            let (mut grid, mut out) = (Grid::new(boxes), Vec::new());
            (1..TICKS).for_each(|_| {
                grid.advance();
                grid.collect(&mut out);
            });
            (grid, out)
        },
        |(grid, out)| {
            grid.advance();
            grid.collect(out);
        },
        |(_, out)| answer_of(out),
    );
    let bare = || Moving::new(boxes, false, |_| Filter::ALL).started();
    compared.ours(subject("world, bare"), bare, Moving::tick, Moving::answer);
    let mut compared = suite.compare(scene(name), answer_of(&kept));
    let world = || Moving::new(boxes, true, filter).started();
    compared.ours(subject("world"), world, Moving::tick, Moving::answer);
    let settled = || {
        let mut world = world();
        world.tick();
        world
    };
    compared.ours(
        subject("snapshot"),
        || (settled(), Vec::new()),
        |(moving, out)| moving.world.snapshot_into(out),
        |(moving, _)| moving.answer(),
    );
    compared.ours(
        subject("restore"),
        || {
            let mut moving = settled();
            let (mut late, mut early) = (Vec::new(), Vec::new());
            moving.world.snapshot_into(&mut early);
            (0..4).for_each(|_| moving.tick());
            moving.world.snapshot_into(&mut late);
            (moving, [late, early])
        },
        |(moving, saved)| {
            moving.world.restore(&saved[1]).expect("an invalid snapshot");
            saved.swap(0, 1);
        },
        |(moving, _)| moving.answer(),
    );
}

fn insert(suite: &mut Suite, name: &str, boxes: &Boxes<2>) {
    let n = boxes.len();
    let objects: Vec<_> = boxes
        .movers()
        .map(|(key, bounds, velocity)| (bounds, velocity, Motion::Static, filter(key)))
        .collect();
    let keyed: Vec<_> = (0..)
        .zip(&objects)
        .map(|(key, &(b, _, m, _))| IndexObject::new(key, b).motion(m))
        .collect();
    let scene = format!("{name}, insert");
    let scene = Scene { name: &scene, n, work: Work::Objects(n as u64) };
    let backend = Backend::detect().to_string();
    let subject = |name| Subject { name, backend: &backend, threads: 1 };
    let count = |n: usize| Answer::new(n as u64, []);
    let mut compared = suite.compare(scene, count(n));
    type Raw = Hshg<f32, 2>;
    compared.ours(
        subject("hshg, extend"),
        Raw::new,
        |grid| {
            *grid = Raw::new();
            grid.extend(keyed.iter().map(|one| (one.key, one.bounds))).expect("valid bounds");
        },
        |grid| count(grid.len()),
    );
    compared.ours(
        subject("hshg, insert_many"),
        Raw::new,
        |grid| {
            *grid = Raw::new();
            grid.insert_many(&keyed).expect("valid bounds");
        },
        |grid| count(grid.len()),
    );
    compared.ours(
        subject("insert_with"),
        World::new,
        |world| {
            *world = World::new();
            for &(bounds, velocity, motion, filter) in &objects {
                world.insert_with(bounds, velocity, motion, filter).expect("valid bounds");
            }
        },
        |world| count(world.len()),
    );
    compared.ours(
        subject("insert_many"),
        || (World::new(), Vec::new()),
        |(world, handles)| {
            *world = World::new();
            world.insert_many(&objects, handles).expect("valid bounds");
        },
        |(world, _)| count(world.len()),
    );
}
