//! Conversion between oblique and Cartesian coordinates, and Euclidean lengths and angles.
//!
//! Axis b is parallel to y; axis a is 30° from x towards y:
//!
//! ```text
//!     ┌ a ┐   ┌  √2/√3     0   ┐ ┌ x ┐        ┌ x ┐   ┌ √3/√2   0  ┐ ┌ a ┐
//!     │ b │ = │ −1/√6    1/√2  │ └ y ┘        └ y ┘ = └ 1/√2    √2 ┘ └ b ┘
//!     └ c ┘   └ −1/√6   −1/√2  ┘
//! ```

use super::coordinate::Coordinate;
use super::{Angle, Point};

impl<S: Coordinate> Point<S> {
    /// Returns the point at Cartesian `[x, y]` in the same unit: a² + b² + c² = x² + y².
    ///
    /// Axis b is parallel to y, axis a is 30° from x towards y. For |x|, |y| ≤ 2^29, the error of
    /// integer results is less than 1 unit per coordinate; beyond, they wrap. Floats round each
    /// product and sum once. The matrices are from "Hexagonal coordinate representations in
    /// Hexeline".
    ///
    /// ```
    /// use hexcoord::Point;
    ///
    /// let p = Point::from_cartesian([1000, 0]);
    /// assert_eq!([p.a, p.b, p.c()], [816, -408, -408]);
    /// assert_eq!(p.to_cartesian(), [999, 0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn from_cartesian(xy: [S; 2]) -> Self {
        S::from_cartesian(xy)
    }

    /// Returns the Cartesian `[x, y]` of the point in the same unit.
    ///
    /// For |a|, |b| ≤ 2^29, the error of integers is less than 1 unit; beyond, they wrap.
    #[inline]
    #[must_use]
    pub fn to_cartesian(self) -> [S; 2] {
        S::to_cartesian(self)
    }
}

impl Point {
    /// Returns the Euclidean dot product: the sum of the products of a, b and c.
    ///
    /// The result is exact for coordinates up to ±2^30 and wraps modulo 2^64 beyond.
    #[inline]
    #[must_use]
    pub const fn dot(self, other: Self) -> i64 {
        let [a, b] = [self.a as i64, self.b as i64];
        let [x, y] = [other.a as i64, other.b as i64];
        (a * x).wrapping_add(b * y).wrapping_add((a + b).wrapping_mul(x + y))
    }

    /// Returns the signed area of the parallelogram of two vectors, in units of the rhombus (1, 0),
    /// (0, 1); positive if the turn to `other` goes from a towards b.
    ///
    /// The result is exact for coordinates up to ±2^30 and wraps modulo 2^64 beyond.
    #[inline]
    #[must_use]
    pub const fn cross(self, other: Self) -> i64 {
        (self.a as i64 * other.b as i64).wrapping_sub(self.b as i64 * other.a as i64)
    }

    /// Returns the Euclidean length, rounded down; exact for every `i32`.
    ///
    /// ```
    /// use hexcoord::Point;
    ///
    /// assert_eq!(Point::new(512, 0).length(), 724); // 512 √2
    /// assert_eq!(Point::new(i32::MIN, i32::MIN).length(), 5_260_239_168);
    /// ```
    #[must_use]
    pub const fn length(self) -> u64 {
        let [a, b] = [self.a as i128, self.b as i128];
        let half = (a * a + a * b + b * b) as u64;
        if half < 1 << 63 { (2 * half).isqrt() } else { (2 * half as u128).isqrt() as u64 }
    }

    /// Returns the direction from the origin, from axis a towards axis b; zero for the origin.
    ///
    /// Computed in integers. The error is at most 0.51 units of 2^-16 turns for every `i32`, so the
    /// result is the nearest angle or almost as near.
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
