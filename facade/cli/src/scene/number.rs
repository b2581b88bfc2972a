//! Parses coordinates, adds radii exactly, and detects whether numbers were rounded.

use core::fmt::{self, LowerExp, Write};
use core::str::FromStr;

use hexphase::Scalar;

use super::decimal::{self, Decimal};
use super::long::LongDecimal;
use super::short::{Rounded, ShortDecimal};

/// A scalar type of scenes.
///
/// A number counts as rounded unless it is the shortest decimal that parses to the value, or the
/// value rounded to as many digits as were written.
pub(crate) trait Number: hexphase::Number {
    /// Returns the value nearest to a short number; `None` if this needs [`parse`](Self::parse).
    fn from_short(number: ShortDecimal) -> Option<Self>;

    /// Returns whether a short number counts as rounded if its nearest value is `value`.
    fn rounded_from(number: ShortDecimal, value: Self) -> Rounded;

    /// Returns the value nearest to a long number; `None` if this needs [`parse`](Self::parse).
    fn from_long(number: LongDecimal) -> Option<Self>;

    /// Parses any number and rounds it to the nearest value of the type.
    fn parse(text: &str) -> Result<Self, NumberError>;

    /// Returns whether a number counts as rounded, given its text and its nearest value.
    ///
    /// `scratch` is a buffer for digits; its contents are replaced.
    fn differs(text: &[u8], value: Self, scratch: &mut String) -> bool;

    /// Returns the value nearest to a short number; `None` if the number may count as rounded.
    #[inline]
    fn exact(number: ShortDecimal) -> Option<Self> {
        let value = Self::from_short(number)?;
        (Self::rounded_from(number, value) == Rounded::No).then_some(value)
    }

    /// Returns the ends `center - radius` and `center + radius` of numbers that are
    /// [exact](Self::exact); `None` if an end may count as rounded, as defined at
    /// [`ends`](Self::ends).
    #[inline]
    fn exact_ends(center: ShortDecimal, radius: ShortDecimal) -> Option<[Self; 2]> {
        let value = Self::exact(center)?;
        let [min, max] = center.difference_and_sum(radius)?.map(Self::from_short);
        let ends = [min?, max?];
        let is_lost = ends.contains(&value) && !radius.is_zero();
        (!is_lost).then_some(ends)
    }

    /// Returns whether a number counts as rounded, given its text, the same number as a short number
    /// if it is one, and its nearest value.
    #[inline]
    fn is_rounded(
        text: &[u8],
        short: Option<ShortDecimal>,
        value: Self,
        scratch: &mut String,
    ) -> bool {
        let rounded = short.map_or(Rounded::Unknown, |short| Self::rounded_from(short, value));
        rounded.or_else(|| Self::differs(text, value, scratch))
    }

