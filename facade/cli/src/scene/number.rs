//! Parses coordinates, adds radii exactly, and detects whether numbers were rounded.

use core::str::FromStr;

use hexphase::Scalar;

use super::decimal::Decimal;

/// A number counts as rounded unless it is the shortest decimal that parses to the value, or the
/// value rounded to as many digits as were written. Digits after the 36th do not count.
pub(crate) trait Number: hexphase::Number {
    /// Returns the value nearest to a number; `None` if this needs [`parse`](Self::parse).
    fn nearest(number: Decimal) -> Option<Self>;

    /// Parses any number and rounds it to the nearest value of the type.
    fn parse(text: &str) -> Result<Self, NumberError>;

    /// Returns whether a number counts as rounded if its nearest value is `value`.
    fn is_rounded(number: Decimal, value: Self) -> bool;

    /// Returns the value nearest to a number; `None` if the number may count as rounded.
    #[inline]
    fn exact(number: Decimal) -> Option<Self> {
        Self::nearest(number).filter(|&value| !Self::is_rounded(number, value))
    }

    /// Returns the ends `center - radius` and `center + radius` of numbers that are
    /// [exact](Self::exact); `None` if an end may count as rounded, as defined at
    /// [`ends`](Self::ends).
    #[inline]
    fn exact_ends(center: Decimal, radius: Decimal) -> Option<[Self; 2]> {
        let value = Self::exact(center)?;
        let [min, max] = center.difference_and_sum(radius).map(Self::nearest);
        let ends = [min?, max?];
        let is_lost = ends.contains(&value) && !radius.is_zero();
        (!is_lost).then_some(ends)
    }

    fn read(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<Parsed<'_, Self>, NumberError> {
        Self::read_known(text.as_ref(), None)
    }

    /// Reads a number. `number` is its value, if known.
    fn read_known(text: &[u8], number: Option<Decimal>) -> Result<Parsed<'_, Self>, NumberError> {
        let number = number.or_else(|| Decimal::new(text));
        let value = match number.and_then(Self::nearest) {
            Some(value) => value,
            None => Self::parse(str::from_utf8(text).map_err(|_| NumberError::Malformed)?)?,
        };
        let number = number.ok_or(NumberError::Malformed)?;
        Ok(Parsed { text, number, value, rounded: Self::is_rounded(number, value) })
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
    ) -> Result<[(Self, bool); 2], NumberError> {
        let [difference, sum] = center.number.difference_and_sum(radius.number);
        Ok([Self::end_at(center, radius, difference)?, Self::end_at(center, radius, sum)?])
    }

    /// Returns `start + length`, and whether it counts as rounded, as in [`ends`](Self::ends).
    fn end(
        start: &Parsed<'_, Self>,
        length: &Parsed<'_, Self>,
    ) -> Result<(Self, bool), NumberError> {
        let [_, sum] = start.number.difference_and_sum(length.number);
        Self::end_at(start, length, sum)
    }

    /// Returns the nearest value of a sum or difference, and whether it counts as rounded.
    fn end_at(
        start: &Parsed<'_, Self>,
        length: &Parsed<'_, Self>,
        end: Decimal,
    ) -> Result<(Self, bool), NumberError> {
        let value = match Self::nearest(end) {
            Some(value) => value,
            None => Self::parse(&end.to_string())?,
        };
        let may_lose = start.rounded || length.rounded;
        let is_lost = may_lose || value == start.value && !length.number.is_zero();
        Ok((value, is_lost && Self::is_rounded(end, value)))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Parsed<'a, S> {
    pub(crate) text: &'a [u8],
    /// The written number. It may be negative although `value` is 0.
    pub(crate) number: Decimal,
    pub(crate) value: S,
    /// Set if the number counts as rounded, as defined at [`Number`].
    pub(crate) rounded: bool,
}

/// The reason that a text is not a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    Malformed,
    NotANumber,
    Infinite,
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

