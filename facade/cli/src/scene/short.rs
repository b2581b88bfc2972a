//! Short decimals as exact integers: the fast path for reading numbers.

use super::long::LongDecimal;

/// Whether a number was rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounded {
    No,
    Yes,
    /// Not known before the digits are compared.
    Unknown,
}

impl Rounded {
    /// Returns whether the number was rounded. Calls `decide` if this is unknown.
    pub(crate) fn or_else(self, decide: impl FnOnce() -> bool) -> bool {
        match self {
            Self::No => false,
            Self::Yes => true,
            Self::Unknown => decide(),
        }
    }
}

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

/// Powers of ten as integers.
const POWERS: [i64; MAX_DIGITS + 1] = {
    let mut powers = [1; MAX_DIGITS + 1];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = 10 * powers[index - 1];
        index += 1;
    }
    powers
};

/// Rounds a number to the nearest `f32`. The number is given as an `f64` with an error of less than
/// three units in the last place. Returns `None` if the error could change the result.
#[inline]
pub(super) fn narrow(near: f64) -> Option<f32> {
    /// The low bits of an `f64` that are lost in an `f32`. Numbers with at most 36 decimals are
    /// never so small that their `f32` is subnormal, so the number of these bits is constant.
    const LOST: u64 = (1 << (f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS)) - 1;
    /// The value of the low bits exactly halfway between two `f32` values.
    const HALF: u64 = LOST / 2 + 1;
    ((near.to_bits() & LOST).abs_diff(HALF) > 2).then_some(near as f32)
}

/// Returns whether a number counts as rounded, if it is not the decimal nearest to its value among
/// those with as many digits.
///
/// That nearest decimal parses to the value, too. So if the last digit of the number is not 0, the
/// number is not the shortest decimal, and it counts as rounded. If the value is a power of two this
/// is not certain, because the values below it are closer than those above.
pub(super) const fn if_not_nearest(ends_with_zero: bool, value_is_power: bool) -> Rounded {
    if ends_with_zero || value_is_power { Rounded::Unknown } else { Rounded::Yes }
}

impl ShortDecimal {
    /// Parses a number with at most 18 digits and without an exponent. Returns `None` for other
    /// texts.
    pub(crate) fn new(text: &(impl AsRef<[u8]> + ?Sized)) -> Option<Self> {
        let text = text.as_ref();
        let (number, length) = Self::prefix(text);
        number.filter(|_| length == text.len())
    }

