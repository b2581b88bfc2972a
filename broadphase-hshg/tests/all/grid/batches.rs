//! Checks that walks in batches behave like walks object by object, including storage order.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::panic::{catch_unwind, resume_unwind};

use super::everywhere::everywhere;
use broadphase_core::BruteForce;
use broadphase_hshg::{Aabb, Backend, Batch, Hshg, IndexError, Motion, SpatialIndex};
use laws::examples::tried;
use laws::model::{Model, steps};
use laws::numbers::{Numbers, boxes, wrong_boxes};
use proptest::prelude::*;

/// The effect of a walk on an object.
#[derive(Clone, Copy, Debug)]
enum Fate<S, const D: usize> {
    Stays,
    Moves(Aabb<S, D>),
    Leaves,
}

/// The effects on objects in the order of visits, and whether only dynamic ones are visited.
type Walk<S, const D: usize> = (Vec<Fate<S, D>>, bool);

fn fates<S: Numbers, const D: usize>() -> impl Strategy<Value = Vec<Fate<S, D>>> {
    let fate = prop_oneof![
        2 => Just(Fate::Stays),
        6 => boxes().prop_map(Fate::Moves),
        1 => wrong_boxes().prop_map(Fate::Moves),
        1 => Just(Fate::Leaves),
    ];
    prop::collection::vec(fate, 1..8)
}

/// The observable state of a world: its objects in storage order, and its pairs.
type Seen<S, const D: usize> = (Vec<(u32, Aabb<S, D>, u32)>, Vec<[u32; 2]>);

/// Returns the observable state of a world.
fn seen<S: Numbers, const D: usize>(world: &mut Hshg<S, D, u32>) -> Seen<S, D> {
    world.assert_well_formed();
    let mut pairs = Vec::new();
    world.pairs(&mut pairs);
    let entry = |key| {
        let entry = world.get(key).expect("the object exists");
        (key, entry.bounds, *entry.data)
    };
    (world.order().map(entry).collect(), pairs)
}

fn batches_match_single_updates<S: Numbers, const D: usize>() {
    let walks = prop::collection::vec((fates::<S, D>(), any::<bool>()), 1..5);
    let (holes, removals) = (AtomicU32::new(0), AtomicU32::new(0));
    let law = |(steps, walks, skin): (Vec<_>, Vec<Walk<S, D>>, u8)| {
        let mut world: Hshg<S, D, u32> = Hshg::new();
        world.set_skin(S::from_f64(f64::from(skin) * 2.0));
        let mut model = Model::default();
        let mut backend = Backend::available().collect::<Vec<_>>().into_iter().cycle();
        for step in &steps {
            model.take(&mut world, step);
        }
        // Without a margin some objects are pending.
        if skin > 0 {
            world.optimize();
        }
        for (fates, dynamic) in &walks {
            let fate = |key: u32, data: u32| {
                let fate = fates[(key ^ data) as usize % fates.len()];
                // A walk over dynamic objects only does not remove any.
                if *dynamic && matches!(fate, Fate::Leaves) { Fate::Stays } else { fate }
            };
            let mut single = world.clone();
            let change = |key: u32, data: &mut u32, bounds: &mut Aabb<S, D>| {
                let fate = fate(key, *data);
                *data = data.rotate_left(3) ^ key;
                if let Fate::Moves(to) = fate {
                    *bounds = to;
                }
                !matches!(fate, Fate::Leaves)
            };
            let expected = if *dynamic {
                single.update_dynamic(|key, data, bounds| {
                    change(key, data, bounds);
                })
            } else {
                single.retain(change)
            };
            let batches = |mut batch: Batch<'_, S, D, u32>| {
                for place in 0..batch.keys.len() {
                    let (key, data) = (batch.keys[place], batch.data[place]);
                    holes.fetch_add(u32::from(batch.is_vacant(place)), Relaxed);
                    if batch.is_vacant(place) {
                        assert!((0..D).all(|axis| batch.min[axis][place] == S::ZERO));
                        // Bounds written after the removal are ignored.
                        (0..D).for_each(|axis| batch.min[axis][place] = S::MAX);
                        batch.data[place] = 7;
                        batch.remove(place);
                        continue;
                    }
                    batch.data[place] = data.rotate_left(3) ^ key;
                    match fate(key, data) {
                        Fate::Stays => {}
                        Fate::Moves(to) => {
                            for axis in 0..D {
                                batch.min[axis][place] = to.min[axis];
                                batch.max[axis][place] = to.max[axis];
                            }
                        }
                        Fate::Leaves => {
                            removals.fetch_add(1, Relaxed);
                            batch.remove(place);
                        }
                    }
                }
            };
            world.set_backend(backend.next().expect("one after the other"));
            let answer = if *dynamic {
                world.update_dynamic_batches(&batches)
            } else {
                world.update_batches(&batches)
            };
            prop_assert_eq!(answer, expected);
            let single = seen(&mut single);
            prop_assert!(seen(&mut world) == single, "on {:?}", world.backend());
        }
        Ok(())
    };
    tried(96, (steps::<S, D>(), walks, 0u8..3), law);
    assert!(
        holes.load(Relaxed) > 0 && removals.load(Relaxed) > 0,
        "{holes:?} vacant, {removals:?} removed"
    );
}