    /// Reads a number, by [`from_short`](Self::from_short) if possible and otherwise by
    /// [`parse`](Self::parse).
    fn read<'a>(
        text: &'a (impl AsRef<[u8]> + ?Sized),
        scratch: &mut String,
    ) -> Result<Parsed<'a, Self>, NumberError> {
        Self::read_short(text.as_ref(), ShortDecimal::new(text), scratch)
    }

    /// Reads a number. `short` is the same number as a short number, if it is one.
    fn read_short<'a>(
        text: &'a [u8],
        short: Option<ShortDecimal>,
        scratch: &mut String,
    ) -> Result<Parsed<'a, Self>, NumberError> {
        let value = match short.and_then(Self::from_short) {
            Some(value) => value,
            None => {
                let long = if short.is_none() { LongDecimal::new(text) } else { None };
                match long.and_then(Self::from_long) {
                    Some(value) => value,
                    None => {
                        let text = str::from_utf8(text).map_err(|_| NumberError::Malformed)?;
                        Self::parse(text)?
                    }
                }
            }
        };
        let rounded = Self::is_rounded(text, short, value, scratch);
        Ok(Parsed { text, short, value, rounded })
    }

    /// Returns the ends `center - radius` and `center + radius`, and whether they count as rounded.
    /// The ends are computed exactly from the written numbers and rounded once.
    ///
    /// The exact sum often has more digits than the type can store. So an end counts as rounded
    /// only if the center or the radius was rounded, or if the end equals the center although the
    /// radius is not 0.
    ///
    /// # Errors
    /// If an end is out of range.
    fn ends(
        center: &Parsed<'_, Self>,
        radius: &Parsed<'_, Self>,
        scratch: &mut Scratch,
    ) -> Result<[(Self, bool); 2], NumberError> {
        let sums = Sums::new(center, radius);
        let mut end = |index| Self::end_of(center, radius, &sums, index, scratch);
        Ok([end(0)?, end(1)?])
    }

    /// Returns `start + length`, and whether it counts as rounded, as defined at
    /// [`ends`](Self::ends).
    fn end(
        start: &Parsed<'_, Self>,
        length: &Parsed<'_, Self>,
        scratch: &mut Scratch,
    ) -> Result<(Self, bool), NumberError> {
        Self::end_of(start, length, &Sums::new(start, length), 1, scratch)
    }

    /// Returns the nearest value of one of two sums, 0 for the difference and 1 for the sum, and
    /// whether it counts as rounded, as defined at [`ends`](Self::ends).
    fn end_of(
        start: &Parsed<'_, Self>,
        length: &Parsed<'_, Self>,
        sums: &Sums,
        index: usize,
        scratch: &mut Scratch,
    ) -> Result<(Self, bool), NumberError> {
        let sum = &mut scratch.sum;
        let write = |sum: &mut String| match sums {
            Sums::Short(ends) => ends[index].write(sum),
            Sums::Long(ends) => ends[index].write(sum),
            Sums::Any => decimal::write_sum(start.text, length.text, index == 0, sum),
        };
        let found = match sums {
            Sums::Short(ends) => Self::from_short(ends[index]),
            Sums::Long(ends) => Self::from_long(ends[index]),
            Sums::Any => None,
        };
        let value = match found {
            Some(value) => value,
            None => {
                write(sum);
                Self::parse(sum)?
            }
        };
        let may_lose = start.rounded || length.rounded;
        let is_lost = may_lose || value == start.value && !length.is_zero();
        let differs = || {
            write(sum);
            Self::differs(sum.as_bytes(), value, &mut scratch.digits)
        };
        let rounded = || match sums {
            Sums::Short(ends) => Self::rounded_from(ends[index], value),
            _ => Rounded::Unknown,
        };
        Ok((value, is_lost && rounded().or_else(differs)))
    }
}

/// The exact difference and sum of two numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sums {
    Short([ShortDecimal; 2]),
    Long([LongDecimal; 2]),
    /// The sums have too many digits for the other variants; they are computed as text.
    Any,
}

impl Sums {
    #[inline]
    fn new<S>(a: &Parsed<'_, S>, b: &Parsed<'_, S>) -> Self {
        let short = a.short.zip(b.short).and_then(|(a, b)| a.difference_and_sum(b));
        short.map_or_else(|| Self::long((a.text, a.short), (b.text, b.short)), Self::Short)
    }

    /// Returns the sums of numbers with more digits, each given as its text and as a short number
    /// if it is one.
    #[cold]
    fn long(a: (&[u8], Option<ShortDecimal>), b: (&[u8], Option<ShortDecimal>)) -> Self {
        let [a, b] = [a, b].map(|(text, short)| match short {
            Some(short) => Some(LongDecimal::from(short)),
            None => LongDecimal::new(text),
        });
        let sums = a.zip(b).and_then(|(a, b)| a.difference_and_sum(b));
        sums.map_or(Self::Any, Self::Long)
    }
}

/// Buffers for digits.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Buffer for the digits of a value.
    pub(crate) digits: String,
    /// Buffer for the sum of two numbers.
    sum: String,
}

/// A parsed number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parsed<'a, S> {
    /// The number as written.
    pub(crate) text: &'a [u8],
    /// The written number as a short number, if it is one.
    short: Option<ShortDecimal>,
    /// The nearest value.
    pub(crate) value: S,
    /// Set if the number counts as rounded, as defined at [`Number`].
    pub(crate) rounded: bool,
}

impl<S> Parsed<'_, S> {
    /// Returns whether the written number is 0.
    fn is_zero(&self) -> bool {
        self.short.map_or_else(|| Decimal::new(self.text).is_zero(), ShortDecimal::is_zero)
    }

    /// Returns whether the written number is negative, even if it was rounded to 0.
    pub(crate) fn is_negative(&self) -> bool {
        self.text.starts_with(b"-") && !self.is_zero()
    }
}

/// The reason that a text is not a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    /// The text is not a number.
    Malformed,
    /// The text is NaN.
    NotANumber,
    /// The text is infinity.
    Infinite,
    /// The number is out of the range of the scalar type.
    OutOfRange,
}

