//! Steps with a limit on the number of pairs.

use allocation_counter::measure;
use hexphase::{Aabb, Algorithm, BroadPhase, Filter, Handle, Motion, Options};

/// Returns a world of 60 objects in three rows of 20. Some are static, and some are in another
/// layer.
fn world(options: Options<f32, 2>) -> (BroadPhase<f32, 2, u32>, Vec<Handle>) {
    let mut world = BroadPhase::with_options(options);
    let handles = (0..60u16).map(|user| {
        let bounds = Aabb::of_ball([f32::from(user % 20), f32::from(user / 20)], 0.75);
        let motion = if user % 7 == 0 { Motion::Static } else { Motion::Dynamic };
        let filter = if user % 5 == 0 { Filter::layers(2).mask(1) } else { Filter::layers(1) };
        world.insert_with(bounds, u32::from(user), motion, filter).expect("finite bounds")
    });
    let handles = handles.collect();
    (world, handles)
}

/// Returns the user data of the pairs, the began pairs and the ended pairs of the last step.
fn results(world: &BroadPhase<f32, 2, u32>) -> [Vec<[u32; 2]>; 3] {
    [world.pairs(), world.began(), world.ended()].map(|list| list.map(|pair| pair.users).collect())
}

#[test]
fn within_the_limit_it_is_a_step_and_beyond_it_nothing_changes() {
    for &algorithm in Algorithm::ALL {
        let options = Options::new().algorithm(algorithm);
        let ((mut limited, handles), (mut plain, _)) = (world(options), world(options));
        for tick in 0..4u16 {
            for world in [&mut limited, &mut plain] {
                let moved = handles[usize::from(tick)];
                let bounds = Aabb::of_ball([f32::from(tick) + 4.0, 1.0], 2.0);
                world.set_bounds(moved, bounds).expect("finite bounds");
            }
            let before = results(&limited);
            plain.step();
            let pairs = plain.pairs().len();
            assert!(pairs > 20, "{pairs}");
            for most in [0, 1, pairs - 1] {
                let error = limited.step_up_to(most).expect_err("too many pairs");
                assert_eq!(error.pairs, pairs as u64, "{algorithm}");
                assert_eq!(results(&limited), before, "{algorithm}");
                limited.assert_well_formed();
            }
            limited.step_up_to(pairs + usize::from(tick)).expect("few pairs");
            assert_eq!(results(&limited), results(&plain), "{algorithm}");
            limited.assert_well_formed();
        }
    }
}

#[test]
fn pairs_of_a_mixed_crowd_are_counted_once() {
    for &algorithm in Algorithm::ALL {
        let mut world: BroadPhase<f32, 2, u32> =
            BroadPhase::with_options(Options::new().algorithm(algorithm));
        for user in 0..400 {
            let filter = if user % 40 == 0 { Filter::ALL } else { Filter::ALL.owner(1) };
            let at = Aabb::point([0.0, 0.0]);
            world.insert_with(at, user, Motion::Dynamic, filter).expect("finite bounds");
        }
        world.step();
        let (first, pairs) = (results(&world), 10 * 390 + 45);
        for most in [0, pairs - 1] {
            let error = world.step_up_to(most).expect_err("too many pairs");
            assert_eq!(error.pairs, pairs as u64, "{algorithm}");
            assert_eq!(results(&world), first, "{algorithm}");
        }
        world.step_up_to(pairs).expect("few pairs");
        let no_events = [first[0].clone(), Vec::new(), Vec::new()];
        assert_eq!(results(&world), no_events, "{algorithm}");
    }
}

/// Pairs are counted in batches of 1024.
#[test]
fn as_many_pairs_as_the_limit_are_all_stored() {
    for &algorithm in Algorithm::ALL {
        for points in [1024u16, 2048] {
            let options = Options::new().algorithm(algorithm);
            let mut world: BroadPhase<f32, 2, u32> = BroadPhase::with_options(options);
            let floor = Aabb::new([0.0, 0.0], [4096.0, 0.0]);
            world.insert(floor, 0).expect("finite bounds");
            for x in 0..points {
                world.insert(Aabb::point([f32::from(x), 0.0]), x.into()).expect("finite bounds");
            }
            world.step_up_to(points.into()).expect("few pairs");
            assert_eq!(world.pairs().len(), usize::from(points), "{algorithm}");
        }
    }
}

#[test]
fn memory_is_bounded_by_the_limit() {
    for &algorithm in Algorithm::ALL {
        let options = Options::new().algorithm(algorithm).events(false);
        let mut world: BroadPhase<f32, 2, ()> = BroadPhase::with_options(options);
        for _ in 0..3000 {
            world.insert(Aabb::point([0.0, 0.0]), ()).expect("finite bounds");
        }
        let mut found = Ok(());
        let used = measure(|| found = world.step_up_to(100));
        assert_eq!(found.expect_err("all overlap").pairs, 4_498_500, "{algorithm}");
        // A list of the pairs would take 36 MB.
        assert!(used.bytes_max < 4_000_000, "{algorithm}: {used:?}");
        assert_eq!(world.pairs().len(), 0);
    }
}
