//! Sides of a periodic world: moving boxes home, and overlap and distance across seams.

use core::array::from_fn;
use core::fmt;

use bounds_hexprism::{Aabb, Scalar};

use crate::query::Region;

/// Error of [`Torus::new`](crate::Torus::new): an invalid side, and its axis.
///
/// ```
/// use broadphase_core::{BruteForce, InvalidWorld, Torus};
///
/// let world = Torus::new(BruteForce::<f32, 2>::new(), [64.0, 100.0]);
/// assert_eq!(world.unwrap_err(), InvalidWorld { axis: 1 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidWorld {
    /// First axis whose side is neither 0 nor a power of two of which eight fit the number range.
    pub axis: usize,
}

impl fmt::Display for InvalidWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the side of the world is not a power of two, or too large, on axis {}",
            self.axis
        )
    }
}

impl core::error::Error for InvalidWorld {}

/// Sides of the world; 0 on an axis that does not wrap.
///
/// A box is *home* if its `min` is in `[0, side)` on each axis that wraps; then its `max` is below
/// two sides, and it crosses the seam exactly if `max >= side`. Two home boxes are tested across
/// the seam by subtracting one side from the `max` of the upper box. This is exact: the difference
/// is the end of that box's image, which begins below 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct World<S, const D: usize> {
    sides: [S; D],
}

impl<S: Scalar, const D: usize> World<S, D> {
    pub(super) fn new(sides: [S; D]) -> Result<Self, InvalidWorld> {
        const FRACTION: u64 = (1 << 52) - 1;
        let largest = S::MAX.to_f64() + if S::INTEGER { 1.0 } else { 0.0 };
        for (axis, side) in sides.into_iter().enumerate() {
            let side = side.to_f64();
            // Powers of two, and infinity, have a fraction of zero.
            let is_power = side >= f64::MIN_POSITIVE && side.to_bits() & FRACTION == 0;
            if side != 0.0 && !(is_power && side * 8.0 <= largest) {
                return Err(InvalidWorld { axis });
            }
        }
        Ok(Self { sides: sides.map(Scalar::canonical) })
    }

    pub(super) const fn sides(&self) -> [S; D] {
        self.sides
    }

    /// Returns the side on an axis, `None` if the world does not wrap there.
    #[inline(always)]
    pub(super) fn side(&self, axis: usize) -> Option<S> {
        let side = self.sides[axis];
        (side > S::ZERO).then_some(side)
    }

    /// Returns a box moved home; `None` if `min` and `max` are the same infinity on an axis that
    /// wraps. The box must not be inverted.
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

    /// Returns a box moved down by one side on each axis that wraps.
    pub(super) fn image_below(&self, bounds: &Aabb<S, D>) -> Aabb<S, D> {
        let below = |ends: [S; D]| from_fn(|axis| ends[axis].minus(self.sides[axis]));
        Aabb { min: below(bounds.min), max: below(bounds.max) }
    }

    /// Returns whether a home box crosses a seam.
    #[inline]
    pub(super) fn crosses(&self, bounds: &Aabb<S, D>) -> bool {
        (0..D).any(|axis| self.crosses_on(axis, bounds))
    }

    #[inline]
    pub(super) fn crosses_on(&self, axis: usize, bounds: &Aabb<S, D>) -> bool {
        self.side(axis).is_some_and(|side| bounds.max[axis] >= side)
    }

    /// Returns the images of two home boxes that are nearest to each other: on each axis one of the
    /// boxes may be moved down by one side.
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

    /// Returns whether two home boxes overlap, also across seams.
    #[inline]
    pub(super) fn overlap(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> bool {
        let (a, b) = self.nearest(a, b);
        a.overlaps(&b)
    }

    /// Returns whether a home region and a home box overlap, also across seams.
    #[inline]
    pub(super) fn within(&self, region: &Region<S, D>, bounds: &Aabb<S, D>) -> bool {
        let (a, b) = self.nearest(&region.bounds(), bounds);
        Region::around(a, region.radius()).overlaps(&b)
    }
}

/// Returns an interval moved home; `None` if both ends are the same infinity. The interval must not
/// be inverted.
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
    // The remainder and the difference are exact: the remainder of a division by a power of two has
    // no more digits than the dividend.
    let rest = S::from_f64(min.to_f64() % side.to_f64());
    let mut base = min.minus(rest);
    if rest < S::ZERO && rest.plus(side) < side {
        base = base.minus(side);
    }
    // Just below the seam the result may round to the seam, which is 0.
    let home = |x: S| {
        let x = x.minus(base).canonical();
        if x > S::ZERO { x } else { S::ZERO }
    };
    let (min, max) = (home(min), home(max));
    Some(if is_short(min, max) { (min, max) } else { (S::ZERO, side) })
}