everywhere!(batches_match_single_updates);

/// Returns a grid of `count` points on a line, some of them sleeping.
fn line(count: u32) -> Hshg<f32, 1, u32> {
    let mut world = Hshg::new();
    let point = |key: u32| (key, Aabb::point([key as f32]), 0);
    world.extend((0..count).map(point)).expect("keys differ");
    world.set_motion(3, Motion::Sleeping).expect("the object exists");
    world.optimize();
    world
}

#[test]
fn batches_are_long_with_few_holes() {
    let mut world = line(1000);
    let (mut batches, mut objects, mut places) = (0, 0, 0);
    let walked = world.update_batches(|batch| {
        batches += 1;
        places += batch.keys.len();
        objects += (0..batch.keys.len()).filter(|&place| !batch.is_vacant(place)).count();
        assert!(
            [batch.data.len(), batch.min[0].len(), batch.max[0].len()] == [batch.keys.len(); 3]
        );
    });
    assert_eq!(walked, Ok(()));
    assert_eq!(objects, 1000);
    assert!(batches <= 10 && places < 1100, "{batches} batches of {places} places");
}

#[test]
fn errors_name_the_smallest_key_and_leave_its_bounds() {
    let mut world = line(300);
    let walked = world.update_batches(|batch| {
        for place in 0..batch.keys.len() {
            batch.data[place] += 1;
            if batch.keys[place] % 100 == 50 {
                batch.max[0][place] = f32::NAN;
            }
        }
    });
    assert!(matches!(walked, Err(IndexError::InvalidBounds { key: 50, .. })), "{walked:?}");
    for key in [50, 150, 151] {
        let entry = world.get(key).expect("the object exists");
        assert_eq!((entry.bounds, *entry.data), (Aabb::point([key as f32]), 1));
    }
}

/// Returns boxes that are invalid on one axis, and boxes with signed zeros.
fn odd_boxes(axis: usize) -> Vec<(Aabb, bool)> {
    let ends =
        [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 0.0, -0.0];
    let mut all = Vec::new();
    for min in ends {
        for max in ends {
            let mut bounds = Aabb::new([-1.0; 2], [1.0; 2]);
            (bounds.min[axis], bounds.max[axis]) = (min, max);
            all.push((bounds, min.is_finite() && max.is_finite() && min <= max));
        }
    }
    all
}

