//! Volumes tighter than boxes in a world that wraps: overlaps across seams.
//!
//! A world stores each volume where the caller has placed it; only the box in the structure is
//! moved home. Two objects whose boxes overlap are a pair if their volumes overlap in an image:
//!
//! 1. If a box covers an axis, the boxes decide.
//! 2. List the images in which the home boxes overlap: on each axis the second box unchanged, or
//!    moved up or down by one side.
//! 3. For each image, compute the number of sides from the second volume to this image, per axis.
//! 4. Move the second volume by these sides, rounded once, and test both volumes. If the number
//!    type cannot represent the distance, or the volume cannot be moved, the boxes decide.
//!
//! Cost: mostly one test of two volumes per pair. No images are computed for volumes that overlap
//! at their own bounds, nor for those whose boxes are close together there ([`in_same_image`]).

use core::array::from_fn;

use broadphase_core::torus::World;
use broadphase_core::{Aabb, Scalar, instances};

/// Offsets, in sides, at which one home box may overlap another.
const IMAGES: [f64; 3] = [0.0, 1.0, -1.0];

/// Returns whether two volumes overlap if the second one is moved by a vector.
type OverlapFn<'a, S, const D: usize> = dyn FnMut([S; D]) -> bool + 'a;

instances! {
    /// Returns whether the volumes of two objects with the boxes `given` overlap in this world.
    pub(crate) fn images_overlap<S, D>(
        sides: &[S; D],
        given: &[Aabb<S, D>; 2],
        overlap: &mut OverlapFn<'_, S, D>
    ) -> bool {
        let world = World::of_valid(*sides);
        // Computing the home boxes is faster than reading them from the structure.
        any_image_overlaps(sides, given, &given.map(|bounds| world.home(bounds)), overlap)
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
    let between: [f64; D] = from_fn(|axis| {
        if wraps(axis) { rounds(&given[0], a, axis) - rounds(&given[1], b, axis) } else { 0.0 }
    });
    // On each axis, the offsets at which the home boxes overlap, and their number.
    let (mut offsets, mut counts) = ([[0.0; IMAGES.len()]; D], [0; D]);
    for axis in 0..D {
        let side = sides[axis];
        // If the end of a box is beyond the seam, the difference is exact.
        let boxes_overlap = [
            a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis],
            wraps(axis) && a.max[axis].minus(side) >= b.min[axis],
            wraps(axis) && b.max[axis].minus(side) >= a.min[axis],
        ];
        for (&offset, _) in IMAGES.iter().zip(boxes_overlap).filter(|(_, overlap)| *overlap) {
            offsets[axis][counts[axis]] = offset;
            counts[axis] += 1;
        }
    }
    (0..counts.iter().product()).any(|number| {
        let (mut by, mut fits, mut rest) = ([S::ZERO; D], true, number);
        for axis in 0..D {
            let offset = offsets[axis][rest % counts[axis]];
            rest /= counts[axis];
            if wraps(axis) {
                let way = (between[axis] + offset) * sides[axis].to_f64();
                by[axis] = S::from_f64(way).canonical();
                fits &= by[axis].is_finite() && (!S::INTEGER || by[axis].to_f64() == way);
            }
        }
        !fits || overlap(by)
    })
}

/// Returns whether two boxes, as given by the caller, certainly overlap in no other image: on each
/// axis that wraps, both lie in an interval shorter than the side by more than all rounding errors.
#[inline]
pub(crate) fn in_same_image<S: Scalar, const D: usize>(
    sides: &[S; D],
    [a, b]: &[Aabb<S, D>; 2],
) -> bool {
    /// Maximum length of the interval, in sides.
    const MAX_LENGTH: f64 = 1.0 - 1.0 / 1024.0;
    /// Maximum distance of the interval from 0 in sides.
    const MAX_SIDES: f64 = (1 << 20) as f64;
    (0..D).all(|axis| {
        let side = sides[axis].to_f64();
        let low = if a.min[axis] < b.min[axis] { a.min[axis] } else { b.min[axis] }.to_f64();
        let high = if a.max[axis] > b.max[axis] { a.max[axis] } else { b.max[axis] }.to_f64();
        let is_near = -MAX_SIDES * side < low && high < MAX_SIDES * side;
        side == 0.0 || (is_near && high - low < MAX_LENGTH * side)
    })
}

/// Returns the nearest integer.
fn whole(x: f64) -> f64 {
    // Numbers from 2^52 on are integers.
    const EXACT: f64 = (1u64 << 52) as f64;
    if x.abs() < EXACT { (x + if x < 0.0 { -0.5 } else { 0.5 }) as i64 as f64 } else { x }
}