impl NumberError {
    /// Returns the part of the message after the quoted text.
    pub(crate) fn message<S: Scalar>(self) -> String {
        match self {
            Self::Malformed => "is not a number".into(),
            Self::NotANumber => "is not a finite number".into(),
            Self::Infinite => "is infinite".into(),
            Self::OutOfRange => format!("is beyond the range of {}", S::NAME),
        }
    }
}

/// Parses any number as a float.
fn parse_float<S: Scalar + FromStr>(text: &str) -> Result<S, NumberError> {
    let value: S = text.parse().map_err(|_| NumberError::Malformed)?;
    if value.is_finite() { Ok(value) } else { Err(not_finite(text, value.to_f64())) }
}

/// Returns whether a number counts as rounded, as defined at [`Number`].
fn differs<S: LowerExp + Into<f64> + Copy>(text: &[u8], value: S, scratch: &mut String) -> bool {
    let long = LongDecimal::new(text);
    let rounded = long.map_or(Rounded::Unknown, |number| number.rounded_to(value.into()));
    rounded.or_else(|| differs_in_digits(text, value, scratch))
}

/// Does the work of [`differs`] for any number: compares digits.
pub(super) fn differs_in_digits<S: LowerExp>(text: &[u8], value: S, scratch: &mut String) -> bool {
    /// Maximum number of digits: no float has more significant digits.
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
    // The first test compares with the value in as many digits as were written, the second with the
    // shortest decimal. They differ only if the value is halfway between two decimals.
    !equals(format_args!("{value:.digits$e}")) && !equals(format_args!("{value:e}"))
}

/// Returns the reason that a parsed value is not finite.
fn not_finite(text: &str, value: f64) -> NumberError {
    if value.is_nan() {
        NumberError::NotANumber
    } else if text.contains(['i', 'I']) {
        NumberError::Infinite
    } else {
        NumberError::OutOfRange
    }
}

impl Number for f32 {
    #[inline]
    fn from_short(number: ShortDecimal) -> Option<Self> {
        number.to_f32()
    }
    fn from_long(number: LongDecimal) -> Option<Self> {
        number.to_f32()
    }
    fn rounded_from(number: ShortDecimal, value: Self) -> Rounded {
        number.rounded_to(value)
    }
    fn parse(text: &str) -> Result<Self, NumberError> {
        parse_float(text)
    }
    fn differs(text: &[u8], value: Self, scratch: &mut String) -> bool {
        differs(text, value, scratch)
    }
}

impl Number for f64 {
    #[inline]
    fn from_short(number: ShortDecimal) -> Option<Self> {
        number.to_f64()
    }
    fn from_long(_: LongDecimal) -> Option<Self> {
        None
    }
    fn rounded_from(number: ShortDecimal, value: Self) -> Rounded {
        number.rounded_to_f64(value)
    }
    fn parse(text: &str) -> Result<Self, NumberError> {
        parse_float(text)
    }
    fn differs(text: &[u8], value: Self, scratch: &mut String) -> bool {
        differs(text, value, scratch)
    }
}

