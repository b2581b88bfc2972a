//! Handles, filters, motion classes, queries and the selection of the structure.

use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};

use hexphase::{
    Aabb, Algorithm, BroadPhase, BruteForce, Error, Filter, Handle, InvalidBounds, Motion, Options,
};

type World = BroadPhase<f32, 2, u32>;

fn disc(x: f32) -> Aabb {
    Aabb::of_ball([x, 0.0], 1.0)
}

fn users(world: &World) -> Vec<[u32; 2]> {
    world.pairs().map(|overlap| overlap.users).collect()
}

#[test]
fn pairs_are_those_of_the_last_step() {
    let mut world = World::new();
    let a = world.insert(disc(0.0), 10).unwrap();
    world.insert(disc(1.0), 11).unwrap();
    assert_eq!(users(&world), [] as [[u32; 2]; 0]);
    world.step();
    assert_eq!(users(&world), [[10, 11]]);
    world.set_bounds(a, disc(9.0)).unwrap();
    assert_eq!(users(&world), [[10, 11]], "pairs change only in a step");
    world.step();
    assert!(users(&world).is_empty());
}

#[test]
fn a_panic_undoes_the_step() {
    for events in [true, false] {
        let mut world = World::with_options(Options::new().events(events));
        let a = world.insert(disc(9.0), 10).unwrap();
        world.insert(disc(0.0), 11).unwrap();
        let late = world.insert(disc(9.5), 12).unwrap();
        let bullet = world.insert(disc(20.0), 14).unwrap();
        world.set_swept(bullet, true).unwrap();
        world.step();
        world.remove(a).unwrap();
        world.set_bounds(bullet, disc(-20.0)).unwrap();
        let again = world.insert(disc(0.5), 13).unwrap();
        assert_eq!(again.index(), a.index(), "the slot in the pairs of the last step");
        world.set_bounds(late, disc(1.0)).unwrap();
        let state = world.state_hash();
        let step = AssertUnwindSafe(|| {
            world.step_where(|_| resume_unwind(Box::new("intended")));
        });
        assert!(catch_unwind(step).is_err(), "the panic must propagate");
        world.assert_well_formed();
        assert_eq!(world.state_hash(), state);
        let all = |overlaps: hexphase::Overlaps<'_, u32>| -> Vec<[u32; 2]> {
            overlaps.map(|overlap| overlap.users).collect()
        };
        let last: &[[u32; 2]] = if events { &[[10, 12]] } else { &[] };
        assert_eq!((users(&world).as_slice(), all(world.began()).as_slice()), (last, last));
        world.step();
        let [began, ended] = [world.began(), world.ended()].map(all);
        // The pairs include the swept bullet, whose path began before the step that panicked.
        let now = [[13, 11], [13, 12], [13, 14], [11, 12], [11, 14], [12, 14]];
        assert_eq!(users(&world), now);
        assert_eq!(
            (began.as_slice(), ended.as_slice()),
            (if events { &now[..] } else { &[] }, last)
        );
    }
}

#[test]
fn removed_objects_stay_in_pairs_until_the_next_step() {
    let mut world = World::new();
    let a = world.insert(disc(0.0), 10).unwrap();
    let b = world.insert(disc(1.0), 11).unwrap();
    world.step();
    assert_eq!(world.remove(a), Some(10));
    let again = world.insert(disc(0.5), 12).unwrap();
    assert_eq!(again.index(), a.index(), "the lowest free slot is used first");
    assert_ne!(again, a);
    // Remove the new object, too: the pairs still contain the object that existed at the step.
    assert_eq!(world.remove(again), Some(12));
    let pair = world.pairs().next().unwrap();
    assert_eq!((pair.handles, pair.users), ([a, b], [10, 11]));
    world.step();
    assert_eq!(world.pairs().len(), 0);
    world.assert_well_formed();
}

#[test]
fn a_step_drops_objects_removed_before_it() {
    let mut world = World::new();
    let old: Vec<Handle> = (0..4).map(|n| world.insert(disc(n as f32), n).unwrap()).collect();
    world.step();
    for &object in old.iter().rev() {
        world.remove(object).unwrap();
    }
    let seen: Vec<_> = world.pairs().map(|overlap| overlap.handles).collect();
    assert_eq!(seen[0], [old[0], old[1]], "independent of the order of removals");
    let new: Vec<Handle> = (0..4).map(|n| world.insert(disc(n as f32), 10 + n).unwrap()).collect();
    world.step();
    let seen: Vec<_> = world.pairs().map(|overlap| (overlap.handles, overlap.users)).collect();
    assert_eq!(seen[0], ([new[0], new[1]], [10, 11]));
    world.remove(new[1]).unwrap();
    let seen: Vec<_> = world.pairs().map(|overlap| (overlap.handles, overlap.users)).collect();
    assert_eq!(seen[0], ([new[0], new[1]], [10, 11]), "objects removed since are kept");
}

