//! Checks that a margin does not affect which bounds are rejected, the removal of objects, or the
//! results of `neighbors`.

use broadphase_core::{Aabb, Motion, Neighbors, SpatialIndex};
use broadphase_hshg::Hshg;

/// Checks that bounds inverted by less than the margin are rejected, also in a walk that rewrites
/// all key bounds.
#[test]
fn invalid_bounds_are_rejected_in_every_walk() {
    let mut world: Hshg<f32, 2, ()> = Hshg::new();
    world.set_skin(4.0);
    for key in 0..20 {
        world.insert(key, Aabb::of_ball([key as f32, 0.0], 1.0), ()).expect("the key is free");
    }
    world.optimize();
    for tick in 0..12 {
        let before = world.get(7).expect("the object exists").bounds;
        let walked = world.update(|key, _, bounds| {
            *bounds = bounds.translated([1.5, 0.0]);
            if key == 7 {
                (bounds.min[0], bounds.max[0]) = (bounds.max[0], bounds.min[0]);
            }
        });
        assert!(walked.is_err(), "in walk {tick}");
        assert_eq!(world.get(7).expect("the object exists").bounds, before, "in walk {tick}");
        world.assert_well_formed();
    }
}

/// Checks that a static object, which has no margin, may have the smallest number as its upper end,
/// as holes do.
#[test]
fn objects_at_the_smallest_number_can_be_removed() {
    fn of<const D: usize>() {
        let mut world: Hshg<i32, D, ()> = Hshg::new();
        world.set_skin(2);
        let (mut wall, mut end) =
            (Aabb { min: [0; D], max: [10; D] }, Aabb { min: [5; D], max: [6; D] });
        (wall.min[0], wall.max[0]) = (i32::MIN, i32::MIN);
        (end.min[0], end.max[0]) = (i32::MIN, i32::MIN + 3);
        world.insert(0, wall, ()).expect("the key is free");
        world.set_motion(0, Motion::Static).expect("the object exists");
        world.insert(1, end, ()).expect("the key is free");
        let mut pairs = Vec::new();
        world.pairs(&mut pairs);
        assert_eq!(pairs, [[0, 1]]);
        world.retain(|key, (), _| key != 0).expect("bounds stay");
        world.assert_well_formed();
        world.pairs(&mut pairs);
        assert_eq!((pairs.len(), world.len()), (0, 1));
    }
    of::<1>();
    of::<2>();
    of::<3>();
}

/// Checks that an object that moved within its margin is found at its current position.
#[test]
fn neighbors_use_current_positions() {
    for is_static in [false, true] {
        let mut world: Hshg<f32, 2, ()> = Hshg::new();
        world.set_skin(8.0);
        let at = |x: f32| Aabb::new([x, 0.0], [x + 2.0, 2.0]);
        world.insert(0, at(0.0), ()).expect("the key is free");
        world.insert(1, at(if is_static { 6.25 } else { 10.25 }), ()).expect("the key is free");
        if is_static {
            world.set_motion(1, Motion::Static).expect("the object exists");
        }
        world.optimize();
        world.set_bounds(0, at(4.0)).expect("the bounds are valid");
        world.set_bounds(1, at(6.25)).expect("the bounds are valid");
        let mut near = Neighbors::default();
        world.neighbors(0.5, &mut near);
        assert_eq!(near.of(0), Some(&[1][..]), "static: {is_static}");
    }
}
