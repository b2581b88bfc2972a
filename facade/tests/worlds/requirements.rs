//! Requirements that users of other libraries have posted, one test each. COVERAGE.md lists them.

use hexphase::{Aabb, Algorithm, BroadPhase, Filter, Handle, Motion, Object, Options, Overlap};

type World = BroadPhase<f32, 2, u32>;

fn disc(x: f32) -> Aabb {
    Aabb::of_ball([x, 0.0], 1.0)
}

fn users<'a>(overlaps: impl Iterator<Item = Overlap<u32>> + 'a) -> Vec<[u32; 2]> {
    overlaps.map(|overlap| overlap.users).collect()
}

#[test]
fn filters_have_64_layers_owners_and_a_predicate() {
    let mut world = World::new();
    for layer in 0..64u32 {
        let filter =
            Filter::layers(1 << layer).mask(1 << (63 - layer)).owner(layer.div_ceil(2) + 1);
        world.insert_object(Object::new(disc(0.0), layer).filter(filter)).unwrap();
    }
    world.step();
    let mirrored: Vec<[u32; 2]> = (0..31).map(|layer| [layer, 63 - layer]).collect();
    assert_eq!(users(world.pairs()), mirrored, "31 and 32 have one owner");
    world.step_where(|overlap| overlap.users[0] % 2 == 0);
    assert_eq!(users(world.ended()), (1..31).step_by(2).map(|l| [l, 63 - l]).collect::<Vec<_>>());
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

fn tests(world: &World) -> u64 {
    world.stats().search.map_or(0, |stats| stats.tests)
}

#[test]
fn idle_sensors_are_not_searched_again_in_the_grid() {
    let world = |sensors: u32| {
        let mut world = World::with_options(Options::new().algorithm(Algorithm::Hshg));
        let at = |n: u32| Aabb::of_ball([(n % 60) as f32 * 2.0, (n / 60) as f32 * 2.0], 1.5);
        for n in 0..3600 {
            world.insert_object(Object::new(at(n), n).motion(Motion::Static)).unwrap();
        }
        for n in 0..sensors {
            world.insert_object(Object::new(at(n * 5), n).motion(Motion::Sleeping)).unwrap();
        }
        let mover = world.insert(Aabb::point([300.0, 300.0]), 9).unwrap();
        (world, mover)
    };
    let ((mut with, one), (mut without, other)) = (world(600), world(0));
    with.step();
    without.step();
    let searched = tests(&with);
    assert!(searched > 5 * 600 && with.pairs().len() > 5 * 600, "{searched} tests");
    for tick in 0..20 {
        for (world, mover) in [(&mut with, one), (&mut without, other)] {
            world.set_bounds(mover, Aabb::point([300.0 + tick as f32, 300.0])).unwrap();
            world.step();
        }
        assert!(tests(&with) <= tests(&without) + 100, "{} tests in tick {tick}", tests(&with));
    }
    assert_eq!((with.began().len(), with.ended().len()), (0, 0));
}
