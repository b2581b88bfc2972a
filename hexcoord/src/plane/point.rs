//! Points of the plane in oblique coordinates, fixed-point and float.

use core::fmt;
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use super::coordinate::{Coordinate, Float};
use crate::hex::Hex;

/// A point, or the way from one to another, in oblique coordinates.
///
/// Axes a and b are 60° apart and drawn in the [crate documentation](crate); c = −a − b is
/// derived. Fixed-point coordinates (`i32`, the default) count units of which a [`Grid`] says how
/// many make a cell; float coordinates are usually in units of cells.
///
/// Integer arithmetic wraps, so that the plane is a torus and nothing panics. What is said about
/// lengths, angles and rotations holds for |a|, |b| ≤ 2^29 = 536 870 912; where a result beyond is
/// defined too, its documentation says so.
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
    /// The coordinate along axis a.
    pub a: S,
    /// The coordinate along axis b.
    pub b: S,
}

impl<S> Point<S> {
    /// The point with these coordinates.
    #[inline(always)]
    #[must_use]
    pub const fn new(a: S, b: S) -> Self {
        Self { a, b }
    }
}

impl<S: Coordinate> Point<S> {
    /// The point (0, 0).
    pub const ORIGIN: Self = Self::new(S::ZERO, S::ZERO);

    /// The third coordinate, −a − b.
    #[inline(always)]
    #[must_use]
    pub fn c(self) -> S {
        S::ZERO.sub(self.a).sub(self.b)
    }
}

impl<S: Float> Point<S> {
    /// The centre of a cell, in units of cells; rounded beyond the type's integers.
    #[inline]
    #[must_use]
    pub fn center(cell: Hex) -> Self {
        Self::new(S::of_i32(cell.q), S::of_i32(cell.r))
    }

    /// The cell that holds the point, in units of cells; on borders the greatest one.
    ///
    /// Borders are decided exactly on what is left of the coordinates when they are rounded down.
    /// That is exact too but for coordinates between −1/2 and 0, where it is rounded to 2^-25
    /// (`f64`: 2^-54). A coordinate that is NaN or beyond the range of `i32` is in `i32::MIN`.
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
