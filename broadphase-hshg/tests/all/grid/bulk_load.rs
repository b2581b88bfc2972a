//! Checks bulk loads against brute force: after insertions, after most objects have jumped, and
//! after insertions that fail.

use super::everywhere::everywhere;
use broadphase_core::{BruteForce, IndexError};
use broadphase_hshg::{Aabb, Backend, Hshg, IndexObject, Motion, SpatialIndex, SpatialIndexExt};
use laws::Together;
use laws::numbers::Numbers;
use laws::threads::{boxes, with_threads};

/// Returns a pseudo-random number. Source: Chris Wellons, "lowbias32".
fn mix(number: u32) -> u32 {
    let number = (number ^ number >> 16).wrapping_mul(0x7feb_352d);
    let number = (number ^ number >> 15).wrapping_mul(0x846c_a68b);
    number ^ number >> 16
}

/// The ways in which objects are distributed.
const KINDS: u32 = 7;

/// Returns the box of an object in a scene of the given kind.
fn bounds<S: Numbers, const D: usize>(kind: u32, key: u32) -> Aabb<S, D> {
    let dice = |axis: usize| f64::from(mix(key * 8 + axis as u32) % 4096);
    let level = mix(key ^ 0x55) % 12;
    let (scale, size) = match kind {
        // Small boxes, all sizes, giants among points, equal boxes, almost equal low ends, objects
        // too sparse to number their cells, and a crowd with distant objects.
        0 => (1.0, 40.0),
        1 => (1.0, f64::from(1 << level)),
        2 => (1.0, if key.is_multiple_of(50) { 3000.0 } else { 0.0 }),
        3 => (0.0, 10.0),
        4 => (1.0 / 1024.0, 1.0),
        5 => (100_000.0, 30.0),
        _ => (if key.is_multiple_of(20) { 20_000.0 } else { 0.25 }, 5.0),
    };
    let min: [f64; D] = core::array::from_fn(|axis| (dice(axis) - 1000.0) * scale);
    Aabb { min: min.map(S::from_f64), max: min.map(|low| S::from_f64(low + size)) }
}

const fn motion(key: u32) -> Motion {
    match key % 11 {
        3 => Motion::Static,
        5 => Motion::Sleeping,
        _ => Motion::Dynamic,
    }
}

/// Returns an object of a scene of the given kind.
fn object<S: Numbers, const D: usize>(kind: u32, key: u32) -> IndexObject<S, D> {
    IndexObject::new(key, bounds(kind, key)).motion(motion(key))
}

/// Returns a grid and brute force with the same objects. All results must be equal.
fn both<S: Numbers, const D: usize>(objects: &[IndexObject<S, D>]) -> Together<S, D> {
    let mut world = Together::of([Together::one(Hshg::new()), Together::one(BruteForce::new())]);
    world.insert_many(objects).expect("keys differ");
    world
}

/// Compares pairs and objects, and checks all invariants.
fn check<S: Numbers, const D: usize>(world: &mut Together<S, D>, what: &str) {
    println!("{what}");
    world.pairs(&mut Vec::new());
    world.assert_well_formed();
    for key in world.keys() {
        world.get(key).expect("stored");
    }
}

fn loads_match_brute_force<S: Numbers, const D: usize>() {
    for kind in 0..KINDS {
        for count in [0, 1, 2, 14, 15, 16, 30, 63, 64, 65, 511, 512, 513, 1100] {
            let mut world = both::<S, D>(&[]);
            let backends: Vec<Backend> = Backend::available().collect();
            world.set_backend(backends[(kind + count) as usize % backends.len()]);
            let objects: Vec<_> =
                (0..count).map(|key| IndexObject { key: mix(key), ..object(kind, key) }).collect();
            world.insert_many(&objects).expect("keys differ");
            check(&mut world, &format!("kind {kind}, {count} objects"));
        }
    }
}

fn jumps_match_brute_force<S: Numbers, const D: usize>() {
    const COUNT: u32 = 700;
    for kind in 0..KINDS {
        let objects: Vec<_> = (0..COUNT).map(|key| object(kind, key)).collect();
        let mut world = both::<S, D>(&objects);
        check(&mut world, "before");
        for (tick, percent) in (1u32..).zip([100, 50, 10, 60, 90, 100, 100]) {
            let jump = |key: u32, bounds_of: &mut Aabb<S, D>| {
                if mix(key ^ tick << 20) % 100 < percent {
                    *bounds_of = bounds(kind, key + tick * COUNT);
                }
            };
            if tick % 2 == 0 {
                for key in 0..COUNT {
                    let mut next = world.get(key).expect("stored").bounds;
                    jump(key, &mut next);
                    world.set_bounds(key, next).expect("bounds are valid");
                }
            } else {
                world.update(jump).expect("bounds are valid");
            }
            check(&mut world, &format!("kind {kind}, tick {tick}, {percent} %"));
        }
    }
}

/// Checks walks in which whole chunks leave their rows, except objects with invalid bounds.
fn invalid_bounds_in_a_jump_change_nothing<S: Numbers, const D: usize>() {
    let mut world = both::<S, D>(&Vec::from_iter((0..1500).map(|key| object(0, key))));
    check(&mut world, "before");
    for (tick, period) in (1u32..).zip([40, 9, 500]) {
        let jump = |key: u32, now: &mut Aabb<S, D>| {
            *now = bounds(0, key + tick * 1500);
            if key % period == 7 {
                (now.min[0], now.max[0]) = (S::from_f64(2.0), S::from_f64(1.0));
            }
        };
        assert!(world.update(jump).is_err());
        check(&mut world, &format!("one in {period} is invalid"));
    }
}

