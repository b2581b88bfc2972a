//! Steady ticks do not allocate: everything moves, objects come and go, pairs fluctuate.

use broadphase_core::scenes::{Scene, SceneName};
use hexphase::{Algorithm, Backend, BroadPhase, Filter, Handle, Motion, Options};

/// One tick: all objects move, one in a hundred is replaced, all pairs are found and read.
fn tick(
    world: &mut BroadPhase<f32, 2, u32>,
    handles: &mut [Handle],
    scene: &mut broadphase_core::scenes::Movers<2>,
    number: usize,
) -> u64 {
    scene.tick();
    world
        .update(|_, user, bounds| *bounds = scene.bounds(*user as usize))
        .expect("scenes are finite");
    for user in (number % 100..scene.len()).step_by(100) {
        world.remove(handles[user]).expect("the object is there");
        let bounds = scene.bounds(user);
        let handle = world.insert_with(bounds, user as u32, Motion::Dynamic, Filter::ALL);
        handles[user] = handle.expect("scenes are finite");
    }
    world.step();
    world.pairs().map(|overlap| u64::from(overlap.users[0])).sum()
}

#[test]
fn a_thousand_steady_ticks() {
    for &algorithm in Algorithm::ALL {
        let Scene::Flat(mut scene) = "tail:1000".parse::<SceneName>().unwrap().generate() else {
            panic!("tail is flat");
        };
        let options = Options::new().algorithm(algorithm).backend(Backend::detect());
        let mut world = BroadPhase::with_options(options);
        let mut handles: Vec<Handle> = (0..)
            .zip(scene.all_bounds())
            .map(|(user, bounds)| world.insert(bounds, user).unwrap())
            .collect();
        let mut counts = [usize::MAX, 0];
        for number in 0..1000 {
            tick(&mut world, &mut handles, &mut scene, number);
        }
        let allocations = allocation_counter::measure(|| {
            for number in 0..1000 {
                tick(&mut world, &mut handles, &mut scene, number);
                let pairs = world.pairs().len();
                counts = [counts[0].min(pairs), counts[1].max(pairs)];
            }
        });
        assert!(counts[0] < counts[1], "the number of pairs fluctuates");
        assert_eq!(allocations.count_total, 0, "{algorithm}");
    }
}