#[test]
fn stale_handles_are_rejected() {
    let mut world = World::new();
    let gone = world.insert(disc(0.0), 1).unwrap();
    world.remove(gone);
    let there = world.insert(disc(0.0), 2).unwrap();
    let stale = Error::Stale { object: gone };
    assert_eq!(world.remove(gone), None);
    assert_eq!(world.get(gone), None);
    assert_eq!(world.set_bounds(gone, disc(1.0)), Err(stale));
    assert_eq!(world.set_filter(gone, Filter::NONE), Err(stale));
    assert_eq!(world.set_motion(gone, Motion::Static), Err(stale));
    assert_eq!(world.set_user(gone, 3), Err(stale));
    let object = world.get(there).unwrap();
    assert_eq!((object.user, object.bounds), (2, disc(0.0)));
    assert_eq!(world[there], 2);
    assert_eq!(stale.to_string(), "object 0 was removed");
}

#[test]
fn user_data_of_all_objects_change_in_the_order_of_handles() {
    let mut world = World::new();
    let old: Vec<Handle> = (0..6).map(|n| world.insert(disc(n as f32), n).unwrap()).collect();
    for gone in [0, 3, 5] {
        world.remove(old[gone]);
    }
    let new = world.insert(disc(9.0), 10).unwrap();
    assert_eq!(new.index(), 0);
    let mut seen = Vec::new();
    for (object, user) in world.users_mut() {
        seen.push((object, *user));
        *user += 100;
    }
    assert_eq!(seen, [(new, 10), (old[1], 1), (old[2], 2), (old[4], 4)]);
    let now: Vec<_> = world.objects().map(|(_, object)| object.user).collect();
    assert_eq!(now, [110, 101, 102, 104]);
    world.clear();
    assert_eq!(world.users_mut().count(), 0);
}

#[test]
fn invalid_bounds_change_nothing() {
    let mut world = World::new();
    let a = world.insert(disc(0.0), 1).unwrap();
    let why = InvalidBounds::NotANumber { axis: 0 };
    let bad = disc(f32::NAN);
    assert_eq!(world.insert(bad, 9), Err(Error::InvalidBounds { object: None, why }));
    let named = Error::InvalidBounds { object: Some(a), why };
    assert_eq!(world.set_bounds(a, bad), Err(named));
    assert_eq!(world.update(|_, user, bounds| (*user, *bounds) = (5, bad)), Err(named));
    assert_eq!(world.get(a).unwrap().bounds, disc(0.0));
    assert_eq!(world[a], 5, "user data must be unchanged");
    assert_eq!(world.len(), 1);
    assert_eq!(named.to_string(), "object 0: bounds are not a number on axis 0");
    let next = world.insert(disc(0.0), 2).unwrap();
    assert_eq!(next.index(), 1, "the rejected object must not occupy a slot");
}

#[test]
fn filters_and_motion_classes_decide_pairs() {
    let mut world = World::new();
    let a = world.insert_with(disc(0.0), 0, Motion::Static, Filter::ALL).unwrap();
    let b = world.insert_with(disc(0.0), 1, Motion::Static, Filter::ALL).unwrap();
    let c = world.insert_with(disc(0.0), 2, Motion::Sleeping, Filter::ALL.owner(7)).unwrap();
    let d = world.insert_with(disc(0.0), 3, Motion::Dynamic, Filter::ALL.owner(7)).unwrap();
    world.step();
    assert_eq!(users(&world), [[0, 2], [0, 3], [1, 2], [1, 3]]);
    world.set_motion(b, Motion::Dynamic).unwrap();
    world.set_filter(d, Filter::NONE).unwrap();
    world.step();
    assert_eq!(users(&world), [[0, 1], [0, 2], [1, 2]]);
    assert_eq!(world.get(c).unwrap().motion, Motion::Sleeping);
    assert_eq!(world.get(a).unwrap().filter, Filter::ALL);
}

#[test]
fn queries_see_every_change_at_once() {
    let mut world = World::new();
    let near = Aabb::new([-2.0, -2.0], [2.0, 2.0]);
    let a = world.insert_with(disc(0.0), 0, Motion::Dynamic, Filter::layers(1)).unwrap();
    let b = world.insert_with(disc(1.0), 1, Motion::Dynamic, Filter::layers(2)).unwrap();
    assert_eq!(world.query(near).to_vec(), [a, b]);
    assert_eq!(world.query(near).mask(2).to_vec(), [b]);
    assert_eq!(world.query(near).except(a).count(), 1);
    world.set_bounds(a, disc(9.0)).unwrap();
    let mut found = vec![a];
    world.query(near).write_to(&mut found);
    assert_eq!(found, [b]);
}

