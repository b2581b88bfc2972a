//! The law of threads: results and storage order are bit-identical with any number of threads.

use broadphase_core::scenes::{Scene, SceneName};
use broadphase_core::{
    Aabb, Backend, BruteForce, IndexError, Lists, Motion, Neighbors, Pair, Path, Region, Scalar,
    SpatialIndex, SpatialIndexExt, Target,
};

use crate::Together;
use crate::near::pairs_within_where;

/// Defines the tests of the law of threads for one structure, one test per scene:
/// `threads!(name, constructor)`. Tests given after the constructor replace the default tests.
#[macro_export]
macro_rules! threads {
    ($name:ident, $make:expr) => {
        $crate::threads!(
            $name, $make,
            boxes f32 2 "mixed:40000", solid_boxes f64 3 "mixed3:30000",
            intervals i32 1 "tail:20000"
        );
    };
    ($name:ident, $make:expr, $($test:ident $S:ident $D:literal $scene:literal),*) => {
        mod $name {
            use super::*;

            $(
                #[test]
                fn $test() {
                    <$S as $crate::compiled::Compiled<$D>>::ticks($scene, || {
                        $crate::Together::one($make)
                    });
                }
            )*
        }
    };
}

/// Numbers of threads to test, in addition to one.
pub const THREADS: [usize; 3] = [2, 3, 4];

/// Runs a closure in a pool of `count` threads.
///
/// # Panics
/// If the threads cannot be created.
pub fn with_threads<R: Send>(count: usize, run: impl FnOnce() -> R + Send) -> R {
    let (mut run, mut answer) = (Some(run), None);
    install(count, &mut || answer = run.take().map(|run| run()));
    answer.expect("the closure ran")
}

/// Calls rayon; not generic, so it is compiled once.
fn install(count: usize, run: &mut (dyn FnMut() + Send)) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads");
    pool.install(run);
}

/// The results of a structure in a tick.
struct Tick<R> {
    updated: Result<(), IndexError>,
    /// The keys in storage order, before `pairs` and at the end of the tick.
    keys: [Vec<u32>; 2],
    /// Pairs: all, filtered, with another structure; within a distance: with another, filtered.
    pairs: Vec<Vec<Pair>>,
    regions: Lists<u32>,
    /// The hits of paths, and the objects nearest to targets.
    ranked: [Lists<(u32, R)>; 2],
    /// Neighbors within a distance, and nearest ones.
    neighbors: Vec<Neighbors>,
}

/// Returns a pseudo-random number that depends only on a key and a tick.
#[must_use]
pub const fn dice(key: u32, tick: u32) -> u32 {
    let mixed = (key ^ tick << 20).wrapping_mul(0x9E37_79B9);
    (mixed ^ mixed >> 15).wrapping_mul(0x85EB_CA6B) >> 8
}

/// Returns the boxes of a scene, converted to a number type and dimension.
///
/// # Panics
/// If the name of the scene is unknown.
#[must_use]
pub fn boxes<S: Scalar, const D: usize>(scene: &str) -> Vec<Aabb<S, D>> {
    fn all<S: Scalar, const D: usize, const E: usize>(
        boxes: impl Iterator<Item = Aabb<f32, E>>,
    ) -> Vec<Aabb<S, D>> {
        // Integers are in units of 1/16; in whole units, distances would round to 0.
        let number = |x: f32| S::from_f64(f64::from(x) * if S::INTEGER { 16.0 } else { 1.0 });
        let axes = |from: [f32; E]| core::array::from_fn(|axis| number(from[axis]));
        let boxes = boxes.map(|Aabb { min, max }| Aabb { min: axes(min), max: axes(max) });
        // In one dimension all boxes would overlap, so they are moved apart.
        let apart = |n: usize| S::from_f64(if D == 1 { 16.0 * n as f64 } else { 0.0 });
        boxes.enumerate().map(|(n, bounds)| bounds.translated([apart(n); D])).collect()
    }
    match scene.parse::<SceneName>().expect("the scene is known").generate() {
        Scene::Flat(movers) => all(movers.all_bounds()),
        Scene::Solid(movers) => all(movers.all_bounds()),
    }
}

/// Changes the box of an object in a tick. Most objects move a little; a few move far, get invalid
/// bounds, or are enlarged.
pub fn change<S: Scalar, const D: usize>(key: u32, tick: u32, bounds: &mut Aabb<S, D>) {
    let by = |dice: u32| S::from_f64(f64::from(dice % 9) - 4.0);
    let random = dice(key, tick);
    match random % 997 {
        // Invalid, moved far, or much larger.
        0 => bounds.min[0] = bounds.max[0].plus(S::from_f64(1.0)),
        1 => *bounds = bounds.translated([S::from_f64(5000.0); D]),
        2 => *bounds = bounds.enlarged(S::from_f64(100.0)),
        _ => {
            let step = core::array::from_fn(|axis| by(random >> (10 + 3 * axis)));
            *bounds = bounds.translated(step);
        }
    }
}

