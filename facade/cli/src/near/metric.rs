//! Distances between boxes, and between discs or balls.
//!
//! Two objects are within a distance if their boxes are, as the library tests it in the scalar
//! type. Two discs or balls must also pass a test of their centers and radii in `f64`. Both tests
//! have the same result if the objects are exchanged.
//!
//! A printed distance is one that both tests accept, so that a search within it finds the pair:
//!
//! 1. Find the smallest number of the scalar type that the test of boxes accepts: the square root,
//!    or the next number if the square of the root is too small.
//! 2. For discs, find the smallest distance of centers that the test of discs accepts, and subtract
//!    the radii. If the test of boxes refuses the result, the distance is that of the boxes.

use core::array::from_fn;
use core::fmt;
use core::marker::PhantomData;

use broadphase_core::query;
use hexphase::{Aabb, Scalar};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Metric<S, const D: usize> {
    /// The length of each axis; 0 if the axis does not wrap.
    sides: [S; D],
    /// Set if the objects are the discs or balls in their boxes.
    round: bool,
}

impl<S: Scalar, const D: usize> Metric<S, D> {
    /// Returns the metric for boxes, or for the discs or balls in them if `round`. On an axis with
    /// a length above 0, distances are those to the nearest image; boxes must be as a world that
    /// wraps stores them.
    pub(crate) const fn new(sides: [S; D], round: bool) -> Self {
        Self { sides, round }
    }

    /// Returns the distance between two objects; 0 if they overlap.
    pub(crate) fn distance(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> Distance<S> {
        let images = self.nearest_images(a, b);
        let gaps = query::gaps(&images[0], &images[1]);
        let discs = if self.round { self.between_discs(a, b) } else { 0.0 };
        let value = if S::is_within(gaps, S::from_f64(discs)) {
            discs
        } else {
            least_limit::<S, D>(gaps, || {
                let [a, b] = images
                    .map(|it| Aabb { min: it.min.map(S::to_f64), max: it.max.map(S::to_f64) });
                length(&query::gaps(&a, &b))
            })
        };
        Distance { value, scalar: PhantomData }
    }

    /// Returns whether two objects are at most `distance` apart, if their boxes are. Compares
    /// squared lengths instead of lengths, so that discs with whole numbers are compared exactly.
    pub(crate) fn accepts(&self, a: &Aabb<S, D>, b: &Aabb<S, D>, distance: f64) -> bool {
        let radii = radius(a) + radius(b);
        !self.round || radii == 0.0 || is_within(self.between_centers(a, b), radii + distance)
    }

    /// Returns the smallest distance at which two discs or balls are accepted; 0 for two points.
    fn between_discs(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> f64 {
        let radii = radius(a) + radius(b);
        if radii == 0.0 {
            return 0.0;
        }
        let gaps = self.between_centers(a, b);
        let reach = least_limit::<f64, D>(gaps, || length(&gaps));
        let apart = (reach - radii).max(0.0);
        let mut distance = S::Real::from_f64(apart);
        while radii + distance.to_f64() < reach {
            distance = distance.next_above();
        }
        if distance.is_finite() { distance.to_f64() } else { apart }
    }

    /// Returns the distance between two centers on each axis. It is computed as the gap between the
    /// boxes plus half of both sides. So for discs that touch along an axis, it is exactly the sum
    /// of the radii.
    fn between_centers(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> [f64; D] {
        from_fn(|axis| {
            let [[a_min, a_max], [b_min, b_max]] =
                [a, b].map(|it| [it.min[axis].to_f64(), it.max[axis].to_f64()]);
            let halves = half(a, axis) + half(b, axis);
            let (after, before) = (b_min - a_max, a_min - b_max);
            let is_after = after > before;
            let inside = (if is_after { after } else { before }) + halves;
            let side = self.sides[axis].to_f64();
            if side == 0.0 {
                return inside;
            }
            // Across the seam, the upper box is moved down by the length of the axis.
            let (low, end) = if is_after { (a_min, b_max) } else { (b_min, a_max) };
            let across = (low - (end - side) + halves).abs();
            if across < inside { across } else { inside }
        })
    }

    /// Returns the images of two boxes that are nearest to each other, as the library selects and
    /// rounds them: on each axis, one of the boxes may be moved down by the length of the axis.
    fn nearest_images(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> [Aabb<S, D>; 2] {
        let mut images = [*a, *b];
        for (axis, &side) in self.sides.iter().enumerate() {
            if side == S::ZERO {
                continue;
            }
            let upper = if a.max[axis] < b.min[axis] {
                1
            } else if b.max[axis] < a.min[axis] {
                0
            } else {
                continue;
            };
            let [low, high] = [images[1 - upper], images[upper]];
            let end = high.max[axis].minus(side);
            if low.min[axis].minus(end) < high.min[axis].minus(low.max[axis]) {
                images[upper].min[axis] = high.min[axis].minus(side);
                images[upper].max[axis] = end;
            }
        }
        images
    }
}

/// A distance with the digits of the scalar type `S`, or of `f64` for integers. It is never
/// infinite: a distance beyond the range of `f32` has the digits of `f64`, and one beyond the range
/// of `f64` is the largest `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance<S> {
    /// The distance as a number; one of the type if it is in its range.
    pub(crate) value: f64,
    scalar: PhantomData<S>,
}

impl<S: Scalar> fmt::Display for Distance<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = S::Real::from_f64(self.value);
        if value.is_finite() { value.fmt(f) } else { self.value.fmt(f) }
    }
}

/// Returns whether the length of a vector is at most `limit`, as the library tests it.
fn is_within<S: Scalar, const D: usize>(gaps: [S::Gap; D], limit: S) -> bool {
    S::is_within(gaps, limit)
}

/// Returns the smallest number for which [`is_within`] is true. For integers, returns the length as
/// an `f64`, or the next one if the length is slightly above a whole number. `length` returns the
/// length of the vector, approximately; it is called if squares over- or underflow, and its result
/// is returned if it is beyond the range of the type.
fn least_limit<S: Scalar, const D: usize>(gaps: [S::Gap; D], length: impl FnOnce() -> f64) -> f64 {
    let square = S::squared_length(gaps);
    let root = square.to_f64().sqrt();
    let limit = S::from_f64(root);
    if S::INTEGER {
        let is_refused = limit.to_f64() == root && !is_within(gaps, limit);
        return if is_refused { root.next_up() } else { root };
    }
    if square.is_finite() && !S::is_scaled(&S::limit(limit)) {
        // No smaller number is accepted: its square is at least half a step below `square`.
        let is_refused = S::squared_length([S::gap(S::ZERO, limit)]) < square;
        return (if is_refused { limit.next_above() } else { limit }).to_f64();
    }
    let length = length();
    let mut limit = S::from_f64(length);
    while is_within(gaps, limit.next_below()) {
        limit = limit.next_below();
    }
    while !is_within(gaps, limit) {
        limit = limit.next_above();
    }
    if limit.is_finite() { limit.to_f64() } else { length }
}

/// Returns half of the length of a box on an axis.
fn half<S: Scalar, const D: usize>(bounds: &Aabb<S, D>, axis: usize) -> f64 {
    0.5 * bounds.max[axis].to_f64() - 0.5 * bounds.min[axis].to_f64()
}

/// Returns the radius of the disc or ball in a box. The ends of the box are rounded, so its sides
/// may differ. Half of the longest side is used, so that discs that touch along an axis have a
/// distance of 0.
fn radius<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    (0..D).map(|axis| half(bounds, axis)).fold(0.0, f64::max)
}