#[test]
fn queries_have_a_defined_order() {
    let mut world = World::new();
    let mut all: Vec<Handle> = (0..9).map(|n| world.insert(disc(0.0), n).unwrap()).collect();
    for n in [2, 0, 5] {
        world.remove(all[n]).unwrap();
    }
    for n in [0, 2, 5] {
        all[n] = world.insert(disc(0.0), 0).unwrap();
    }
    assert_eq!(world.query(disc(0.0)).to_vec(), all);
}

#[test]
fn worlds_of_any_scale_order_by_distance() {
    for &algorithm in Algorithm::ALL {
        for scale in [1e-45f32, 1e-38, 1e-30, 1e-20, 1.0, 1e18, 1e25, 1e37] {
            // Nine objects, the farthest first; the largest gap is twice the largest coordinate.
            let mut world: BroadPhase<f32, 2> =
                BroadPhase::with_options(Options::new().algorithm(algorithm));
            let at = |n: u8| Aabb::point([f32::from(n) * scale, 0.0]);
            let mut objects: Vec<Handle> =
                (0..9).map(|n| world.insert(at(33 - 4 * n), ()).unwrap()).collect();
            objects.reverse();
            let target = [-33.0 * scale, 0.0];
            let found = |most: usize| -> Vec<Handle> {
                world.nearest(target).take(most).to_vec().iter().map(|near| near.object).collect()
            };
            assert_eq!(found(9), objects, "{algorithm:?} at {scale}");
            assert_eq!(found(2), objects[..2], "{algorithm:?} at {scale}");
            let within = |n: f32| world.nearest([0.0; 2]).within(n * scale).count();
            assert_eq!([within(4.0), within(5.0), within(12.0)], [1, 2, 3]);
        }
    }
}

#[test]
fn ties_and_squares_limit_by_distance() {
    for &algorithm in Algorithm::ALL {
        let mut world = World::with_options(Options::new().algorithm(algorithm));
        for n in 0..81 {
            let at = [(n % 9) as f32 - 4.0, (n / 9) as f32 - 4.0].map(|x| x * 0.1);
            world.insert(Aabb::point(at), n).unwrap();
        }
        let odd = || world.nearest([0.0; 2]).filter(|_, user| user % 2 == 1);
        let all = odd().to_vec();
        assert!(odd().take(0).with_ties().to_vec().is_empty());
        for most in 1..=all.len() {
            let last = all[most - 1].distance_squared;
            let up_to_last: Vec<_> =
                all.iter().filter(|near| near.distance_squared <= last).copied().collect();
            assert_eq!(odd().take(most).to_vec(), all[..most]);
            assert_eq!(odd().take(most).with_ties().to_vec(), up_to_last);
            assert_eq!(odd().with_ties().take(most).count(), up_to_last.len());
            assert_eq!(odd().within_squared(last).to_vec(), up_to_last);
        }
    }
}

#[test]
fn the_structure_follows_the_number_of_objects() {
    let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    let mut all: Vec<Handle> = Vec::new();
    let structure = |world: &World| world.choice().algorithm.map(Algorithm::name);
    for n in 0..1000 {
        if n <= 256 {
            assert_eq!(structure(&world), Some("brute"), "for {n} objects");
        }
        all.push(world.insert(disc(n as f32 * 1.5), n).unwrap());
    }
    if cfg!(feature = "hshg") {
        assert_eq!(structure(&world), Some("hshg"), "before the first step");
    }
    world.step();
    assert_eq!(world.pairs().len(), 999);
    if cfg!(feature = "hshg") {
        assert_eq!(world.choice().to_string(), "hshg");
    } else if cfg!(feature = "hash") {
        assert_eq!(world.choice().to_string(), "hash with cells of 4");
    }
    for object in all.drain(100..) {
        world.remove(object).unwrap();
    }
    world.step();
    assert_eq!(world.pairs().len(), 99);
    assert_eq!(structure(&world), Some("brute"));
    world.clear();
    assert!(world.is_empty());
    assert_eq!(world.pairs().len(), 99, "pairs stay until the next step");
    world.step();
    assert_eq!(world.pairs().len(), 0);
    world.assert_well_formed();
}

#[test]
fn a_set_algorithm_never_changes() {
    for &algorithm in Algorithm::ALL {
        for count in [1, 1000] {
            let mut world = World::with_options(Options::new().algorithm(algorithm));
            for n in 0..count {
                world.insert(disc(n as f32), n).unwrap();
            }
            world.step();
            let chosen = world.choice().algorithm.unwrap();
            assert!(algorithm == Algorithm::Auto || algorithm == chosen, "{algorithm}");
            assert_ne!(chosen, Algorithm::Auto);
        }
    }
}

