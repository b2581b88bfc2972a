//! Decimal numbers as they are written, digit by digit. Used to detect whether a value was rounded,
//! and to add numbers exactly.

use core::cmp::Ordering;
use core::fmt::Write;

/// A written number without its sign, as `d.ddd × 10^exponent`, without leading and trailing zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal<'a> {
    /// The digits, with or without a decimal point between them; empty for 0.
    text: &'a [u8],
    /// The power of ten of the first digit.
    exponent: i64,
}

impl<'a> Decimal<'a> {
    /// Parses a valid finite number. For other texts, the result is meaningless.
    pub(crate) fn new(number: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        let number = number.as_ref();
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

    /// Returns the power of ten of the last digit. The number must not be 0.
    fn last_place(self) -> i64 {
        self.exponent - self.len() as i64 + 1
    }

    /// Returns whether the number is 0.
    pub(crate) const fn is_zero(self) -> bool {
        self.text.is_empty()
    }

    /// Returns whether the absolute values of two numbers are equal.
    pub(crate) fn equals(self, other: Decimal<'_>) -> bool {
        self.exponent == other.exponent && self.digits().eq(other.digits())
    }

    /// Returns the nearest whole number (ties to even), and whether the number itself is whole.
    /// Returns `None` if the number is 10^10 or more.
    pub(crate) fn to_whole(self) -> Option<(i64, bool)> {
        if self.exponent > 9 {
            return None;
        }
        let mut digits = self.digits();
        let mut whole = 0;
        for _ in 0..=self.exponent {
            whole = 10 * whole + digits.next().map_or(0, |digit| i64::from(digit - b'0'));
        }
        // With an exponent below −1, the first remaining digit is not directly after the decimal
        // point, so the rest is less than one half.
        let half = if self.exponent < -1 { Ordering::Less } else { cmp_half(digits) };
        let up = half == Ordering::Greater || (half == Ordering::Equal && whole % 2 == 1);
        let same = self.is_zero() || self.len() as i64 <= self.exponent + 1;
        Some((whole + i64::from(up), same))
    }
}

/// Writes the exact sum or difference of two finite numbers, as digits with an exponent.
///
/// A very small number would make the result very long. So if the smaller number is below the last
/// digit of the larger number and below 10^-1100, it is replaced by a power of ten just below both
/// limits. The result still rounds to the same float: every value halfway between two floats is a
/// multiple of 10^-1100, and no such multiple lies between this result and the exact one.
pub(crate) fn write_sum(
    a: &(impl AsRef<[u8]> + ?Sized),
    b: &(impl AsRef<[u8]> + ?Sized),
    subtract: bool,
    out: &mut String,
) {
    /// Floats, and values halfway between two floats, have no digits below this power of ten.
    const LOWEST: i64 = -1100;

    let [a_negative, b_negative] = [a.as_ref(), b.as_ref()].map(|it| it.starts_with(b"-"));
    let mut large = (a_negative, Decimal::new(a));
    let mut small = (b_negative != subtract, Decimal::new(b));
    let is_greater = |a: Decimal<'_>, b: Decimal<'_>| match (a.is_zero(), b.is_zero()) {
        (false, false) => {
            a.exponent.cmp(&b.exponent).then_with(|| a.digits().cmp(b.digits())).is_gt()
        }
        (a_zero, _) => !a_zero,
    };
    if is_greater(small.1, large.1) {
        core::mem::swap(&mut large, &mut small);
    }
    out.clear();
    let ((negative, large), (small_negative, mut small)) = (large, small);
    if large.is_zero() {
        out.push('0');
        return;
    }
    let floor = large.last_place().min(LOWEST);
    if !small.is_zero() && small.exponent < floor {
        small = Decimal { text: b"1", exponent: floor - 1 };
    }
    let lowest = if small.is_zero() {
        large.last_place()
    } else {
        large.last_place().min(small.last_place())
    };
    // The digits of the sum, with one place above the highest digit for a carry. Digits are first
    // added without carries.
    let highest = large.exponent + 1;
    let mut digits = vec![0i8; (highest - lowest + 1) as usize];
    let sign = if negative == small_negative { 1 } else { -1 };
    for (number, sign) in [(large, 1), (small, sign)] {
        if !number.is_zero() {
            let begin = (highest - number.exponent) as usize;
            for (sum, digit) in digits[begin..].iter_mut().zip(number.digits()) {
                *sum += sign * (digit - b'0') as i8;
            }
        }
    }
    let mut carry = 0;
    for digit in digits.iter_mut().rev() {
        let sum = *digit + carry;
        (*digit, carry) = (sum.rem_euclid(10), sum.div_euclid(10));
    }
    if negative {
        out.push('-');
    }
    out.extend(digits.iter().map(|&digit| char::from(b'0' + digit as u8)));
    let written = write!(out, "e{lowest}");
    debug_assert!(written.is_ok(), "a string accepts all text");
}

/// Compares the digits after the decimal point with one half.
fn cmp_half(mut digits: impl Iterator<Item = u8>) -> Ordering {
    let first = digits.next().unwrap_or(b'0').cmp(&b'5');
    first.then(if digits.next().is_some() { Ordering::Greater } else { Ordering::Equal })
}

/// Parses the exponent after the `e`. The result is limited to a quarter of the range of `i64`.
fn power(text: &[u8]) -> i64 {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let size = digits.iter().fold(0i64, |size, digit| {
        size.saturating_mul(10).saturating_add(i64::from(digit.wrapping_sub(b'0')))
    });
    // The limit keeps later sums of the exponent and the number of digits from overflowing.
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
    fn sums_are_exact() {
        for (a, b, difference, sum) in [
            ("0.1", "0.2", "-0.1", "0.3"),
            ("0.7", "0.2", "0.5", "0.9"),
            ("-1e3", "+.5", "-1000.5", "-999.5"),
            ("999", "1", "998", "1000"),
            ("5", "5", "0", "10"),
            ("0", "-0.25", "0.25", "-0.25"),
            ("-0.25", "0", "-0.25", "-0.25"),
            ("0", "0e9", "0", "0"),
            ("1.5e-320", "1e-320", "5e-321", "2.5e-320"),
            (
                "123456789.123456789123456789",
                "1e-18",
                "123456789.123456789123456788",
                "123456789.12345678912345679",
            ),
        ] {
            for (subtract, expected) in [(true, difference), (false, sum)] {
                let mut out = String::new();
                write_sum(a, b, subtract, &mut out);
                assert!(Decimal::new(&out).equals(Decimal::new(expected)), "{a}, {b}: {out}");
                let zero = Decimal::new(expected).is_zero();
                assert!(zero || out.starts_with('-') == expected.starts_with('-'), "{a}, {b}");
            }
        }
    }

    #[test]
    fn sums_of_integers_are_those_of_integer_arithmetic() {
        let mut bits = 1u64;
        let mut out = String::new();
        for step in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let [a, b] = [bits as i32 >> (step % 31), (bits >> 32) as i32 >> (step % 29)];
            let [a, b] = [a, b].map(i64::from);
            for (subtract, expected) in [(true, a - b), (false, a + b)] {
                write_sum(&format!("{a}e-7"), &format!("{}", b as f64 / 1e7), subtract, &mut out);
                let expected = format!("{expected}e-7");
                assert!(Decimal::new(&out).equals(Decimal::new(&expected)), "{a}, {b}: {out}");
                assert!(!expected.starts_with('-') || out.starts_with('-'), "{a}, {b}: {out}");
            }
        }
    }

    #[test]
    fn a_far_smaller_number_has_its_effect_on_rounding() {
        // The value halfway between 1 and the next larger `f64`.
        let middle = "1.00000000000000011102230246251565404236316680908203125";
        for tiny in ["1e-60", "1e-999", "1e-99999999", "1e-99999999999999999999999"] {
            let mut out = String::new();
            write_sum(middle, tiny, false, &mut out);
            assert_eq!(out.parse(), Ok(1.0 + f64::EPSILON), "{tiny}");
            write_sum(middle, tiny, true, &mut out);
            assert_eq!(out.parse(), Ok(1.0), "{tiny}");
            assert!(out.len() < 1300, "{tiny}: {}", out.len());
        }
        let mut out = String::new();
        write_sum("1e-99999999", "-1e-99999999999", true, &mut out);
        assert_eq!(out.parse(), Ok(0.0));
        assert!(out.len() < 40, "{out}");
        write_sum("1e308", "1e-320", true, &mut out);
        assert_eq!(out.parse(), Ok(1e308));
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
