//! Volumes tighter than boxes in a world that wraps: overlaps across seams.
//!
//! A world stores each volume where the caller has placed it; only the box in the structure is
//! moved home. Two objects whose boxes overlap form a pair if their volumes overlap in an image:
//!
//! 1. If a box covers an axis, the boxes decide.
//! 2. List the images in which the home boxes overlap: on each axis the second box unchanged, moved
//!    up, or moved down by one side.
//! 3. For each image, compute on each axis by how many sides the second volume must move to be next
//!    to the first.
//! 4. Move the second volume by that multiple of the sides, rounded once, and test both volumes.
//!    If the number type cannot represent the multiple, or the volume cannot be moved, the boxes
//!    decide.
//!
//! Cost: constant for each pair, mostly one test of two volumes.

use core::array::from_fn;

use broadphase_core::{Aabb, Scalar, instances};

/// Offsets, in sides, at which one home box may overlap another: unchanged, moved up, moved down.
const IMAGES: [f64; 3] = [0.0, 1.0, -1.0];

/// Returns whether two volumes overlap if the second one is moved by a vector.
type OverlapFn<'a, S, const D: usize> = dyn FnMut([S; D]) -> bool + 'a;

instances! {
    /// Returns whether the volumes of two objects overlap in a world with these sides. `given`
    /// contains the boxes of the volumes, and `home` these boxes as the structure stores them.
    pub(crate) fn images_overlap<S, D>(
        sides: &[S; D],
        given: &[Aabb<S, D>; 2],
        home: &[Aabb<S, D>; 2],
        overlap: &mut OverlapFn<'_, S, D>
    ) -> bool {
        any_image_overlaps(sides, given, home, overlap)
    }
}

fn any_image_overlaps<S: Scalar, const D: usize>(
    sides: &[S; D],
    given: &[Aabb<S, D>; 2],
    [a, b]: &[Aabb<S, D>; 2],
    overlap: &mut OverlapFn<'_, S, D>,
) -> bool {
    let wraps = |axis: usize| sides[axis] > S::ZERO;
    let covers = |home: &Aabb<S, D>, axis: usize| {
        wraps(axis) && home.max[axis].minus(home.min[axis]) >= sides[axis]
    };
    if (0..D).any(|axis| covers(a, axis) || covers(b, axis)) {
        return true;
    }
    // The whole number of sides from a home box to the volume.
    let rounds = |given: &Aabb<S, D>, home: &Aabb<S, D>, axis: usize| {
        whole((given.min[axis].to_f64() - home.min[axis].to_f64()) / sides[axis].to_f64())
    };
    let between: [f64; D] = from_fn(|axis| rounds(&given[0], a, axis) - rounds(&given[1], b, axis));
    (0..IMAGES.len().pow(D as u32)).any(|number| {
        let (mut by, mut fits, mut rest) = ([S::ZERO; D], true, number);
        for axis in 0..D {
            let (side, image) = (sides[axis], rest % IMAGES.len());
            rest /= IMAGES.len();
            // If the end of a box is beyond the seam, the difference is exact.
            let boxes_overlap = match image {
                0 => a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis],
                1 => wraps(axis) && a.max[axis].minus(side) >= b.min[axis],
                _ => wraps(axis) && b.max[axis].minus(side) >= a.min[axis],
            };
            if !boxes_overlap {
                return false;
            }
            if wraps(axis) {
                let way = (between[axis] + IMAGES[image]) * side.to_f64();
                by[axis] = S::from_f64(way).canonical();
                fits &= by[axis].is_finite() && (!S::INTEGER || by[axis].to_f64() == way);
            }
        }
        !fits || overlap(by)
    })
}

/// Returns the nearest integer.
fn whole(x: f64) -> f64 {
    // Numbers from 2^52 on are integers.
    const EXACT: f64 = (1u64 << 52) as f64;
    if x.abs() < EXACT { (x + if x < 0.0 { -0.5 } else { 0.5 }) as i64 as f64 } else { x }
}
