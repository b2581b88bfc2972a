//! Points of the plane in oblique coordinates, fixed-point and float.

use core::fmt;
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use super::coordinate::{Coordinate, Float};
use crate::hex::Hex;

/// A point, or the offset between two points, in oblique coordinates.
///
/// The axes a and b are 60° apart, as drawn in the [crate documentation](crate); c = −a − b is
/// derived. Fixed-point coordinates (`i32`, the default) are in units; a [`Grid`] sets the units
/// per cell. Float coordinates are usually in cell units.
///
/// Integer arithmetic wraps: the plane is a torus, and no operation panics. The documented accuracy
/// of lengths, angles and rotations applies for |a|, |b| ≤ 2^29, unless documented otherwise.
///
/// ```
/// use hexcoord::Point;
///
/// let p = Point::new(300, -100);
/// assert_eq!(p.c(), -200);
/// assert_eq!(p + Point::new(1, 1), Point::from([301, -99]));
/// // a² + b² + c² is the squared Euclidean length: one unit along an axis is √2 long.
/// assert_eq!(Point::new(3, 0).dot(Point::new(3, 0)), 18);
/// ```
///
/// [`Grid`]: crate::Grid
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::AnyBitPattern))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Point<S = i32> {
    /// Coordinate along axis a.
    pub a: S,
    /// Coordinate along axis b.
    pub b: S,
}

impl<S> Point<S> {
    /// Creates a point from its coordinates.
    #[inline(always)]
    #[must_use]
    pub const fn new(a: S, b: S) -> Self {
        Self { a, b }
    }
}

impl<S: Coordinate> Point<S> {
    /// The point (0, 0).
    pub const ORIGIN: Self = Self::new(S::ZERO, S::ZERO);

    /// Returns the third coordinate, −a − b.
    #[inline(always)]
    #[must_use]
    pub fn c(self) -> S {
        S::ZERO.sub(self.a).sub(self.b)
    }
}

impl<S: Float> Point<S> {
    /// Returns the center of a cell, in cell units, rounded to the coordinate type.
    #[inline]
    #[must_use]
    pub fn center(cell: Hex) -> Self {
        Self::new(S::of_i32(cell.q), S::of_i32(cell.r))
    }

    /// Returns the cell that contains the point, in cell units; on borders the greatest cell.
    ///
    /// Borders are detected exactly, by the fractions that remain after rounding down. These are
    /// exact, except for coordinates between −1/2 and 0: there they are rounded to 2^-25 (`f64`:
    /// 2^-54). A coordinate that is NaN or out of the range of `i32` becomes `i32::MIN`.
    ///
    /// ```
    /// use hexcoord::{Point, hex};
    ///
    /// assert_eq!(Point::new(1.25, -0.2).cell(), hex(1, 0));
    /// assert_eq!(Point::new(0.5, 0.0).cell(), hex(1, 0)); // on an edge
    /// ```
    #[inline]
    #[must_use]
    pub fn cell(self) -> Hex {
        S::cell(self)
    }
}

macro_rules! from_and_to_arrays {
    ($($S:ty)+) => {$(
        impl From<[$S; 2]> for Point<$S> {
            #[inline(always)]
            fn from([a, b]: [$S; 2]) -> Self {
                Self { a, b }
            }
        }

        impl From<Point<$S>> for [$S; 2] {
            #[inline(always)]
            fn from(point: Point<$S>) -> Self {
                [point.a, point.b]
            }
        }
    )+};
}

from_and_to_arrays!(i32 f32 f64);

impl<S: Coordinate> Add for Point<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.a.add(other.a), self.b.add(other.b))
    }
}

impl<S: Coordinate> Sub for Point<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.a.sub(other.a), self.b.sub(other.b))
    }
}

impl<S: Coordinate> Mul<S> for Point<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, n: S) -> Self {
        Self::new(self.a.mul(n), self.b.mul(n))
    }
}

impl<S: Coordinate> Neg for Point<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::ORIGIN - self
    }
}

impl<S: Coordinate> AddAssign for Point<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<S: Coordinate> SubAssign for Point<S> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<S: fmt::Display> fmt::Display for Point<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.a, self.b)
    }
}