impl Number for i32 {
    #[inline]
    fn from_short(number: ShortDecimal) -> Option<Self> {
        Self::try_from(number.to_whole().0).ok()
    }
    fn from_long(_: LongDecimal) -> Option<Self> {
        None
    }
    fn rounded_from(number: ShortDecimal, _: Self) -> Rounded {
        if number.to_whole().1 { Rounded::No } else { Rounded::Yes }
    }
    fn parse(text: &str) -> Result<Self, NumberError> {
        let float: f64 = text.parse().map_err(|_| NumberError::Malformed)?;
        if !float.is_finite() {
            return Err(not_finite(text, float));
        }
        let (size, _) = Decimal::new(text).to_whole().ok_or(NumberError::OutOfRange)?;
        let whole = if text.starts_with('-') { -size } else { size };
        Self::try_from(whole).map_err(|_| NumberError::OutOfRange)
    }
    fn differs(text: &[u8], _: Self, _: &mut String) -> bool {
        !Decimal::new(text).to_whole().is_some_and(|(_, same)| same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<S: Number>(text: &str) -> Result<(S, bool), NumberError> {
        S::read(text, &mut String::new()).map(|parsed| (parsed.value, parsed.rounded))
    }

    fn ends<S: Number>(center: &str, radius: &str) -> Result<[(S, bool); 2], NumberError> {
        let [center, radius] =
            [center, radius].map(|text| S::read(text, &mut String::new()).expect("a number"));
        S::ends(&center, &radius, &mut Scratch::default())
    }

    #[test]
    fn exact_numbers_are_not_rounded() {
        for text in ["0", "-0", "0.1", "1e3", "-17.25", "16777216", "3.4028235e38", "1e-41"] {
            assert_eq!(read(text), Ok((text.parse::<f32>().unwrap(), false)), "{text}");
        }
        // Nine digits distinguish all `f32` values; fewer digits would suffice for these numbers.
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
    fn ends_are_the_nearest_values_of_the_exact_sums() {
        for [center, radius, min, max] in [
            ["0.1", "0.1", "0", "0.2"],
            ["0.3", "0.1", "0.2", "0.4"],
            ["0.7", "0.2", "0.5", "0.9"],
            ["-122.41941550000001", "0.00000000000001", "-122.41941550000002", "-122.4194155"],
            ["1e-320", "1e-320", "0", "2e-320"],
            ["1e30", "1e-30", "1e30", "1e30"],
            ["+.5", "5.", "-4.5", "5.5"],
            // Sums beyond 64 bits; and centers halfway between two `f32` values, for which the
            // radius decides in which direction the ends are rounded.
            [
                "123456789012.345678901",
                "0.000000000001",
                "123456789012.345678900999",
                "123456789012.345678901001",
            ],
            ["16777217", "0.00000000000000001", "16777216.9", "16777217.1"],
            ["16777217", "1e-50", "16777216.9", "16777217.1"],
        ] {
            let values = |ends: [(f64, bool); 2]| ends.map(|end| end.0);
            let narrow = |ends: [(f32, bool); 2]| ends.map(|end| end.0);
            assert_eq!(
                ends(center, radius).map(narrow),
                Ok([min, max].map(|x| x.parse().unwrap())),
                "{center} {radius} in f32"
            );
            if !min.ends_with("16.9") {
                assert_eq!(
                    ends(center, radius).map(values),
                    Ok([min, max].map(|x| x.parse().unwrap())),
                    "{center} {radius} in f64"
                );
            }
        }
        assert_eq!(ends("0.5", "0.5"), Ok([(0, false), (1, false)]), "exact in i32");
        assert_eq!(ends("1", "0.5"), Ok([(0, true), (2, true)]), "ties are even in i32");
        assert_eq!(ends("1.2", "1e-1"), Ok([(1, true), (1, true)]), "in i32");
    }

    #[test]
    fn ends_are_rounded_if_a_number_was_or_the_radius_is_lost() {
        let rounded = |center, radius| {
            let narrow = ends::<f32>(center, radius).expect("in range").map(|end| end.1);
            (narrow, ends::<f64>(center, radius).expect("in range").map(|end| end.1))
        };
        assert_eq!(rounded("29629.563", "5.4321"), ([false; 2], [false; 2]));
        assert_eq!(rounded("-55.7821999", "0.400000006"), ([false; 2], [false; 2]));
        assert_eq!(rounded("123.4567891", "1"), ([true; 2], [false; 2]));
        assert_eq!(rounded("16777216", "0.5"), ([true; 2], [false; 2]));
        assert_eq!(rounded("16777217", "1"), ([false; 2], [false; 2]), "even numbers");
        assert_eq!(rounded("1", "1e-30"), ([true; 2], [true; 2]));
        assert_eq!(rounded("1", "0"), ([false; 2], [false; 2]));
    }

    #[test]
    fn ends_beyond_the_range_are_errors() {
        assert_eq!(ends::<f32>("3e38", "1e38"), Err(NumberError::OutOfRange));
        assert_eq!(ends::<f64>("-1e308", "1e308"), Err(NumberError::OutOfRange));
        assert_eq!(ends::<i32>("2147483647", "1"), Err(NumberError::OutOfRange));
        assert_eq!(ends::<i32>("-2147483648", "0.6"), Err(NumberError::OutOfRange));
        assert_eq!(ends::<i32>("5", "7"), Ok([(-2, false), (12, false)]));
    }

    #[test]
    fn a_number_below_zero_is_negative_even_if_its_value_is_zero() {
        for (text, negative) in [("-1e-999", true), ("-0.5", true), ("-0.0", false), ("0", false)] {
            let number = f32::read(text, &mut String::new()).expect("a number");
            assert_eq!(number.is_negative(), negative, "{text}");
        }
    }
}
