//! Distances between boxes, and between discs or balls, computed in `f64`.

use hexphase::{Aabb, Scalar};

/// The distance between two objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metric<const D: usize> {
    /// The length of each axis; 0 if the axis does not wrap.
    sides: [f64; D],
    /// Set if the objects are the discs or balls in their boxes.
    round: bool,
}

impl<const D: usize> Metric<D> {
    /// Returns the metric for boxes, or for the discs or balls in them if `round`. On an axis with
    /// a length above 0, distances are those to the nearest image.
    pub(crate) fn new<S: Scalar>(sides: [S; D], round: bool) -> Self {
        Self { sides: sides.map(S::to_f64), round }
    }

    /// Returns the distance between two objects; 0 if they overlap.
    pub(crate) fn distance<S: Scalar>(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> f64 {
        let mut gaps = [0.0; D];
        if self.round {
            for (axis, gap) in gaps.iter_mut().enumerate() {
                *gap = self.between_centers(axis, a, b);
            }
            return (length(&gaps) - radius(a) - radius(b)).max(0.0);
        }
        for (axis, gap) in gaps.iter_mut().enumerate() {
            *gap = self.between_ends(axis, a, b);
        }
        length(&gaps)
    }

    /// Returns whether two discs or balls are at most `distance` apart. Compares squared lengths
    /// instead of lengths, so that discs with whole numbers are compared exactly.
    pub(crate) fn rounds_are_within<S: Scalar>(
        &self,
        a: &Aabb<S, D>,
        b: &Aabb<S, D>,
        distance: f64,
    ) -> bool {
        let reach = radius(a) + radius(b) + distance;
        let mut square = 0.0;
        for axis in 0..D {
            let gap = self.between_centers(axis, a, b);
            square += gap * gap;
        }
        square <= reach * reach
    }

    /// Returns the distance between two centers on an axis. It is computed as the gap between the
    /// boxes plus half of both sides. So for discs that touch along an axis, it is exactly the sum
    /// of the radii.
    fn between_centers<S: Scalar>(&self, axis: usize, a: &Aabb<S, D>, b: &Aabb<S, D>) -> f64 {
        let halves = half(a, axis) + half(b, axis);
        let [after, before] = self.gaps(axis, a, b).map(|gap| gap + halves);
        if self.sides[axis] > 0.0 { after.abs().min(before.abs()) } else { after.max(before) }
    }

    /// Returns the gap between two boxes on an axis; 0 if they overlap on this axis.
    fn between_ends<S: Scalar>(&self, axis: usize, a: &Aabb<S, D>, b: &Aabb<S, D>) -> f64 {
        let [after, before] = self.gaps(axis, a, b);
        let gap = if self.sides[axis] > 0.0 { after.min(before) } else { after.max(before) };
        gap.max(0.0)
    }

    /// Returns two gaps between two boxes on an axis: if `b` follows `a`, and if `a` follows `b`. A
    /// gap is negative if the boxes overlap; on an axis that does not wrap, also if the boxes are
    /// in the other order.
    fn gaps<S: Scalar>(&self, axis: usize, a: &Aabb<S, D>, b: &Aabb<S, D>) -> [f64; 2] {
        let [[a_min, a_max], [b_min, b_max]] =
            [a, b].map(|it| [it.min[axis].to_f64(), it.max[axis].to_f64()]);
        let side = self.sides[axis];
        if side > 0.0 {
            // The distance from the start of `a` up to the start of the next image of `b`.
            let offset = (b_min - a_min).rem_euclid(side);
            return [offset - (a_max - a_min), side - offset - (b_max - b_min)];
        }
        [b_min - a_max, a_min - b_max]
    }
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

/// Returns the length of a vector whose components are at least 0.
fn length<const D: usize>(gaps: &[f64; D]) -> f64 {
    let largest = gaps.iter().copied().fold(0.0, f64::max);
    let square: f64 = gaps.iter().map(|gap| gap * gap).sum();
    if square.is_normal() && square.is_finite() {
        return square.sqrt();
    }
    if largest == 0.0 {
        return 0.0;
    }
    let scaled: f64 = gaps.iter().map(|gap| (gap / largest) * (gap / largest)).sum();
    largest * scaled.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_discs_are_measured() {
        let (a, b) = (Aabb::new([0.0f32, 0.0], [2.0, 2.0]), Aabb::new([5.0, 6.0], [7.0, 8.0]));
        assert_eq!(Metric::new([0.0f32; 2], false).distance(&a, &b), 5.0);
        let discs = Metric::new([0.0f32; 2], true);
        assert_eq!(discs.distance(&a, &b), 61f64.sqrt() - 2.0);
        let (a, b) = (Aabb::of_ball([0, 0], 2), Aabb::of_ball([6, 8], 3));
        assert_eq!(discs.distance(&a, &b), 5.0);
        assert!(discs.rounds_are_within(&a, &b, 5.0));
        assert!(!discs.rounds_are_within(&a, &b, 4.999_999));
        assert_eq!(discs.distance(&a, &a), 0.0);
    }

    #[test]
    fn the_nearest_image_counts() {
        let (a, b) = (Aabb::new([350, 0], [355, 1]), Aabb::new([1, 0], [20, 1]));
        for metric in [Metric::new([360, 0], false), Metric::new([360, 100], false)] {
            assert_eq!((metric.distance(&a, &b), metric.distance(&b, &a)), (6.0, 6.0));
        }
        assert_eq!(Metric::new([0, 0], false).distance(&a, &b), 330.0);
        // A box over the seam.
        let c = Aabb::new([358, 0], [363, 1]);
        let metric = Metric::new([360, 0], false);
        assert_eq!([metric.distance(&a, &c), metric.distance(&b, &c)], [3.0, 0.0]);
        let discs = Metric::new([360, 0], true);
        assert_eq!(discs.distance(&Aabb::of_ball([359, 0], 1), &Aabb::of_ball([365, 0], 1)), 4.0);
    }

    #[test]
    fn extreme_lengths_are_finite() {
        let large = 2f64.powi(700);
        assert_eq!(length(&[3.0 * large, 4.0 * large]), 5.0 * large);
        assert_eq!(length(&[1e-200, 0.0]), 1e-200);
        assert_eq!(length(&[0.0, 0.0]), 0.0);
    }
}
