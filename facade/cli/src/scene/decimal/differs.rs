//! The test whether a number was rounded when it was read as a float.
//!
//! 1. Short numbers are compared as floats, with a bound of the error.
//! 2. If the result is not certain, numbers are compared as integers of 128 bits.
//! 3. If these overflow, digits are compared.

use core::cmp::Ordering;
use core::fmt::LowerExp;

use super::{Decimal, POWERS, SHORT_POWERS};

impl Decimal {
    /// Returns whether the number is neither the shortest decimal of `value`, its nearest value in a
    /// type with this number of exact decimal digits, nor `value` rounded to as many digits.
    #[inline]
    pub(crate) fn differs<S: Into<f64> + LowerExp + Copy>(self, value: S, digits: u32) -> bool {
        let short = self.short();
        let differs = short.and_then(|(mantissa, decimals)| {
            short_differs(mantissa, decimals, value.into(), digits)
        });
        differs.unwrap_or_else(|| self.long_differs(value, digits))
    }

    /// Does the work of [`differs`](Self::differs) for any number.
    #[inline(never)]
    fn long_differs<S: Into<f64> + LowerExp + Copy>(self, value: S, digits: u32) -> bool {
        let is_short = self.mantissa.unsigned_abs() < POWERS[digits as usize].unsigned_abs();
        if is_short && self.decimals().is_some() {
            return false;
        }
        self.differs_from(value.into()).unwrap_or_else(|| self.differs_in_digits(value))
    }

    /// Does the work of [`differs`](Self::differs) with integers; `None` if it is not certain.
    pub(super) fn differs_from(self, value: f64) -> Option<bool> {
        /// The number of bits of the significand after the leading one.
        const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
        /// The exponent of the last bit of the significand is the biased exponent minus this bias.
        const BIAS: i64 = 1075;
        let bits = value.abs().to_bits();
        let fraction = bits & ((1 << FRACTION) - 1);
        let significand = fraction | 1 << FRACTION;
        // An `f32` has zeros at the end, without which more products fit.
        let zeros = significand.trailing_zeros();
        let shift = BIAS - (bits >> FRACTION) as i64 - i64::from(zeros);
        // The value is `significand / 2^down`, or `significand × 2^up`.
        let [down, up] = [shift, -shift].map(|shift| shift.max(0));
        let mantissa = self.mantissa.unsigned_abs();
        let significand = u128::from(significand >> zeros);
        // Two bits remain free: `error` below is a difference, and is doubled.
        let fits = |x: u128, shift: i64| shift + 2 < i64::from(x.leading_zeros());
        if !fits(mantissa, down) || !fits(significand, up) || bits >> FRACTION == 0 {
            return None;
        }
        let power = POWERS[self.decimals()?].unsigned_abs();
        let product = (significand << up).checked_mul(power).filter(|&product| fits(product, 0))?;
        let error = (mantissa << down).abs_diff(product);
        match (2 * error).cmp(&(1 << down)) {
            Ordering::Less => Some(false),
            // Exactly between two decimals, of which the even one is the value with as many digits.
            Ordering::Equal => mantissa.is_multiple_of(2).then_some(false),
            Ordering::Greater if mantissa.is_multiple_of(10) && self.exponent < 0 => {
                Self { mantissa: self.mantissa / 10, exponent: self.exponent + 1 }
                    .differs_from(value)
            }
            Ordering::Greater if mantissa.is_multiple_of(10) => None,
            // As in [`short_differs`].
            Ordering::Greater => (fraction != 0).then_some(true),
        }
    }

    /// Does the work of [`differs`](Self::differs) for any number: compares digits.
    #[cold]
    pub(super) fn differs_in_digits(self, value: impl LowerExp) -> bool {
        let number = self.without_zeros();
        let digits = number.mantissa.unsigned_abs().checked_ilog10().unwrap_or(0) as usize;
        let equals = |text: String| Self::new(&text).map(Self::without_zeros) == Some(number);
        // The results differ only if the value is halfway between two decimals.
        !equals(format!("{value:.digits$e}")) && !equals(format!("{value:e}"))
    }

    pub(super) const fn without_zeros(mut self) -> Self {
        if self.mantissa == 0 {
            self.exponent = 0;
        }
        while self.mantissa != 0 && self.mantissa % 10 == 0 && self.exponent < i32::MAX {
            self = Self { mantissa: self.mantissa / 10, exponent: self.exponent + 1 };
        }
        self
    }
}

/// Does the work of [`Decimal::differs`] with floats; `None` if the result is not certain.
#[inline]
fn short_differs(mut mantissa: i64, mut decimals: usize, value: f64, digits: u32) -> Option<bool> {
    loop {
        if mantissa.unsigned_abs() < SHORT_POWERS[digits as usize].unsigned_abs() {
            return Some(false);
        }
        // The distance to the value and a bound of its rounding error, in units of the last digit.
        let number = mantissa as f64;
        let error = (number - value * SHORT_POWERS[decimals] as f64).abs();
        let slack = 2.0 * f64::EPSILON * number.abs();
        if error + slack < 0.5 {
            return Some(false);
        }
        if mantissa % 10 != 0 || decimals == 0 {
            // The nearest decimal with as many digits parses to the value, too. So if the last
            // digit of the number is not 0, it is not the shortest decimal. If the value is a power
            // of two, this is not certain, because the values below it are closer than those above.
            let fraction = value.to_bits() & ((1 << (f64::MANTISSA_DIGITS - 1)) - 1);
            let is_certain = error - slack > 0.5 && fraction != 0 && mantissa % 10 != 0;
            return is_certain.then_some(true);
        }
        mantissa /= 10;
        decimals -= 1;
    }
}
