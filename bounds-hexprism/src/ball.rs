//! Balls: intervals, discs and balls in one, two and three dimensions.

use simd_lanes::{Scalar, array_of, assert_dimensions};

use crate::{Aabb, Bounds, InvalidBounds};

/// A ball: the points at most a radius from its center; in two dimensions a disc.
///
/// Two balls overlap if the distance of their centers is at most the sum of their radii; touching
/// counts. Integers are compared exactly. Floats round the distance on each axis, the sum of the
/// radii, and the squares: if the distance differs from the sum by less than four float steps,
/// either result is possible. Squares that would overflow or underflow are scaled.
///
/// A ball is plain data: fields may hold any numbers, and structures [validate](Bounds::checked)
/// balls that are inserted.
///
/// ```
/// # extern crate bounds_hexprism as hexphase;
/// use hexphase::{Ball, Bounds};
///
/// let ship = Ball::new([0.0f32, 0.0], 3.0);
/// let rock = Ball::new([3.0, 4.0], 2.0);
/// assert!(ship.overlaps(&rock)); // they touch
/// let corner = Ball::new([2.5, 2.5], 0.5);
/// assert!(!ship.overlaps(&corner) && ship.aabb().overlaps(&corner.aabb()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "crate::serialization::UncheckedBall<S, D>",
        bound(serialize = "S: serde::Serialize"),
        bound(deserialize = "S: Scalar + serde::Deserialize<'de>"),
    )
)]
pub struct Ball<S = f32, const D: usize = 2> {
    /// The center.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::serialization::write_array"))]
    pub center: [S; D],
    /// The radius; 0 for a point.
    pub radius: S,
}

impl<S: Scalar, const D: usize> Ball<S, D> {
    /// Creates the ball with this center and radius, without validation.
    #[inline]
    #[must_use]
    pub fn new(center: impl Into<[S; D]>, radius: S) -> Self {
        const { assert_dimensions(D) };
        Self { center: center.into(), radius }
    }
}

/// Returns `a + b - sum` for the rounded sum (`TwoSum` of Knuth); exact, 0 for integers.
#[inline]
fn sum_error<S: Scalar>(a: S, b: S, sum: S) -> S {
    if S::INTEGER {
        return S::ZERO;
    }
    let (part_b, part_a) = (sum.minus(a), sum.minus(sum.minus(a)));
    a.minus(part_a).plus(b.minus(part_b))
}

impl<S: Scalar, const D: usize> Bounds<S, D> for Ball<S, D> {
    /// Returns the smallest box around the ball, rounded outwards. Integers saturate.
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        let Self { center, radius } = *self;
        // A sum or difference that is rounded is neither 0 nor infinite.
        let rounding = |axis: usize, radius: S, end: S| sum_error(center[axis], radius, end);
        Aabb {
            min: array_of(|axis| {
                let min = center[axis].minus(radius);
                min.next_below_if(rounding(axis, S::ZERO.minus(radius), min) < S::ZERO)
            }),
            max: array_of(|axis| {
                let max = center[axis].plus(radius);
                max.next_above_if(rounding(axis, radius, max) > S::ZERO)
            }),
        }
    }

    /// Returns whether the two balls overlap; touching counts. `false` if their boxes do not
    /// overlap.
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        S::balls_overlap([&self.center, &other.center], [self.radius, other.radius])
            && self.aabb().overlaps(&other.aabb())
    }

    /// Validates the ball for storage, and replaces −0 with 0.
    ///
    /// # Errors
    /// If the radius is negative, or the center or radius is NaN or infinite, or the box around the
    /// ball is infinite or out of the range of the integer type. A radius counts as axis 0.
    #[inline(always)]
    fn checked(self) -> Result<Self, InvalidBounds> {
        if self.radius < S::ZERO {
            return Err(InvalidBounds::Inverted { axis: 0 });
        }
        // The box is computed from the result, so that inlined callers compute it once.
        let ball = Self {
            center: array_of(|axis| self.center[axis].canonical()),
            radius: self.radius.canonical(),
        };
        let bounds = ball.aabb().checked()?;
        for axis in 0..if S::INTEGER { D } else { 0 } {
            let ends = [bounds.min[axis].plus(ball.radius), bounds.max[axis].minus(ball.radius)];
            if ends != [ball.center[axis]; 2] {
                return Err(InvalidBounds::OutOfRange { axis });
            }
        }
        Ok(ball)
    }

    /// Returns the ball moved by an offset, or `None` if the center leaves the number range. The
    /// radius grows by the rounding error of the center, so the result contains the exact ball.
    fn translated(&self, by: [S; D]) -> Option<Self> {
        let mut moved = *self;
        let mut error = S::ZERO;
        for (axis, by) in by.into_iter().enumerate() {
            let (from, to) = (self.center[axis], self.center[axis].plus(by));
            let inside = if S::INTEGER { to.minus(by) == from } else { to.is_finite() };
            if !inside {
                return None;
            }
            moved.center[axis] = to;
            let off = sum_error(from, by, to);
            if off != S::ZERO {
                let off = if off < S::ZERO { S::ZERO.minus(off) } else { off };
                error = error.plus(off).next_above();
            }
        }
        if error > S::ZERO {
            moved.radius = self.radius.plus(error).next_above();
        }
        Some(moved)
    }
}
