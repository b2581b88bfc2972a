//! Requirements that users of other libraries have posted, one test each. COVERAGE.md lists them.

use hexphase::{
    Aabb, BroadPhase, Error, Filter, Handle, InvalidBounds, Motion, Options, Overlap, Path, Region,
};

type World = BroadPhase<f32, 2, u32>;

fn disc(x: f32) -> Aabb {
    Aabb::of_ball([x, 0.0], 1.0)
}

fn users<'a>(overlaps: impl Iterator<Item = Overlap<u32>> + 'a) -> Vec<[u32; 2]> {
    overlaps.map(|overlap| overlap.users).collect()
}

/// Returns a row of discs, each touching the next, with user data 0, 1, 2, …
fn row(n: u32) -> (World, Vec<Handle>) {
    let mut world = World::new();
    let objects = (0..n).map(|user| world.insert(disc(user as f32 * 2.0), user).unwrap()).collect();
    world.step();
    (world, objects)
}

#[test]
fn removing_disabling_and_refiltering_end_pairs() {
    let (mut world, objects) = row(8);
    assert_eq!(world.began().len(), 7);
    world.remove(objects[0]);
    world.set_filter(objects[3], Filter::NONE).unwrap();
    world.set_filter(objects[6], Filter::layers(2)).unwrap();
    world.set_filter(objects[7], Filter::layers(4).mask(!2)).unwrap();
    world.step();
    assert_eq!(users(world.ended()), [[0, 1], [2, 3], [3, 4], [6, 7]]);
    assert_eq!(world.began().len(), 0);
    world.set_filter(objects[3], Filter::ALL).unwrap();
    world.step();
    assert_eq!(users(world.began()), [[2, 3], [3, 4]]);
    assert_eq!(world.ended().len(), 0);
}

#[test]
fn ended_pairs_keep_user_data_and_filters() {
    let (mut world, objects) = row(3);
    world.set_filter(objects[1], Filter::layers(0b101)).unwrap();
    world.step();
    *world.user_mut(objects[1]).unwrap() = 77;
    world.remove(objects[1]);
    let again = world.insert(disc(90.0), 5).unwrap();
    assert_eq!(again.index(), objects[1].index(), "the slot must be reused");
    world.set_filter(again, Filter::NONE).unwrap();
    world.step();
    let ended: Vec<Overlap<u32>> = world.ended().collect();
    assert_eq!(ended.len(), 2);
    assert_eq!((ended[0].users, ended[0].handles[1]), ([0, 77], objects[1]));
    assert_eq!(ended[0].filters[1], Filter::layers(0b101));
    world.step();
    assert_eq!(world.ended().len(), 0, "reported only once");
}

#[test]
fn changes_undone_between_steps_have_no_events() {
    let (mut world, objects) = row(2);
    let passing = world.insert(disc(1.0), 9).unwrap();
    world.remove(passing);
    world.step();
    assert_eq!(world.began().len() + world.ended().len(), 0);
    // Replace an object with another in its slot and at its place: the old pair ends and a new pair
    // begins.
    world.remove(objects[0]);
    let other = world.insert(disc(0.0), 50).unwrap();
    assert_eq!(other.index(), objects[0].index());
    world.step();
    assert_eq!(users(world.ended()), [[0, 1]]);
    assert_eq!(users(world.began()), [[50, 1]]);
}

#[test]
fn restore_repeats_the_events_of_the_next_step_only() {
    let (mut world, objects) = row(4);
    let mut saved = Vec::new();
    world.snapshot_into(&mut saved);
    let play = |world: &mut World| {
        world.set_bounds(objects[0], disc(100.0)).unwrap();
        world.set_bounds(objects[1], disc(5.0)).unwrap();
        world.step();
        (users(world.began()), users(world.ended()), users(world.pairs()))
    };
    let first = play(&mut world);
    assert_eq!(first.0, [[1, 3]]);
    assert_eq!(first.1, [[0, 1]]);
    world.restore(&saved).unwrap();
    assert_eq!((world.began().len(), world.ended().len()), (0, 0), "restoring has no events");
    assert_eq!(world.pairs().len(), 3, "restoring keeps the pairs");
    assert_eq!(play(&mut world), first);
}

#[test]
fn pairs_by_key_do_not_depend_on_slots() {
    let ids = [40u32, 10, 30, 20];
    let names = |order: &[usize], removed: bool| {
        let mut world = World::new();
        if removed {
            let gone = world.insert(disc(0.0), 0).unwrap();
            world.insert(disc(50.0), 99).unwrap();
            world.remove(gone);
        }
        for &i in order {
            world.insert(disc(i as f32), ids[i]).unwrap();
        }
        world.step();
        let mut sorted = Vec::new();
        world.pairs().by_key(|&id| id.into(), &mut sorted);
        sorted.iter().map(|overlap| overlap.users).collect::<Vec<_>>()
    };
    let expected = names(&[0, 1, 2, 3], false);
    assert_eq!(expected, [[10, 20], [10, 30], [10, 40], [20, 30], [30, 40]]);
    assert_eq!(names(&[3, 1, 0, 2], true), expected);
}

