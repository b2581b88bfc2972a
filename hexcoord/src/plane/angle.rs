//! Angles as 16-bit fractions of a turn. They wrap without extra code.

use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use super::Rotation;

/// An angle in units of 2^-16 turns, positive from axis a towards axis b.
///
/// A full turn is 65 536 units, so angles wrap as the integers do. A sixth is not a whole number of
/// units: for exact sixths use [`Hex::rotated`](crate::Hex::rotated).
///
/// ```
/// use hexcoord::Angle;
///
/// assert_eq!(Angle(0xffff) + Angle(2), Angle(1));
/// assert_eq!(Angle::from_degrees(90.0), Angle(0x4000));
/// assert_eq!(Angle(0x8000).to_degrees(), 180.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct Angle(
    /// Units of 1/65 536 turn.
    pub u16,
);

impl Angle {
    /// The zero angle.
    pub const ZERO: Self = Self(0);
    /// A quarter turn, 90°.
    pub const QUARTER: Self = Self(0x4000);
    /// Half a turn, 180°.
    pub const HALF: Self = Self(0x8000);

    /// Returns the angle nearest to a number of degrees; zero if `degrees` is not finite.
    #[must_use]
    pub fn from_degrees(degrees: f64) -> Self {
        Self::from_turns(degrees / 360.0)
    }

    /// Returns the angle nearest to a number of radians; zero if `radians` is not finite.
    #[must_use]
    pub fn from_radians(radians: f64) -> Self {
        Self::from_turns(radians / core::f64::consts::TAU)
    }

    fn from_turns(turns: f64) -> Self {
        if !turns.is_finite() {
            return Self::ZERO;
        }
        // Reduce below one turn first: the conversion to an integer saturates.
        let whole_turns = turns as i64 as f64;
        let units = (turns - whole_turns) * 65_536.0;
        let rounded = if units < 0.0 { units - 0.5 } else { units + 0.5 };
        Self(rounded as i32 as u16)
    }

    /// Returns the angle in degrees, in [0, 360); exact.
    #[must_use]
    pub fn to_degrees(self) -> f64 {
        f64::from(self.0) / 65_536.0 * 360.0
    }

    /// Returns the angle in radians, in [0, 2π).
    #[must_use]
    pub fn to_radians(self) -> f64 {
        f64::from(self.0) / 65_536.0 * core::f64::consts::TAU
    }

    /// Returns the rotation by this angle.
    #[inline]
    #[must_use]
    pub fn rotation(self) -> Rotation {
        Rotation::new(self)
    }

    /// Returns the direction of the vector (a, b), measured from axis a.
    ///
    /// 1. Rotate by sixths of a turn until the vector is between the axes a and b.
    /// 2. Approximate the angle by b / (a + b) sixths and correct it with a cubic, to within 0.1°.
    /// 3. Rotate the vector back by that and add the remaining angle, computed from its tangent (a
    ///    step of Newton's method). The only error is the final rounding.
    pub(super) fn of(a: i32, b: i32) -> Self {
        /// √3 · 65 536 / 2π in units of 2^-8: converts ratios of oblique components to angle units.
        const TANGENT_TO_UNITS: i64 = 4_624_882;
        if a == 0 && b == 0 {
            return Self::ZERO;
        }
        let (mut x, mut y, mut sixths) = (i64::from(a), i64::from(b), 0);
        while x <= 0 || y < 0 {
            (x, y) = (x + y, -x);
            sixths += 1;
        }
        // Fraction of a sixth in units of 2^-16, corrected by 3/16 · t (1 − t) (2t − 1).
        let t = (y << 16) / (x + y);
        let corrected = t + ((3 * t * (65_536 - t)) >> 20) * (2 * t - 65_536) / 65_536;
        let first = Self((((sixths << 16) + corrected) / 6) as u16);
        let [along, across] = first.rotation().inverse().rotate_exact([i64::from(a), i64::from(b)]);
        let double = 2 * i128::from(along) + i128::from(across);
        // Reduce to 40 significant bits, enough for 16-bit angles: the division fits 64 bits.
        let excess = (128 - double.leading_zeros()).saturating_sub(40);
        let (double, across) = ((double >> excess) as i64, across >> excess);
        let units = (2 * across * TANGENT_TO_UNITS).div_euclid(double << 8);
        first + Self(((units + 1) >> 1) as u16)
    }
}

impl Add for Angle {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl Sub for Angle {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl Neg for Angle {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.wrapping_neg())
    }
}

impl AddAssign for Angle {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Angle {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
