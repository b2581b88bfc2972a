//! Decimal numbers as exact integers: parsing, sums, and the test whether a value was rounded.
//!
//! A number is `mantissa × 10^exponent`, with an integer of 128 bits. Most numbers are *short*: they
//! have up to 18 digits and no exponent. These are read with integers of 64 bits.

mod differs;

#[cfg(feature = "full")]
use core::cmp::Ordering;
use core::fmt;

/// A number with up to 36 digits, exactly. Further digits are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// The digits as an integer, with the sign. Its absolute value is at most 10^36 for a parsed
    /// number, and below 2^127 for a sum.
    mantissa: i128,
    exponent: i32,
}

/// Maximum number of digits of a parsed number.
const MAX_DIGITS: usize = 36;
/// Maximum number of digits of a short number. A number with 19 digits may not fit into an `i64`.
const SHORT_DIGITS: usize = 18;

const POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = 10 * powers[index - 1];
        index += 1;
    }
    powers
};
/// Powers of ten as integers of 64 bits. As `f64` they are exact, too.
const SHORT_POWERS: [i64; SHORT_DIGITS + 1] = {
    let mut powers = [1; SHORT_DIGITS + 1];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = 10 * powers[index - 1];
        index += 1;
    }
    powers
};

impl Decimal {
    /// Parses a finite number. Digits after the 36th, not counting leading zeros, are rounded.
    pub(crate) fn new(text: &(impl AsRef<[u8]> + ?Sized)) -> Option<Self> {
        let text = text.as_ref();
        let unsigned = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
        let e = unsigned.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (digits, power) = match e {
            Some(e) => (&unsigned[..e], power(&unsigned[e + 1..])?),
            None => (unsigned, 0),
        };
        // The exponent of the last digit of the mantissa.
        let (mut mantissa, mut exponent, mut decimals) = (0, 0i64, None);
        for &byte in digits {
            match byte {
                b'0'..=b'9' if mantissa < POWERS[MAX_DIGITS - 1] => {
                    mantissa = 10 * mantissa + i128::from(byte - b'0');
                }
                b'0'..=b'9' => {
                    mantissa += i128::from(exponent == 0 && byte >= b'5');
                    exponent += 1;
                }
                b'.' if decimals.is_none() => {
                    decimals = Some(0);
                    continue;
                }
                _ => return None,
            }
            decimals = decimals.map(|decimals| decimals + 1);
        }
        if digits.len() == usize::from(decimals.is_some()) {
            return None;
        }
        let mantissa = if text[0] == b'-' { -mantissa } else { mantissa };
        exponent += i64::from(power) - decimals.unwrap_or(0);
        let exponent = exponent.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        Some(Self { mantissa, exponent })
    }

    /// Parses a short number at the start of a text. Returns the number and its length in bytes.
    /// Returns `None` and 0 if the text does not begin with a number, or if the number has more than
    /// 18 digits.
    #[inline]
    pub(super) fn short_prefix(text: &[u8]) -> (Option<Self>, usize) {
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
        if count == 0 || count > SHORT_DIGITS {
            return (None, 0);
        }
        let mantissa = if text[0] == b'-' { -mantissa } else { mantissa };
        (Some(Self { mantissa: mantissa.into(), exponent: -(decimals as i32) }), end)
    }

    /// Returns the mantissa and the number of decimals of a number that fits into 64 bits.
    #[inline]
    fn short(self) -> Option<(i64, usize)> {
        let decimals = self.decimals().filter(|&decimals| decimals <= SHORT_DIGITS)?;
        Some((i64::try_from(self.mantissa).ok()?, decimals))
    }

    /// Returns the number of decimals; `None` if the number has more than 37 decimals, or ends with
    /// zeros that are not written. Numbers with few decimals are never so small that their `f32` is
    /// subnormal.
    #[inline]
    fn decimals(self) -> Option<usize> {
        (-37..=0).contains(&self.exponent).then(|| self.exponent.unsigned_abs() as usize)
    }

