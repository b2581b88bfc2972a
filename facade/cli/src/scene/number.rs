//! Parses coordinates and detects whether they were rounded.

use core::fmt::{self, LowerExp, Write};
use core::str::FromStr;

use hexphase::Scalar;

use super::decimal::Decimal;

/// A scalar that scenes can be read into.
pub(crate) trait Number: hexphase::Number {
    /// Parses a number and rounds it to the nearest value of the type.
    ///
    /// `scratch` is a buffer for digits; its content is overwritten.
    fn read(text: &str, scratch: &mut String) -> Result<Parsed<Self>, NumberError>;

    /// Returns the sum; `None` if it is out of range.
    fn sum(self, other: Self) -> Option<Self>;

    /// Returns the difference; `None` if it is out of range.
    fn difference(self, other: Self) -> Option<Self>;
}

/// A parsed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Parsed<S> {
    /// The value.
    pub(crate) value: S,
    /// Set if the value differs from the written number.
    pub(crate) rounded: bool,
}

/// The reason a text is not a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    /// The text is not a number.
    Malformed,
    /// The text is NaN.
    NotANumber,
    /// The text is infinity.
    Infinite,
    /// The number is out of the range of the scalar.
    OutOfRange,
}

impl NumberError {
    /// Returns the message that follows the quoted text.
    pub(crate) fn message<S: Scalar>(self) -> String {
        match self {
            Self::Malformed => "is not a number".into(),
            Self::NotANumber => "is not a finite number".into(),
            Self::Infinite => "is infinite".into(),
            Self::OutOfRange => format!("is beyond the range of {}", S::NAME),
        }
    }
}

/// Parses a float. `is_exact` is a fast test for short numbers that were not rounded; if it fails,
/// [`differs`] compares the digits.
fn read_float<S>(
    text: &str,
    is_exact: impl FnOnce(ShortDecimal, S) -> bool,
    scratch: &mut String,
) -> Result<Parsed<S>, NumberError>
where
    S: Scalar + FromStr + LowerExp,
{
    let value: S = text.parse().map_err(|_| NumberError::Malformed)?;
    if !value.is_finite() {
        return Err(not_finite(text, value.to_f64()));
    }
    let same = ShortDecimal::new(text).is_some_and(|decimal| is_exact(decimal, value));
    Ok(Parsed { value, rounded: !same && differs(text, value, scratch) })
}

/// The digits of a short number without an exponent, which is far from the ends of the range.
#[derive(Clone, Copy)]
struct ShortDecimal {
    /// Number of digits.
    digits: u32,
    /// Number of digits after the point.
    decimals: usize,
}

impl ShortDecimal {
    fn new(text: &str) -> Option<Self> {
        if text.len() > 18 || text.contains(['e', 'E']) {
            return None;
        }
        let digits = text.bytes().filter(u8::is_ascii_digit).count() as u32;
        let decimals = text.find('.').map_or(0, |point| text.len() - point - 1);
        Some(Self { digits, decimals })
    }
}

/// Returns whether the value was rounded: the written number is neither the shortest decimal that
/// parses to the value, nor the value rounded to the number of written digits.
fn differs<S: LowerExp>(text: &str, value: S, scratch: &mut String) -> bool {
    /// Maximum number of digits; no float has more when written out exactly.
    const MAX_DIGITS: usize = 800;

    let written = Decimal::new(text);
    if written.len() > MAX_DIGITS {
        return true;
    }
    let digits = written.len().saturating_sub(1);
    let mut equals = |exact: fmt::Arguments<'_>| {
        scratch.clear();
        scratch.write_fmt(exact).is_ok() && written.equals(Decimal::new(scratch))
    };
    // The two tests differ only if the value is halfway between two decimals.
    !equals(format_args!("{value:.digits$e}")) && !equals(format_args!("{value:e}"))
}

/// Returns the reason a parsed value is not finite.
fn not_finite(text: &str, value: f64) -> NumberError {
    if value.is_nan() {
        NumberError::NotANumber
    } else if text.contains(['i', 'I']) {
        NumberError::Infinite
    } else {
        NumberError::OutOfRange
    }
}

/// Slightly less than half a unit of the last digit, by the number of decimals.
const HALF_UNITS: [f64; 11] =
    [0.49, 4.9e-2, 4.9e-3, 4.9e-4, 4.9e-5, 4.9e-6, 4.9e-7, 4.9e-8, 4.9e-9, 4.9e-10, 4.9e-11];

impl Number for f32 {
    fn read(text: &str, scratch: &mut String) -> Result<Parsed<Self>, NumberError> {
        let is_exact = |decimal: ShortDecimal, value: Self| {
            // f64 is precise enough to prove that the error is less than half a unit of the last
            // digit.
            let is_close = |half: &f64| {
                text.parse::<f64>().is_ok_and(|exact| (exact - f64::from(value)).abs() < *half)
            };
            decimal.digits <= Self::DIGITS
                || decimal.digits <= f64::DIGITS
                    && HALF_UNITS.get(decimal.decimals).is_some_and(is_close)
        };
        read_float(text, is_exact, scratch)
    }
    fn sum(self, other: Self) -> Option<Self> {
        Some(self + other).filter(|sum| sum.is_finite())
    }
    fn difference(self, other: Self) -> Option<Self> {
        Some(self - other).filter(|difference| difference.is_finite())
    }
}