#[test]
fn filters_have_64_layers_owners_and_a_predicate() {
    let mut world = World::new();
    for layer in 0..64u32 {
        let filter =
            Filter::layers(1 << layer).mask(1 << (63 - layer)).owner(layer.div_ceil(2) + 1);
        world.insert_with(disc(0.0), layer, Motion::Dynamic, filter).unwrap();
    }
    world.step();
    let mirrored: Vec<[u32; 2]> = (0..31).map(|layer| [layer, 63 - layer]).collect();
    assert_eq!(users(world.pairs()), mirrored, "31 and 32 have one owner");
    world.step_where(|overlap| overlap.users[0] % 2 == 0);
    assert_eq!(users(world.ended()), (1..31).step_by(2).map(|l| [l, 63 - l]).collect::<Vec<_>>());
}

#[test]
fn invalid_bounds_are_rejected_and_the_object_reported() {
    let (mut world, objects) = row(3);
    let hash = world.state_hash();
    let bad = [
        (Aabb { min: [f32::NAN, 0.0], max: [1.0, 1.0] }, InvalidBounds::NotANumber { axis: 0 }),
        (Aabb { min: [0.0, 0.0], max: [1.0, f32::INFINITY] }, InvalidBounds::Infinite { axis: 1 }),
        (Aabb { min: [2.0, 0.0], max: [1.0, 1.0] }, InvalidBounds::Inverted { axis: 0 }),
    ];
    for (bounds, why) in bad {
        let named = Err(Error::InvalidBounds { object: Some(objects[1]), why });
        assert_eq!(world.set_bounds(objects[1], bounds), named);
        let new = Err(Error::InvalidBounds { object: None, why });
        assert_eq!(world.insert(bounds, 9), new);
        assert_eq!(world.state_hash(), hash, "the world must be unchanged");
        let found = if bounds.max[1] == f32::INFINITY { 2 } else { 0 };
        assert_eq!(world.query(Region::from(bounds)).to_vec().len(), found);
    }
    let walked = world.update(|object, _, bounds| {
        *bounds = if object.index() > 0 { bad[0].0 } else { disc(2.0) };
    });
    let why = InvalidBounds::NotANumber { axis: 0 };
    assert_eq!(walked, Err(Error::InvalidBounds { object: Some(objects[1]), why }));
    world.step();
    assert_eq!(users(world.pairs()), [[0, 1], [0, 2], [1, 2]], "other objects must move");
    let path = Path::ray([f32::NAN, 0.0], [1.0, 0.0]);
    assert!(world.cast(path).first().is_none() && world.nearest([f32::NAN, 0.0]).first().is_none());
}

#[test]
fn thousand_coinciding_objects_form_half_a_million_pairs() {
    let mut world = World::new();
    for user in 0..1_000 {
        world.insert(disc(0.0), user).unwrap();
    }
    world.step();
    assert_eq!(world.pairs().len(), 499_500);
    assert_eq!(world.began().len(), 499_500);
    world.clear();
    world.step();
    assert_eq!((world.pairs().len(), world.ended().len()), (0, 499_500));
}

#[test]
fn very_large_and_very_small_objects_form_pairs() {
    let mut world = World::new();
    let half_plane = Aabb::new([f32::MIN, f32::MIN], [f32::MAX, 0.0]);
    world.insert_with(half_plane, 0, Motion::Static, Filter::ALL).unwrap();
    for user in 1..2_000 {
        let size = 10f32.powi(user as i32 % 9 - 4);
        let at = [(user as f32) * 1e5, -0.5 * size];
        world.insert(Aabb::around(at, [size; 2]), user).unwrap();
    }
    world.step();
    let on_it = world.pairs().filter(|overlap| overlap.users[0] == 0).count();
    assert_eq!(on_it, 1_999);
    let everywhere = Aabb::new([f32::MIN; 2], [f32::MAX; 2]);
    assert_eq!(world.query(everywhere).to_vec().len(), 2_000);
    let infinite = Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]);
    assert_eq!(world.query(infinite).to_vec().len(), 2_000);
}

