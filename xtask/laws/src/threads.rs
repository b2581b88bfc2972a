//! The law of threads: results and storage order are bit-identical with any number of threads.

use broadphase_core::scenes::{Scene, SceneName};
use broadphase_core::{
    Aabb, Backend, BruteForce, Lists, Motion, Neighbors, Pair, Path, Region, Scalar, SpatialIndex,
    SpatialIndexExt, Target,
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
            mixed_boxes f32 2 "mixed:40000", solid_boxes f64 3 "mixed3:30000",
            boxes i32 2 "discs:40000", intervals f32 1 "tail:20000"
        );
    };
    ($name:ident, $make:expr, $($test:ident $S:ident $D:literal $scene:literal),*) => {
        mod $name {
            use super::*;

            $(
                #[test]
                fn $test() {
                    $crate::threads::ticks_are_those_of_one_thread::<$S, $D>($scene, || {
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

/// All results of a structure after a tick: names, and numbers that identify the result.
type TickResults = Vec<(&'static str, Vec<u64>)>;

fn numbers(pairs: &[Pair]) -> Vec<u64> {
    pairs.iter().flatten().map(|&key| key.into()).collect()
}

/// Returns each list with its length before it.
fn of_lists<'a, T: 'a>(
    lists: impl Iterator<Item = &'a [T]>,
    number: impl Fn(&T) -> [u64; 2],
) -> Vec<u64> {
    let mut numbers = Vec::new();
    for list in lists {
        numbers.push(list.len() as u64);
        numbers.extend(list.iter().flat_map(&number));
    }
    numbers
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
) -> Vec<TickResults> {
    let boxes = boxes::<S, D>(scene);
    world.extend((0..).zip(&boxes).map(|(key, bounds)| (key, *bounds))).expect("valid");
    for key in (0..boxes.len() as u32).step_by(7) {
        let motion = if key % 2 == 0 { Motion::Static } else { Motion::Sleeping };
        world.set_motion(key, motion).expect("the object exists");
    }
    let regions: Vec<Region<S, D>> = boxes.iter().step_by(13).map(|&area| area.into()).collect();
    let mut others = BruteForce::<S, D>::new();
    let few = boxes.iter().step_by(200);
    others.extend((0..).zip(few).map(|(key, bounds)| (key, *bounds))).expect("valid");
    let accept = |a: u32, b: u32| !(a ^ b).is_multiple_of(3);
    let mut seen = Vec::new();
    let mut failed = false;
    for tick in 0..5 {
        let updated = if serial {
            world.update(|key, bounds| change(key, tick, bounds))
        } else {
            world.par_update(|key, bounds| change(key, tick, bounds))
        };
        failed |= updated.is_err();
        let mut results = TickResults::new();
        results.push(("update", format!("{updated:?}").bytes().map(u64::from).collect()));
        // Record the storage order before `pairs` and at the end of the tick.
        let order = |world: &Together<S, D>| world.keys().into_iter().map(u64::from).collect();
        results.push(("order", order(&world)));
        let (mut pairs, mut chosen, mut out) = (Vec::new(), Vec::new(), Vec::new());
        world.pairs(&mut pairs);
        world.pairs_where(accept, &mut chosen);
        assert!(pairs.len() > chosen.len(), "the filter rejects some pairs");
        results.push(("pairs", numbers(&pairs)));
        // Search twice more without a change, to fill caches before objects are replaced below.
        world.pairs(&mut chosen);
        world.pairs_where(accept, &mut chosen);
        results.push(("chosen pairs", numbers(&chosen)));
        world.pairs_with(&mut others, S::ZERO, &mut out);
        assert!(out.len() > 100, "objects of both structures overlap");
        results.push(("pairs with others", numbers(&out)));
        if tick > 2 {
            let touching = out.len();
            world.pairs_with(&mut others, S::from_f64(9.0), &mut out);
            assert!(out.len() > touching, "more objects of both are near than overlap");
            results.push(("pairs with others within a distance", numbers(&out)));
            pairs_within_where(&mut world, S::from_f64(2.0), accept, &mut out);
            assert!(out.len() > chosen.len(), "more objects are near than overlap");
            results.push(("pairs within a distance", numbers(&out)));
        }
        let mut found = Lists::default();
        world.query_many(&regions, &mut found);
        results.push(("regions", of_lists(found.iter(), |&key| [key.into(), 0])));
        let mut found = Lists::default();
        let ends = boxes.iter().zip(&boxes[1..]).step_by(29);
        let paths: Vec<_> = ends.map(|(a, b)| Path::segment(a.min, b.max)).collect();
        let number = |&(key, at): &(u32, S::Real)| [key.into(), at.to_f64().to_bits()];
        world.cast_many(&paths, 3, |entry| entry.key % 5 > 0, &mut found);
        results.push(("paths", of_lists(found.iter(), number)));
        let targets: Vec<_> = boxes.iter().step_by(41).map(|&area| Target::from(area)).collect();
        world.nearest_many(&targets, 3, |entry| entry.key % 5 > 0, &mut found);
        results.push(("targets", of_lists(found.iter(), number)));
        if tick == 4 {
            let (mut near, mut nearest) = (Neighbors::default(), Neighbors::default());
            world.neighbors(S::from_f64(2.0), &mut near);
            world.nearest_to_each(2, &mut nearest);
            for (what, found) in [("neighbors", near), ("nearest", nearest)] {
                let lists = found.iter().map(|(_, list)| list);
                results.push((what, of_lists(lists, |&key| [key.into(), 0])));
            }
        }
        for key in (tick..boxes.len() as u32).step_by(90) {
            if world.remove(key) {
                let bounds = boxes[dice(key, tick) as usize % boxes.len()];
                world.insert(key, bounds).expect("the key is free");
            }
        }
        world.assert_well_formed();
        results.push(("order at the end", order(&world)));
        seen.push(results);
    }
    assert!(failed, "some boxes were invalid");
    seen
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
    let backends: Vec<Backend> = Backend::available().collect();
    let expected = run(1, true, Backend::SCALAR);
    assert!(run(1, false, Backend::detect()) == expected, "{scene}, one thread");
    for (threads, &backend) in THREADS.into_iter().zip(backends.iter().cycle()) {
        let found = run(threads, false, backend);
        for (tick, (found, expected)) in found.iter().zip(&expected).enumerate() {
            for (found, expected) in found.iter().zip(expected) {
                let place = format!("{threads} threads, {backend}, tick {tick}");
                assert!(found == expected, "{scene} in {}, {place}: {}", S::NAME, found.0);
            }
        }
    }
}
