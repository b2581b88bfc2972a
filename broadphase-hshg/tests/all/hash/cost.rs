//! Checks the cost of operations by counting, not by timing.

use allocation_counter::measure;
use broadphase_core::scenes::{Scene, SceneName};
use broadphase_core::{IndexObject, Motion};
use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex, SpatialIndexExt};

/// Many objects leave one bin and return. If removal searched the bin, this would take minutes.
#[test]
fn crowded_bins_insert_and_remove_in_constant_time() {
    const COUNT: u32 = 100_000;
    let at = |n: u32| Aabb::point([n as f32 / 256.0, 0.0]);
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(1e4);
    world.extend((0..COUNT).map(|n| (n, at(n)))).expect("the keys are free");
    assert_eq!(world.cells().len(), 1);
    for round in 0..10 {
        for n in 0..COUNT {
            let away = if round % 2 == 0 { 1e6 } else { 0.0 };
            world.set_bounds(n, at(n).translated([away, away])).expect("the object exists");
        }
    }
    for n in 0..COUNT {
        let key = n * 7 % COUNT;
        assert!(world.remove(key), "the object exists");
    }
    assert_eq!(world.cells(), []);
    world.assert_well_formed();
}

/// Finds all pairs. Returns them and the number of tests.
fn tests(world: &mut SpatialHash<f32, 2>) -> (Vec<[u32; 2]>, u64) {
    let mut pairs = Vec::new();
    world.pairs(&mut pairs);
    world.assert_well_formed();
    (pairs, world.state().search.map_or(0, |search| search.tests))
}

#[test]
fn bins_without_movers_are_skipped() {
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(2.0);
    let ball = |n: u32| Aabb::of_ball([(n % 100) as f32, (n / 100) as f32], 0.7);
    world.extend((0..10_000).map(|n| (n, ball(n)))).expect("the keys are free");
    let moving = tests(&mut world).1;
    for n in 0..10_000 {
        world.set_motion(n, Motion::Static).expect("the object exists");
    }
    assert_eq!(tests(&mut world), (Vec::new(), 0));
    // A mover is tested only against the objects around it.
    world.insert(10_000, Aabb::of_ball([50.0, 50.0], 0.7)).expect("the key is free");
    let (pairs, around) = tests(&mut world);
    assert_eq!(pairs.len(), 9);
    assert!(around > 0 && around < moving / 400, "{around} tests, {moving} if all move");
    // A static ground is not tested against other static objects.
    world.insert(10_001, Aabb::new([-1e6; 2], [1e6; 2])).expect("the key is free");
    world.set_motion(10_001, Motion::Static).expect("the object exists");
    let (pairs, with_ground) = tests(&mut world);
    assert_eq!(pairs.len(), 10);
    assert!(with_ground <= around + 8, "{with_ground} tests, {around} without the ground");
}

/// All objects are in one bin. If those at rest were tested against each other, there would be
/// about 80 million tests.
#[test]
fn a_crowded_bin_costs_movers_times_objects() {
    const COUNT: u32 = 12_500;
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(1e4);
    let ball = |n: u32| Aabb::of_ball([(n % 100 + 1) as f32, (n / 100 + 1) as f32], 0.7);
    world.extend((0..COUNT).map(|n| (n, ball(n)))).expect("the keys are free");
    (1..COUNT).for_each(|n| world.set_motion(n, Motion::Static).expect("the object exists"));
    for movers in 1..=3 {
        assert_eq!(world.cells().len(), 1);
        let (pairs, tests) = tests(&mut world);
        assert!(tests <= u64::from(movers * COUNT), "{tests} tests");
        let mut expected = Vec::new();
        for n in 0..movers {
            let others = (n + 1..COUNT).filter(|&other| ball(n).overlaps(&ball(other)));
            expected.extend(others.map(|other| [n, other]));
        }
        assert_eq!(pairs, expected);
        world.set_motion(movers, Motion::Dynamic).expect("the object exists");
    }
}

/// A crowd in one bin is swept: far fewer tests than objects times objects.
#[test]
fn a_crowded_bin_of_movers_is_swept() {
    const COUNT: u32 = 10_000;
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(1e4);
    let ball = |n: u32| Aabb::of_ball([(n % 100 + 1) as f32, (n / 100 + 1) as f32], 0.7);
    world.extend((0..COUNT).map(|n| (n, ball(n)))).expect("the keys are free");
    let (pairs, tests) = tests(&mut world);
    assert_eq!(pairs.len(), 4 * 99 * 99 + 2 * 99);
    assert!(tests < u64::from(COUNT * COUNT) / 20, "{tests} tests");
}

#[test]
fn steady_ticks_do_not_allocate() {
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(40.0);
    let name: SceneName = "discs:4000".parse().expect("the scene exists");
    let Scene::Flat(mut movers) = name.generate() else { panic!("the scene is two-dimensional") };
    world.extend((0..).zip(movers.all_bounds())).expect("the bounds are finite");
    let mut pairs = Vec::with_capacity(1 << 17);
    let mut tick = |world: &mut SpatialHash<f32, 2>| {
        movers.tick();
        world.update(|n, at| *at = movers.bounds(n as usize)).expect("the bounds are finite");
        world.pairs(&mut pairs);
    };
    (0..600).for_each(|_| tick(&mut world));
    let taken = measure(|| (0..300).for_each(|_| tick(&mut world)));
    assert_eq!(taken.count_total, 0, "{} bytes", taken.bytes_total);
    world.assert_well_formed();
}

#[test]
fn sparse_worlds_take_little_memory() {
    fn bytes_per_object<const D: usize>(spacing: f32) -> usize {
        const COUNT: u32 = 8000;
        let mut random = 1u32;
        let side = spacing * (COUNT as f32).powf(1.0 / D as f32);
        let balls = (0..COUNT).map(|key| {
            let center = core::array::from_fn(|_| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (random >> 8) as f32 / (1 << 24) as f32 * side
            });
            IndexObject::new(key, Aabb::of_ball(center, 0.5))
        });
        let mut world: SpatialHash<f32, D> = SpatialHash::new(2.0);
        // Unlike `extend`, this reserves no memory for cells.
        world.insert_many(&balls.collect::<Vec<_>>()).expect("the keys are free");
        world.pairs(&mut Vec::new());
        world.assert_well_formed();
        let mut found = Vec::new();
        world.query(Aabb::new([0.0; D], [side; D]), &mut found);
        assert_eq!(found.len(), COUNT as usize);
        world.memory_use() / COUNT as usize
    }
    let all = [2.0, 4.0, 8.0, 16.0, 64.0, 256.0];
    let all = all.map(|spacing| [bytes_per_object::<2>(spacing), bytes_per_object::<3>(spacing)]);
    assert!(all.iter().all(|&[plane, space]| plane <= 250 && space <= 300), "{all:?}");
}
