//! Checks that walks in several passes over each batch behave like walks object by object,
//! including storage order.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::panic::{catch_unwind, resume_unwind};

use super::everywhere::everywhere;
use broadphase_core::BruteForce;
use broadphase_hshg::{
    Aabb, Backend, Hshg, IndexObject, Motion, SpatialIndex, SpatialIndexExt, Walk, WalkBatch,
};
use laws::examples::tried;
use laws::model::{Model, steps};
use laws::numbers::{Numbers, boxes, wrong_boxes};
use proptest::prelude::*;

/// The new bounds of objects by key, `None` if an object is removed, and whether only dynamic
/// objects are visited.
type Fates<S, const D: usize> = (Vec<Option<Aabb<S, D>>>, bool);

/// The observable state of a world: its objects in storage order, and its pairs.
type Seen<S, const D: usize> = (Vec<IndexObject<S, D>>, Vec<[u32; 2]>);

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
    let fate = prop_oneof![
        8 => boxes::<S, D>().prop_map(Some),
        1 => wrong_boxes().prop_map(Some),
        1 => Just(None),
    ];
    let walks = prop::collection::vec((prop::collection::vec(fate, 1..8), any::<bool>()), 1..5);
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
            let leaves = |key: u32| fates[key as usize % fates.len()].is_none();
            // One object in five stays where it is.
            let target =
                |key: u32| fates[key as usize % fates.len()].filter(|_| !key.is_multiple_of(5));
            let (mut single, before) = (world.clone(), world.clone());
            let mut one = |batch: &mut WalkBatch<'_, S, D>| {
                batch.retain(|key, bounds| {
                    *bounds = target(key).unwrap_or(*bounds);
                    !leaves(key)
                });
            };
            let expected =
                single.walk(if *dynamic { Walk::Dynamic(&mut one) } else { Walk::All(&mut one) });
            let mut passes = |batch: &mut WalkBatch<'_, S, D>| {
                let vacant = batch.vacant();
                holes.fetch_add(vacant.count_ones(), Relaxed);
                // Bounds written before the removal are ignored.
                batch.each(|_, bounds| bounds.min[0] = S::MAX.plus(S::MAX));
                batch.retain(|key, _| !leaves(key));
                removals.fetch_add((batch.vacant() & !vacant).count_ones(), Relaxed);
                batch.each(|key, bounds| {
                    let stays = || before.get(key).expect("the object exists").bounds;
                    *bounds = target(key).unwrap_or_else(stays);
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

#[test]
fn batches_are_long_with_few_holes() {
    let mut world: Hshg<f32, 1> = Hshg::new();
    world.extend((0..1000).map(|key| (key, Aabb::point([key as f32])))).expect("keys differ");
    world.set_motion(3, Motion::Sleeping).expect("the object exists");
    world.optimize();
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
    let mut pairs = Vec::new();
    oracle.pairs(&mut pairs);
    assert_eq!(seen(&mut world).1, pairs);
}
