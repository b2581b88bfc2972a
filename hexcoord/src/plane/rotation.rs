//! Rotations of the integer plane, without floats.
//!
//! Rotation by θ maps (a, b) to
//!
//! ```text
//!     ┌ C − U   −2U  ┐ ┌ a ┐        C = cos θ
//!     └  2U    C + U ┘ └ b ┘        U = sin θ / √3
//! ```
//!
//! This is multiplication by the complex number C + U √−3, where the matrix J = (−1, −2; 2, 1)
//! stands for √−3: J J = −3. So rotations compose by multiplication, and the inverse is C − U √−3.
//!
//! C and U are in units of 2^-30, each the nearest to the true value, computed by the addition
//! theorem from two tables of 256 angles, for the high and the low byte of the angle. The tables
//! are computed at compile time in 62-bit arithmetic.

use super::{Angle, Point};

/// A rotation of the plane about the origin, precomputed for repeated use.
///
/// The error of each constant is at most 0.5 · 2^-30 plus a millionth of that. So a rotated point
/// has an error of at most (|a| + |b|) · 2^-30 + 0.5 units per axis: 1.5 units within ±2^29.
/// Integer rotations are bit-identical on every machine.
///
/// ```
/// use hexcoord::{Angle, Point};
///
/// let quarter = Angle::QUARTER.rotation();
/// let p = quarter.rotate(Point::new(1_000_000, 0));
/// assert_eq!(p, Point::new(-577_350, 1_154_701));
/// assert_eq!(p.angle(), Angle::QUARTER);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rotation {
    /// cos θ in units of 2^-30.
    re: i32,
    /// sin θ / √3 in units of 2^-30.
    im: i32,
}

/// Number of fractional bits of the rotation constants.
pub(crate) const ROTATION_FRACTION: u32 = 30;

impl Rotation {
    /// The identity rotation.
    pub const IDENTITY: Self = Self { re: 1 << ROTATION_FRACTION, im: 0 };

    /// Creates the rotation by an angle, from a towards b if positive.
    #[inline]
    pub(super) fn new(angle: Angle) -> Self {
        /// 2^62 / √3.
        const INVERSE_SQRT_3: i128 = 2_662_558_164_157_085_850;
        let [c, s] = COARSE[usize::from(angle.0 >> 8)].map(i128::from);
        let [x, y] = FINE[usize::from(angle.0 & 0xff)].map(i128::from);
        let sin = (s * x + c * y) >> 62;
        Self { re: round_to_fraction(c * x - s * y), im: round_to_fraction(sin * INVERSE_SQRT_3) }
    }

    /// Returns the constants `[cos θ, sin θ / √3]` in units of 2^-30.
    #[inline(always)]
    #[must_use]
    pub const fn constants(self) -> [i32; 2] {
        [self.re, self.im]
    }

    /// Returns the inverse rotation.
    #[inline(always)]
    #[must_use]
    pub const fn inverse(self) -> Self {
        Self { re: self.re, im: -self.im }
    }

    /// Rotates a point about the origin; wraps if the result exceeds `i32`.
    #[inline]
    #[must_use]
    pub const fn rotate(self, point: Point) -> Point {
        let [a, b] = self.rotate_exact([point.a as i64, point.b as i64]);
        Point::new(to_units(a), to_units(b))
    }

    /// Rotates a vector exactly, in units of 2^-30, for coordinates up to ±2^31.
    #[inline(always)]
    pub(crate) const fn rotate_exact(self, [a, b]: [i64; 2]) -> [i64; 2] {
        let (re, im) = (self.re as i64, self.im as i64);
        [(re - im) * a - 2 * im * b, 2 * im * a + (re + im) * b]
    }
}

/// Rounds from units of 2^-30 to whole units, to nearest with ties upwards; wraps.
#[inline(always)]
pub(super) const fn to_units(wide: i64) -> i32 {
    (wide.wrapping_add(1 << (ROTATION_FRACTION - 1)) >> ROTATION_FRACTION) as i32
}

/// Rounds from units of 2^-124 to units of 2^-30, to nearest.
#[inline(always)]
const fn round_to_fraction(wide: i128) -> i32 {
    ((wide + (1 << 93)) >> 94) as i32
}

/// `[cos, sin]` of 256ths of a turn, in units of 2^-62.
static COARSE: [[i64; 2]; 256] = {
    let mut table = [[0; 2]; 256];
    let mut i = 0;
    while i < 256 {
        let [c, s] = cos_sin((i % 64) * 256);
        table[i] = match i / 64 {
            0 => [c, s],
            1 => [-s, c],
            2 => [-c, -s],
            _ => [s, -c],
        };
        i += 1;
    }
    table
};

/// `[cos, sin]` of 65 536ths of a turn, in units of 2^-62.
static FINE: [[i64; 2]; 256] = {
    let mut table = [[0; 2]; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = cos_sin(i);
        i += 1;
    }
    table
};

/// Returns `[cos, sin]` of an angle below 90° in units of 2^-62: 14 terms of each power series.
const fn cos_sin(angle: usize) -> [i64; 2] {
    /// π / 2 in units of 2^-62.
    const QUARTER: i128 = 0x6487_ed51_10b4_611a;
    let x = QUARTER * angle as i128 / 16_384;
    let mut sums = [0; 2];
    let mut term = 1i128 << 62;
    let mut n = 0;
    while n < 28 {
        let sign = if n % 4 < 2 { 1 } else { -1 };
        sums[n % 2] += sign * term as i64;
        n += 1;
        term = ((term * x) >> 62) / n as i128;
    }
    sums
}
