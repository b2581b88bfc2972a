//! The definition of the fundamental domain: intervals are moved there with exact integer
//! arithmetic.

use crate::numbers::Numbers;

/// Returns the number as an integer times 2^exponent.
fn parts(x: f64) -> (i128, i32) {
    let bits = x.abs().to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, i128::from(bits & ((1 << 52) - 1)));
    let whole = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    (if x < 0.0 { -whole } else { whole }, exponent.max(1) - 1075)
}

/// Returns the numbers as multiples of a common power of two, and its exponent; `None` if the
/// magnitudes of the numbers differ too much.
fn in_units<const N: usize>(numbers: [f64; N]) -> Option<([i128; N], i32)> {
    let parts = numbers.map(parts);
    let unit = parts.iter().filter(|(n, _)| *n != 0).map(|&(_, exponent)| exponent).min();
    let unit = unit.unwrap_or(0);
    let fits = |&(n, exponent): &(i128, i32)| n == 0 || exponent - unit <= 64;
    let whole = |(n, exponent)| if n == 0 { 0 } else { n << (exponent - unit) };
    parts.iter().all(fits).then(|| (parts.map(whole), unit))
}

/// Returns n times 2^unit, rounded once to nearest, ties to even.
fn rounded<S: Numbers>(n: i128, unit: i32) -> S {
    let n = if S::NAME == "f32" { f64::from(n as f32) } else { n as f64 };
    // Both factors and their product are exact.
    S::from_f64(n * power_of_two(unit))
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(match exponent {
        -1022.. => ((exponent + 1023) as u64) << 52,
        _ => 1 << (exponent + 1074),
    })
}

/// Moves an interval by a whole number of sides, so that the lower end is in `[0, side)`. Returns
/// both ends, each rounded once. If the lower end rounds to the side, it becomes 0, and one more
/// side is subtracted from the upper end, down to at most 0.
pub(super) fn home<S: Numbers>(min: S, max: S, side: S) -> (S, S) {
    let numbers = [min, max, side].map(|x| x.to_f64());
    let Some(([low, high, whole], unit)) = in_units(numbers) else {
        return home_of_floats(min, max, side);
    };
    let base = low - low.rem_euclid(whole);
    let at = |x: i128| rounded::<S>(x, unit);
    if at(low - base) < side {
        (at(low - base), at(high - base))
    } else {
        (S::ZERO, at((high - base - whole).max(0)))
    }
}

/// Implements [`home`] for numbers of very different size. Uses remainders, which are exact.
fn home_of_floats<S: Numbers>(min: S, max: S, side: S) -> (S, S) {
    let [low, high] = [min, max].map(|x| S::from_f64(x.to_f64() % side.to_f64()));
    let below = low < S::ZERO && low.plus(side) < side;
    let up = |x: S, n: u8| [x, x.plus(side), x.plus(side.plus(side))][usize::from(n)];
    let [low, high] = [up(low, below.into()), up(high, u8::from(below) + u8::from(high < low))];
    [low, high].map(|x| if x > S::ZERO { x } else { S::ZERO }).into()
}
