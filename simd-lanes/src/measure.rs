//! Distances and fractions of ways, in the number type's own precision.
//!
//! Floats compute in their own type with + − × ÷ in the order written here, so the same bits come
//! out everywhere; integers compute exactly and round once, at the end. Everything is monotone: a
//! box that holds another is never farther away, and is never touched later.

use core::fmt::Debug;

use crate::Scalar;

/// How distances and ways between numbers are measured; part of [`Scalar`].
///
/// ```
/// use simd_lanes::Measure;
///
/// assert_eq!(i32::gap(i32::MIN, i32::MAX), u32::MAX);
/// assert!(f32::is_within([3e30, 4e30], 5e30)); // though no square is a number
/// let steps = [f32::step(1.0, 5.0)];
/// let touch = f32::first_touch([&[1.0], &[1.0]], &steps, [&[4.0], &[9.0]], 1.0);
/// assert_eq!(touch, Some(0.75));
/// ```
pub trait Measure: Copy + Sized + sealed::Sealed {
    /// The type of fractions and squared distances: `f32` for `f32`, else `f64`.
    type Real: Scalar<Real = Self::Real>;
    /// A distance on one axis: the type itself for floats, `u32` for `i32`.
    type Gap: Copy + PartialOrd + Debug + Send + Sync + 'static;
    /// A radius, as what is compared with it needs it.
    type Limit: Copy + Debug + Send + Sync + 'static;
    /// A delta on one axis, from one number to another.
    type Step: Copy + Debug + Send + Sync + 'static;

    /// What a fraction may be wrong by, relative to itself: a few roundings.
    const FRACTION_ERROR: f64;
    /// What a fraction may be wrong by even if it is 0.
    const LEAST_FRACTION: f64;

    /// How far `high` is above `low`; 0 if it is not.
    fn gap(low: Self, high: Self) -> Self::Gap;
    /// How far one is from the other.
    fn distance(a: Self, b: Self) -> Self::Gap;
    /// The sum of the squares; exact until it is rounded once, if integer.
    fn squared_length<const D: usize>(gaps: [Self::Gap; D]) -> Self::Real;
    /// Whether the square root of the sum of the squares is at most the radius, even where
    /// squares are too large or too small to be a number.
    #[inline(always)]
    fn is_within<const D: usize>(gaps: [Self::Gap; D], radius: Self) -> bool {
        Self::is_below(gaps, &Self::limit(radius))
    }
    /// A radius with which many are compared.
    fn limit(radius: Self) -> Self::Limit;
    /// What [`is_within`](Self::is_within) says, without a branch: so many can be tested side by
    /// side.
    fn is_below<const D: usize>(gaps: [Self::Gap; D], limit: &Self::Limit) -> bool;
    /// The delta from one number to another.
    fn step(from: Self, to: Self) -> Self::Step;
    /// When the box from `start[0]` to `start[1]`, moving by `steps`, first touches the box from
    /// `other[0]` to `other[1]`: as a fraction of the steps, not after `until`. `None` if it does
    /// not. Integers decide exactly and round the fraction once.
    ///
    /// All numbers must be finite, `until` may be infinite; a fraction too large to be a number
    /// counts as the largest.
    #[inline(always)]
    fn first_touch<const D: usize>(
        start: [&[Self; D]; 2],
        steps: &[Self::Step; D],
        other: [&[Self; D]; 2],
        until: Self::Real,
    ) -> Option<Self::Real> {
        Self::touch(start, steps, other, until).map(|[first, _]| first)
    }
    /// When it first touches it, as [`first_touch`](Self::first_touch) says, and when last;
    /// `until` if it still does then.
    fn touch<const D: usize>(
        start: [&[Self; D]; 2],
        steps: &[Self::Step; D],
        other: [&[Self; D]; 2],
        until: Self::Real,
    ) -> Option<[Self::Real; 2]>;
    /// How far a fraction of a step leads, about; the fraction may be infinite.
    fn advance(step: Self::Step, fraction: f64) -> f64;
}

/// A radius of floats: scaled by a power of two where squares would be too large or too small.
#[derive(Clone, Copy, Debug)]
pub struct FloatLimit<F> {
    scale: F,
    /// Of the scaled radius; NaN for one below 0, which nothing is within.
    square: F,
}

/// From one place to another on one axis: what a delta that begins there is measured by.
#[derive(Clone, Copy, Debug)]
pub struct FloatStep<F> {
    /// The delta, or half of it where the whole is too long to be a number.
    delta: F,
    halved: bool,
}