    /// Returns the difference and the sum of two numbers. They are exact, unless they would have
    /// more than about 36 digits: then all but the first digits of the smaller number are replaced,
    /// so that the result still lies between the same floats.
    #[inline]
    pub(crate) fn difference_and_sum(self, other: Self) -> [Self; 2] {
        let sums = || {
            let ((a, x), (b, y)) = (self.short()?, other.short()?);
            let decimals = x.max(y);
            let a = a.checked_mul(SHORT_POWERS[decimals - x])?;
            let b = b.checked_mul(SHORT_POWERS[decimals - y])?;
            let exponent = -(decimals as i32);
            let sums = [a.checked_sub(b)?, a.checked_add(b)?];
            Some(sums.map(|sum| Self { mantissa: sum.into(), exponent }))
        };
        sums().unwrap_or_else(|| self.long_sums(other))
    }

    /// Does the work of [`difference_and_sum`](Self::difference_and_sum) for any numbers.
    #[inline(never)]
    fn long_sums(self, other: Self) -> [Self; 2] {
        let exponent = self.exponent.min(other.exponent);
        let aligned = |x: Self| match x.exponent.abs_diff(exponent) {
            0 => Some(x.mantissa),
            more => x.mantissa.checked_mul(*POWERS.get(more as usize)?),
        };
        let exact = || {
            let (a, b) = (aligned(self)?, aligned(other)?);
            Some([a.checked_sub(b)?, a.checked_add(b)?].map(|mantissa| Self { mantissa, exponent }))
        };
        exact().unwrap_or_else(|| {
            [-other.mantissa, other.mantissa].map(|mantissa| self.plus(Self { mantissa, ..other }))
        })
    }

    /// Returns the sum of two numbers, rounded down to about 36 digits. If digits other than 0 are
    /// lost, the result has a further digit 1, so that it is never halfway between two floats.
    #[cold]
    fn plus(self, other: Self) -> Self {
        let (mut high, low) =
            if self.exponent > other.exponent { (self, other) } else { (other, self) };
        if high.mantissa == 0 || low.mantissa == 0 {
            return if high.mantissa == 0 { low } else { high };
        }
        while high.mantissa.unsigned_abs() < POWERS[MAX_DIGITS - 1].unsigned_abs() {
            high = Self { mantissa: 10 * high.mantissa, exponent: high.exponent.saturating_sub(1) };
        }
        let (floor, rest) = match POWERS.get(high.exponent.abs_diff(low.exponent) as usize) {
            Some(unit) => (low.mantissa.div_euclid(*unit), low.mantissa.rem_euclid(*unit)),
            None => (-i128::from(low.mantissa < 0), 1),
        };
        let mantissa = 10 * (high.mantissa + floor) + i128::from(rest != 0);
        Self { mantissa, exponent: high.exponent.saturating_sub(1) }
    }

    pub(crate) const fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    pub(crate) const fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// Returns the nearest `f64`; `None` if one division may not yield it.
    #[inline]
    #[cfg(feature = "full")]
    pub(crate) fn to_f64(self) -> Option<f64> {
        // If the mantissa is exact as an `f64`, both operands of the division are exact, so only
        // the quotient is rounded.
        let (mantissa, decimals) = self.short()?;
        let is_exact = mantissa.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS;
        is_exact.then(|| mantissa as f64 / SHORT_POWERS[decimals] as f64)
    }

    /// Returns the nearest `f32`; `None` if rounding to an `f64` first could change the result.
    #[inline]
    pub(crate) fn to_f32(self) -> Option<f32> {
        /// The low bits of an `f64` that are lost in an `f32`.
        const LOST: u64 = (1 << (f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS)) - 1;
        /// The value of the low bits exactly halfway between two `f32` values.
        const HALF: u64 = LOST / 2 + 1;
        // The error is less than three units in the last place: mantissa and power may each be off
        // by half a unit of the quotient, which is itself rounded by half a unit.
        let near = match self.short() {
            Some((mantissa, decimals)) => mantissa as f64 / SHORT_POWERS[decimals] as f64,
            None => self.mantissa as f64 / POWERS[self.decimals()?] as f64,
        };
        ((near.to_bits() & LOST).abs_diff(HALF) > 2).then_some(near as f32)
    }