fn failing_insertions_name_the_object<S: Numbers, const D: usize>() {
    // `extend` inserts groups of 64; an error can occur at each end of a group.
    for at in [0, 1, 31, 32, 33, 63, 64, 65, 70] {
        for repeats in [false, true] {
            let mut world = both::<S, D>(&Vec::from_iter((1000..1010).map(|key| object(0, key))));
            let mut objects: Vec<IndexObject<S, D>> = (0..80).map(|key| object(0, key)).collect();
            let expected = if repeats {
                objects[at].key = 1003;
                IndexError::KeyInUse { key: 1003 }
            } else {
                let wrong = &mut objects[at].bounds;
                (wrong.min[0], wrong.max[0]) = (S::from_f64(2.0), S::from_f64(1.0));
                let why = wrong.checked().expect_err("inverted");
                IndexError::InvalidBounds { key: at as u32, why }
            };
            assert_eq!(world.insert_many(&objects), Err(expected));
            check(&mut world, "nothing is inserted");
            let dynamic = objects.iter().map(|object| (object.key, object.bounds));
            assert_eq!(world.extend(dynamic), Err(expected));
            check(&mut world, "objects before the error are inserted");
        }
    }
}

everywhere!(
    loads_match_brute_force jumps_match_brute_force invalid_bounds_in_a_jump_change_nothing
    failing_insertions_name_the_object
);

#[test]
fn loads_are_equal_for_any_number_of_threads() {
    let boxes = boxes::<f32, 2>("tail:140000");
    let load = || {
        let mut world: Hshg<f32, 2> = Hshg::new();
        let objects = (0..).zip(&boxes).map(|(key, &bounds)| (key, bounds));
        world.extend(objects).expect("the bounds are valid");
        let mut loads = Vec::new();
        for turn in 0..2 {
            let mut pairs = Vec::new();
            world.pairs(&mut pairs);
            loads.push((world.keys(), pairs, world.levels()));
            let jump = |key: u32, bounds: &mut Aabb<f32, 2>| {
                *bounds = boxes[(key as usize * 7919 + turn) % boxes.len()];
            };
            world.par_update(jump).expect("the bounds are valid");
        }
        world.assert_well_formed();
        loads
    };
    let expected = with_threads(1, load);
    for threads in (2..=9).chain([16, 32]) {
        assert!(with_threads(threads, load) == expected, "{threads} threads");
    }
}

#[test]
fn a_panic_in_a_jump_loses_no_object() {
    let mut world: Hshg<f32, 2> = Hshg::new();
    world.extend((0..3000).map(|key| (key, bounds::<f32, 2>(0, key)))).expect("keys differ");
    world.pairs(&mut Vec::new());
    let last = world.keys().into_iter().last().expect("there are objects");
    let jump = |key: u32, now: &mut Aabb<f32, 2>| {
        if key == last {
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        *now = bounds(0, key + 3000);
    };
    let walk = core::panic::AssertUnwindSafe(|| world.update(jump));
    assert!(std::panic::catch_unwind(walk).is_err(), "the panic reaches the caller");
    world.assert_well_formed();
    for key in 0..3000 {
        let object = world.get(key).expect("the object is stored");
        let expected = bounds(0, if key == last { key } else { key + 3000 });
        assert_eq!((object.key, object.bounds), (key, expected));
    }
}

/// Checks that a grid that is cleared and filled again reuses its buffers, and frees them if it is
/// not filled again.
#[test]
fn buffers_of_a_rebuild_are_kept_for_some_searches() {
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let mut world: Hshg<f32, 2> = Hshg::new();
    let objects: Vec<_> = (0..20_000).map(|key| (key, bounds::<f32, 2>(0, key))).collect();
    let mut pairs = Vec::with_capacity(1 << 20);
    let mut refill = |world: &mut Hshg<f32, 2>| {
        world.clear();
        world.extend(objects.iter().copied()).expect("keys differ");
        world.pairs(&mut pairs);
    };
    (0..3).for_each(|_| refill(&mut world));
    let taken = allocation_counter::measure(|| refill(&mut world));
    assert!(taken.bytes_total < 100_000, "{} bytes", taken.bytes_total);
    let held = world.memory_use();
    // A walk refreshes once.
    for _ in 0..3 {
        world.update(|_, _| ()).expect("bounds stay valid");
    }
    assert!(world.memory_use() + 100_000 > held, "kept for a few searches");
    for _ in 0..3 {
        world.update(|_, _| ()).expect("bounds stay valid");
    }
    assert!(world.memory_use() + 400_000 < held, "{} of {held} bytes", world.memory_use());
    refill(&mut world);
    world.optimize();
    assert!(world.memory_use() + 400_000 < held, "`optimize` frees buffers at once");
}

#[test]
fn steady_jumps_do_not_allocate() {
    // Allocations of other threads would not be counted.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let mut world: Hshg<f32, 2> = Hshg::new();
    let place = |key: u32, tick: u32| bounds::<f32, 2>(0, (key + 577 * tick) % 3000);
    world.extend((0..3000).map(|key| (key, place(key, 0)))).expect("keys differ");
    let mut pairs = Vec::with_capacity(100_000);
    let mut tick = |number: u32| {
        world.update(|key, bounds| *bounds = place(key, number)).expect("bounds are valid");
        world.pairs(&mut pairs);
        assert!(pairs.len() > 1000);
    };
    (1..30).for_each(&mut tick);
    let taken = allocation_counter::measure(|| (30..60).for_each(&mut tick));
    assert_eq!(taken.count_total, 0, "{} bytes", taken.bytes_total);
}
