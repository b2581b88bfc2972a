//! Tests of maintenance on demand.

use broadphase_hshg::{Aabb, Hshg, SpatialIndex};

/// Returns a lattice of squares side by side.
fn field(count: u32) -> Hshg {
    let mut world = Hshg::new();
    let square = |key: u32| Aabb::around([(key % 100) as f32, (key / 100) as f32], [0.4, 0.4]);
    world.extend((0..count).map(|key| (key, square(key), ()))).expect("keys differ");
    world.optimize();
    world
}

#[test]
fn query_batches_sort_pending_objects_first() {
    let mut pairs = Vec::new();
    for (many, waits) in [(10, 500), (500, 0)] {
        let mut world = field(500);
        for key in 0..500 {
            let bounds = Aabb::around([(key % 7) as f32 * 30.0, key as f32], [0.6, 0.6]);
            world.set_bounds(key, bounds).expect("the object exists");
        }
        assert_eq!(world.stats().waiting, 500);
        world.pairs_of(&(0..many).collect::<Vec<_>>(), |(), ()| true, &mut pairs);
        assert_eq!(world.stats().waiting, waits, "{many} are asked for");
    }
}
