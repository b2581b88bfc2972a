//! Checks that walks in several passes over each batch behave like walks object by object,
//! including storage order.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::panic::{catch_unwind, resume_unwind};

use super::everywhere::everywhere;
use broadphase_core::BruteForce;
use broadphase_hshg::{
    Aabb, Backend, Hshg, IndexError, IndexObject, Motion, SpatialIndex, SpatialIndexExt, Walk,
    WalkBatch,
};
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

/// The effects on objects by key, and whether only dynamic ones are visited.
type Fates<S, const D: usize> = (Vec<Fate<S, D>>, bool);

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
type Seen<S, const D: usize> = (Vec<IndexObject<S, D>>, Vec<[u32; 2]>);

/// Returns the observable state of a world.
fn seen<S: Numbers, const D: usize>(world: &mut Hshg<S, D>) -> Seen<S, D> {
    world.assert_well_formed();
    let mut pairs = Vec::new();
    world.pairs(&mut pairs);
    (
        world.keys().into_iter().map(|key| world.get(key).expect("the object exists")).collect(),
        pairs,
    )
}

fn passes_match_single_changes<S: Numbers, const D: usize>() {
    let walks = prop::collection::vec((fates::<S, D>(), any::<bool>()), 1..5);
    let (holes, removals) = (AtomicU32::new(0), AtomicU32::new(0));
    let law = |(steps, walks, optimizes): (Vec<_>, Vec<Fates<S, D>>, bool)| {
        let mut world: Hshg<S, D> = Hshg::new();
        let mut model = Model::default();
        let mut backend = Backend::available().collect::<Vec<_>>().into_iter().cycle();
        for step in &steps {
            model.take(&mut world, step);
        }
        // Otherwise some objects are pending.
        if optimizes {
            world.optimize();
        }
        for (fates, dynamic) in &walks {
            let fate = |key: u32| fates[key as usize % fates.len()];
            let (mut single, before) = (world.clone(), world.clone());
            let mut one = |batch: &mut WalkBatch<'_, S, D>| {
                batch.retain(|key, bounds| match fate(key) {
                    Fate::Stays => true,
                    Fate::Moves(to) => {
                        *bounds = to;
                        true
                    }
                    Fate::Leaves => false,
                });
            };
            let expected =
                single.walk(if *dynamic { Walk::Dynamic(&mut one) } else { Walk::All(&mut one) });
            let mut passes = |batch: &mut WalkBatch<'_, S, D>| {
                let vacant = batch.vacant();
                holes.fetch_add(vacant.count_ones(), Relaxed);
                // Bounds written before the removal are ignored.
                batch.each(|_, bounds| bounds.min[0] = S::MAX.plus(S::MAX));
                batch.retain(|key, _| !matches!(fate(key), Fate::Leaves));
                removals.fetch_add((batch.vacant() & !vacant).count_ones(), Relaxed);
                batch.each(|key, bounds| {
                    *bounds = match fate(key) {
                        Fate::Moves(to) => to,
                        _ => before.get(key).expect("the object exists").bounds,
                    }
                });
            };
            world.set_backend(backend.next().expect("one after the other"));
            let answer = world.walk(if *dynamic {
                Walk::Dynamic(&mut passes)
            } else {
                Walk::All(&mut passes)
            });
            prop_assert_eq!(answer, expected);
            let single = seen(&mut single);
            prop_assert!(seen(&mut world) == single, "on {:?}", world.state().backend);
        }
        Ok(())
    };
    tried(96, (steps::<S, D>(), walks, any::<bool>()), law);
    assert!(
        holes.load(Relaxed) > 0 && removals.load(Relaxed) > 0,
        "{holes:?} vacant, {removals:?} removed"
    );
}

everywhere!(passes_match_single_changes);

/// Returns a grid of `count` points on a line, some of them sleeping.
fn line(count: u32) -> Hshg<f32, 1> {
    let mut world = Hshg::new();
    let point = |key: u32| (key, Aabb::point([key as f32]));
    world.extend((0..count).map(point)).expect("keys differ");
    world.set_motion(3, Motion::Sleeping).expect("the object exists");
    world.optimize();
    world
}

#[test]
fn batches_are_long_with_few_holes() {
    let mut world = line(1000);
    let (mut batches, mut objects, mut places) = (0, 0, 0);
    let walked = world.walk(Walk::All(&mut |batch| {
        batches += 1;
        places += batch.keys().len();
        objects += batch.keys().len() - batch.vacant().count_ones() as usize;
        batch.each(|_, _| ());
    }));
    assert_eq!(walked, Ok(()));
    assert_eq!(objects, 1000);
    assert!(batches <= 10 && places < 1100, "{batches} batches of {places} places");
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
        world.extend(keys.map(|key| (key, before))).expect("keys differ");
        world.optimize();
        let walked = world.update(|key, bounds| *bounds = boxes[key as usize].0);
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
fn batch_changes_before_a_panic_are_kept() {
    let mut world: Hshg<f32, 2> = Hshg::new();
    let place = |key: u32| Aabb::of_ball([(key % 50) as f32 * 3.0, (key / 50) as f32], 1.0);
    world.extend((0..1000).map(|key| (key, place(key)))).expect("keys differ");
    world.optimize();
    let (mut batches, mut moved, mut removed) = (0, Vec::new(), 0);
    let walk = AssertUnwindSafe(|| {
        world.walk(Walk::All(&mut |batch| {
            batches += 1;
            let mut left = 3;
            batch.retain(|key, bounds| {
                left -= 1;
                if batches == 4 && left == 0 {
                    bounds.min[0] = f32::MAX;
                    resume_unwind(Box::new("on purpose"));
                }
                if key.is_multiple_of(10) {
                    removed += 1;
                    return false;
                }
                *bounds = bounds.translated([0.0, key as f32]);
                moved.push(key);
                true
            });
        }))
    });
    assert!(catch_unwind(walk).is_err(), "the panic reaches the caller");
    assert!(moved.len() > 3 * 64 && removed > 0, "some are moved, some removed");
    assert_eq!(world.len(), 1000 - removed);
    let mut oracle: BruteForce<f32, 2> = BruteForce::new();
    for key in world.keys() {
        let far = if moved.contains(&key) { key as f32 } else { 0.0 };
        let bounds = place(key).translated([0.0, far]);
        assert_eq!(world.get(key).expect("the object exists").bounds, bounds, "of {key}");
        oracle.insert(key, bounds).expect("keys differ");
    }
    let (mut found, mut expected, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for key in world.keys().into_iter().step_by(7) {
        let region = world.get(key).expect("the object exists").bounds;
        world.query(region, &mut found);
        oracle.query(region, &mut expected);
        assert_eq!(found, expected, "for {region:?}");
    }
    oracle.pairs(&mut pairs);
    assert_eq!(seen(&mut world).1, pairs);
}