macro_rules! float_measure {
    ($F:ty, least: $least:expr, huge: $huge:expr, tiny: $tiny:expr, down: $down:expr, up: $up:expr) => {
        impl Measure for $F {
            type Real = Self;
            type Gap = Self;
            type Limit = FloatLimit<Self>;
            type Step = FloatStep<Self>;

            const FRACTION_ERROR: f64 = 8.0 * <$F>::EPSILON as f64;
            const LEAST_FRACTION: f64 = $least;

            #[inline(always)]
            fn gap(low: Self, high: Self) -> Self {
                if high > low { high - low } else { 0.0 }
            }

            #[inline(always)]
            fn squared_length<const D: usize>(gaps: [Self; D]) -> Self {
                let mut sum = 0.0;
                for gap in gaps {
                    sum += gap * gap;
                }
                sum
            }

            #[inline(always)]
            fn distance(a: Self, b: Self) -> Self {
                (a - b).abs()
            }

            #[inline(always)]
            fn limit(radius: Self) -> FloatLimit<Self> {
                let scale = if radius > $huge {
                    $down
                } else if radius < $tiny {
                    $up
                } else {
                    1.0
                };
                let scaled = if radius >= 0.0 { radius * scale } else { <$F>::NAN };
                FloatLimit { scale, square: scaled * scaled }
            }

            #[inline(always)]
            fn is_below<const D: usize>(gaps: [Self; D], limit: &FloatLimit<Self>) -> bool {
                // A gap just longer than the radius has a larger square, though both are rounded:
                // squares of neighbours are nearly two steps apart, or more.
                let mut sum = 0.0;
                for gap in gaps {
                    sum += (gap * limit.scale) * (gap * limit.scale);
                }
                sum <= limit.square
            }

            #[inline(always)]
            fn step(from: Self, to: Self) -> FloatStep<Self> {
                // A delta of 0 has no sign.
                let delta = to - from + 0.0;
                if delta.is_finite() {
                    FloatStep { delta, halved: false }
                } else {
                    FloatStep { delta: to * 0.5 - from * 0.5, halved: true }
                }
            }

            #[inline(always)]
            fn touch<const D: usize>(
                start: [&[Self; D]; 2],
                steps: &[FloatStep<Self>; D],
                other: [&[Self; D]; 2],
                until: Self,
            ) -> Option<[Self; 2]> {
                let ([start_min, start_max], [min, max]) = (start, other);
                let (mut enter, mut exit, mut apart) = (0.0, until, false);
                for axis in 0..D {
                    let step = steps[axis];
                    // Ways go anywhere, so no branch depends on where: the earlier of two ends is
                    // the near one. Those of a delta of 0 are infinite or no numbers.
                    let one = step.time(start_max[axis], min[axis]);
                    let other = step.time(start_min[axis], max[axis]);
                    let near = if other < one { other } else { one };
                    let far = if other < one { one } else { other };
                    enter = if near > enter { near } else { enter };
                    // Nothing that goes nowhere leaves.
                    let still = step.delta == 0.0;
                    exit = if (far < exit) & !still { far } else { exit };
                    let meets = (min[axis] <= start_max[axis]) & (start_min[axis] <= max[axis]);
                    apart |= still & !meets;
                }
                ((enter <= exit) & !apart).then_some([enter, exit])
            }

            #[inline(always)]
            fn advance(step: FloatStep<Self>, fraction: f64) -> f64 {
                if step.delta == 0.0 || fraction == 0.0 {
                    return 0.0;
                }
                let delta = step.delta.to_f64() * fraction;
                (if step.halved { delta * 2.0 } else { delta }).clamp(f64::MIN, f64::MAX)
            }
        }

        impl FloatStep<$F> {
            /// When something that begins at `from` is at `to`, as a fraction of the step; the
            /// ends of the range where that is too large to be a number. Anything for a step of 0.
            #[inline(always)]
            fn time(self, from: $F, to: $F) -> $F {
                let delta = to - from;
                let time = if !self.halved && delta.is_finite() {
                    delta / self.delta
                } else {
                    let half = (to * 0.5 - from * 0.5) / self.delta;
                    if self.halved { half } else { half * 2.0 }
                };
                time.clamp(<$F>::MIN, <$F>::MAX)
            }
        }
    };
}

float_measure!(
    f32, least: power_f64(-148),
    huge: power_f32(60), tiny: power_f32(-50), down: power_f32(-96), up: power_f32(100)
);
float_measure!(
    f64, least: 1e-323,
    huge: power_f64(500), tiny: power_f64(-480), down: power_f64(-768), up: power_f64(800)
);

