//! Interval arithmetic in `f64`: sums and products that enclose the true value.
//!
//! Uses only `+`, `−` and `×` in a fixed order, so results have equal bits on every machine. An end
//! that was rounded inwards is moved to the adjacent float, so intervals are never too narrow.

use simd_lanes::Scalar;

use crate::InvalidBounds;

/// An interval: all numbers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

impl Span {
    #[inline]
    pub(crate) fn of<S: Scalar>(x: S) -> Self {
        Self::between(x, x)
    }

    #[inline]
    pub(crate) fn between<S: Scalar>(lo: S, hi: S) -> Self {
        Self { lo: lo.to_f64(), hi: hi.to_f64() }
    }

    /// Returns an interval that contains all sums of numbers of both intervals.
    #[inline]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { lo: sum_down(self.lo, other.lo), hi: -sum_down(-self.hi, -other.hi) }
    }

    /// Returns an interval that contains all products with the factor.
    #[inline]
    pub(crate) fn times(self, factor: Factor) -> Self {
        let (low, high) = if factor.0 < 0.0 { (self.hi, self.lo) } else { (self.lo, self.hi) };
        Self { lo: product_down(low, factor), hi: -product_down(-high, factor) }
    }

    #[inline]
    pub(crate) fn negated(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }

    /// Returns the smallest interval that contains both. An end is NaN if it is NaN in either.
    #[inline]
    pub(crate) fn union(self, other: Self) -> Self {
        let lower = |a: f64, b: f64| if b < a || b.is_nan() { b } else { a };
        Self { lo: lower(self.lo, other.lo), hi: -lower(-self.hi, -other.hi) }
    }

    /// Returns the smallest interval of scalars that contains this interval.
    ///
    /// # Errors
    /// If an end is NaN, infinite or out of the range of integers, or the interval is inverted.
    #[inline]
    pub(crate) fn interval<S: Scalar>(self, axis: usize) -> Result<[S; 2], InvalidBounds> {
        let (low, high) = (round_down::<S>(self.lo), round_up::<S>(self.hi));
        let beyond = self.lo < S::MIN.to_f64() || self.hi > S::MAX.to_f64();
        if self.lo <= self.hi && low.is_finite() && high.is_finite() && !beyond {
            return Ok([low, high]);
        }
        Err(if self.lo.is_nan() || self.hi.is_nan() {
            InvalidBounds::NotANumber { axis }
        } else if self.lo > self.hi {
            InvalidBounds::Inverted { axis }
        } else if S::INTEGER {
            InvalidBounds::OutOfRange { axis }
        } else {
            InvalidBounds::Infinite { axis }
        })
    }
}

/// Returns the largest scalar not above `x`, with −0 replaced by 0. Integers saturate.
#[inline]
pub(crate) fn round_down<S: Scalar>(x: f64) -> S {
    let nearest = S::from_f64(x);
    if nearest.to_f64() > x { nearest.next_below() } else { nearest }.canonical()
}

/// Returns the smallest scalar not below `x`, with −0 replaced by 0. Integers saturate.
#[inline]
pub(crate) fn round_up<S: Scalar>(x: f64) -> S {
    let nearest = S::from_f64(x);
    if nearest.to_f64() < x { nearest.next_above() } else { nearest }.canonical()
}

/// Returns the sum, rounded down. The exact rounding error decides the direction (Knuth, The Art of
/// Computer Programming, volume 2, theorem 4.2.2 B).
#[inline]
fn sum_down(x: f64, y: f64) -> f64 {
    let sum = x + y;
    let from_y = sum - x;
    let error = (x - (sum - from_y)) + (y - from_y);
    let overflowed = sum == f64::INFINITY && x < f64::INFINITY && y < f64::INFINITY;
    if error < 0.0 || overflowed { sum.next_down() } else { sum }
}

/// Returns a lower bound of all products of `x` with the factor.
#[inline]
fn product_down(x: f64, factor: Factor) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let (p, q) = (x * factor.0, x * factor.1);
    let product = if p < q { p } else { q };
    // A power of two changes only the exponent: the product is exact, and dividing it gives `x`,
    // unless it overflowed or became subnormal.
    if factor.0 == factor.1 && product / factor.0 == x { product } else { product.next_down() }
}

/// The two floats that enclose a constant, rounded down and up: equal for a power of two, otherwise
/// adjacent. Both have the sign of the constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor(pub(crate) f64, pub(crate) f64);