#[test]
fn integers_are_exact_at_any_distance() {
    let near = |origin: i32| {
        let mut world: BroadPhase<i32, 2, i32> = BroadPhase::new();
        for user in 0..400 {
            let at = [origin + user % 20 * 9, origin + user / 20 * 10];
            world.insert(Aabb::around(at, [4, 5]), user).unwrap();
        }
        world.step();
        world.pairs().map(|overlap| overlap.users).collect::<Vec<_>>()
    };
    assert_eq!(near(0).len(), 20 * 19, "rows touch, columns have a gap of one");
    assert_eq!(near(2_000_000_000), near(0));
    assert_eq!(near(-2_000_000_000), near(0));
}

#[test]
fn objects_form_pairs_across_the_seam_of_a_wrapping_world() {
    let options = Options::new().wrap([64.0, 0.0]);
    let mut world: BroadPhase<f32, 2, u32> = BroadPhase::with_options(options);
    world.insert(Aabb::new([62.0, 0.0], [66.0, 1.0]), 0).unwrap();
    world.insert(disc(2.5), 1).unwrap();
    let bullet = world.insert(Aabb::point([40.0, 0.0]), 2).unwrap();
    world.set_swept(bullet, true).unwrap();
    world.step();
    assert_eq!(users(world.pairs()), [[0, 1]]);
    // The swept path is the shorter one, which crosses the seam.
    world.set_bounds(bullet, Aabb::point([66.0, 0.0])).unwrap();
    world.step();
    assert_eq!(users(world.began()), [[0, 2], [1, 2]]);
    world.set_bounds(bullet, Aabb::point([44.0, 0.0])).unwrap();
    world.step();
    world.set_bounds(bullet, Aabb::point([45.0, 0.0])).unwrap();
    world.step();
    assert_eq!(users(world.pairs()), [[0, 1]]);
    let hit = world.cast(Path::ray([60.0, 0.5], [1.0, 0.0])).except(bullet).take(2).to_vec();
    assert_eq!(hit.iter().map(|hit| world[hit.object]).collect::<Vec<_>>(), [0, 1]);
}

/// Bombs (odd user data) remove all objects near them: each sees the world before all changes.
#[test]
fn objects_change_others_as_they_were_before_an_update() {
    let (mut world, objects) = row(6);
    let mut hit = Vec::new();
    for (_, bomb) in world.objects().filter(|(_, object)| object.user % 2 == 1) {
        world.query(bomb.bounds).visit(|other, _, _| hit.push(other));
    }
    hit.sort_unstable();
    hit.dedup();
    assert_eq!(hit, objects);
    world.remove_many(&hit).unwrap();
    assert!(world.is_empty());
}

#[test]
fn static_objects_form_no_pairs_and_are_skipped_by_update_dynamic() {
    let mut world = World::new();
    for user in 0..10_000 {
        let motion = if user % 100 == 0 { Motion::Dynamic } else { Motion::Static };
        world.insert_with(disc(user as f32), user, motion, Filter::ALL).unwrap();
    }
    world.step();
    assert!(world.pairs().all(|overlap| overlap.users.iter().any(|user| user % 100 == 0)));
    assert_eq!(world.pairs().len(), 99 * 4 + 2);
    let mut walked = 0;
    world.update_dynamic(|_, _, _| walked += 1).unwrap();
    assert_eq!(walked, 100);
}

#[test]
fn memory_does_not_grow_while_objects_are_replaced() {
    let mut world = World::new();
    world.insert(disc(0.0), 0).unwrap();
    world.step();
    let mut peaks = Vec::new();
    for round in 0..40u32 {
        let objects: Vec<Handle> = (0..2_000)
            .map(|n| world.insert(disc((n % 500) as f32 + 1e3 * round as f32), n).unwrap())
            .collect();
        world.step();
        peaks.push(world.stats().bytes);
        for object in objects {
            world.remove(object).unwrap();
        }
        world.step();
    }
    let (early, late) = (peaks[4], peaks[39]);
    assert!(late <= early + early / 4, "{early} bytes, then {late}");
    world.step(); // drops the ended pairs
    world.shrink_to_fit();
    assert!(world.stats().bytes < late / 4, "{} bytes for one object", world.stats().bytes);
}

#[cfg(all(feature = "f64", feature = "hash"))]
#[test]
fn the_smallest_cell_may_be_subnormal() {
    use hexphase::Algorithm;

    for cell in [5e-324, 2e-308] {
        let options = Options::new().algorithm(Algorithm::Hash).smallest_cell(cell);
        let mut world: BroadPhase<f64, 1> = BroadPhase::with_options(options);
        for x in [0.0, 1e-323, 1.0] {
            world.insert(Aabb::new([x], [x + 1e-323]), ()).unwrap();
        }
        world.step();
        assert_eq!(world.pairs().len(), 1, "cells of {cell:e}");
    }
}
