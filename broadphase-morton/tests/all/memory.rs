//! Checks memory: steady ticks do not allocate, and the peak per object is bounded.

use allocation_counter::measure;
use broadphase_core::Backend;
use broadphase_core::scenes::{Movers, Scene, SceneName};
use broadphase_morton::{Aabb, MortonCells, Motion, SpatialIndex, SpatialIndexExt};

fn steady<const D: usize>(backend: Backend, movers: &Movers<D>, statics: u32) {
    println!("on {backend}");
    let mut world: MortonCells<f32, D> = MortonCells::new();
    world.set_backend(backend);
    world.extend((0..).zip(movers.all_bounds())).unwrap();
    (0..statics).for_each(|key| world.set_motion(key, Motion::Static).unwrap());
    let mut pairs = Vec::with_capacity(64 * movers.len());
    let mut tick = |number: u32| {
        let forth = if (number / 100).is_multiple_of(2) { 1.0 } else { -1.0 };
        let step = |key: u32, bounds: &mut Aabb<f32, D>| {
            let velocity = movers.velocities[key as usize];
            *bounds = bounds.translated(velocity.map(|x| x * forth));
        };
        if statics == 0 {
            world.update(step).unwrap();
        } else {
            world.update_dynamic(step).unwrap();
        }
        world.pairs(&mut pairs);
    };
    (0..400).for_each(&mut tick);
    let taken = measure(|| (400..800).for_each(&mut tick));
    assert_eq!(taken.count_total, 0, "{} bytes allocated", taken.bytes_total);
}

#[test]
fn steady_ticks_do_not_allocate() {
    for (scene, statics) in [("tail:2000", 0), ("tail:2000", 1500), ("mixed3:2000", 0)] {
        let scene = scene.parse::<SceneName>().unwrap().generate();
        Backend::available().for_each(|backend| match &scene {
            Scene::Flat(movers) => steady(backend, movers, statics),
            Scene::Solid(movers) => steady(backend, movers, statics),
        });
    }
}

#[test]
fn a_crowd_with_far_outliers_does_not_allocate() {
    for backend in Backend::available() {
        println!("on {backend}");
        let mut world: MortonCells<f32, 2> = MortonCells::new();
        world.set_backend(backend);
        let place = |key: u32, tick: u32| {
            let n = key * 7 % 500 + tick % 16;
            [n % 25, n / 25].map(|n| n as f32 * 0.001)
        };
        world.extend((0..500).map(|key| (key, Aabb::point(place(key, 0))))).unwrap();
        world.insert(500, Aabb::point([1e6; 2])).unwrap();
        world.insert(501, Aabb::point([-1e6; 2])).unwrap();
        let mut pairs = Vec::with_capacity(100_000);
        let mut tick = |tick: u32| {
            let step = |key: u32, bounds: &mut Aabb<f32, 2>| {
                if key < 500 {
                    *bounds = Aabb::point(place(key, tick));
                }
            };
            world.update(step).unwrap();
            world.pairs(&mut pairs);
        };
        (0..64).for_each(&mut tick);
        let taken = measure(|| (64..128).for_each(&mut tick));
        assert_eq!(taken.count_total, 0, "{} bytes allocated", taken.bytes_total);
    }
}

#[test]
fn oscillating_object_counts_do_not_allocate() {
    // With one more object than `count` the tree has one more height.
    for count in [512, 4096] {
        let mut world: MortonCells<f32, 2> = MortonCells::new();
        let square = |key: u32| Aabb::around([key % 64, key / 64].map(|n| n as f32), [0.4; 2]);
        world.extend((0..count).map(|key| (key, square(key)))).unwrap();
        let mut tick = |_| {
            world.insert(count, square(count)).unwrap();
            world.optimize();
            assert!(world.remove(count));
            world.optimize();
        };
        (0..4).for_each(&mut tick);
        let taken = measure(|| (0..40).for_each(&mut tick));
        assert_eq!(
            taken.count_total, 0,
            "{} bytes allocated with {count} objects",
            taken.bytes_total
        );
    }
}

#[test]
fn peak_memory_is_at_most_65_bytes_per_object() {
    let Scene::Flat(movers) = "discs:100000".parse::<SceneName>().unwrap().generate() else {
        panic!("expected a two-dimensional scene");
    };
    let mut world: MortonCells<f32, 2> = MortonCells::new();
    // The buffer belongs to the caller, so it does not count.
    let mut pairs = Vec::with_capacity(16 * movers.len());
    let peak = measure(|| {
        world.extend((0..).zip(movers.all_bounds())).unwrap();
        world.optimize();
        world.pairs_unordered(&mut pairs);
    });
    let each = peak.bytes_max as f64 / movers.len() as f64;
    assert!(each <= 65.0, "{each} bytes per object at the peak");
}