    /// Returns the nearest whole number (ties to even), and whether the number itself is whole;
    /// `None` if the whole number does not fit.
    #[cfg(feature = "full")]
    pub(crate) fn to_whole(self) -> Option<(i128, bool)> {
        let Self { mantissa, exponent } = self;
        let power = POWERS.get(exponent.unsigned_abs() as usize);
        match power {
            _ if mantissa == 0 || exponent == 0 => Some((mantissa, true)),
            Some(&power) if exponent > 0 => Some((mantissa.checked_mul(power)?, true)),
            Some(&unit) => {
                let (floor, rest) = (mantissa.div_euclid(unit), mantissa.rem_euclid(unit));
                let up = match rest.cmp(&(unit - rest)) {
                    Ordering::Equal => floor % 2 != 0,
                    order => order.is_gt(),
                };
                Some((floor + i128::from(up), rest == 0))
            }
            None if exponent > 0 => None,
            // The number is below one half.
            None => Some((0, false)),
        }
    }
}

/// Displays the number with an exponent, such as `-1234e-2`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}e{}", self.mantissa, self.exponent)
    }
}

/// Parses the exponent after the `e`. Exponents that are too large for any float are limited.
fn power(text: &[u8]) -> Option<i32> {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let size = digits.iter().try_fold(0i32, |size, byte| {
        let digit = byte.is_ascii_digit().then(|| i32::from(byte - b'0'))?;
        Some(size.saturating_mul(10).saturating_add(digit))
    })?;
    let size = if text.starts_with(b"-") { -size } else { size };
    (!digits.is_empty()).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn decimal(mantissa: i128, exponent: i32) -> Decimal {
        Decimal { mantissa, exponent }
    }

    #[test]
    fn numbers_are_parsed_exactly() {
        let all = "123456789012345678901234567890123456";
        for (text, mantissa, exponent) in [
            ("0", 0, 0),
            ("-12.50", -1250, -2),
            ("+.5", 5, -1),
            ("5.", 5, 0),
            ("007", 7, 0),
            ("1.20e2", 120, 0),
            ("-7E-400", -7, -400),
            ("1e99999999999999999999999", 1, i32::MAX),
            ("999999999999999999", 999_999_999_999_999_999, 0),
            ("-12.602717399597167968750", -1_260_271_739_959_716_796_875, -20),
            ("5.000000000000000000000000000000000000000000000", 5, 0),
            (all, all.parse().expect("an integer"), 0),
            (&format!(".{all}50"), 1 + all.parse::<i128>().expect("an integer"), -36),
            (&format!("{all}49"), all.parse().expect("an integer"), 2),
        ] {
            let number = Decimal::new(text).map(Decimal::without_zeros);
            assert_eq!(number, Some(decimal(mantissa, exponent).without_zeros()), "{text}");
            let plain = text.split(['e', 'E']).next().expect("a mantissa");
            let is_short = plain.bytes().filter(u8::is_ascii_digit).count() <= SHORT_DIGITS;
            let short = if is_short { (Decimal::new(plain), plain.len()) } else { (None, 0) };
            assert_eq!(Decimal::short_prefix(text.as_bytes()), short, "{text}");
        }
        for text in [
            "", "+", "-", ".", "1.2.3", "1e", "1e+", "e5", "1e5e", "1e5.", ".e1", "1 2", "x",
            "--1", "nan",
        ] {
            assert_eq!(Decimal::new(text), None, "{text}");
        }
    }

    #[test]
    fn sums_are_exact() {
        for (a, b, difference, sum) in [
            ("0.1", "0.2", "-0.1", "0.3"),
            ("-1e3", "+.5", "-1000.5", "-999.5"),
            ("999", "1", "998", "1000"),
            ("0", "-0.25e-90", "0.25e-90", "-0.25e-90"),
            ("-0.25", "0e99", "-0.25", "-0.25"),
            ("1.5e-320", "1e-320", "5e-321", "2.5e-320"),
            ("900000000000000000", "0.01", "899999999999999999.99", "900000000000000000.01"),
            ("20611.502", "1e-18", "20611.501999999999999999", "20611.502000000000000001"),
        ] {
            let [a, b, difference, sum] =
                [a, b, difference, sum].map(|text| Decimal::new(text).expect("a number"));
            let found = a.difference_and_sum(b).map(Decimal::without_zeros);
            assert_eq!(found, [difference, sum].map(Decimal::without_zeros), "{a} {b}");
        }
    }

    #[test]
    fn a_far_smaller_number_has_its_effect_on_rounding() {
        let rounded = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| Decimal::new(text).expect("a number"));
            a.difference_and_sum(b).map(|sum| sum.to_string().parse::<f64>().expect("a number"))
        };
        // The value halfway between 1 and the next larger `f64`.
        let half = "1.00000000000000011102230246251565404";
        let exact = "9007199254740993";
        for tiny in ["1e-19", "1e-30", "1e-400", "1e-99999999999", "0.9e-17"] {
            let expected = [9_007_199_254_740_992.0, 9_007_199_254_740_994.0];
            assert_eq!(rounded(exact, tiny), expected, "{tiny}");
            assert_eq!(rounded(tiny, exact), [-expected[0], expected[1]], "{tiny}");
        }
        assert_eq!(rounded(half, "1e-33"), [1.0, 1.0 + f64::EPSILON]);
        assert_eq!(rounded("1e308", "1e-320"), [1e308; 2]);
        assert_eq!(rounded("5000", "1.00000000000000000000000000000000001"), [4999.0, 5001.0]);
    }

    #[test]
    fn whole_numbers_are_the_nearest_and_ties_are_even() {
        for (number, whole, same) in [
            ("0e99", 0, true),
            ("1.7e1", 17, true),
            ("120", 120, true),
            ("0.5", 0, false),
            ("-1.5", -2, false),
            ("-2.5", -2, false),
            ("2.500000000000000000000000001", 3, false),
            ("1.4999999999999999999999999", 1, false),
            ("0.05", 0, false),
            ("99.5", 100, false),
            ("1e-400", 0, false),
            ("9999999999", 9_999_999_999, true),
        ] {
            let number = Decimal::new(number).expect("a number");
            assert_eq!(number.to_whole(), Some((whole, same)), "{number}");
        }
        assert_eq!(Decimal::new("1e40").expect("a number").to_whole(), None);
    }

    #[test]
    fn conversions_are_those_of_the_standard_library() {
        let mut bits = 1u64;
        let mut unknown = [0; 3];
        for step in 0..200_000u32 {
            let mut random = || {
                bits ^= bits << 13;
                bits ^= bits >> 7;
                bits ^= bits << 17;
                bits
            };
            let mantissa = i128::from(random() as i64) * i128::from(random() >> 12);
            let digits = 1 + step as usize % if step % 4 == 0 { MAX_DIGITS } else { 18 };
            let mut number = decimal(mantissa % POWERS[digits], -((random() % 38) as i32));
            if step % 2 == 0 {
                // The digits of a float, all or as many as distinguish it, or one of the two
                // decimals around it.
                let value = f32::from_bits(random() as u32 % 0x2000_0000 + 0x3000_0000);
                let text = match step % 6 {
                    0 => format!("{value:.30}"),
                    2 => value.to_string(),
                    _ => format!("{value:.*e}", (random() % 9) as usize),
                };
                number = Decimal::new(&text).expect("a number");
                number.mantissa += i128::from(random() % 3 == 0);
            }
            let text = number.to_string();
            let value = text.parse::<f64>().expect("a number");
            let narrow = text.parse::<f32>().expect("a number");
            match number.to_f32() {
                Some(found) => assert_eq!(found, narrow, "{text}"),
                None => unknown[0] += 1,
            }
            match number.to_f64() {
                Some(found) => assert_eq!(found, value, "{text}"),
                None => unknown[2] += 1,
            }
            for (value, differs, found) in [
                (value, number.differs_in_digits(value), number.differs(value, f64::DIGITS)),
                (
                    narrow.into(),
                    number.differs_in_digits(narrow),
                    number.differs(narrow, f32::DIGITS),
                ),
            ] {
                assert_eq!(found, differs, "{text} as {value}");
                match number.differs_from(value) {
                    Some(found) => assert_eq!(found, differs, "{text} as {value}"),
                    None => unknown[1] += 1,
                }
            }
        }
        assert!(unknown.iter().all(|&count| count < 150_000), "{unknown:?} take slower paths");
    }
}
