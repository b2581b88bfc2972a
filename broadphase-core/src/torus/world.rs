//! Sides of a world that wraps: moving boxes home, and overlap and distance across seams.
//!
//! Boxes are moved home as follows, for any side.
//!
//! 1. Compute the remainders of both ends divided by the side. Remainders of floats are exact.
//! 2. Find the number of sides (0, 1 or 2) to add to each remainder: `min` must be in `[0, side)`,
//!    and both ends must move by one multiple of the side.
//! 3. Add them: the only rounding, to nearest.
//!
//! So an end is moved to the number nearest to its exact position. A `min` that would round up to
//! the side becomes 0.

use core::array::from_fn;
use core::fmt;

use bounds_hexprism::{Aabb, InvalidBounds, Scalar};

use crate::query::Region;

/// Error of [`Torus::new`](crate::Torus::new): an invalid side, and its axis.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{BruteForce, InvalidWorld, Torus};
///
/// let world = Torus::new(BruteForce::<f32, 2>::new(), [360.0, -1.0]);
/// assert_eq!(world.unwrap_err(), InvalidWorld { axis: 1 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidWorld {
    /// First axis whose side is negative, NaN, or above an eighth of the number range.
    pub axis: usize,
}

impl fmt::Display for InvalidWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the side of the world is negative, NaN or too large on axis {}", self.axis)
    }
}

impl core::error::Error for InvalidWorld {}

/// Sides of the world; 0 on an axis that does not wrap. For worlds over a [`Torus`](super::Torus).
///
/// A *home* box has `min` in `[0, side)` on each axis that wraps, and `max` below two sides; it
/// crosses the seam exactly if `max >= side`. Two home boxes are tested across the seam by
/// subtracting one side from the `max` of the upper box: exact if the image reaches the lower box,
/// because `max` is then between one and two sides.
#[derive(Clone, Copy, Debug)]
pub struct World<S, const D: usize> {
    sides: [S; D],
}

impl<S: Scalar, const D: usize> World<S, D> {
    /// Creates the world with these sides; −0 becomes 0.
    ///
    /// # Errors
    /// In the same cases as [`Torus::new`](super::Torus::new).
    pub fn new(sides: [S; D]) -> Result<Self, InvalidWorld> {
        let largest = S::MAX.to_f64() + if S::INTEGER { 1.0 } else { 0.0 };
        for (axis, side) in sides.into_iter().enumerate() {
            // Written to reject NaN.
            if !(side >= S::ZERO && side.to_f64() * 8.0 <= largest) {
                return Err(InvalidWorld { axis });
            }
        }
        Ok(Self { sides: sides.map(Scalar::canonical) })
    }

    /// Returns the world with these sides, which [`new`](Self::new) must accept.
    #[must_use]
    pub const fn of_valid(sides: [S; D]) -> Self {
        Self { sides }
    }

    /// Returns the sides.
    #[must_use]
    pub const fn sides(&self) -> [S; D] {
        self.sides
    }

    /// Returns the side on an axis that wraps.
    #[inline(always)]
    pub(super) fn side(&self, axis: usize) -> Option<S> {
        let side = self.sides[axis];
        (side > S::ZERO).then_some(side)
    }

    /// Returns a box, which must not be inverted, moved home; `None` if `min` and `max` are the
    /// same infinity on an axis that wraps.
    #[inline]
    pub(super) fn reduce(&self, bounds: Aabb<S, D>) -> Option<Aabb<S, D>> {
        let mut home = bounds;
        for axis in 0..D {
            if let Some(side) = self.side(axis) {
                let ends = reduce(bounds.min[axis], bounds.max[axis], side)?;
                (home.min[axis], home.max[axis]) = ends;
            }
        }
        Some(home)
    }

    /// Returns a box as it is stored; see [`Torus::reduced`](super::Torus::reduced).
    ///
    /// # Errors
    /// If the box is NaN, infinite or inverted.
    pub fn reduced(&self, bounds: Aabb<S, D>) -> Result<Aabb<S, D>, InvalidBounds> {
        Ok(self.home(bounds.checked()?))
    }

