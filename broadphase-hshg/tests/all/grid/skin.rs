//! What a skin must not change: which bounds are refused, what is removed, who is near.

use broadphase_core::{Aabb, Motion, Neighbors, SpatialIndex};
use broadphase_hshg::Hshg;

/// Bounds whose ends are the wrong way round by less than the skin are as wrong as others, also in
/// a walk that gives all slabs anew.
#[test]
fn wrong_bounds_are_refused_in_every_walk() {
    let mut world: Hshg<f32, 2, ()> = Hshg::new();
    world.set_skin(4.0);
    for key in 0..20 {
        world.insert(key, Aabb::of_ball([key as f32, 0.0], 1.0), ()).expect("a free key");
    }
    world.optimize();
    for tick in 0..12 {
        let before = world.get(7).expect("it is there").bounds;
        let walked = world.update(|key, _, bounds| {
            *bounds = bounds.translated([1.5, 0.0]);
            if key == 7 {
                (bounds.min[0], bounds.max[0]) = (bounds.max[0], bounds.min[0]);
            }
        });
        assert!(walked.is_err(), "in walk {tick}");
        assert_eq!(world.get(7).expect("it is there").bounds, before, "in walk {tick}");
        world.assert_well_formed();
    }
}

/// What is static has no skin, and may end at the smallest number, as holes seem to.
#[test]
fn what_ends_at_the_smallest_number_can_be_removed() {
    fn of<const D: usize>() {
        let mut world: Hshg<i32, D, ()> = Hshg::new();
        world.set_skin(2);
        let (mut wall, mut end) =
            (Aabb { min: [0; D], max: [10; D] }, Aabb { min: [5; D], max: [6; D] });
        (wall.min[0], wall.max[0]) = (i32::MIN, i32::MIN);
        (end.min[0], end.max[0]) = (i32::MIN, i32::MIN + 3);
        world.insert(0, wall, ()).expect("a free key");
        world.set_motion(0, Motion::Static).expect("it is there");
        world.insert(1, end, ()).expect("a free key");
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

/// Who has moved within a skin is where it is, not where it was when it got it.
#[test]
fn neighbors_are_near_now() {
    for is_static in [false, true] {
        let mut world: Hshg<f32, 2, ()> = Hshg::new();
        world.set_skin(8.0);
        let at = |x: f32| Aabb::new([x, 0.0], [x + 2.0, 2.0]);
        world.insert(0, at(0.0), ()).expect("a free key");
        world.insert(1, at(if is_static { 6.25 } else { 10.25 }), ()).expect("a free key");
        if is_static {
            world.set_motion(1, Motion::Static).expect("it is there");
        }
        world.optimize();
        world.set_bounds(0, at(4.0)).expect("it is valid");
        world.set_bounds(1, at(6.25)).expect("it is valid");
        let mut near = Neighbors::default();
        world.neighbors(0.5, &mut near);
        assert_eq!(near.of(0), Some(&[1][..]), "static: {is_static}");
    }
}
