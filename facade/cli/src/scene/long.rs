//! Decimals with up to 36 digits as exact integers: the path for numbers and sums with too many
//! digits for [`ShortDecimal`]. Text of an `f32` written exactly has about 20 digits.

use core::cmp::Ordering;
use core::fmt::Write as _;

use super::short::{Rounded, ShortDecimal, if_not_nearest, narrow};

/// A number with up to 36 digits, exactly: `mantissa × 10^-decimals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LongDecimal {
    /// The digits as an integer, with the sign. Its absolute value is below 10^36 for a parsed
    /// number, and below 2^127 for a sum.
    mantissa: i128,
    /// The number of digits after the decimal point, at most [`MAX_DIGITS`].
    decimals: u32,
}

/// Maximum number of digits of a parsed number.
const MAX_DIGITS: usize = 36;

/// Powers of ten as integers.
const POWERS: [i128; MAX_DIGITS + 1] = {
    let mut powers = [1; MAX_DIGITS + 1];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = 10 * powers[index - 1];
        index += 1;
    }
    powers
};

impl From<ShortDecimal> for LongDecimal {
    fn from(number: ShortDecimal) -> Self {
        let (mantissa, decimals) = number.parts();
        Self { mantissa: mantissa.into(), decimals }
    }
}

impl LongDecimal {
    /// Parses a number with at most 36 digits and without an exponent. Returns `None` for other
    /// texts. Zeros at the end of the decimals do not count.
    pub(super) fn new(text: &[u8]) -> Option<Self> {
        /// Number of digits in the first of two groups, each of which fits into 64 bits.
        const GROUP: usize = MAX_DIGITS / 2;

        let (is_negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let point = digits.iter().position(|&byte| byte == b'.');
        let zeros = digits.iter().rev().take_while(|&&byte| byte == b'0').count();
        let len = digits.len() - if point.is_some() { zeros } else { 0 };
        let (whole, decimals) = match point {
            Some(point) => (&digits[..point], &digits[point + 1..len]),
            None => (digits, &[][..]),
        };
        let count = whole.len() + decimals.len();
        if count > MAX_DIGITS {
            return None;
        }
        let (mut mantissa, mut group, mut group_len) = (0, 0u64, 0);
        for &byte in whole.iter().chain(decimals) {
            if !byte.is_ascii_digit() {
                return None;
            }
            if group_len == GROUP {
                mantissa = i128::from(group);
                (group, group_len) = (0, 0);
            }
            group = 10 * group + u64::from(byte - b'0');
            group_len += 1;
        }
        if count == 0 {
            return None;
        }
        mantissa = mantissa * POWERS[group_len] + i128::from(group);
        let mantissa = if is_negative { -mantissa } else { mantissa };
        Some(Self { mantissa, decimals: decimals.len() as u32 })
    }

    /// Returns the difference and the sum of two numbers; `None` if either does not fit into the
    /// mantissa.
    pub(super) fn difference_and_sum(self, other: Self) -> Option<[Self; 2]> {
        let decimals = self.decimals.max(other.decimals);
        let scaled = |x: Self| x.mantissa.checked_mul(POWERS[(decimals - x.decimals) as usize]);
        let (a, b) = (scaled(self)?, scaled(other)?);
        Some([a.checked_sub(b)?, a.checked_add(b)?].map(|mantissa| Self { mantissa, decimals }))
    }

    /// Returns the nearest `f32`; `None` if rounding to an `f64` first could change the result.
    pub(super) fn to_f32(self) -> Option<f32> {
        // Mantissa and power may each be off by one unit in the last place of the quotient, which
        // is itself rounded by half a unit.
        narrow(self.mantissa as f64 / POWERS[self.decimals as usize] as f64)
    }

    /// Writes the number with an exponent, such as `-1234e-2`.
    pub(super) fn write(self, out: &mut String) {
        out.clear();
        let written = write!(out, "{}e-{}", self.mantissa, self.decimals);
        debug_assert!(written.is_ok(), "a string accepts all text");
    }

    /// Returns whether the number counts as rounded if it is read as `value`, the nearest value of
    /// a float type. The shortest decimal of `value` does not count as rounded. Returns
    /// [`Rounded::Unknown`] if the digits must be compared.
    pub(super) fn rounded_to(self, value: f64) -> Rounded {
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
        // The value is `significand / 2^(shift + zeros)`, without the zeros `significand / 2^shift`.
        let significand = u128::from(significand >> zeros);
        let mantissa = self.mantissa.unsigned_abs();
        let product = significand.checked_mul(POWERS[self.decimals as usize].unsigned_abs());
        // The values must be below 2^126: `error` below is their difference, and twice `error` must
        // not overflow.
        let fits = |x: u128| i64::from(x.leading_zeros()) > 1;
        let is_small = 0 < shift && shift < i64::from(mantissa.leading_zeros()) - 1;
        let Some(product) = product.filter(|&product| is_small && fits(product)) else {
            return Rounded::Unknown;
        };
        let error = (mantissa << shift).abs_diff(product);
        match (2 * error).cmp(&(1 << shift)) {
            Ordering::Less => Rounded::No,
            Ordering::Equal => Rounded::Unknown,
            Ordering::Greater => if_not_nearest(self.mantissa % 10 == 0, fraction == 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::differs_in_digits;
    use super::*;

    const fn long(mantissa: i128, decimals: u32) -> LongDecimal {
        LongDecimal { mantissa, decimals }
    }

    #[test]
    fn long_numbers_are_read_exactly() {
        let all = "123456789012345678901234567890123456";
        for (text, number) in [
            ("-12.602717399597167968750", long(-1_260_271_739_959_716_796_875, 20)),
            ("+.5", long(5, 1)),
            ("5.000000000000000000000000000000000000000000000", long(5, 0)),
            ("1000000000000000000000", long(1_000_000_000_000_000_000_000, 0)),
            (all, long(all.parse().expect("an integer"), 0)),
        ] {
            assert_eq!(LongDecimal::new(text.as_bytes()), Some(number), "{text}");
        }
        let more = format!("{all}7");
        for text in ["", "-", ".", "1.2.3", "1e5", "1 2", "x", "--1", &more] {
            assert_eq!(LongDecimal::new(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn conversions_are_those_of_the_standard_library() {
        let (mut bits, mut text, mut scratch) = (1u64, String::new(), String::new());
        let mut unknown = 0;
        for step in 0..100_000u32 {
            let mut random = || {
                bits ^= bits << 13;
                bits ^= bits >> 7;
                bits ^= bits << 17;
                bits
            };
            let mantissa = i128::from(random() as i64) * i128::from(random() >> 12);
            let mantissa = mantissa % POWERS[1 + step as usize % MAX_DIGITS];
            let mut number = long(mantissa, (random() % 37) as u32);
            if step % 2 == 0 {
                // The digits of a float, as far as they fit.
                let value = f32::from_bits(random() as u32 % 0x2000_0000 + 0x3000_0000);
                text = format!("{value:.30}");
                number = LongDecimal::new(text.as_bytes()).unwrap_or(number);
            }
            number.write(&mut text);
            let value = text.parse::<f64>().expect("a number");
            for (value, differs) in [
                (value, differs_in_digits(text.as_bytes(), value, &mut scratch)),
                (
                    f64::from(value as f32),
                    differs_in_digits(text.as_bytes(), value as f32, &mut scratch),
                ),
            ] {
                match number.rounded_to(value) {
                    Rounded::Unknown => unknown += 1,
                    rounded => assert_eq!(rounded == Rounded::Yes, differs, "{text} as {value}"),
                }
            }
            match number.to_f32() {
                Some(value) => assert_eq!(Ok(value), text.parse(), "{text}"),
                None => unknown += 1,
            }
        }
        assert!(unknown < 100_000, "{unknown} of 300,000 are left to the slow path");
    }

    #[test]
    fn sums_are_exact_or_none() {
        let ends = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|x| LongDecimal::new(x.as_bytes()));
            a?.difference_and_sum(b?)
        };
        assert_eq!(ends("0.3", "0.1"), Some([long(2, 1), long(4, 1)]));
        let [difference, sum] = [20_611_501_999_999_999_999_999, 20_611_502_000_000_000_000_001];
        let expected = Some([long(difference, 18), long(sum, 18)]);
        assert_eq!(ends("20611.502", "0.000000000000000001"), expected);
        assert_eq!(
            ends("1", "0.00000000000000000000000000000000001").map(|ends| ends.len()),
            Some(2)
        );
        assert_eq!(
            ends("999999", "0.00000000000000000000000000000000001"),
            None,
            "beyond 128 bits"
        );
    }
}
