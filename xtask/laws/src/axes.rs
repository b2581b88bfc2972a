//! The law of axes: results do not depend on the order of the axes.

use broadphase_core::{Aabb, SpatialIndexExt};
use proptest::prelude::*;

use crate::Together;
use crate::examples::tried;
use crate::model::{Model, Step};
use crate::numbers::Numbers;

/// A rod: its position on each axis, the index of its long axis, and its length. With an index of
/// `D` or more the object is a cube.
type Rod = ([u8; 3], usize, u16);

/// Returns the box of a rod after its axes are rotated: axis `i` becomes axis `(i + turn) % D`.
fn bounds<S: Numbers, const D: usize>((place, long, length): &Rod, turn: usize) -> Aabb<S, D> {
    let (mut min, mut max) = ([S::ZERO; D], [S::ZERO; D]);
    for (axis, &at) in place.iter().enumerate().take(D) {
        let at = f64::from(at) * 4.0;
        let length = if *long == axis { 2.0 * f64::from(*length) } else { 6.0 };
        let turned = (axis + turn) % D;
        (min[turned], max[turned]) = (S::from_f64(at), S::from_f64(at + length));
    }
    Aabb::new(min, max)
}

/// Asserts that scenes of rods, mostly along one axis, have the same pairs and hits for every order
/// of axes, both before and after each object has moved.
///
/// # Panics
/// If the law is violated.
pub fn exchanged_axes_give_equal_pairs<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let rods = (0..D).prop_flat_map(|main| {
        let long = prop_oneof![6 => Just(main), 1 => 0..4usize];
        prop::collection::vec((any::<[u8; 3]>(), long, any::<u16>()), 20..120)
    });
    tried(8, (rods, any::<[u8; 3]>()), |(rods, jump)| {
        let mut expected: [Option<Vec<_>>; 2] = [None, None];
        for turn in 0..D {
            let (mut index, mut model) = (make(), Model::default());
            for (key, rod) in (0..).zip(&rods) {
                model.take(&mut index, &Step::Put(key, bounds(rod, turn)));
            }
            for (round, expected) in expected.iter_mut().enumerate() {
                if round > 0 {
                    for (key, (place, long, length)) in (0..).zip(&rods) {
                        let moved =
                            core::array::from_fn(|axis| place[axis].wrapping_add(jump[axis]));
                        let moved = bounds(&(moved, *long, *length), turn);
                        model.take(&mut index, &Step::Put(key, moved));
                    }
                }
                let mut pairs = Vec::new();
                index.pairs(&mut pairs);
                assert_eq!(pairs, model.pairs());
                assert_eq!(expected.get_or_insert_with(|| pairs.clone()), &pairs);
                for rod in rods.iter().take(4) {
                    model.compare(&mut index, &bounds(rod, turn), &mut Default::default());
                }
            }
        }
        Ok(())
    });
}
