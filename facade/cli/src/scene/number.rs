//! From text to coordinates, and whether the number survived it.

use core::fmt::{self, LowerExp, Write};
use core::str::FromStr;

use hexphase::Scalar;

use super::decimal::Decimal;

/// A scalar that scenes can be read into.
pub(crate) trait Number: hexphase::Number {
    /// The nearest number to a written one.
    ///
    /// `scratch` is room for digits, its content of no meaning.
    fn read(text: &str, scratch: &mut String) -> Result<Reading<Self>, BadNumber>;

    /// The sum, unless it is beyond the range.
    fn sum(self, other: Self) -> Option<Self>;

    /// The difference, unless it is beyond the range.
    fn difference(self, other: Self) -> Option<Self>;
}

/// A number that was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading<S> {
    /// The number.
    pub(crate) value: S,
    /// Whether it is another one than was written.
    pub(crate) changed: bool,
}

/// Why a text is no coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadNumber {
    /// It is not written like a number.
    Malformed,
    /// It says NaN.
    NotANumber,
    /// It says infinity.
    Infinite,
    /// It is a number beyond the range of the scalar.
    OutOfRange,
}

impl BadNumber {
    /// What is wrong, to follow the quoted text.
    pub(crate) fn what<S: Scalar>(self) -> String {
        match self {
            Self::Malformed => "is not a number".into(),
            Self::NotANumber => "is not a finite number".into(),
            Self::Infinite => "is infinite".into(),
            Self::OutOfRange => format!("is beyond the range of {}", S::NAME),
        }
    }
}

/// Reads a float; what `survives` knows at a glance to be unchanged is looked at no further.
fn read_float<S>(
    text: &str,
    survives: impl FnOnce(Plain, S) -> bool,
    scratch: &mut String,
) -> Result<Reading<S>, BadNumber>
where
    S: Scalar + FromStr + LowerExp,
{
    let value: S = text.parse().map_err(|_| BadNumber::Malformed)?;
    if !value.is_finite() {
        return Err(not_finite(text, value.to_f64()));
    }
    let same = Plain::new(text).is_some_and(|plain| survives(plain, value));
    Ok(Reading { value, changed: !same && differs(text, value, scratch) })
}

/// A short number without an exponent: nowhere near the ends of the range.
#[derive(Clone, Copy)]
struct Plain {
    /// How many digits it has.
    digits: u32,
    /// How many of them are behind the point.
    decimals: usize,
}

impl Plain {
    fn new(text: &str) -> Option<Self> {
        if text.len() > 18 || text.contains(['e', 'E']) {
            return None;
        }
        let digits = text.bytes().filter(u8::is_ascii_digit).count() as u32;
        let decimals = text.find('.').map_or(0, |point| text.len() - point - 1);
        Some(Self { digits, decimals })
    }
}

/// Whether the number is another one than was written: neither its shortest name, nor what it is
/// with as many digits as were written.
fn differs<S: LowerExp>(text: &str, value: S, scratch: &mut String) -> bool {
    /// More digits than any float has when written out.
    const MOST: usize = 800;

    let written = Decimal::new(text);
    if written.len() > MOST {
        return true;
    }
    let digits = written.len().saturating_sub(1);
    let mut equals = |exact: fmt::Arguments<'_>| {
        scratch.clear();
        scratch.write_fmt(exact).is_ok() && written.equals(Decimal::new(scratch))
    };
    // The two disagree at most where the number is half way between two decimals.
    !equals(format_args!("{value:.digits$e}")) && !equals(format_args!("{value:e}"))
}

/// Why parsing gave something that is not finite.
fn not_finite(text: &str, value: f64) -> BadNumber {
    if value.is_nan() {
        BadNumber::NotANumber
    } else if text.contains(['i', 'I']) {
        BadNumber::Infinite
    } else {
        BadNumber::OutOfRange
    }
}