fn parse_float<S: Scalar + FromStr>(text: &str) -> Result<S, NumberError> {
    let value: S = text.parse().map_err(|_| NumberError::Malformed)?;
    if value.is_finite() { Ok(value) } else { Err(not_finite(text, value.to_f64())) }
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
    fn nearest(number: Decimal) -> Option<Self> {
        number.to_f32()
    }
    fn parse(text: &str) -> Result<Self, NumberError> {
        parse_float(text)
    }
    #[inline]
    fn is_rounded(number: Decimal, value: Self) -> bool {
        number.differs(value, Self::DIGITS)
    }
}

#[cfg(feature = "full")]
impl Number for f64 {
    #[inline]
    fn nearest(number: Decimal) -> Option<Self> {
        number.to_f64()
    }
    fn parse(text: &str) -> Result<Self, NumberError> {
        parse_float(text)
    }
    #[inline]
    fn is_rounded(number: Decimal, value: Self) -> bool {
        number.differs(value, Self::DIGITS)
    }
}

#[cfg(feature = "full")]
impl Number for i32 {
    #[inline]
    fn nearest(number: Decimal) -> Option<Self> {
        Self::try_from(number.to_whole()?.0).ok()
    }
    fn parse(text: &str) -> Result<Self, NumberError> {
        let number = Decimal::new(text).and_then(Self::nearest);
        number.ok_or_else(|| parse_float::<f64>(text).err().unwrap_or(NumberError::OutOfRange))
    }
    #[inline]
    fn is_rounded(number: Decimal, _: Self) -> bool {
        number.to_whole().is_none_or(|(_, is_whole)| !is_whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<S: Number>(text: &str) -> Result<(S, bool), NumberError> {
        S::read(text).map(|parsed| (parsed.value, parsed.rounded))
    }

    fn ends<S: Number>(center: &str, radius: &str) -> Result<[(S, bool); 2], NumberError> {
        let [center, radius] = [center, radius].map(|text| S::read(text).expect("a number"));
        S::ends(&center, &radius)
    }

    #[test]
    fn numbers_are_rounded_or_not() {
        // Nine digits distinguish all `f32` values; fewer digits would suffice for these numbers.
        let digits = ["-55.7821999", "0.100000001", "29629.563", "0.1000000000"];
        let exact = ["0", "-0", "0.1", "1e3", "-17.25", "16777216", "3.4028235e38", "1e-41"];
        let inexact = ["16777217", "123.4567891", "1e-46", "9.99999999999", "1.23456e-41"];
        for text in exact.into_iter().chain(digits).chain(inexact) {
            let is_rounded = inexact.contains(&text);
            assert_eq!(read(text), Ok((text.parse::<f32>().unwrap(), is_rounded)), "{text}");
        }
        let exact = ["0.1", "123.4567891", "5e-324", "0.30000000000000004"];
        let inexact = ["9007199254740993", "0.1234567890123456789", "1e-325"];
        for text in exact.into_iter().chain(inexact) {
            let is_rounded = inexact.contains(&text);
            assert_eq!(read(text), Ok((text.parse::<f64>().unwrap(), is_rounded)), "{text}");
        }
        for (text, value, is_rounded) in [
            ("-0", 0, false),
            ("+7", 7, false),
            ("-2147483648", i32::MIN, false),
            ("1.20e2", 120, false),
            ("1.5", 2, true),
            ("-2.5", -2, true),
            ("0.1", 0, true),
            ("2147483647.4", i32::MAX, true),
        ] {
            assert_eq!(read(text), Ok((value, is_rounded)), "{text}");
        }
        // Digits after the 36th do not count as rounded.
        let long = format!("1.{}1", "0".repeat(100_000));
        assert_eq!(read(&long), Ok((1f32, false)));
        assert_eq!(read(&format!("{:.60}", 0.1)), Ok((0.1, false)));
        assert_eq!(read(&format!("{:.60}", 0.1)), Ok((0.1f32, true)));
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
}