/// Returns the length of a vector whose components are at least 0; at most the largest `f64`.
fn length<const D: usize>(gaps: &[f64; D]) -> f64 {
    let square: f64 = gaps.iter().map(|gap| gap * gap).sum();
    if square.is_normal() {
        return square.sqrt();
    }
    let largest = gaps.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 || largest == f64::INFINITY {
        return largest.min(f64::MAX);
    }
    let scaled: f64 = gaps.iter().map(|gap| (gap / largest) * (gap / largest)).sum();
    (largest * scaled.sqrt()).min(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_discs_are_measured() {
        let (a, b) = (Aabb::new([0.0f32, 0.0], [2.0, 2.0]), Aabb::new([5.0, 6.0], [7.0, 8.0]));
        assert_eq!(Metric::new([0.0; 2], false).distance(&a, &b).value, 5.0);
        let discs = Metric::new([0.0; 2], true);
        let expected = (61f64.sqrt() - 2.0) as f32;
        assert_eq!(discs.distance(&a, &b).to_string(), expected.to_string());
        let discs = Metric::new([0; 2], true);
        let (a, b) = (Aabb::of_ball([0, 0], 2), Aabb::of_ball([6, 8], 3));
        assert_eq!(discs.distance(&a, &b).value, 5.0);
        assert!(discs.accepts(&a, &b, 5.0));
        assert!(!discs.accepts(&a, &b, 4.999_999));
        assert_eq!(discs.distance(&a, &a).value, 0.0);
    }

    #[test]
    fn the_nearest_image_counts() {
        let between = |metric: Metric<i32, 2>, a, b| metric.distance(a, b).value;
        let (a, b) = (Aabb::new([350, 0], [355, 1]), Aabb::new([1, 0], [20, 1]));
        for metric in [Metric::new([360, 0], false), Metric::new([360, 100], false)] {
            assert_eq!((between(metric, &a, &b), between(metric, &b, &a)), (6.0, 6.0));
        }
        assert_eq!(between(Metric::new([0, 0], false), &a, &b), 330.0);
        // A box over the seam.
        let c = Aabb::new([358, 0], [363, 1]);
        let metric = Metric::new([360, 0], false);
        assert_eq!([between(metric, &a, &c), between(metric, &b, &c)], [3.0, 0.0]);
        let discs = Metric::new([360, 0], true);
        let [a, b] = [Aabb::of_ball([359, 0], 1), Aabb::new([4, -1], [6, 1])];
        assert_eq!([between(discs, &a, &b), between(discs, &b, &a)], [4.0, 4.0]);
    }

    #[test]
    fn extreme_lengths_are_finite() {
        let large = 2f64.powi(700);
        assert_eq!(length(&[3.0 * large, 4.0 * large]), 5.0 * large);
        assert_eq!(length(&[1e-200, 0.0]), 1e-200);
        assert_eq!(length(&[0.0, 0.0]), 0.0);
        let ends = |end: f64| [Aabb::point([-end; 2]), Aabb::point([end; 2])];
        let [a, b] = ends(f64::MAX);
        for round in [false, true] {
            assert_eq!(Metric::new([0.0; 2], round).distance(&a, &b).value, f64::MAX);
        }
        let [a, b] = [-3e38, 3e38].map(|x| Aabb::<f32, 1>::point([x]));
        let text = Metric::new([0.0], false).distance(&a, &b).to_string();
        assert_eq!(text.parse(), Ok(2.0 * f64::from(3e38f32)));
    }
}
