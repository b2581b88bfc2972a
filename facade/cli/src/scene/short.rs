//! Short decimals as integers of 64 bits: the fast path for reading numbers. All other numbers, and
//! the test whether a number was rounded if the answer is not clear, are left to [`Decimal`].

use super::decimal::{Decimal, narrow};

/// A number with few digits, exactly: `mantissa × 10^-decimals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortDecimal {
    /// The digits as an integer, with the sign. Its absolute value is below 10^18 for a parsed
    /// number, and below 2^63 for a sum.
    mantissa: i64,
    /// The number of digits after the decimal point, at most [`MAX_DIGITS`].
    decimals: u32,
}

/// Maximum number of digits of a parsed number. A number with 19 digits may not fit into an `i64`.
const MAX_DIGITS: usize = 18;

/// Powers of ten as integers. As `f64` they are exact, too.
const POWERS: [i64; MAX_DIGITS + 1] = {
    let mut powers = [1; MAX_DIGITS + 1];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = 10 * powers[index - 1];
        index += 1;
    }
    powers
};

impl From<ShortDecimal> for Decimal {
    fn from(number: ShortDecimal) -> Self {
        Self::from_parts(number.mantissa.into(), -(number.decimals as i32))
    }
}

impl ShortDecimal {
    /// Parses a number with at most 18 digits and without an exponent. Returns `None` for other
    /// texts.
    #[cfg(test)]
    pub(crate) fn new(text: &str) -> Option<Self> {
        let (number, length) = Self::prefix(text.as_bytes());
        number.filter(|_| length == text.len())
    }

    /// Parses a number at the start of a text. Returns the number and its length in bytes. Returns
    /// `None` and 0 if the text does not begin with a number, or if the number has more than 18
    /// digits.
    #[inline]
    pub(crate) fn prefix(text: &[u8]) -> (Option<Self>, usize) {
        let begin = usize::from(matches!(text.first(), Some(b'-' | b'+')));
        // This wraps around in longer numbers, which are rejected below.
        let mut mantissa = 0i64;
        let mut digits = |at: &mut usize| {
            while let Some(&byte) = text.get(*at)
                && byte.is_ascii_digit()
            {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
                *at += 1;
            }
        };
        let mut end = begin;
        digits(&mut end);
        let (mut count, mut decimals) = (end - begin, 0);
        if text.get(end) == Some(&b'.') {
            end += 1;
            let point = end;
            digits(&mut end);
            decimals = end - point;
            count += decimals;
        }
        if count == 0 || count > MAX_DIGITS {
            return (None, 0);
        }
        let mantissa = if text[0] == b'-' { -mantissa } else { mantissa };
        (Some(Self { mantissa, decimals: decimals as u32 }), end)
    }

    /// Returns the difference and the sum of two numbers; `None` if one of them does not fit into a
    /// mantissa.
    #[inline]
    pub(crate) fn difference_and_sum(self, other: Self) -> Option<[Self; 2]> {
        let decimals = self.decimals.max(other.decimals);
        let scaled = |x: Self| x.mantissa.checked_mul(POWERS[(decimals - x.decimals) as usize]);
        let (a, b) = (scaled(self)?, scaled(other)?);
        Some([a.checked_sub(b)?, a.checked_add(b)?].map(|mantissa| Self { mantissa, decimals }))
    }

    /// Returns whether the number is 0.
    pub(crate) const fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// Returns the nearest whole number (ties to even), and whether the number itself is whole.
    pub(crate) const fn to_whole(self) -> (i64, bool) {
        let unit = POWERS[self.decimals as usize];
        let (floor, rest) = (self.mantissa.div_euclid(unit), self.mantissa.rem_euclid(unit));
        let up = 2 * rest > unit || (2 * rest == unit && floor % 2 != 0);
        (floor + up as i64, rest == 0)
    }

    /// Returns the number as an `f64`, with an error of at most two units in the last place.
    #[inline]
    fn near(self) -> f64 {
        self.mantissa as f64 / POWERS[self.decimals as usize] as f64
    }

    /// Returns the nearest `f64`; `None` if one division may not yield it.
    #[inline]
    pub(crate) fn to_f64(self) -> Option<f64> {
        // If the mantissa is exact as an `f64`, both operands of the division are exact, so only
        // the quotient is rounded.
        let is_exact = self.mantissa.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS;
        is_exact.then(|| self.near())
    }

