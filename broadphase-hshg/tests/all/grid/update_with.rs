//! Checks `update_with` against a loop over a copy of the previous state.

use core::cell::Cell;
use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};

use super::everywhere::everywhere;
use broadphase_hshg::{
    Aabb, BruteForce, Changes, Hshg, IndexError, Motion, ObjectMut, SpatialIndex,
};
use laws::examples::tried_until;
use laws::model::{Model, Object, Step, steps};
use laws::numbers::{Numbers, boxes, wrong_boxes};
use proptest::prelude::*;

/// A possible action of an object in a walk.
#[derive(Clone, Debug)]
struct Deed<S, const D: usize> {
    bounds: Option<Aabb<S, D>>,
    is_removed: bool,
    commands: Vec<Command<S, D>>,
}

#[derive(Clone, Copy, Debug)]
enum Command<S, const D: usize> {
    Insert(u32, Aabb<S, D>, u32),
    SetBounds(u32, Aabb<S, D>),
    Remove(u32),
}

/// Returns boxes of which one in eight is invalid.
fn any_boxes<S: Numbers, const D: usize>() -> BoxedStrategy<Aabb<S, D>> {
    prop_oneof![7 => boxes(), 1 => wrong_boxes()].boxed()
}

fn deeds<S: Numbers, const D: usize>() -> BoxedStrategy<Vec<Deed<S, D>>> {
    let key = || 0u32..30;
    let command = prop_oneof![
        3 => (key(), any_boxes(), any::<u32>()).prop_map(|(k, b, d)| Command::Insert(k, b, d)),
        2 => (key(), any_boxes()).prop_map(|(k, b)| Command::SetBounds(k, b)),
        2 => key().prop_map(Command::Remove),
    ];
    let deed = (
        prop::option::of(any_boxes()),
        prop::bool::weighted(0.1),
        prop::collection::vec(command, 0..3),
    );
    let deed =
        deed.prop_map(|(bounds, is_removed, commands)| Deed { bounds, is_removed, commands });
    prop::collection::vec(deed, 1..8).boxed()
}

/// Returns a number computed from the keys and data of the neighbors. It selects the action of an
/// object and becomes its data.
fn choose<S: Numbers, const D: usize, I: SpatialIndex<S, D, Data = u32>>(
    before: &I,
    bounds: Aabb<S, D>,
    data: u32,
) -> u32 {
    let mut found = Vec::new();
    before.query(bounds, &mut found);
    found.iter().fold(data, |sum, &key| {
        let seen = before.get(key).expect("the query found the object");
        sum.wrapping_mul(31) ^ seen.key ^ seen.data.rotate_left(7)
    })
}

/// Applies a walk to brute force, one object at a time in the order of keys.
fn by_hand<S: Numbers, const D: usize>(
    world: &mut BruteForce<S, D, u32>,
    deeds: &[Deed<S, D>],
    dynamic: bool,
) -> Result<(), IndexError> {
    let before = world.clone();
    let mut keys: Vec<u32> = before.order().collect();
    keys.retain(|&key| !dynamic || before.motion(key) == Some(Motion::Dynamic));
    keys.sort_unstable();
    let mut errors = Vec::new();
    let mut commands = Vec::new();
    for key in keys {
        let entry = before.get(key).expect("the object exists");
        let data = choose(&before, entry.bounds, *entry.data);
        let deed = &deeds[data as usize % deeds.len()];
        *world.data_mut(key).expect("the object exists") = data;
        if deed.is_removed {
            world.remove(key).expect("the object exists");
        } else if let Some(bounds) = deed.bounds {
            errors.extend(world.set_bounds(key, bounds).err().map(|why| (key, 0, why)));
        }
        commands.extend(deed.commands.iter().map(|command| (key, command)));
    }
    for (key, command) in commands {
        let done = match *command {
            Command::Insert(key, bounds, data) => world.insert(key, bounds, data),
            Command::SetBounds(key, bounds) => world.set_bounds(key, bounds),
            Command::Remove(key) => {
                world.remove(key).map(|_| ()).ok_or(IndexError::UnknownKey { key })
            }
        };
        errors.extend(done.err().map(|why| (key, 1, why)));
    }
    // Sorting is stable: the first of the commands for one object counts.
    errors.sort_by_key(|&(key, rank, _)| (key, rank));
    errors.first().map_or(Ok(()), |&(_, _, why)| Err(why))
}