impl Factor {
    pub(crate) const ONE: Self = Self(1.0, 1.0);
    pub(crate) const HALF: Self = Self(0.5, 0.5);
    pub(crate) const TWO: Self = Self(2.0, 2.0);
    /// √2.
    pub(crate) const SQRT_2: Self = Self(SQRT_2.next_down(), SQRT_2);
    /// √3.
    pub(crate) const SQRT_3: Self = Self(SQRT_3, SQRT_3.next_up());
    /// √3 / 2.
    pub(crate) const HALF_SQRT_3: Self = Self(SQRT_3 / 2.0, SQRT_3.next_up() / 2.0);
    /// 1 / √3.
    pub(crate) const INVERSE_SQRT_3: Self = Self(INVERSE_SQRT_3, INVERSE_SQRT_3.next_up());
    /// 1 / 3.
    pub(crate) const THIRD: Self = Self(1.0 / 3.0, (1.0f64 / 3.0).next_up());

    pub(crate) const fn negated(self) -> Self {
        Self(-self.1, -self.0)
    }
}

/// The smallest `f64` above √2.
const SQRT_2: f64 = core::f64::consts::SQRT_2;
/// The largest `f64` below √3.
const SQRT_3: f64 = 1.732_050_807_568_877_2;
/// The largest `f64` below 1 / √3.
const INVERSE_SQRT_3: f64 = 0.577_350_269_189_625_7;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether `numerator / denominator` is between the squares of the ends.
    fn square_lies_within(factor: Factor, numerator: u128, denominator: u128) -> bool {
        // In units of 2^-53, the ends are integers and their squares fit in 106 bits.
        let square = |x: f64| ((x * (1u64 << 53) as f64) as u128).pow(2) * denominator;
        let exact = numerator << 106;
        square(factor.0) <= exact && exact <= square(factor.1)
    }

    #[test]
    fn factors_enclose_their_constants() {
        assert!(square_lies_within(Factor::SQRT_2, 2, 1));
        assert!(square_lies_within(Factor::SQRT_3, 3, 1));
        assert!(square_lies_within(Factor::HALF_SQRT_3, 3, 4));
        assert!(square_lies_within(Factor::INVERSE_SQRT_3, 1, 3));
        let units = |x: f64| (x * (1u64 << 54) as f64) as u128 * 3;
        assert!(units(Factor::THIRD.0) < 1 << 54 && units(Factor::THIRD.1) > 1 << 54);
        for factor in [Factor::SQRT_2, Factor::SQRT_3, Factor::INVERSE_SQRT_3, Factor::THIRD] {
            assert_eq!(factor.0.next_up(), factor.1);
        }
    }

    #[test]
    fn sums_are_exact_or_one_float_wide() {
        let tiny = f64::MIN_POSITIVE;
        let sum = Span::of(1.0).plus(Span::of(tiny));
        assert_eq!(sum, Span { lo: 1.0, hi: 1f64.next_up() });
        let sum = Span::of(-1.0).plus(Span::of(-tiny));
        assert_eq!(sum, Span { lo: (-1f64).next_down(), hi: -1.0 });
        assert_eq!(Span::of(0.5).plus(Span::of(3.0)), Span::of(3.5));
        let sum = Span::of(f64::MAX).plus(Span::of(f64::MAX));
        assert_eq!(sum, Span { lo: f64::MAX, hi: f64::INFINITY });
    }

    #[test]
    fn products_enclose_and_powers_of_two_are_exact() {
        assert_eq!(Span::of(-3.0).times(Factor::HALF), Span::of(-1.5));
        assert_eq!(Span::of(3.0).times(Factor::TWO.negated()), Span::of(-6.0));
        let least = f64::from_bits(1);
        assert_eq!(Span::of(least).times(Factor::HALF), Span { lo: -least, hi: least });
        for x in [-7.0, -1.0, 1.0, 1e300] {
            let round_trip = Span::of(x).times(Factor::SQRT_3).times(Factor::INVERSE_SQRT_3);
            assert!(round_trip.lo < x && x < round_trip.hi);
            assert!((round_trip.hi - round_trip.lo) / x.abs() < 1e-14);
        }
    }

    #[test]
    fn intervals_round_outwards() {
        let span = Span { lo: 0.1, hi: 0.2 };
        let [low, high] = span.interval::<f32>(0).unwrap();
        assert!(f64::from(low) <= 0.1 && f64::from(low.next_up()) > 0.1);
        assert!(f64::from(high) >= 0.2 && f64::from(high.next_down()) < 0.2);
        assert_eq!(Span { lo: -0.5, hi: 0.5 }.interval::<i32>(0), Ok([-1, 1]));
        assert_eq!(Span::of(2e10).interval::<i32>(1), Err(InvalidBounds::OutOfRange { axis: 1 }));
        assert_eq!(Span::of(1e39).interval::<f32>(2), Err(InvalidBounds::Infinite { axis: 2 }));
    }
}
