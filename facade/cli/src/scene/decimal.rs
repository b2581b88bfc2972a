//! Decimal numbers as written, digit by digit, to detect whether a value was rounded.

use core::cmp::Ordering;

/// A written number without its sign, as `d.ddd × 10^exponent`, without leading and trailing zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal<'a> {
    /// The digits, possibly with a decimal point between them; empty for 0.
    text: &'a [u8],
    /// The power of ten of the first digit.
    exponent: i64,
}

impl<'a> Decimal<'a> {
    /// Parses a text that is a valid finite number; other texts give a meaningless result.
    pub(crate) fn new(number: &'a str) -> Self {
        let number = number.as_bytes();
        let number = number.strip_prefix(b"-").or(number.strip_prefix(b"+")).unwrap_or(number);
        let e = number.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (digits, power) = match e {
            Some(e) => (&number[..e], power(&number[e + 1..])),
            None => (number, 0),
        };
        let visible = |byte: &u8| matches!(byte, b'1'..=b'9');
        let (Some(first), Some(last)) =
            (digits.iter().position(visible), digits.iter().rposition(visible))
        else {
            return Self { text: &[], exponent: 0 };
        };
        let point = digits.iter().position(|&byte| byte == b'.').unwrap_or(digits.len());
        let offset = if first < point { point - first - 1 } else { 0 } as i64
            - first.saturating_sub(point) as i64;
        Self { text: &digits[first..=last], exponent: power.saturating_add(offset) }
    }

    /// Returns the digits as ASCII characters.
    pub(crate) fn digits(self) -> impl Iterator<Item = u8> + 'a {
        self.text.iter().copied().filter(|&byte| byte != b'.')
    }

    /// Returns the number of digits.
    pub(crate) fn len(self) -> usize {
        self.text.len() - usize::from(self.text.contains(&b'.'))
    }

    /// Returns whether the number is 0.
    pub(crate) const fn is_zero(self) -> bool {
        self.text.is_empty()
    }

    /// Returns whether the absolute values are equal.
    pub(crate) fn equals(self, other: Decimal<'_>) -> bool {
        self.exponent == other.exponent && self.digits().eq(other.digits())
    }

    /// Returns the nearest whole number, ties to even, and whether the number is whole; `None` if
    /// the number is 10^10 or more.
    pub(crate) fn to_whole(self) -> Option<(i64, bool)> {
        if self.exponent > 9 {
            return None;
        }
        let mut digits = self.digits();
        let mut whole = 0;
        for _ in 0..=self.exponent {
            whole = 10 * whole + digits.next().map_or(0, |digit| i64::from(digit - b'0'));
        }
        // The remaining digits begin directly after the point only if the exponent is at least -1.
        let half = if self.exponent < -1 { Ordering::Less } else { cmp_half(digits) };
        let up = half == Ordering::Greater || (half == Ordering::Equal && whole % 2 == 1);
        let same = self.is_zero() || self.len() as i64 <= self.exponent + 1;
        Some((whole + i64::from(up), same))
    }
}

/// Compares the digits after the point with one half.
fn cmp_half(mut digits: impl Iterator<Item = u8>) -> Ordering {
    let first = digits.next().unwrap_or(b'0').cmp(&b'5');
    first.then(if digits.next().is_some() { Ordering::Greater } else { Ordering::Equal })
}

/// Parses the exponent after the `e`, saturated to a quarter of the range of `i64`.
fn power(text: &[u8]) -> i64 {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let size = digits.iter().fold(0i64, |size, digit| {
        size.saturating_mul(10).saturating_add(i64::from(digit.wrapping_sub(b'0')))
    });
    // Adding the position of a digit to the saturated value cannot overflow.
    let size = size.min(i64::MAX / 4);
    if negative { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_different_notation_are_equal() {
        for same in [
            ["1", "1.0"],
            ["0.001", "1e-3"],
            ["-120", "+1.2E2"],
            ["007.50", "7.5"],
            ["0.0", "-0e7"],
            [".5", "5000e-4"],
            ["100", "1e+2"],
        ] {
            assert!(Decimal::new(same[0]).equals(Decimal::new(same[1])), "{same:?}");
        }
        for different in [["1", "10"], ["0.01", "0.1"], ["0", "1"], ["12", "1.3e1"]] {
            let [a, b] = different.map(Decimal::new);
            assert!(!a.equals(b), "{different:?}");
        }
    }

    #[test]
    fn leading_and_trailing_zeros_are_not_counted() {
        for (number, digits) in [("0", 0), ("1.50", 2), ("0.0012", 2), ("100", 1), ("1.0203", 5)] {
            assert_eq!(Decimal::new(number).len(), digits, "{number}");
        }
    }

    #[test]
    fn whole_numbers_are_the_nearest_and_ties_are_even() {
        for (number, whole, same) in [
            ("0", 0, true),
            ("17", 17, true),
            ("1.7e1", 17, true),
            ("120", 120, true),
            ("0.5", 0, false),
            ("1.5", 2, false),
            ("2.5", 2, false),
            ("2.500000000000000000000000001", 3, false),
            ("1.4999999999999999999999999", 1, false),
            ("0.05", 0, false),
            ("0.09e1", 1, false),
            ("0.6", 1, false),
            ("99.5", 100, false),
            ("1e-400", 0, false),
            ("9999999999", 9_999_999_999, true),
        ] {
            assert_eq!(Decimal::new(number).to_whole(), Some((whole, same)), "{number}");
        }
        assert_eq!(Decimal::new("1e10").to_whole(), None);
        assert_eq!(Decimal::new("1e99999999999999999999999").to_whole(), None);
    }
}
