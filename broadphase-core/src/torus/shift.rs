//! Images of stored boxes, and distances to them, for worlds over a [`Torus`](super::Torus).
//!
//! The *shift* of an image is the number of whole sides by which the stored box is moved, per axis.
//! The nearest image is found axis by axis:
//!
//! 1. If the stored box and the other box overlap on the axis, the shift is 0.
//! 2. Estimate the number of sides between the facing ends of the two boxes, rounded towards 0.
//! 3. Of the numbers from two below to two above, select that with the smallest gap, then nearest
//!    to 0. Gaps are computed in `f64`, exactly for `i32`.

use bounds_hexprism::{Aabb, InvalidBounds, Scalar};

use super::world::World;
use crate::query::{self, Target};

impl<S: Scalar, const D: usize> World<S, D> {
    /// Returns the distance between two stored boxes: that between their nearest images.
    #[must_use]
    pub fn distance(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> S::Real {
        let (a, b) = self.nearest(a, b);
        query::distance(&a, &b)
    }

    /// Returns the distance from a target, which may be anywhere, to a stored box.
    #[must_use]
    pub fn distance_to(&self, target: &Target<S, D>, stored: &Aabb<S, D>) -> S::Real {
        self.distance(&self.home(*target.bounds()), stored)
    }

    /// Returns the shift of the image of a stored box that is nearest to a box anywhere; on ties,
    /// on each axis, the shift nearest to 0.
    ///
    /// # Errors
    /// If `near` is NaN, infinite or inverted, or a number exceeds `i32` (out of range).
    pub fn shift(&self, stored: &Aabb<S, D>, near: &Aabb<S, D>) -> Result<[i32; D], InvalidBounds> {
        let near = near.checked()?;
        let mut shift = [0; D];
        for (axis, shift) in shift.iter_mut().enumerate() {
            let Some(side) = self.side(axis) else { continue };
            let [stored, near] = [stored, &near].map(|it| [it.min[axis], it.max[axis]]);
            *shift = narrow(shift_on_axis(stored, near, side), axis)?;
        }
        Ok(shift)
    }

    /// Returns the shift of an image from the box as the caller gave it, not from the stored box.
    ///
    /// # Errors
    /// If a number exceeds `i32` (reported as out of range).
    pub fn shift_from(
        &self,
        stored: &Aabb<S, D>,
        given: &Aabb<S, D>,
        mut shift: [i32; D],
    ) -> Result<[i32; D], InvalidBounds> {
        for (axis, shift) in shift.iter_mut().enumerate() {
            let Some(side) = self.side(axis) else { continue };
            let way = given.min[axis].to_f64() - stored.min[axis].to_f64();
            let half = if way < 0.0 { -0.5 } else { 0.5 };
            let rounds = (way / side.to_f64() + half) as i64;
            *shift = narrow(i64::from(*shift).saturating_sub(rounds), axis)?;
        }
        Ok(shift)
    }

    /// Returns a stored box moved by whole sides. The distance is rounded to nearest, then each
    /// end.
    ///
    /// # Errors
    /// If an end exceeds the number range.
    pub fn shifted(
        &self,
        stored: &Aabb<S, D>,
        shift: [i32; D],
    ) -> Result<Aabb<S, D>, InvalidBounds> {
        let mut image = *stored;
        for axis in (0..D).filter(|&axis| shift[axis] != 0) {
            for end in [&mut image.min[axis], &mut image.max[axis]] {
                let way = f64::from(shift[axis]) * self.sides()[axis].to_f64();
                let exact = end.to_f64() + way;
                if S::INTEGER && !(S::MIN.to_f64()..=S::MAX.to_f64()).contains(&exact) {
                    return Err(InvalidBounds::OutOfRange { axis });
                }
                let by = S::from_f64(way);
                *end = if S::INTEGER { S::from_f64(exact) } else { end.plus(by) };
            }
        }
        image.checked()
    }
}

fn narrow(sides: i64, axis: usize) -> Result<i32, InvalidBounds> {
    i32::try_from(sides).map_err(|_| InvalidBounds::OutOfRange { axis })
}

/// Returns the number of sides by which an interval must be moved to be nearest to another.
fn shift_on_axis<S: Scalar>([min, max]: [S; 2], [low, high]: [S; 2], side: S) -> i64 {
    let between = if max < low {
        low.to_f64() - max.to_f64()
    } else if high < min {
        high.to_f64() - min.to_f64()
    } else {
        return 0;
    };
    let estimate = (between / side.to_f64()) as i64;
    let (mut best, mut smallest) = (0i64, f64::INFINITY);
    for sides in [0, 1, -1, 2, -2].map(|more| estimate.saturating_add(more)) {
        let way = sides as f64 * side.to_f64();
        let below = low.to_f64() - (max.to_f64() + way);
        let above = (min.to_f64() + way) - high.to_f64();
        let gap = below.max(above).max(0.0);
        let is_nearer = sides.unsigned_abs() < best.unsigned_abs();
        if gap < smallest || (gap == smallest && is_nearer) {
            (best, smallest) = (sides, gap);
        }
    }
    best
}