/// Performs the action of an object, and checks that the previous state is still visible.
fn act<S: Numbers, const D: usize>(
    start: &Model<S, D>,
    deeds: &[Deed<S, D>],
    before: &Hshg<S, D, u32>,
    object: ObjectMut<'_, S, D, u32>,
    changes: &mut Changes<S, D, u32>,
) {
    let entry = before.get(object.key).expect("the object exists");
    let motion = before.motion(object.key).expect("the object exists");
    let shown = Object { bounds: *object.bounds, data: *object.data, motion };
    assert_eq!(shown, start.objects[&object.key], "the closure gets the previous state");
    assert_eq!(
        (entry.bounds, *entry.data),
        (*object.bounds, *object.data),
        "the view shows the previous state"
    );
    assert_eq!(before.len(), start.objects.len(), "no object was inserted or removed");
    *object.data = choose(before, *object.bounds, *object.data);
    let deed = &deeds[*object.data as usize % deeds.len()];
    *object.bounds = deed.bounds.unwrap_or(*object.bounds);
    for command in &deed.commands {
        match *command {
            Command::Insert(key, bounds, data) => changes.insert(key, bounds, data),
            Command::SetBounds(key, bounds) => changes.set_bounds(key, bounds),
            Command::Remove(key) => changes.remove(key),
        }
    }
    if deed.is_removed {
        object.remove();
    }
}

/// The action of each object, whether only dynamic objects are visited, and whether queries run in
/// between.
type Walk<S, const D: usize> = (Vec<Deed<S, D>>, bool, bool);

/// An example: steps that fill a grid, walks over it, a region to query, and half of its margin.
type Example<S, const D: usize> = (Vec<Step<S, D>>, Vec<Walk<S, D>>, Aabb<S, D>, u8);

fn update_with_matches_a_manual_loop<S: Numbers, const D: usize>() {
    let walks = prop::collection::vec((deeds::<S, D>(), any::<bool>(), any::<bool>()), 1..5);
    let [good, bad] = [Cell::new(0), Cell::new(0)];
    let examples = (steps::<S, D>(), walks, boxes::<S, D>(), 0u8..3);
    let law = |(steps, walks, region, skin): Example<S, D>| {
        let mut world: Hshg<S, D, u32> = Hshg::new();
        world.set_skin(S::from_f64(f64::from(skin) * 2.0));
        let mut model = Model::default();
        for (number, step) in steps.iter().enumerate() {
            model.take(&mut world, step);
            if number % 8 == 0 {
                world.optimize();
            }
        }
        for (deeds, dynamic, asks) in &walks {
            let mut hand = BruteForce::default();
            for (&key, object) in &model.objects {
                hand.insert(key, object.bounds, object.data).expect("keys differ");
                hand.set_motion(key, object.motion).expect("the object exists");
            }
            let act = |before: &_, object: ObjectMut<'_, _, D, _>, changes: &mut _| {
                act(&model, deeds, before, object, changes);
            };
            let answer =
                if *dynamic { world.update_dynamic_with(act) } else { world.update_with(act) };
            assert_eq!(answer, by_hand(&mut hand, deeds, *dynamic));
            let count = if answer.is_ok() { &good } else { &bad };
            count.set(count.get() + u32::from(hand.len() > 1));
            model.objects.clear();
            for key in hand.order() {
                let entry = hand.get(key).expect("the object exists");
                let motion = hand.motion(key).expect("the object exists");
                model
                    .objects
                    .insert(key, Object { motion, ..Object::new(entry.bounds, *entry.data) });
            }
            if *asks {
                model.compare(&mut world, &region, &mut Default::default());
            }
        }
        model.compare(&mut world, &region, &mut Default::default());
        Ok(())
    };
    tried_until(96, examples, law, |tried| {
        let (good, bad) = (good.get(), bad.get());
        println!("{}, {D}-D, {tried} tried: {good} without errors, {bad} with", S::NAME);
        let few = good < tried / 12 || bad < tried / 3;
        few.then(|| format!("{good} without errors, {bad} with"))
    });
}

everywhere!(update_with_matches_a_manual_loop);

fn line(objects: impl IntoIterator<Item = (u32, f32)>) -> Hshg<f32, 1, u32> {
    let mut world = Hshg::new();
    let objects = objects.into_iter().map(|(key, x)| (key, Aabb::point([x]), key));
    world.extend(objects).expect("keys differ");
    world
}

#[test]
fn commands_run_in_ascending_key_order() {
    for sign in [1.0, -1.0] {
        let mut world = line((0..9).map(|key| (key, sign * key as f32)));
        world
            .update_with(|_, object, changes| {
                changes.set_bounds(0, Aabb::point([object.key as f32 * 10.0]));
                changes.set_bounds(0, Aabb::point([object.key as f32 * 10.0 + 1.0]));
            })
            .expect("all bounds are valid");
        assert_eq!(world.get(0).expect("the object exists").bounds, Aabb::point([81.0]));
    }
}

