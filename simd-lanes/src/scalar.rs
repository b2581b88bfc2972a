//! The number types of coordinates, `f32`, `f64` and `i32`, and their arithmetic.

use core::fmt::{Debug, Display};

use crate::keys::NumberKeys;
use crate::measure::Measure;

/// The type of a coordinate: `f32`, `f64` or `i32`. The trait is sealed.
///
/// Kernels compare the order-preserving keys of numbers; see [`Keys`](crate::Keys).
///
/// ```
/// # extern crate simd_lanes as hexphase;
/// use hexphase::Scalar;
///
/// assert_eq!(i32::MAX.plus(1), i32::MAX);
/// assert_eq!(0.5f32.plus(0.25), 0.75);
/// assert!(1f64.next_above() > 1.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number type of coordinates",
    label = "expected `f32`, `f64` or `i32`"
)]
pub trait Scalar:
    Copy + PartialEq + PartialOrd + Default + Debug + Display + Send + Sync + Measure + 'static
{
    /// The name of the type: `"f32"`, `"f64"` or `"i32"`.
    const NAME: &'static str;
    /// Whether structures are compiled for this type, that is, whether the type is a [`Number`].
    #[doc(hidden)]
    const COMPILED: bool;
    /// The number 0.
    const ZERO: Self;
    /// The smallest finite number.
    const MIN: Self;
    /// The largest finite number.
    const MAX: Self;
    /// Whether the type is an integer type.
    const INTEGER: bool;
    /// The order-preserving keys of the type; called through [`Keys`](crate::Keys).
    #[doc(hidden)]
    type Keys: NumberKeys<Number = Self>;

    /// Returns whether this is neither NaN nor infinite; always `true` for integers.
    fn is_finite(self) -> bool;
    /// Returns the number, with −0 replaced by 0.
    #[must_use]
    fn canonical(self) -> Self;
    /// Returns the sum. Integers saturate, floats may become infinite.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// Returns the difference. Integers saturate, floats may become infinite.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// Returns the midpoint of the two numbers, without overflow. Integers round towards zero.
    #[must_use]
    fn middle(self, other: Self) -> Self;
    /// Returns half of `other - self >= 0`, without overflow. Integers round up and saturate.
    #[must_use]
    fn half_way(self, other: Self) -> Self;
    /// Converts to the nearest `f64`; exact for all three types.
    fn to_f64(self) -> f64;
    /// Converts to the nearest number, ties to even. Integers saturate and turn NaN into 0.
    fn from_f64(x: f64) -> Self;

    /// Returns the largest number below this one. At the end of the range integers saturate, and
    /// floats become infinite.
    #[must_use]
    fn next_below(self) -> Self;
    /// Returns the smallest number above this one. At the end of the range integers saturate, and
    /// floats become infinite.
    #[must_use]
    fn next_above(self) -> Self;
    /// Returns the largest number below this one if `condition` is set, otherwise this one, without
    /// branches. If `condition` is set, the number must not be 0, infinite or NaN.
    #[doc(hidden)]
    #[must_use]
    fn next_below_if(self, condition: bool) -> Self;
    /// Returns the smallest number above this one if `condition` is set, as in
    /// [`next_below_if`](Self::next_below_if).
    #[doc(hidden)]
    #[must_use]
    fn next_above_if(self, condition: bool) -> Self;
}

/// A [`Scalar`] for which worlds and structures are compiled: `f32`, and `f64` and `i32` if the
/// feature of the same name is enabled.
///
/// Each enabled type lengthens the first build only. One crate of a program must enable it.
///
/// ```
/// # extern crate simd_lanes as hexphase;
/// use hexphase::Number;
///
/// fn sum<S: Number>(a: S, b: S) -> S {
///     a.plus(b)
/// }
/// assert_eq!(sum(1.0f32, 2.0), 3.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a compiled number type",
    label = "not compiled",
    note = "`f32` is always compiled; `f64` needs `cargo add hexphase --features f64`; \
            `i32` needs `cargo add hexphase --features i32`; there are no other number types",
    note = "generic code needs the bound `Number`"
)]
pub trait Number: Scalar {}

impl Number for f32 {}
#[cfg(feature = "f64")]
impl Number for f64 {}
#[cfg(feature = "i32")]
impl Number for i32 {}

macro_rules! float_scalar {
    ($F:ty, $name:literal, compiled: $compiled:expr) => {
        impl Scalar for $F {
            const NAME: &'static str = $name;
            const COMPILED: bool = $compiled;
            const ZERO: Self = 0.0;
            const MIN: Self = Self::MIN;
            const MAX: Self = Self::MAX;
            const INTEGER: bool = false;
            type Keys = Self;

            #[inline(always)]
            fn is_finite(self) -> bool {
                self.is_finite()
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                self + 0.0
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn middle(self, other: Self) -> Self {
                self.midpoint(other)
            }
            #[inline(always)]
            fn half_way(self, other: Self) -> Self {
                other * 0.5 - self * 0.5
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as Self
            }
            #[inline(always)]
            fn next_below(self) -> Self {
                self.next_down()
            }
            #[inline(always)]
            fn next_above(self) -> Self {
                self.next_up()
            }
            #[inline(always)]
            fn next_below_if(self, condition: bool) -> Self {
                -(-self).next_above_if(condition)
            }
            #[inline(always)]
            fn next_above_if(self, condition: bool) -> Self {
                let (bits, step) = (self.to_bits(), condition.into());
                let is_negative = bits >> (8 * size_of::<Self>() - 1);
                Self::from_bits(bits.wrapping_add(step).wrapping_sub(2 * (step & is_negative)))
            }
        }
    };
}
float_scalar!(f32, "f32", compiled: true);
float_scalar!(f64, "f64", compiled: cfg!(feature = "f64"));

impl Scalar for i32 {
    const NAME: &'static str = "i32";
    const COMPILED: bool = cfg!(feature = "i32");
    const ZERO: Self = 0;
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const INTEGER: bool = true;
    type Keys = Self;

    #[inline(always)]
    fn is_finite(self) -> bool {
        true
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        self
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
    #[inline(always)]
    fn middle(self, other: Self) -> Self {
        self.midpoint(other)
    }
    #[inline(always)]
    fn half_way(self, other: Self) -> Self {
        let half = (i64::from(other) - i64::from(self) + 1) / 2;
        if half > i64::from(Self::MAX) { Self::MAX } else { half as Self }
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        // Adding and subtracting 1.5 · 2^52 rounds to an integer, ties to even. From 2^51 on the
        // cast saturates.
        const ROUND: f64 = 6_755_399_441_055_744.0;
        if x > -2_251_799_813_685_248.0 && x < 2_251_799_813_685_248.0 {
            (x + ROUND - ROUND) as Self
        } else {
            x as Self
        }
    }
    #[inline(always)]
    fn next_below(self) -> Self {
        self.saturating_sub(1)
    }
    #[inline(always)]
    fn next_above(self) -> Self {
        self.saturating_add(1)
    }
    #[inline(always)]
    fn next_below_if(self, condition: bool) -> Self {
        self.saturating_sub(condition.into())
    }
    #[inline(always)]
    fn next_above_if(self, condition: bool) -> Self {
        self.saturating_add(condition.into())
    }
}
