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