/// Sets the number of objects to `count` and steps. Returns the algorithm and the number of objects
/// at its selection.
#[cfg(any(feature = "hash", feature = "hshg"))]
fn fill(world: &mut World, count: u32) -> (Option<Algorithm>, usize) {
    while (world.len() as u32) < count {
        world.insert(disc(0.0), 0).unwrap();
    }
    let surplus: Vec<Handle> = world.handles().skip(count as usize).collect();
    for object in surplus {
        world.remove(object).unwrap();
    }
    world.step();
    (world.choice().algorithm, world.choice().objects)
}

#[test]
#[cfg(any(feature = "hash", feature = "hshg"))]
fn the_choice_of_the_structure_has_hysteresis() {
    let mut world = World::new();
    for (count, few) in
        [(256, true), (257, false), (256, false), (129, false), (128, true), (256, true)]
    {
        let brute = fill(&mut world, count).0 == Some(Algorithm::Brute);
        assert_eq!(brute, few, "{count}");
    }
}

#[test]
#[cfg(feature = "hash")]
fn cell_size_is_updated_when_the_number_of_objects_changes() {
    let hash = Options::new().algorithm(Algorithm::Hash);
    let mut world = World::with_options(hash);
    for (count, measured) in [(257, 257), (514, 257), (515, 515), (256, 256), (129, 256)] {
        assert_eq!(fill(&mut world, count), (Some(Algorithm::Hash), measured), "{count}");
    }
    let mut given = World::with_options(hash.smallest_cell(5.0));
    for count in [300, 700] {
        assert_eq!(fill(&mut given, count), (Some(Algorithm::Hash), 1), "a set cell size stays");
        assert_eq!(given.choice().cell, Some(5.0));
    }
}

#[test]
fn custom_structures_work() {
    let own: BruteForce<f32, 2> = BruteForce::new();
    let mut world: World = BroadPhase::with_index(own, Options::new());
    for n in 0..500 {
        world.insert(disc(n as f32), n).unwrap();
    }
    world.step();
    assert_eq!(world.pairs().len(), 499 + 498, "discs at a distance of two touch");
    assert_eq!(world.choice().algorithm, None);
    assert_eq!(world.choice().to_string(), "custom");
}

#[test]
fn clones_are_independent() {
    let mut world = World::new();
    let a = world.insert(disc(0.0), 0).unwrap();
    world.insert(disc(1.0), 1).unwrap();
    world.step();
    let mut other = world.clone();
    other.set_bounds(a, disc(50.0)).unwrap();
    other.step();
    world.step();
    assert_eq!((world.pairs().len(), other.pairs().len()), (1, 0));
}

#[test]
fn dangling_handles_name_no_object() {
    let mut world = World::new();
    for len in 0..3 {
        let (none, mut state) = (Handle::default(), Vec::new());
        assert_eq!((none, none.to_string().as_str()), (Handle::DANGLING, "dangling"));
        world.snapshot_into(&mut state);
        let stale = Err(Error::Stale { object: none });
        assert!(!world.contains(none) && world.get(none).is_none());
        assert_eq!(world.remove(none), None);
        assert_eq!(world.set_bounds(none, disc(1.0)).map(drop), stale);
        assert_eq!(world.set_filter(none, Filter::NONE).map(drop), stale);
        assert_eq!(world.set_user(none, 7).map(drop), stale);
        assert_eq!(world.set_swept(none, true).map(drop), stale);
        assert_eq!(world.query(disc(0.0)).except(none).count(), len);
        world.restore(&state).unwrap();
        let object = world.insert(disc(0.0), 1).unwrap();
        assert!(object < none && object != none);
        world.step();
    }
}

#[test]
fn algorithm_names_round_trip() {
    for &algorithm in Algorithm::ALL {
        assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
    }
    let unknown = "bvh".parse::<Algorithm>().unwrap_err();
    assert!(unknown.to_string().starts_with("unknown algorithm; there are auto, brute"));
}

/// Compares the slots of new objects with a model that searches for the lowest free slot.
#[test]
fn the_lowest_free_slot_is_used_first() {
    let mut world = World::new();
    let mut live: Vec<Handle> = (0..50).map(|n| world.insert(disc(0.0), n).unwrap()).collect();
    for step in 0..500u32 {
        let gone = live.swap_remove(step as usize * 7 % live.len());
        world.remove(gone).unwrap();
        if step % 3 > 0 {
            let lowest = (0..).find(|index| live.iter().all(|h| h.index() != *index)).unwrap();
            let handle = world.insert(disc(0.0), step).unwrap();
            assert_eq!(handle.index(), lowest);
            live.push(handle);
        }
        if live.len() < 10 {
            live.extend((0..30).map(|n| world.insert(disc(0.0), n).unwrap()));
        }
    }
    live.sort_unstable();
    assert!(world.handles().eq(live));
}