#[test]
fn invalid_bounds_in_batches_are_rejected() {
    let grids = Backend::available().flat_map(|on| [(on, 0), (on, 1)]);
    for (backend, axis) in grids {
        let mut world: Hshg<f32, 2> = Hshg::with_smallest_cell(1.0);
        world.set_backend(backend);
        let boxes = odd_boxes(axis);
        let before = Aabb::new([f32::MIN; 2], [f32::MAX; 2]);
        let keys = 0..boxes.len() as u32;
        world.extend(keys.map(|key| (key, before, ()))).expect("keys differ");
        world.optimize();
        let walked = world.update_batches(|batch| {
            for place in 0..batch.keys.len() {
                if batch.is_vacant(place) {
                    continue;
                }
                let (bounds, _) = boxes[batch.keys[place] as usize];
                for axis in 0..2 {
                    batch.min[axis][place] = bounds.min[axis];
                    batch.max[axis][place] = bounds.max[axis];
                }
            }
        });
        let first =
            boxes.iter().position(|(_, valid)| !valid).expect("some boxes are invalid") as u32;
        assert!(matches!(walked, Err(IndexError::InvalidBounds { key, .. }) if key == first));
        world.assert_well_formed();
        for (key, (bounds, valid)) in (0..).zip(&boxes) {
            let now = world.get(key).expect("the object exists").bounds;
            assert_eq!(now, if *valid { *bounds } else { before }, "{key} on {backend}");
            let ends = now.min.iter().chain(&now.max);
            assert!(ends.filter(|end| **end == 0.0).all(|zero| zero.is_sign_positive()));
        }
    }
}

#[test]
#[should_panic(expected = "not 128")]
fn removing_beyond_the_batch_panics() {
    let _ = line(500).update_batches(|mut batch| batch.remove(128));
}

#[test]
fn batch_changes_before_a_panic_are_kept() {
    for skin in [0.0, 4.0] {
        let mut world: Hshg<f32, 2, u32> = Hshg::new();
        world.set_skin(skin);
        let place = |key: u32| Aabb::of_ball([(key % 50) as f32 * 3.0, (key / 50) as f32], 1.0);
        world.extend((0..1000).map(|key| (key, place(key), key))).expect("keys differ");
        world.optimize();
        let (mut batches, mut moved, mut removed) = (0, Vec::new(), 0);
        let walk = AssertUnwindSafe(|| {
            world.update_batches(|mut batch| {
                batches += 1;
                for place in 0..batch.keys.len() {
                    if batch.is_vacant(place) {
                        continue;
                    }
                    if batches == 4 && place == 3 {
                        batch.min[0][place] = f32::MAX;
                        resume_unwind(Box::new("on purpose"));
                    }
                    if batch.keys[place].is_multiple_of(10) {
                        batch.remove(place);
                        removed += 1;
                        continue;
                    }
                    let far = batch.keys[place] as f32;
                    batch.min[1][place] += far;
                    batch.max[1][place] += far;
                    moved.push(batch.keys[place]);
                }
            })
        });
        assert!(catch_unwind(walk).is_err(), "the panic reaches the caller");
        assert!(moved.len() > 3 * 64 && removed > 0, "some are moved, some removed");
        assert_eq!(world.len(), 1000 - removed);
        let mut oracle: BruteForce<f32, 2, u32> = BruteForce::new();
        for key in world.order() {
            let far = if moved.contains(&key) { key as f32 } else { 0.0 };
            let bounds = place(key).translated([0.0, far]);
            assert_eq!(world.get(key).expect("the object exists").bounds, bounds, "of {key}");
            oracle.insert(key, bounds, key).expect("keys differ");
        }
        let (mut found, mut expected, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        for key in world.order().step_by(7) {
            let region = world.get(key).expect("the object exists").bounds;
            world.query(region, &mut found);
            oracle.query(region, &mut expected);
            assert_eq!(found, expected, "for {region:?}");
        }
        oracle.pairs(&mut pairs);
        assert_eq!(seen(&mut world).1, pairs);
    }
}