/// Runs five ticks with all kinds of changes and queries, and returns the results of each tick.
/// `serial` selects `update` instead of `par_update`.
fn run_ticks<S: Scalar, const D: usize>(
    mut world: Together<S, D>,
    scene: &str,
    serial: bool,
) -> Vec<Tick<S::Real>> {
    let boxes = boxes::<S, D>(scene);
    world.extend((0..).zip(&boxes).map(|(key, bounds)| (key, *bounds))).expect("valid");
    for key in (0..boxes.len() as u32).step_by(7) {
        let motion = if key % 2 == 0 { Motion::Static } else { Motion::Sleeping };
        world.set_motion(key, motion).expect("the object exists");
    }
    let areas: Vec<Region<S, D>> = boxes.iter().step_by(13).map(|&area| area.into()).collect();
    let mut others = BruteForce::<S, D>::new();
    let few = boxes.iter().step_by(200);
    others.extend((0..).zip(few).map(|(key, bounds)| (key, *bounds))).expect("valid");
    let accept = |a: u32, b: u32| !(a ^ b).is_multiple_of(3);
    let ends = boxes.iter().zip(&boxes[1..]).step_by(29);
    let paths: Vec<_> = ends.map(|(a, b)| Path::segment(a.min, b.max)).collect();
    let targets: Vec<_> = boxes.iter().step_by(41).map(|&area| Target::from(area)).collect();
    let ticks = (0..5).map(|tick| {
        let updated = if serial {
            world.update(|key, bounds| change(key, tick, bounds))
        } else {
            world.par_update(|key, bounds| change(key, tick, bounds))
        };
        let keys = world.keys();
        let mut pairs = vec![Vec::new(); 3];
        world.pairs(&mut pairs[0]);
        world.pairs_where(accept, &mut pairs[1]);
        assert!(pairs[0].len() > pairs[1].len(), "the filter rejects some pairs");
        // Search twice more without a change, to fill caches before objects are replaced below.
        world.pairs(&mut pairs[1]);
        world.pairs_where(accept, &mut pairs[1]);
        world.pairs_with(&mut others, S::ZERO, &mut pairs[2]);
        assert!(pairs[2].len() > 100, "objects of both structures overlap");
        if tick > 2 {
            pairs.resize(5, Vec::new());
            world.pairs_with(&mut others, S::from_f64(9.0), &mut pairs[3]);
            assert!(pairs[3].len() > pairs[2].len(), "more objects of both are near than overlap");
            pairs_within_where(&mut world, S::from_f64(2.0), accept, &mut pairs[4]);
            assert!(pairs[4].len() > pairs[1].len(), "more objects are near than overlap");
        }
        let (mut regions, mut ranked) = (Lists::default(), [Lists::default(), Lists::default()]);
        world.query_many(&areas, &mut regions);
        world.cast_many(&paths, 3, |entry| entry.key % 5 > 0, &mut ranked[0]);
        world.nearest_many(&targets, 3, |entry| entry.key % 5 > 0, &mut ranked[1]);
        let mut neighbors = vec![Neighbors::default(); if tick == 4 { 2 } else { 0 }];
        if let [near, nearest] = &mut neighbors[..] {
            world.neighbors(S::from_f64(2.0), near);
            world.nearest_to_each(2, nearest);
        }
        for key in (tick..boxes.len() as u32).step_by(90) {
            if world.remove(key) {
                let bounds = boxes[dice(key, tick) as usize % boxes.len()];
                world.insert(key, bounds).expect("the key is free");
            }
        }
        world.assert_well_formed();
        Tick { updated, keys: [keys, world.keys()], pairs, regions, ranked, neighbors }
    });
    let ticks: Vec<_> = ticks.collect();
    assert!(ticks.iter().any(|tick| tick.updated.is_err()), "some boxes were invalid");
    ticks
}

/// Runs five ticks of a scene on one thread with the scalar backend. Asserts equal results and
/// storage order after each tick, on one thread with the fastest backend and on each number of
/// [`THREADS`] with one of the backends.
///
/// # Panics
/// If the law is violated, or if the scene causes too few pairs and errors.
pub fn ticks_are_those_of_one_thread<S: Scalar, const D: usize>(
    scene: &str,
    make: fn() -> Together<S, D>,
) {
    let run = |threads, serial, backend| {
        with_threads(threads, || {
            let mut world = make();
            world.set_backend(backend);
            run_ticks(world, scene, serial)
        })
    };
    let expected = run(1, true, Backend::SCALAR);
    let backends = Backend::available().collect::<Vec<_>>().into_iter().cycle();
    let others = THREADS.into_iter().zip(backends);
    for (threads, backend) in others.chain([(1, Backend::detect())]) {
        let found = run(threads, false, backend);
        for (tick, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let differences = [
                ("update", found.updated != expected.updated),
                ("storage order", found.keys != expected.keys),
                ("pairs", found.pairs != expected.pairs),
                ("regions", found.regions != expected.regions),
                ("paths or targets", found.ranked != expected.ranked),
                ("neighbors", found.neighbors != expected.neighbors),
            ];
            let first = differences.iter().find(|difference| difference.1).map(|one| one.0);
            assert_eq!(first, None, "{scene}, {threads} threads, {backend}, tick {tick}");
        }
    }
}