    /// Returns the nearest `f32`; `None` if rounding to an `f64` first could change the result.
    #[inline]
    pub(crate) fn to_f32(self) -> Option<f32> {
        narrow(self.near())
    }

    /// Removes a zero at the end of the decimals.
    const fn without_zero(self) -> Self {
        Self { mantissa: self.mantissa / 10, decimals: self.decimals - 1 }
    }

    /// Returns whether the number counts as rounded if it is read as `value`, its nearest value in a
    /// type that distinguishes decimals with this number of digits. `None` if [`Decimal::differs`]
    /// must be called.
    #[inline]
    pub(crate) fn differs(self, value: f64, digits: u32) -> Option<bool> {
        if self.mantissa.unsigned_abs() < POWERS[digits as usize].unsigned_abs() {
            return Some(false);
        }
        // The distance to the value and a bound of its rounding error, in units of the last digit.
        let mantissa = self.mantissa as f64;
        let error = (mantissa - value * POWERS[self.decimals as usize] as f64).abs();
        let slack = 2.0 * f64::EPSILON * mantissa.abs();
        if error + slack < 0.5 {
            return Some(false);
        }
        if self.mantissa % 10 == 0 && self.decimals > 0 {
            return self.without_zero().differs(value, digits);
        }
        // The nearest decimal with as many digits parses to the value, too. So if the last digit of
        // the number is not 0, it is not the shortest decimal. If the value is a power of two, this
        // is not certain, because the values below it are closer than those above.
        let fraction = value.to_bits() & ((1 << (f64::MANTISSA_DIGITS - 1)) - 1);
        (error - slack > 0.5 && fraction != 0 && self.mantissa % 10 != 0).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_parsed_exactly() {
        for text in
            ["0", "-12.50", "+.5", "5.", "007", "-0.00000000000000001", "999999999999999999"]
        {
            assert_eq!(ShortDecimal::new(text).map(Decimal::from), Decimal::new(text), "{text}");
        }
        for text in ["", "+", "-", ".", "1.2.3", "1e5", "1 2", "x", "--1", "1000000000000000000"] {
            assert_eq!(ShortDecimal::new(text), None, "{text}");
        }
    }

    #[test]
    fn sums_are_exact_or_none() {
        for (a, b) in [("0.3", "0.1"), ("-1", "0.25"), ("900000000000000000", "0.01")] {
            let sums = [a, b].map(|text| Decimal::new(text).expect("a number"));
            let sums = sums[0].difference_and_sum(sums[1]);
            let found = ShortDecimal::new(a)
                .zip(ShortDecimal::new(b))
                .and_then(|(a, b)| a.difference_and_sum(b));
            let fits = b != "0.01";
            assert_eq!(found.map(|sums| sums.map(Decimal::from)), fits.then_some(sums), "{a} {b}");
        }
    }

    #[test]
    fn values_are_those_of_long_decimals() {
        let (mut bits, mut clear) = (1u64, 0);
        for step in 0..200_000u32 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let mantissa = (bits as i64) % POWERS[step as usize % 19];
            let number = ShortDecimal { mantissa, decimals: (bits >> 40) as u32 % 19 };
            let text = Decimal::from(number).to_string();
            let [wide, narrow] = [text.parse(), text.parse::<f32>().map(f64::from)];
            let (wide, narrow) = (wide.expect("a number"), narrow.expect("a number"));
            assert!(number.to_f64().is_none_or(|value| value == wide), "{text}");
            assert!(number.to_f32().is_none_or(|value| f64::from(value) == narrow), "{text}");
            if let Some(differs) = number.differs(narrow, f32::DIGITS) {
                let expected = Decimal::from(number).differs(narrow as f32, f32::DIGITS);
                assert_eq!(differs, expected, "{text}");
                clear += 1;
            }
            if let Some(differs) = number.differs(wide, f64::DIGITS) {
                assert_eq!(differs, Decimal::from(number).differs(wide, f64::DIGITS), "{text}");
            }
            let whole = Decimal::from(number).to_whole().expect("an integer");
            assert_eq!((number.to_whole().0.into(), number.to_whole().1), whole, "{text}");
        }
        assert!(clear > 160_000, "{clear} are clear");
    }
}
