//! Contents of snapshots and hashes: the complete state, independent of earlier operations.

use hexphase::{
    Aabb, Algorithm, BroadPhase, BruteForce, Filter, Handle, Hexagon, Motion, Options, Region,
};

type World = BroadPhase<f32, 2, u32>;

fn disc(x: f32) -> Aabb {
    Aabb::of_ball([x, 0.0], 1.0)
}

/// Returns a world with four discs in a row, each touching the next, after one step.
fn row() -> (World, [Handle; 4]) {
    let mut world = World::new();
    let objects = [0, 1, 2, 3].map(|user| world.insert(disc(user as f32 * 2.0), user).unwrap());
    world.step();
    (world, objects)
}

fn saved<S, const D: usize, U, B>(world: &BroadPhase<S, D, U, B>) -> Vec<u8>
where
    S: hexphase::Scalar + hexphase::Plain,
    U: hexphase::Plain + Send + Sync,
    B: hexphase::Bounds<S, D> + hexphase::Plain,
{
    let mut bytes = Vec::new();
    world.snapshot_into(&mut bytes);
    bytes
}

#[test]
fn undone_changes_do_not_affect_the_hash() {
    let (plain, _) = row();
    let (mut world, objects) = row();
    world.set_filter(objects[1], Filter::layers(4)).unwrap();
    world.set_bounds(objects[2], disc(70.0)).unwrap();
    world.set_swept(objects[3], true).unwrap();
    world.set_motion(objects[0], Motion::Static).unwrap();
    world.update(|_, user, _| *user += 1).unwrap();
    world.update(|_, user, _| *user -= 1).unwrap();
    world.set_motion(objects[0], Motion::Dynamic).unwrap();
    world.set_swept(objects[3], false).unwrap();
    world.set_bounds(objects[2], disc(4.0)).unwrap();
    world.set_filter(objects[1], Filter::ALL).unwrap();
    assert_eq!(saved(&world), saved(&plain));
}

#[test]
fn the_order_of_changes_does_not_affect_the_hash() {
    let change = |order: [usize; 4]| {
        let (mut world, objects) = row();
        for step in order {
            match step {
                0 => world.set_user(objects[1], 9).unwrap(),
                1 => world.set_filter(objects[1], Filter::layers(2)).unwrap(),
                2 => world.set_filter(objects[2], Filter::layers(3)).unwrap(),
                _ => world.set_user(objects[2], 8).unwrap(),
            }
        }
        world.remove(objects[2]);
        let before = saved(&world);
        world.step();
        let ended: Vec<_> = world.ended().collect();
        assert_eq!(ended.iter().map(|o| o.users).collect::<Vec<_>>(), [[9, 8], [8, 3]]);
        assert!(ended.iter().all(|o| o.filters == [Filter::ALL; 2]), "filters of the last step");
        (before, saved(&world), ended)
    };
    let expected = change([0, 1, 2, 3]);
    for order in [[1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0], [1, 2, 0, 3]] {
        assert_eq!(change(order), expected, "{order:?}");
    }
}

#[test]
fn hexagons_are_saved_exactly() {
    let triangle = |at: i32| Hexagon::of_points([[at, 0], [at + 9, 0], [at, 9]]).unwrap();
    let mut world: BroadPhase<i32, 2, Option<Handle>, Hexagon<i32>> = BroadPhase::new();
    let first = world.insert(triangle(0), None).unwrap();
    let gone = world.insert(triangle(3), Some(first)).unwrap();
    let last = world.insert(triangle(5), Some(gone)).unwrap();
    world.step();
    world.remove(gone);
    let bytes = saved(&world);
    let mut other = BroadPhase::with_options(Options::new().algorithm(Algorithm::Brute));
    other.restore(&bytes).unwrap();
    other.assert_well_formed();
    assert_eq!(saved(&other), bytes);
    assert_eq!(other.get(last), world.get(last));
    let again = other.insert(triangle(1), None).unwrap();
    assert_eq!(again, world.insert(triangle(1), None).unwrap(), "handles differ");
    world.step();
    other.step();
    assert!(other.ended().eq(world.ended()) && other.began().eq(world.began()));
    assert_eq!(world.ended().len(), 2);
}

#[test]
fn swept_objects_in_wrapping_worlds_are_saved() {
    let options = Options::new().wrap([64.0, 64.0]);
    let mut world: World = BroadPhase::with_options(options);
    let bullet = world.insert(disc(60.0), 0).unwrap();
    world.insert(disc(1.0), 1).unwrap();
    world.set_swept(bullet, true).unwrap();
    world.step();
    world.set_bounds(bullet, disc(69.0)).unwrap();
    let bytes = saved(&world);
    let index = BruteForce::<f32, 2>::default();
    let mut other: World = BroadPhase::with_index(index, options);
    other.restore(&bytes).unwrap();
    for world in [&mut world, &mut other] {
        world.assert_well_formed();
        assert!(world.get(bullet).unwrap().swept);
        world.step();
        assert_eq!(world.began().len(), 1, "the path crosses the seam");
    }
    assert_eq!(saved(&other), saved(&world));
}

#[test]
fn swept_paths_use_boxes() {
    let triangle = |at: i32| Hexagon::of_points([[at, 0], [at + 9, 0], [at, 9]]).unwrap();
    let mut world: BroadPhase<i32, 2, u8, Hexagon<i32>> = BroadPhase::new();
    let corner = Hexagon::of_points([[8, 8], [9, 8], [8, 9]]).unwrap();
    assert!(corner.aabb().overlaps(&triangle(0).aabb()));
    world.insert(corner, 0).unwrap();
    let bullet = world.insert(triangle(0), 1).unwrap();
    world.set_swept(bullet, true).unwrap();
    world.step();
    world.step();
    assert_eq!(world.pairs().len(), 0, "at rest: boxes overlap, hexagons do not");
    world.set_bounds(bullet, triangle(30)).unwrap();
    world.step();
    assert_eq!(world.pairs().len(), 1);
    world.step();
    assert_eq!(world.pairs().len(), 0);
}

#[test]
fn without_events_restored_worlds_have_no_pairs_until_a_step() {
    let options = Options::new().events(false);
    let mut world: World = BroadPhase::with_options(options);
    let first = world.insert(disc(0.0), 0).unwrap();
    world.insert(disc(1.0), 1).unwrap();
    world.step();
    assert_eq!((world.pairs().len(), world.began().len()), (1, 0));
    world.remove(first);
    let bytes = saved(&world);
    let mut other: World = BroadPhase::with_options(options);
    other.restore(&bytes).unwrap();
    assert_eq!(other.pairs().len(), 0);
    other.insert(disc(0.0), 0).unwrap();
    other.step();
    assert_eq!((other.pairs().len(), other.ended().len()), (1, 0));
}

#[test]
fn query_many_equals_single_queries() {
    let mut world = World::new();
    for user in 0..500 {
        let filter = if user % 7 == 0 { Filter::NONE } else { Filter::layers(1 << (user % 3)) };
        world.insert_with(disc(user as f32), user, Motion::Dynamic, filter).unwrap();
    }
    world.step();
    let regions: Vec<Region> =
        (0..90).map(|n| Region::ball([n as f32 * 7.0 % 501.0, 0.0], 3.0)).collect();
    for mask in [!0, 0b101] {
        let many = world.query_many(&regions).mask(mask).to_lists();
        let one_by_one = regions.iter().map(|&region| world.query(region).mask(mask).to_vec());
        assert!(one_by_one.eq(many.iter()));
        assert!(many.items().len() > 200);
    }
}