    /// Returns a valid box as it is stored.
    #[must_use]
    pub fn home(&self, bounds: Aabb<S, D>) -> Aabb<S, D> {
        self.reduce(bounds).unwrap_or(bounds)
    }

    /// Returns a box moved down by one side on each axis that wraps.
    pub(super) fn image_below(&self, bounds: &Aabb<S, D>) -> Aabb<S, D> {
        let below = |ends: [S; D]| from_fn(|axis| ends[axis].minus(self.sides[axis]));
        Aabb { min: below(bounds.min), max: below(bounds.max) }
    }

    /// Returns the vector from one point to the nearest image of another. Coordinates must be at
    /// least 0 and below 1.5 sides. The difference is rounded once.
    #[must_use]
    pub fn shortest_vector(&self, from: [S; D], to: [S; D]) -> [S; D] {
        from_fn(|axis| {
            let way = to[axis].minus(from[axis]);
            let Some(side) = self.side(axis) else { return way };
            let twice = way.plus(way);
            if twice > side {
                way.minus(side)
            } else if S::ZERO.minus(twice) > side {
                way.plus(side)
            } else {
                way
            }
        })
    }

    /// Returns the nearest images of two home boxes: on each axis one box may be moved down by one
    /// side.
    #[inline]
    pub(super) fn nearest(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> (Aabb<S, D>, Aabb<S, D>) {
        let (mut a, mut b) = (*a, *b);
        for axis in 0..D {
            let Some(side) = self.side(axis) else { continue };
            let (low, high) = if a.max[axis] < b.min[axis] {
                (&a, &mut b)
            } else if b.max[axis] < a.min[axis] {
                (&b, &mut a)
            } else {
                continue;
            };
            let end = high.max[axis].minus(side);
            let gap = high.min[axis].minus(low.max[axis]);
            if low.min[axis].minus(end) < gap {
                (high.min[axis], high.max[axis]) = (high.min[axis].minus(side), end);
            }
        }
        (a, b)
    }

    /// Returns whether a home region and a home box overlap, either directly or across seams.
    #[inline]
    pub fn within(&self, region: &Region<S, D>, bounds: &Aabb<S, D>) -> bool {
        let (a, b) = self.nearest(&region.bounds(), bounds);
        Region::around(a, region.radius()).overlaps(&b)
    }
}

/// Returns an interval moved home; `None` if both ends are the same infinity.
#[inline]
fn reduce<S: Scalar>(min: S, max: S, side: S) -> Option<(S, S)> {
    let is_short = |min: S, max: S| max.minus(min) < side;
    if S::ZERO <= min && min < side && is_short(min, max) {
        return Some((min, max));
    }
    if max.minus(min) >= side {
        return Some((S::ZERO, side));
    }
    if !(min.is_finite() && max.is_finite()) {
        return None;
    }
    let (min, max) = moved_home(min, max, side);
    Some(if is_short(min, max) { (min, max) } else { (S::ZERO, side) })
}

/// Returns the ends of an interval shorter than a side, moved to have `min` in `[0, side)`.
fn moved_home<S: Scalar>(min: S, max: S, side: S) -> (S, S) {
    // Remainders are exact, have the sign of the number, and are shorter than a side.
    let rest = |x: S| {
        if S::ZERO.minus(side) < x && x < side {
            x
        } else if side <= x && x < side.plus(side) {
            x.minus(side)
        } else {
            S::from_f64(x.to_f64() % side.to_f64())
        }
    };
    let (low, high) = (rest(min), rest(max));
    // Just below the seam the lower end may round to the seam, which is 0.
    let lift = u8::from(low < S::ZERO && low.plus(side) < side);
    // The upper end is in the next round if its remainder is smaller.
    let home = |rest: S, sides: u8| {
        let x = match sides {
            0 => rest,
            1 => rest.plus(side),
            _ => rest.plus(side.plus(side)),
        };
        // This also replaces −0 with 0.
        if x > S::ZERO { x } else { S::ZERO }
    };
    (home(low, lift), home(high, lift + u8::from(high < low)))
}
