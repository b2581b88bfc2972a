//! Decimal numbers as exact integers: parsing, sums, and the test whether a value was rounded.
//!
//! A number is `mantissa × 10^exponent`, with an integer of 128 bits. Most numbers have up to 18
//! digits and no exponent; `short.rs` has a fast path for them.

use core::cmp::Ordering;
use core::fmt::{self, LowerExp};

/// A number with up to 36 digits, exactly. Further digits are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// The digits as an integer, with the sign. Its absolute value is at most 10^36 for a parsed
    /// number, and below 2^127 for a sum.
    mantissa: i128,
    /// The power of ten of the last digit.
    exponent: i32,
}

/// Maximum number of digits of a parsed number.
const MAX_DIGITS: usize = 36;

/// All powers of ten that are integers of 128 bits.
const POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = 10 * powers[index - 1];
        index += 1;
    }
    powers
};

/// Rounds a number to the nearest `f32`. The number is given as an `f64` with an error of less than
/// three units in the last place. Returns `None` if the error could change the result. The `f32`
/// must not be subnormal, so that the number of its bits is constant.
#[inline]
pub(super) fn narrow(near: f64) -> Option<f32> {
    /// The low bits of an `f64` that are lost in an `f32`.
    const LOST: u64 = (1 << (f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS)) - 1;
    /// The value of the low bits exactly halfway between two `f32` values.
    const HALF: u64 = LOST / 2 + 1;
    ((near.to_bits() & LOST).abs_diff(HALF) > 2).then_some(near as f32)
}

impl Decimal {
    /// Returns a number given its parts.
    pub(super) const fn from_parts(mantissa: i128, exponent: i32) -> Self {
        Self { mantissa, exponent }
    }

    /// Parses a finite number. Digits after the 36th, not counting leading zeros, are rounded.
    /// Returns `None` for other texts.
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

    /// Returns the difference and the sum of two numbers. They are exact, unless they would have
    /// more than about 36 digits: then all but the first digits of the smaller number are replaced,
    /// so that the result still lies between the same floats.
    pub(crate) fn difference_and_sum(self, other: Self) -> [Self; 2] {
        let exact = self.exact_sums(other);
        exact.unwrap_or_else(|| {
            [-other.mantissa, other.mantissa].map(|mantissa| self.plus(Self { mantissa, ..other }))
        })
    }

    fn exact_sums(self, other: Self) -> Option<[Self; 2]> {
        let exponent = self.exponent.min(other.exponent);
        let aligned = |x: Self| match x.exponent.abs_diff(exponent) {
            0 => Some(x.mantissa),
            more => x.mantissa.checked_mul(*POWERS.get(more as usize)?),
        };
        let (a, b) = (aligned(self)?, aligned(other)?);
        Some([a.checked_sub(b)?, a.checked_add(b)?].map(|mantissa| Self { mantissa, exponent }))
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

    /// Returns whether the number is 0.
    pub(crate) const fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// Returns whether the number is below 0.
    pub(crate) const fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// Returns the number of decimals; `None` if the number has more than 37 decimals, or ends with
    /// zeros that are not written. Numbers with few decimals are never so small that their `f32` is
    /// subnormal.
    fn decimals(self) -> Option<usize> {
        (-37..=0).contains(&self.exponent).then(|| self.exponent.unsigned_abs() as usize)
    }

    /// Returns the nearest `f32`; `None` if rounding to an `f64` first could change the result.
    pub(crate) fn to_f32(self) -> Option<f32> {
        // Mantissa and power may each be off by half a unit in the last place of the quotient, which
        // is itself rounded by half a unit.
        narrow(self.mantissa as f64 / POWERS[self.decimals()?] as f64)
    }

    /// Returns the nearest whole number (ties to even), and whether the number itself is whole;
    /// `None` if the whole number does not fit.
    pub(crate) fn to_whole(self) -> Option<(i128, bool)> {
        let Self { mantissa, exponent } = self;
        let power = POWERS.get(exponent.unsigned_abs() as usize);
        match power {
            _ if mantissa == 0 => Some((0, true)),
            Some(&power) if exponent >= 0 => Some((mantissa.checked_mul(power)?, true)),
            Some(&unit) => {
                let (floor, rest) = (mantissa.div_euclid(unit), mantissa.rem_euclid(unit));
                let up = match rest.cmp(&(unit - rest)) {
                    Ordering::Equal => floor % 2 != 0,
                    order => order.is_gt(),
                };
                Some((floor + i128::from(up), rest == 0))
            }
            None if exponent >= 0 => None,
            // The number is below one half.
            None => Some((0, false)),
        }
    }

    /// Returns whether the number is neither the shortest decimal of `value`, its nearest value in a
    /// type with this number of exact decimal digits, nor `value` rounded to as many digits.
    pub(crate) fn differs<S: Into<f64> + LowerExp + Copy>(self, value: S, digits: u32) -> bool {
        let is_short = self.mantissa.unsigned_abs() < POWERS[digits as usize].unsigned_abs();
        if is_short && self.decimals().is_some() {
            return false;
        }
        self.differs_from(value.into()).unwrap_or_else(|| self.differs_in_digits(value))
    }

    /// Does the work of [`differs`](Self::differs) with integers; `None` if they overflow, or if the
    /// digits must be compared.
    fn differs_from(self, value: f64) -> Option<bool> {
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
            // As in [`ShortDecimal::differs`](super::short::ShortDecimal::differs).
            Ordering::Greater => (fraction != 0).then_some(true),
        }
    }

    /// Does the work of [`differs`](Self::differs) for any number: compares digits.
    #[cold]
    fn differs_in_digits(self, value: impl LowerExp) -> bool {
        let number = self.without_zeros();
        let digits = number.mantissa.unsigned_abs().checked_ilog10().unwrap_or(0) as usize;
        let equals = |text: String| Self::new(&text).map(Self::without_zeros) == Some(number);
        // The results differ only if the value is halfway between two decimals.
        !equals(format!("{value:.digits$e}")) && !equals(format!("{value:e}"))
    }

    /// Removes trailing zeros.
    const fn without_zeros(mut self) -> Self {
        if self.mantissa == 0 {
            self.exponent = 0;
        }
        while self.mantissa != 0 && self.mantissa % 10 == 0 && self.exponent < i32::MAX {
            self = Self { mantissa: self.mantissa / 10, exponent: self.exponent + 1 };
        }
        self
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
    fn ties_of_f32_are_left_to_the_standard_library() {
        // Numbers halfway between two `f32` values, or slightly above: their nearest `f64` is
        // exactly halfway.
        let to_f32 = |text: &str| Decimal::new(text).expect("a number").to_f32();
        for text in ["16777217", "16777217.000000001", "-16777219"] {
            assert_eq!(to_f32(text), None, "{text}");
        }
        assert_eq!(to_f32("16777217.00001"), Some(16_777_218.0));
    }

    #[test]
    fn conversions_are_those_of_the_standard_library() {
        let mut bits = 1u64;
        let mut unknown = [0; 2];
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
        assert!(unknown.iter().all(|&count| count < 100_000), "{unknown:?} take slower paths");
    }
}
