//! Steps with a limit on the number of pairs.

use allocation_counter::measure;
use hexphase::{Aabb, Algorithm, BroadPhase, Options};

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
