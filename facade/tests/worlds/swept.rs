//! Swept objects and casts of characters: single properties. The laws compare random worlds with a
//! model.

use hexphase::{Aabb, Algorithm, BroadPhase, Handle, Motion, Options, Path};

type World = BroadPhase<i32, 2, u32>;

/// Returns the hits of the last step: user data of the swept object and of the other, and fraction.
fn hits(world: &World) -> Vec<([u32; 2], f64)> {
    let mut hits = Vec::new();
    world.swept_hits(world.pairs(), &mut hits);
    hits.iter().map(|hit| (hit.overlap.users, hit.fraction)).collect()
}

fn point(x: i32, y: i32) -> Aabb<i32, 2> {
    Aabb::point([x, y])
}

fn bullet(world: &mut World, at: Aabb<i32, 2>, user: u32) -> Handle {
    let bullet = world.insert(at, user).unwrap();
    world.set_swept(bullet, true).unwrap();
    bullet
}

#[test]
fn hits_are_those_on_the_path_in_its_order() {
    let mut world = World::new();
    for (user, [x, y]) in (0..).zip([[12, 12], [4, 12], [4, 4], [8, 8], [12, 4]]) {
        world.insert(Aabb::around([x, y], [1, 1]), user).unwrap();
    }
    let first = bullet(&mut world, point(0, 0), 10);
    let second = bullet(&mut world, point(16, 16), 11);
    world.step();
    assert_eq!(hits(&world), []);
    world.set_bounds(first, point(16, 16)).unwrap();
    world.set_bounds(second, point(0, 0)).unwrap();
    world.step();
    assert_eq!(world.pairs().len(), 11);
    let (near, middle, far) = (3.0 / 16.0, 7.0 / 16.0, 11.0 / 16.0);
    let expected = [
        ([10, 2], near),
        ([10, 3], middle),
        ([10, 11], 0.5),
        ([10, 0], far),
        ([11, 0], near),
        ([11, 3], middle),
        ([11, 10], 0.5),
        ([11, 2], far),
    ];
    assert_eq!(hits(&world), expected);
    // Only the pairs passed to `swept_hits` are tested.
    let mut some = Vec::new();
    world.swept_hits(world.pairs().filter(|overlap| overlap.users[0] == 3), &mut some);
    assert_eq!(some.len(), 2);
    world.step();
    assert_eq!(hits(&world), [], "both are at rest, apart");
}

#[test]
fn a_pair_that_began_with_a_box_is_hit_by_a_later_path() {
    let mut world = World::new();
    world.insert(Aabb::around([6, 2], [2, 2]), 0).unwrap();
    let bullet = bullet(&mut world, point(0, 0), 1);
    world.step();
    world.set_bounds(bullet, point(5, 12)).unwrap();
    world.step();
    assert_eq!((world.began().len(), hits(&world)), (1, vec![]));
    world.set_bounds(bullet, point(5, 0)).unwrap();
    world.step();
    assert_eq!((world.began().len(), hits(&world)), (0, vec![([1, 0], 8.0 / 12.0)]));
    world.step();
    assert_eq!(hits(&world), [([1, 0], 0.0)], "at rest, in contact since the last step");
}

#[test]
fn hits_follow_teleports_removals_and_restored_worlds() {
    let mut world = World::new();
    let wall = world.insert(point(6, 0), 0).unwrap();
    let shot = bullet(&mut world, point(0, 0), 1);
    world.step();
    world.set_bounds(shot, point(12, 0)).unwrap();
    world.step();
    assert_eq!(hits(&world), [([1, 0], 0.5)]);
    // The path of the last step remains while the object moves on, until the next step.
    world.set_bounds(shot, point(40, 40)).unwrap();
    assert_eq!(hits(&world), [([1, 0], 0.5)]);
    let mut bytes = Vec::new();
    world.snapshot_into(&mut bytes);
    let mut same = world.clone();
    assert_eq!(hits(&same), [([1, 0], 0.5)]);
    same.restore(&bytes).unwrap();
    assert_eq!((same.pairs().len(), hits(&same)), (1, vec![]), "paths are lost");
    for world in [&mut world.clone(), &mut same] {
        world.set_bounds(shot, point(0, 0)).unwrap();
        world.step();
        assert_eq!(hits(world), [([1, 0], 0.5)], "from the last step on, paths are equal");
    }
    let mut other = world.clone();
    other.remove(wall).unwrap();
    assert_eq!(hits(&other), []);
    let mut other = world.clone();
    other.set_swept(shot, false).unwrap();
    other.set_bounds(shot, point(0, 0)).unwrap();
    other.set_swept(shot, true).unwrap();
    assert_eq!(hits(&other), [], "not swept at the last step");
    other.step();
    assert_eq!(hits(&other), [], "a teleport is no path");
}