const fn power_f32(n: i32) -> f32 {
    f32::from_bits(((n + 127) as u32) << 23)
}

const fn power_f64(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

impl Measure for i32 {
    type Real = f64;
    type Gap = u32;
    type Limit = Option<u32>;
    type Step = i64;

    const FRACTION_ERROR: f64 = 8.0 * f64::EPSILON;
    const LEAST_FRACTION: f64 = 0.0;

    #[inline(always)]
    fn gap(low: Self, high: Self) -> u32 {
        if high > low { high.wrapping_sub(low) as u32 } else { 0 }
    }

    #[inline(always)]
    fn squared_length<const D: usize>(gaps: [u32; D]) -> f64 {
        let square = |gap: u32| u64::from(gap) * u64::from(gap);
        if gaps.iter().all(|&gap| gap < 1 << 31) {
            gaps.iter().fold(0, |sum, &gap| sum + square(gap)) as f64
        } else {
            gaps.iter().fold(0, |sum, &gap| sum + u128::from(square(gap))) as f64
        }
    }

    #[inline(always)]
    fn distance(a: Self, b: Self) -> u32 {
        a.abs_diff(b)
    }

    #[inline(always)]
    fn limit(radius: Self) -> Option<u32> {
        u32::try_from(radius).ok()
    }

    #[inline(always)]
    fn is_below<const D: usize>(gaps: [u32; D], limit: &Option<u32>) -> bool {
        let square = |gap: u32| u64::from(gap) * u64::from(gap);
        let (mut sum, mut reach) = (0u64, limit.is_some());
        let limit = limit.unwrap_or_default();
        for gap in gaps {
            reach &= gap <= limit;
            // Where all are in reach none is above 2^31, so the sum of three squares is below 2^64.
            sum = sum.wrapping_add(square(gap));
        }
        reach & (sum <= square(limit))
    }

    #[inline(always)]
    fn step(from: Self, to: Self) -> i64 {
        i64::from(to) - i64::from(from)
    }

    #[inline(always)]
    fn touch<const D: usize>(
        start: [&[Self; D]; 2],
        steps: &[i64; D],
        other: [&[Self; D]; 2],
        until: f64,
    ) -> Option<[f64; 2]> {
        let ([start_min, start_max], [min, max]) = (start, other);
        // Fractions: above the line at most 33 bits and a sign, below it as many and positive.
        let less = |a: (i64, i64), b: (i64, i64)| {
            i128::from(a.0) * i128::from(b.1) < i128::from(b.0) * i128::from(a.1)
        };
        let (mut enter, mut exit) = ((0, 1), None);
        for axis in 0..D {
            let (to_near, to_far) =
                (Self::step(start_max[axis], min[axis]), Self::step(start_min[axis], max[axis]));
            let (near, far) = match steps[axis] {
                0 if to_near <= 0 && 0 <= to_far => continue,
                0 => return None,
                delta @ 1.. => ((to_near, delta), (to_far, delta)),
                delta => ((-to_far, -delta), (-to_near, -delta)),
            };
            enter = if less(enter, near) { near } else { enter };
            exit = Some(exit.map_or(far, |exit| if less(far, exit) { far } else { exit }));
        }
        if exit.is_some_and(|exit| less(exit, enter)) {
            return None;
        }
        let rounded = |fraction: (i64, i64)| fraction.0 as f64 / fraction.1 as f64;
        let (first, last) = (rounded(enter), exit.map_or(until, rounded));
        (first <= until).then_some([first, if last < until { last } else { until }])
    }

    #[inline(always)]
    fn advance(step: i64, fraction: f64) -> f64 {
        if step == 0 { 0.0 } else { step as f64 * fraction }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for i32 {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_neither_overflow_nor_vanish() {
        for radius in [1e-40f32, 1e-30, 1e-10, 1.0, 1e10, 1e25, 1e38] {
            let part = radius / 5.0;
            assert!(f32::is_within([part * 2.0, part * 3.0], radius), "{radius}");
            assert!(!f32::is_within([part * 4.0, part * 3.5], radius), "{radius}");
            assert!(f32::is_within([0.0, radius], radius), "{radius}");
        }
        for radius in [5e-324f64, 1e-300, 1e-160, 1.0, 1e160, 1e300, f64::MAX] {
            assert!(f64::is_within([radius, 0.0], radius), "{radius}");
            assert!(!f64::is_within([radius, radius], radius), "{radius}");
        }
        assert!(i32::is_within([i32::MAX as u32, 0, 0], i32::MAX));
        assert!(!i32::is_within([i32::MAX as u32, 1, 0], i32::MAX));
        assert_eq!(i32::squared_length([u32::MAX; 3]), 3.0 * (u32::MAX as f64).powi(2));
        assert_eq!(i32::gap(i32::MIN, i32::MAX), u32::MAX);
        assert_eq!(i32::gap(i32::MAX, i32::MIN), 0);
    }

    #[test]
    fn what_is_a_step_farther_than_the_radius_is_not_within() {
        let far = |radius: f32| !f32::is_within([radius.next_up(), 0.0], radius);
        // The last digits of all numbers are those of some in here.
        assert!((1f32.to_bits()..4f32.to_bits()).map(f32::from_bits).all(far));
        for n in 0..=254 {
            let power = f32::from_bits(n << 23);
            for radius in [power, power.next_up(), power * 1.5, power.next_down().max(0.0)] {
                assert!(far(radius) && f32::is_within([0.0, radius], radius), "{radius}");
            }
        }
        assert!(!f32::is_within([f32::INFINITY], f32::MAX));
        assert!(f32::is_within([f32::INFINITY; 3], f32::INFINITY));
        for n in 0..=2046 {
            let power = f64::from_bits(n << 52);
            for radius in [power, power.next_up(), power * 1.375, power.next_down().max(0.0)] {
                assert!(!f64::is_within([0.0, radius.next_up()], radius), "{radius}");
                assert!(f64::is_within([radius, 0.0], radius), "{radius}");
            }
        }
        for nothing in [-1e-45, -1.0, f32::MIN, f32::NEG_INFINITY, f32::NAN] {
            assert!(!f32::is_within([0.0, 0.0], nothing), "{nothing}");
        }
    }

    #[test]
    fn ways_that_are_too_long_to_be_a_number_have_fractions() {
        let steps = [f32::step(f32::MIN, f32::MAX)];
        let touch = |at: f32| {
            let start = [&[f32::MIN]; 2];
            f32::first_touch(start, &steps, [&[at], &[f32::MAX]], 1.0)
        };
        assert_eq!(touch(f32::MIN), Some(0.0));
        assert_eq!(touch(0.0), Some(0.5));
        assert_eq!(touch(f32::MAX), Some(1.0));
        let steps = [i32::step(i32::MIN, i32::MAX)];
        let touch = i32::first_touch([&[i32::MIN]; 2], &steps, [&[0], &[0]], 1.0);
        assert_eq!(touch, Some(2f64.powi(31) / (2f64.powi(32) - 1.0)));
        // Far beyond the end of a ray's first step.
        let steps = [f32::step(0.0, 1.0)];
        let touch = |from: f32, to: f32| {
            f32::first_touch([&[from]; 2], &steps, [&[to], &[to]], f32::INFINITY)
        };
        assert_eq!(touch(f32::MIN, f32::MAX), Some(f32::MAX));
        assert_eq!(touch(f32::MAX, f32::MIN), None);
    }

    #[test]
    fn ways_that_go_nowhere_touch_what_is_there_from_the_beginning() {
        for (to, until) in [(0.0, 1.0), (-0.0, f32::MAX), (0.0, f32::INFINITY), (-0.0, 0.0)] {
            let steps = [f32::step(0.0, to)];
            let touch = |other: [f32; 2]| {
                f32::touch([&[1.0], &[2.0]], &steps, [&[other[0]], &[other[1]]], until)
            };
            for there in [[0.0, 1.0], [1.0, 1.0], [1.0, 2.0], [1.5, 1.5], [2.0, 2.0], [2.0, 9.0]] {
                assert_eq!(touch(there), Some([0.0, until]), "{there:?} until {until}");
            }
            for apart in [[-3.0, 0.5], [2.5, 9.0], [f32::MIN; 2], [f32::MAX; 2]] {
                assert_eq!(touch(apart), None, "{apart:?} until {until}");
            }
        }
    }

    #[test]
    fn integers_decide_corners_exactly() {
        let far = i32::MAX;
        let steps = [i32::step(0, far), i32::step(0, far - 1)];
        let touch = |x: i32, y: i32| {
            i32::first_touch([&[0, 0]; 2], &steps, [&[0, y], &[x, far]], 1.0).is_some()
        };
        // At the height far − 1 it is at x = far, and at far − 2 a little before far − 1.
        assert!(touch(far, far - 1) && !touch(far - 1, far - 1));
        assert!(touch(far - 1, far - 2) && !touch(far - 2, far - 2));
    }
}