    /// Parses a number at the start of a text. Returns the number and its length in bytes. Returns
    /// `None` and 0 if the text does not begin with a number, or if the number has more than 18
    /// digits.
    #[inline]
    pub(crate) fn prefix(text: &[u8]) -> (Option<Self>, usize) {
        let (negative, begin) = match text.first() {
            Some(b'-') => (true, 1),
            Some(b'+') => (false, 1),
            _ => (false, 0),
        };
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
        let mantissa = if negative { -mantissa } else { mantissa };
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

    /// Returns whether the number has at most this number of digits, not counting leading zeros.
    #[inline]
    pub(crate) const fn has_at_most(self, digits: u32) -> bool {
        self.mantissa.unsigned_abs() < POWERS[digits as usize].unsigned_abs()
    }

    /// Returns the nearest `f64`; `None` if one division may not yield it.
    #[inline]
    pub(crate) fn to_f64(self) -> Option<f64> {
        // If the mantissa is exact as an `f64`, both operands of the division are exact, so only
        // the quotient is rounded.
        let is_exact = self.mantissa.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS;
        is_exact.then(|| self.near())
    }

    /// Returns the number as an `f64`, with an error of at most two units in the last place.
    #[inline]
    fn near(self) -> f64 {
        self.mantissa as f64 / POWERS[self.decimals as usize] as f64
    }

    /// Returns the nearest `f32`; `None` if rounding to an `f64` first could change the result.
    #[inline]
    pub(crate) fn to_f32(self) -> Option<f32> {
        narrow(self.near())
    }

    /// Returns the mantissa and the number of decimals.
    pub(super) const fn parts(self) -> (i64, u32) {
        (self.mantissa, self.decimals)
    }

    /// Returns the nearest whole number (ties to even), and whether the number itself is whole.
    pub(crate) const fn to_whole(self) -> (i64, bool) {
        let unit = POWERS[self.decimals as usize];
        let (floor, rest) = (self.mantissa.div_euclid(unit), self.mantissa.rem_euclid(unit));
        let up = 2 * rest > unit || (2 * rest == unit && floor % 2 != 0);
        (floor + up as i64, rest == 0)
    }

    /// Writes the number with an exponent, such as `-1234e-2`.
    pub(crate) fn write(self, out: &mut String) {
        out.clear();
        out.push_str(itoa::Buffer::new().format(self.mantissa));
        out.push_str("e-");
        out.push_str(itoa::Buffer::new().format(self.decimals));
    }

    /// Returns whether the number counts as rounded if it is read as `value`, the nearest `f32`.
    /// The shortest decimal of `value` does not count as rounded. Returns [`Rounded::Unknown`] if
    /// the digits must be compared.
    #[inline]
    pub(crate) fn rounded_to(self, value: f32) -> Rounded {
        if self.has_at_most(f32::DIGITS) {
            return Rounded::No;
        }
        // Also correct if the number ends with zeros: without them the distance is smaller.
        let [error, slack] = self.distance_to(value);
        if error + slack < 0.5 {
            return Rounded::No;
        }
        // Exactly between two decimals, of which the even one is the value with as many digits. The
        // product is exact: 5^12 has 28 bits, a value 24.
        if error == 0.5 && self.decimals <= 12 && self.mantissa % 2 == 0 {
            return Rounded::No;
        }
        let number = self.without_zeros();
        let [error, slack] = number.distance_to(value);
        if error + slack < 0.5 {
            return Rounded::No;
        }
        let fraction = value.to_bits() & ((1 << (f32::MANTISSA_DIGITS - 1)) - 1);
        if error - slack > 0.5 {
            if_not_nearest(number.mantissa % 10 == 0, fraction == 0)
        } else {
            Rounded::Unknown
        }
    }

    /// Returns the distance between the number and a value near it, and a bound of its rounding
    /// error, both in units of the last digit of the number.
    #[inline]
    fn distance_to(self, value: f32) -> [f64; 2] {
        let mantissa = self.mantissa as f64;
        let error = (mantissa - f64::from(value) * POWERS[self.decimals as usize] as f64).abs();
        [error, 2.0 * f64::EPSILON * mantissa.abs()]
    }

    /// Returns whether the number counts as rounded if it is read as `value`, the nearest `f64`.
    pub(crate) fn rounded_to_f64(self, value: f64) -> Rounded {
        if self.has_at_most(f64::DIGITS) {
            return Rounded::No;
        }
        LongDecimal::from(self.without_zeros()).rounded_to(value)
    }

    /// Removes trailing zeros after the decimal point.
    const fn without_zeros(mut self) -> Self {
        while self.decimals > 0 && self.mantissa % 10 == 0 {
            self = Self { mantissa: self.mantissa / 10, decimals: self.decimals - 1 };
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::differs_in_digits;
    use super::*;

    const fn short(mantissa: i64, decimals: u32) -> ShortDecimal {
        ShortDecimal { mantissa, decimals }
    }

    #[test]
    fn short_numbers_are_read_exactly() {
        for (text, mantissa, decimals) in [
            ("0", 0, 0),
            ("-12.50", -1250, 2),
            ("+.5", 5, 1),
            ("5.", 5, 0),
            ("007", 7, 0),
            ("-0.00000000000000001", -1, 17),
            ("999999999999999999", 999_999_999_999_999_999, 0),
        ] {
            assert_eq!(ShortDecimal::new(text), Some(short(mantissa, decimals)), "{text}");
        }
        for text in ["", "+", "-", ".", "1.2.3", "1e5", "1 2", "x", "--1", "1000000000000000000"] {
            assert_eq!(ShortDecimal::new(text), None, "{text}");
        }
    }

    #[test]
    fn sums_are_exact_or_none() {
        let ends =
            |a: &str, b: &str| ShortDecimal::new(a)?.difference_and_sum(ShortDecimal::new(b)?);
        assert_eq!(ends("0.3", "0.1"), Some([short(2, 1), short(4, 1)]));
        assert_eq!(ends("-1", "0.25"), Some([short(-125, 2), short(-75, 2)]));
        assert_eq!(ends("900000000000000000", "0.01"), None, "beyond 64 bits");
    }

    #[test]
    fn ties_of_f32_are_left_to_the_slow_path() {
        // Numbers halfway between two `f32` values, or slightly above: their nearest `f64` is
        // exactly halfway.
        for text in ["16777217", "16777217.000000001", "-16777219"] {
            assert_eq!(ShortDecimal::new(text).unwrap().to_f32(), None, "{text}");
        }
        assert_eq!(ShortDecimal::new("16777217.00001").unwrap().to_f32(), Some(16_777_218.0));
    }

    #[test]
    fn values_between_two_decimals_are_rounded_to_the_even_one() {
        let (mut text, mut ties) = (String::new(), 0);
        for numerator in 0..4_096i64 {
            for decimals in 1..=4u32 {
                let value = (69_499.0 + numerator as f64 / 128.0) as f32;
                let scaled = f64::from(value) * POWERS[decimals as usize] as f64;
                for mantissa in [scaled.floor() as i64, scaled.ceil() as i64] {
                    for number in [short(mantissa, decimals), short(-mantissa, decimals)] {
                        let value = if number.mantissa < 0 { -value } else { value };
                        if number.to_f32() != Some(value) {
                            continue;
                        }
                        number.write(&mut text);
                        let differs = differs_in_digits(text.as_bytes(), value, &mut String::new());
                        let rounded = number.rounded_to(value);
                        if scaled.fract() == 0.5 && mantissa % 2 == 0 {
                            assert_eq!(rounded, Rounded::No, "{text}");
                            ties += 1;
                        }
                        assert_eq!(rounded.or_else(|| differs), differs, "{text}");
                    }
                }
            }
        }
        assert!(ties > 100, "{ties} ties");
    }

    #[test]
    fn conversions_are_those_of_the_standard_library() {
        let (mut bits, mut text, mut scratch) = (1u64, String::new(), String::new());
        let mut unknown = 0;
        for step in 0..200_000u32 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let digits = step % 19;
            let mantissa = (bits as i64) % POWERS[digits as usize];
            let number = short(mantissa, (bits >> 40) as u32 % 19);
            number.write(&mut text);
            if let Some(value) = number.to_f64() {
                assert_eq!(value, text.parse::<f64>().unwrap(), "{text}");
            }
            let value = text.parse::<f64>().unwrap();
            let differs = differs_in_digits(text.as_bytes(), value, &mut scratch);
            match number.rounded_to_f64(value) {
                Rounded::Unknown => unknown += 1,
                rounded => assert_eq!(rounded == Rounded::Yes, differs, "{text}"),
            }
            if let Some(value) = number.to_f32() {
                assert_eq!(value, text.parse::<f32>().unwrap(), "{text}");
                let differs = differs_in_digits(text.as_bytes(), value, &mut scratch);
                match number.rounded_to(value) {
                    Rounded::Unknown => unknown += 1,
                    rounded => assert_eq!(rounded == Rounded::Yes, differs, "{text}"),
                }
            } else {
                unknown += 1;
            }
        }
        assert!(unknown < 40_000, "the slow path is used {unknown} times");
    }
}