#[test]
fn a_removed_key_can_be_reused_in_the_same_walk() {
    let mut world = line([(1, 0.0), (2, 5.0)]);
    world
        .update_with(|_, object, changes| {
            if object.key == 1 {
                changes.insert(1, Aabb::point([7.0]), 70);
                object.remove();
            }
        })
        .expect("the key is free by then");
    assert_eq!(world.get(1).map(|entry| (entry.bounds.min, *entry.data)), Some(([7.0], 70)));
    assert_eq!(world.len(), 2);
}

#[test]
fn the_error_is_of_the_smallest_invalid_key() {
    let nan = Aabb::point([f32::NAN]);
    let mut world = line([(4, 0.0), (3, 1.0), (2, 2.0), (1, 3.0)]);
    let answer = world.update_with(|_, object, changes| match object.key {
        4 => *object.bounds = nan,
        3 => {
            changes.remove(90);
            changes.insert(4, Aabb::point([0.0]), 0);
            *object.bounds = nan;
        }
        2 => {
            changes.insert(91, Aabb::point([0.0]), 0);
            changes.insert(91, Aabb::point([1.0]), 0);
            changes.remove(92);
        }
        _ => {
            *object.bounds = nan;
            object.remove();
        }
    });
    assert_eq!(
        answer,
        Err(IndexError::KeyInUse { key: 91 }),
        "object 1 is removed, so the error is of object 2"
    );
    assert_eq!(world.get(91).expect("the first was right").bounds, Aabb::point([0.0]));
    assert_eq!(world.len(), 4);
    let why = nan.checked().expect_err("NaN is rejected");
    let answer = world.update_with(|_, object, changes| {
        if object.key == 3 {
            changes.remove(90);
            *object.bounds = nan;
            *object.data = 33;
        }
    });
    assert_eq!(answer, Err(IndexError::InvalidBounds { key: 3, why }), "own bounds come first");
    assert_eq!(world.get(3).map(|entry| (entry.bounds.min, *entry.data)), Some(([1.0], 33)));
    world.assert_well_formed();
}

#[test]
fn warm_walks_do_not_allocate_and_memory_is_reported() {
    let mut world = line((0..1000).map(|key| (key, key as f32)));
    let mut next = 1000;
    let mut tick = |world: &mut Hshg<f32, 1, u32>| {
        world
            .update_with(|before, object, changes| {
                let mut near = 0;
                before.query_unordered(object.bounds.enlarged(1.5), |_| near += 1);
                *object.bounds = object.bounds.translated([near as f32 * 0.01 - 0.02]);
                if object.key % 100 == next % 100 {
                    changes.insert(object.key + 1000, *object.bounds, 0);
                    changes.remove(object.key);
                }
            })
            .expect("keys only go up");
        next += 1;
        world.optimize();
    };
    let before = world.memory_use() as i64;
    let first = allocation_counter::measure(|| tick(&mut world));
    assert_eq!(world.memory_use() as i64, before + first.bytes_current);
    for _ in 0..300 {
        tick(&mut world);
    }
    // New keys ascend, but freed entries of the key table are reused.
    let warm = allocation_counter::measure(|| (0..300).for_each(|_| tick(&mut world)));
    assert_eq!(warm.count_total, 0, "{} bytes", warm.bytes_total);
    let held = world.memory_use() as i64;
    let given_back = allocation_counter::measure(|| world.shrink_to_fit()).bytes_current;
    assert_eq!(world.memory_use() as i64, held + given_back);
    assert!(given_back < -1000 * 16, "the list of objects is given back, not {given_back}");
}

#[test]
fn a_panic_changes_nothing() {
    let mut world = line((0..100).map(|key| (key, key as f32)));
    world.optimize();
    let before = world.clone();
    let mut calls = 0;
    let walk = AssertUnwindSafe(|| {
        world.update_with(|_, object, changes| {
            calls += 1;
            if calls == 60 {
                resume_unwind(Box::new("on purpose"));
            }
            changes.remove(object.key + 1);
            *object.data += 1;
            *object.bounds = object.bounds.translated([0.5]);
        })
    });
    assert!(catch_unwind(walk).is_err(), "the panic reaches the caller");
    world.assert_well_formed();
    let all = |world: &Hshg<f32, 1, u32>| -> Vec<(u32, Aabb<f32, 1>, u32)> {
        let entries = world.order().filter_map(|key| world.get(key));
        entries.map(|entry| (entry.key, entry.bounds, *entry.data)).collect()
    };
    assert_eq!(all(&world), all(&before));
    world.update_with(|_, object, _| *object.data += 1).expect("bounds stay");
    assert!(world.order().all(|key| world.get(key).is_some_and(|one| *one.data == key + 1)));
}
