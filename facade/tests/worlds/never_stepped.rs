//! Worlds that are queried but make no steps: single properties. The laws compare such worlds with
//! brute force.

use hexphase::{Aabb, Algorithm, BroadPhase, Handle, Options};

type World = BroadPhase<f32, 2, u32>;

fn disc([x, y]: [i32; 2], size: i32) -> Aabb {
    Aabb::around([x as f32, y as f32], [size as f32 * 0.5, 1.0])
}

#[test]
fn threads_that_query_at_once_find_what_one_thread_finds() {
    for &algorithm in Algorithm::ALL {
        let mut world = World::with_options(Options::new().algorithm(algorithm));
        for n in 0..2000 {
            world.insert(disc([n % 50 * 3, n / 50 * 3], 5), n as u32).unwrap();
        }
        let optimized = {
            let mut world = world.clone();
            world.optimize();
            world
        };
        let search = |world: &World, seed: i32| {
            (0..200)
                .map(|n| world.query(disc([n * 7 % 150, (n + seed) % 120], 9)).to_vec())
                .collect()
        };
        std::thread::scope(|scope| {
            let (world, search) = (&world, &search);
            let threads: Vec<_> =
                (0..4).map(|seed| scope.spawn(move || search(world, seed))).collect();
            for (seed, thread) in (0..).zip(threads) {
                let found: Vec<Vec<Handle>> = thread.join().unwrap();
                assert_eq!(found, search(&optimized, seed), "{algorithm}");
            }
        });
        world.assert_well_formed();
    }
}

#[test]
#[cfg(feature = "hash")]
fn queries_select_the_structure_of_a_world_that_makes_no_step() {
    let mut world = World::with_options(Options::new().algorithm(Algorithm::Hash));
    for n in 0..1000 {
        world.insert(disc([n % 50 * 3, n / 50 * 3], 5), n as u32).unwrap();
    }
    assert_eq!(world.choice().algorithm, Some(Algorithm::Brute));
    let found = |world: &World| world.query(disc([30, 30], 9)).to_vec();
    let first = found(&world);
    for _ in 0..4 {
        assert_eq!(found(&world), first);
    }
    assert_eq!(world.choice().algorithm, Some(Algorithm::Hash));
    world.insert(disc([0, 0], 1), 0).unwrap();
    assert_eq!(world.choice().algorithm, Some(Algorithm::Hash));
    assert_eq!(found(&world), first);
}