/// A little less than half of the last digit, by the number of decimals.
const HALVES: [f64; 11] =
    [0.49, 4.9e-2, 4.9e-3, 4.9e-4, 4.9e-5, 4.9e-6, 4.9e-7, 4.9e-8, 4.9e-9, 4.9e-10, 4.9e-11];

impl Number for f32 {
    fn read(text: &str, scratch: &mut String) -> Result<Reading<Self>, BadNumber> {
        let survives = |plain: Plain, value: Self| {
            // The distance is exact enough in f64 to see that it is below half of the last digit.
            let near = |half: &f64| {
                text.parse::<f64>().is_ok_and(|exact| (exact - f64::from(value)).abs() < *half)
            };
            plain.digits <= Self::DIGITS
                || plain.digits <= f64::DIGITS && HALVES.get(plain.decimals).is_some_and(near)
        };
        read_float(text, survives, scratch)
    }
    fn sum(self, other: Self) -> Option<Self> {
        Some(self + other).filter(|sum| sum.is_finite())
    }
    fn difference(self, other: Self) -> Option<Self> {
        Some(self - other).filter(|difference| difference.is_finite())
    }
}

impl Number for f64 {
    fn read(text: &str, scratch: &mut String) -> Result<Reading<Self>, BadNumber> {
        read_float(text, |plain, _| plain.digits <= Self::DIGITS, scratch)
    }
    fn sum(self, other: Self) -> Option<Self> {
        Some(self + other).filter(|sum| sum.is_finite())
    }
    fn difference(self, other: Self) -> Option<Self> {
        Some(self - other).filter(|difference| difference.is_finite())
    }
}

impl Number for i32 {
    fn read(text: &str, _: &mut String) -> Result<Reading<Self>, BadNumber> {
        if let Ok(value) = text.parse() {
            return Ok(Reading { value, changed: false });
        }
        let float: f64 = text.parse().map_err(|_| BadNumber::Malformed)?;
        if !float.is_finite() {
            return Err(not_finite(text, float));
        }
        let (size, same) = Decimal::new(text).to_whole().ok_or(BadNumber::OutOfRange)?;
        let whole = if text.starts_with('-') { -size } else { size };
        let value = Self::try_from(whole).map_err(|_| BadNumber::OutOfRange)?;
        Ok(Reading { value, changed: !same })
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

    fn read<S: Number>(text: &str) -> Result<(S, bool), BadNumber> {
        S::read(text, &mut String::new()).map(|reading| (reading.value, reading.changed))
    }

    #[test]
    fn numbers_that_survive_are_not_changed() {
        for text in ["0", "-0", "0.1", "1e3", "-17.25", "16777216", "3.4028235e38", "1e-41"] {
            assert_eq!(read(text), Ok((text.parse::<f32>().unwrap(), false)), "{text}");
        }
        // As many digits as tell all floats apart, and more than were needed.
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
    fn numbers_that_do_not_survive_are_changed() {
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
    fn what_is_no_coordinate_is_refused() {
        for text in ["", "abc", "1,5", "0x10", "1 2", "--1", "e5", "1e"] {
            assert_eq!(read::<f32>(text), Err(BadNumber::Malformed), "{text}");
            assert_eq!(read::<i32>(text), Err(BadNumber::Malformed), "{text}");
        }
        assert_eq!(read::<f64>("-nan"), Err(BadNumber::NotANumber));
        assert_eq!(read::<i32>("NaN"), Err(BadNumber::NotANumber));
        assert_eq!(read::<f32>("-Infinity"), Err(BadNumber::Infinite));
        assert_eq!(read::<i32>("inf"), Err(BadNumber::Infinite));
        assert_eq!(read::<f32>("1e39"), Err(BadNumber::OutOfRange));
        assert_eq!(read::<f64>("-1e309"), Err(BadNumber::OutOfRange));
        assert_eq!(read::<i32>("2147483647.5"), Err(BadNumber::OutOfRange));
        assert_eq!(read::<i32>("-2147483648.6"), Err(BadNumber::OutOfRange));
        assert_eq!(read::<i32>("1e300"), Err(BadNumber::OutOfRange));
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
