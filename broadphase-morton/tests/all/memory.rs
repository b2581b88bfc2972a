//! Memory of Morton-sorted cells: steady ticks take none, and an object has its few bytes.

use allocation_counter::measure;
use broadphase_core::scenes::{Movers, Scene, SceneName};
use broadphase_morton::{Aabb, MortonCells, Motion, SpatialIndex};
use laws::backends::{in_turn, on_each};

fn steady<const D: usize>(movers: &Movers<D>, statics: u32) {
    let mut world: MortonCells<f32, D, u32> = in_turn(MortonCells::new());
    let objects = (0..).zip(movers.all_bounds());
    world.extend(objects.map(|(key, bounds)| (key, bounds, key))).unwrap();
    (0..statics).for_each(|key| world.set_motion(key, Motion::Static).unwrap());
    let mut pairs = Vec::with_capacity(64 * movers.len());
    let mut tick = |number: u32| {
        let forth = if (number / 100).is_multiple_of(2) { 1.0 } else { -1.0 };
        let step = |_, mover: &mut u32, bounds: &mut Aabb<f32, D>| {
            let velocity = movers.velocities[*mover as usize];
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
    assert_eq!(taken.count_total, 0, "{} bytes", taken.bytes_total);
}

#[test]
fn steady_ticks_take_no_memory() {
    for (scene, statics) in [("tail:2000", 0), ("tail:2000", 1500), ("mixed3:2000", 0)] {
        match scene.parse::<SceneName>().unwrap().generate() {
            Scene::Flat(movers) => on_each(|| steady(&movers, statics)),
            Scene::Solid(movers) => on_each(|| steady(&movers, statics)),
        }
    }
}

#[test]
fn an_object_has_its_few_bytes() {
    let Scene::Flat(movers) = "discs:100000".parse::<SceneName>().unwrap().generate() else {
        panic!("discs are flat");
    };
    let mut world: MortonCells<f32, 2> = MortonCells::new();
    let peak = measure(|| {
        world
            .extend((0..).zip(movers.all_bounds()).map(|(key, bounds)| (key, bounds, ())))
            .unwrap();
        world.optimize();
        world.pairs_unordered(|_, _| ());
    });
    let each = peak.bytes_max as f64 / movers.len() as f64;
    assert!(each <= 64.0, "{each} bytes for an object at the peak");
}
