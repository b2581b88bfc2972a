//! Points of the plane in oblique coordinates, fixed-point and float.

use core::fmt;
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use super::Angle;

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
/// // a² + b² + c² is the squared Euclidean length: all three axes are √2 long.
/// assert_eq!(Point::new(3, 0).dot(Point::new(3, 0)), 18);
/// ```
///
/// [`Grid`]: crate::Grid
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::AnyBitPattern))]
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

impl Point {
    /// The point (0, 0).
    pub const ORIGIN: Self = Self::new(0, 0);

    /// The third coordinate, −a − b; wraps.
    #[inline(always)]
    #[must_use]
    pub const fn c(self) -> i32 {
        0i32.wrapping_sub(self.a).wrapping_sub(self.b)
    }

    /// The Euclidean scalar product: the sum of the products of a, b and c.
    ///
    /// Exact for coordinates up to ±2^30, wraps modulo 2^64 beyond.
    #[inline]
    #[must_use]
    pub const fn dot(self, other: Self) -> i64 {
        let [a, b] = [self.a as i64, self.b as i64];
        let [x, y] = [other.a as i64, other.b as i64];
        (a * x).wrapping_add(b * y).wrapping_add((a + b).wrapping_mul(x + y))
    }

    /// The signed area of the parallelogram, in units of the rhombus (1, 0), (0, 1): positive if
    /// `other` lies from this one on the way from a to b.
    ///
    /// Exact for coordinates up to ±2^30, wraps modulo 2^64 beyond.
    #[inline]
    #[must_use]
    pub const fn cross(self, other: Self) -> i64 {
        (self.a as i64 * other.b as i64).wrapping_sub(self.b as i64 * other.a as i64)
    }

    /// The Euclidean length, rounded down; exact for every `i32`.
    ///
    /// ```
    /// use hexcoord::Point;
    ///
    /// assert_eq!(Point::new(512, 0).length(), 724); // 512 √2
    /// assert_eq!(Point::new(i32::MIN, i32::MIN).length(), 5_260_268_895);
    /// ```
    #[must_use]
    pub const fn length(self) -> u64 {
        let [a, b] = [self.a as i128, self.b as i128];
        let half = (a * a + a * b + b * b) as u64;
        if half < 1 << 63 { (2 * half).isqrt() } else { (2 * half as u128).isqrt() as u64 }
    }

    /// The direction of the point as seen from the origin, counted from axis a towards axis b;
    /// zero for the origin.
    ///
    /// Integers only. The result is within 0.51 of the true direction in units of 2^-16 turns, for
    /// every `i32`: it is the nearest angle, or the second nearest of two almost equally near.
    ///
    /// ```
    /// use hexcoord::{Angle, Point};
    ///
    /// assert_eq!(Point::new(5, 0).angle(), Angle(0));
    /// assert_eq!(Point::new(-1, 2).angle(), Angle(0x4000)); // a quarter turn
    /// assert_eq!(Point::new(0, 7).angle(), Angle::from_degrees(60.0));
    /// ```
    #[must_use]
    pub fn angle(self) -> Angle {
        Angle::of(self.a, self.b)
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

/// How each number type adds, subtracts, multiplies and negates.
macro_rules! arithmetic {
    ($S:ty, $add:expr, $sub:expr, $mul:expr) => {
        impl Add for Point<$S> {
            type Output = Self;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self::new($add(self.a, other.a), $add(self.b, other.b))
            }
        }

        impl Sub for Point<$S> {
            type Output = Self;

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self::new($sub(self.a, other.a), $sub(self.b, other.b))
            }
        }

        impl Mul<$S> for Point<$S> {
            type Output = Self;

            #[inline(always)]
            fn mul(self, n: $S) -> Self {
                Self::new($mul(self.a, n), $mul(self.b, n))
            }
        }

        impl Neg for Point<$S> {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                Self::default() - self
            }
        }

        impl AddAssign for Point<$S> {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl SubAssign for Point<$S> {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
    };
}

arithmetic!(i32, i32::wrapping_add, i32::wrapping_sub, i32::wrapping_mul);
arithmetic!(f32, f32::add, f32::sub, f32::mul);
arithmetic!(f64, f64::add, f64::sub, f64::mul);

impl<S: fmt::Display> fmt::Display for Point<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.a, self.b)
    }
}