impl Number for f64 {
    fn read(text: &str, scratch: &mut String) -> Result<Parsed<Self>, NumberError> {
        read_float(text, |decimal, _| decimal.digits <= Self::DIGITS, scratch)
    }
    fn sum(self, other: Self) -> Option<Self> {
        Some(self + other).filter(|sum| sum.is_finite())
    }
    fn difference(self, other: Self) -> Option<Self> {
        Some(self - other).filter(|difference| difference.is_finite())
    }
}

impl Number for i32 {
    fn read(text: &str, _: &mut String) -> Result<Parsed<Self>, NumberError> {
        if let Ok(value) = text.parse() {
            return Ok(Parsed { value, rounded: false });
        }
        let float: f64 = text.parse().map_err(|_| NumberError::Malformed)?;
        if !float.is_finite() {
            return Err(not_finite(text, float));
        }
        let (size, same) = Decimal::new(text).to_whole().ok_or(NumberError::OutOfRange)?;
        let whole = if text.starts_with('-') { -size } else { size };
        let value = Self::try_from(whole).map_err(|_| NumberError::OutOfRange)?;
        Ok(Parsed { value, rounded: !same })
    }
    fn sum(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }
    fn difference(self, other: Self) -> Option<Self> {
        self.checked_sub(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<S: Number>(text: &str) -> Result<(S, bool), NumberError> {
        S::read(text, &mut String::new()).map(|parsed| (parsed.value, parsed.rounded))
    }

    #[test]
    fn exact_numbers_are_not_rounded() {
        for text in ["0", "-0", "0.1", "1e3", "-17.25", "16777216", "3.4028235e38", "1e-41"] {
            assert_eq!(read(text), Ok((text.parse::<f32>().unwrap(), false)), "{text}");
        }
        // Nine digits distinguish all floats; fewer would suffice here.
        for text in ["-55.7821999", "0.100000001", "29629.563", "0.1000000000"] {
            assert_eq!(read(text), Ok((text.parse::<f32>().unwrap(), false)), "{text}");
        }
        for text in ["0.1", "123.4567891", "5e-324", "0.30000000000000004"] {
            assert_eq!(read(text), Ok((text.parse::<f64>().unwrap(), false)), "{text}");
        }
        for (text, value) in [("-0", 0), ("+7", 7), ("-2147483648", i32::MIN), ("1.20e2", 120)] {
            assert_eq!(read(text), Ok((value, false)), "{text}");
        }
    }

    #[test]
    fn inexact_numbers_are_rounded() {
        for text in ["16777217", "123.4567891", "1e-46", "9.99999999999", "1.23456e-41"] {
            assert_eq!(read(text), Ok((text.parse::<f32>().unwrap(), true)), "{text}");
        }
        let long = format!("1.{}1", "0".repeat(100_000));
        assert_eq!(read(&long), Ok((1f32, true)));
        for text in ["9007199254740993", "0.1234567890123456789", "1e-325", &long] {
            assert_eq!(read(text), Ok((text.parse::<f64>().unwrap(), true)), "{text}");
        }
        for (text, value) in [("1.5", 2), ("-2.5", -2), ("0.1", 0), ("2147483647.4", i32::MAX)] {
            assert_eq!(read(text), Ok((value, true)), "{text}");
        }
    }

    #[test]
    fn invalid_coordinates_are_errors() {
        for text in ["", "abc", "1,5", "0x10", "1 2", "--1", "e5", "1e"] {
            assert_eq!(read::<f32>(text), Err(NumberError::Malformed), "{text}");
            assert_eq!(read::<i32>(text), Err(NumberError::Malformed), "{text}");
        }
        assert_eq!(read::<f64>("-nan"), Err(NumberError::NotANumber));
        assert_eq!(read::<i32>("NaN"), Err(NumberError::NotANumber));
        assert_eq!(read::<f32>("-Infinity"), Err(NumberError::Infinite));
        assert_eq!(read::<i32>("inf"), Err(NumberError::Infinite));
        assert_eq!(read::<f32>("1e39"), Err(NumberError::OutOfRange));
        assert_eq!(read::<f64>("-1e309"), Err(NumberError::OutOfRange));
        assert_eq!(read::<i32>("2147483647.5"), Err(NumberError::OutOfRange));
        assert_eq!(read::<i32>("-2147483648.6"), Err(NumberError::OutOfRange));
        assert_eq!(read::<i32>("1e300"), Err(NumberError::OutOfRange));
    }

    #[test]
    fn sums_beyond_the_range_are_none() {
        assert_eq!(f32::MAX.sum(f32::MAX), None);
        assert_eq!(f64::MIN.difference(f64::MAX), None);
        assert_eq!(i32::MAX.sum(1), None);
        assert_eq!(i32::MIN.difference(1), None);
        assert_eq!(5.difference(7), Some(-2));
    }
}