#[test]
fn growing_objects_and_seams_have_exact_paths() {
    for &algorithm in Algorithm::ALL {
        let options = Options::new().algorithm(algorithm).wrap([64, 64]);
        let mut world: World = BroadPhase::with_options(options);
        world.insert(Aabb::new([62, 0], [67, 1]), 0).unwrap();
        world.insert(point(8, 20), 1).unwrap();
        let shot = bullet(&mut world, point(58, 0), 2);
        let blast = bullet(&mut world, Aabb::around([16, 20], [0, 0]), 3);
        world.step();
        world.set_bounds(shot, point(74, 0)).unwrap();
        world.set_bounds(blast, Aabb::around([16, 20], [16, 16])).unwrap();
        world.step();
        assert_eq!(hits(&world), [([2, 0], 0.25), ([3, 1], 0.5)], "{algorithm}");
        world.set_bounds(shot, point(-6, 0)).unwrap();
        world.step();
        assert_eq!(hits(&world), [([2, 0], 0.4375), ([3, 1], 0.0)], "{algorithm}");
    }
}

#[cfg(all(feature = "std", target_has_atomic = "64"))]
#[test]
fn a_step_that_fails_keeps_the_hits_of_the_last_step() {
    let mut world = World::new();
    world.insert(point(6, 0), 0).unwrap();
    let shot = bullet(&mut world, point(0, 0), 1);
    world.set_bounds(shot, point(8, 0)).unwrap();
    world.step();
    assert_eq!(hits(&world), [([1, 0], 0.75)]);
    world.set_bounds(shot, point(0, 0)).unwrap();
    world.step_up_to(0).unwrap_err();
    assert_eq!(hits(&world), [([1, 0], 0.75)]);
    world.step();
    assert_eq!(hits(&world), [([1, 0], 0.25)]);
}

#[test]
fn a_character_walks_over_tiles_and_stops_at_walls() {
    for &algorithm in Algorithm::ALL {
        for side in [0, 64] {
            let options = Options::new().algorithm(algorithm).wrap([side, 0]);
            let mut world: World = BroadPhase::with_options(options);
            for x in 0..16 {
                let tile = Aabb::new([x * 4, -4], [x * 4 + 4, 0]);
                world.insert_with(tile, x as u32, Motion::Static, hexphase::Filter::ALL).unwrap();
            }
            let first = |start: Aabb<i32, 2>, by: [i32; 2]| {
                let path = Path::sweep(start, by);
                let all = world.cast(path).to_vec();
                let hit = world.cast(path.ignoring_contacts()).first();
                assert!(hit.is_none_or(|hit| all.contains(&hit)), "{algorithm}");
                hit.map(|hit| (world[hit.object], hit.fraction))
            };
            let feet = Aabb::new([5, 0], [7, 3]);
            assert_eq!(first(feet, [30, 0]), None, "{algorithm}: walks");
            assert_eq!(first(feet, [0, 9]), None, "{algorithm}: jumps");
            assert_eq!(first(feet, [9, -1]), Some((1, 0.0)), "{algorithm}: falls");
            assert_eq!(first(feet.translated([0, 3]), [24, -6]), Some((4, 0.5)), "{algorithm}");
            let stuck = feet.translated([0, -1]);
            assert_eq!(first(stuck, [0, 9]), Some((1, 0.0)), "{algorithm}: overlaps the ground");
        }
    }
}
