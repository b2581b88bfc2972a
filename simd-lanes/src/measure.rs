//! Distances, and times of first and last contact of a moving box, computed in the number type.
//!
//! *Swept boxes* ([`Measure::touch`]): input are a moving box, its displacement per axis and a
//! fixed box; output are the first and the last time of contact, as fractions of the displacement.
//!
//! 1. On each axis, divide the distances to the near and to the far side of the other box by the
//!    displacement (slab test). The two quotients are times: the boxes overlap on this axis between
//!    them. If the displacement is 0, the boxes overlap on this axis always or never.
//! 2. The first contact is the largest near time (at least 0). The last contact is the smallest far
//!    time (at most the parameter `until`). If the first is after the last, the boxes miss each
//!    other.
//!
//! Floats compute in their own type with + − × ÷ in the order written here, so results are equal on
//! all machines. Integers compute exactly and round once, at the end. All results are monotone: if
//! a box contains another, its distance is not larger and its first contact is not later.

mod integers;
#[cfg(test)]
mod tests;

use core::fmt::Debug;

use crate::Scalar;

/// Distances and displacements of numbers; a supertrait of [`Scalar`].
///
/// ```
/// use simd_lanes::Measure;
///
/// assert_eq!(i32::gap(i32::MIN, i32::MAX), u32::MAX);
/// assert!(f32::is_within([3e30, 4e30], 5e30)); // the squares overflow
/// let steps = [f32::step(1.0, 5.0)];
/// let touch = f32::touch([&[1.0], &[1.0]], &steps, [&[4.0], &[9.0]], 1.0);
/// assert_eq!(touch, Some([0.75, 1.0]));
/// ```
pub trait Measure: Copy + Sized + sealed::Sealed {
    /// The type of times and squared distances: `f32` for `f32`, `f64` for `f64` and `i32`.
    type Real: Scalar<Real = Self::Real>;
    /// A distance on one axis: the type itself for floats, `u32` for `i32`.
    type Gap: Copy + PartialOrd + Debug + Send + Sync + 'static;
    /// A radius, prepared for comparisons by [`limit`](Self::limit).
    type Limit: Copy + Debug + Send + Sync + 'static;
    /// A displacement on one axis, from one number to another.
    type Step: Copy + Debug + Send + Sync + 'static;

    /// The largest relative error of a time of contact, from a few roundings.
    const FRACTION_ERROR: f64;
    /// The largest absolute error of a time of contact that is too small for full precision.
    const FRACTION_ERROR_NEAR_ZERO: f64;
    /// The smallest squared distance of full precision; below it squares are subnormal or 0. It is
    /// 0 for integers, whose squares are exact.
    const MIN_SQUARE: Self::Real;
    /// A power of two: multiplied by it, numbers whose squared distance is below
    /// [`MIN_SQUARE`](Self::MIN_SQUARE) have a normal square, or 0 if the distance is 0.
    const SCALE_UP: f64;
    /// A power of two: multiplied by it, numbers whose distance or square overflows have a finite
    /// normal square.
    const SCALE_DOWN: f64;
    /// A magnitude: a number of at least this magnitude and any unequal number have a squared
    /// difference of at least [`MIN_SQUARE`](Self::MIN_SQUARE).
    const NEAR_ZERO: f64;

    /// Returns `high - low`, or 0 if `high` is below `low`.
    fn gap(low: Self, high: Self) -> Self::Gap;
    /// Returns the absolute difference of the two numbers.
    fn distance(a: Self, b: Self) -> Self::Gap;
    /// Returns the sum of the squares. Integer sums are computed exactly and rounded once.
    fn squared_length<const D: usize>(gaps: [Self::Gap; D]) -> Self::Real;
    /// Returns whether the length, the root of the sum of the squares, is at most the radius. The
    /// result is right even if the squares overflow or underflow.
    #[inline(always)]
    fn is_within<const D: usize>(gaps: [Self::Gap; D], radius: Self) -> bool {
        Self::is_below(gaps, &Self::limit(radius))
    }
    /// Returns the smallest number that is at least the length: the smallest radius that
    /// [`is_within`](Self::is_within) accepts, in the type of times; infinite if the root
    /// overflows. The result is right even if the squares overflow or underflow.
    ///
    /// "At least" is as exact as `is_within`: floats round each square and the sum; integers are
    /// exact, and the result is the first `f64` not below the exact root.
    fn length<const D: usize>(gaps: [Self::Gap; D]) -> Self::Real;
    /// Returns the [`length`](Self::length) of gaps with this
    /// [`squared_length`](Self::squared_length). Returns `None` if the square does not determine the
    /// length: a float of 0, or without full precision, or near that; an integer from 2^53 on.
    fn root(square: Self::Real) -> Option<Self::Real>;
    /// Prepares a radius for many comparisons with [`is_below`](Self::is_below).
    fn limit(radius: Self) -> Self::Limit;
    /// Returns the result of [`is_within`](Self::is_within) for a prepared radius. Branch-free, so
    /// the compiler can vectorize loops that call it.
    fn is_below<const D: usize>(gaps: [Self::Gap; D], limit: &Self::Limit) -> bool;
    /// Returns whether the square of a prepared radius is scaled.
    fn is_scaled(limit: &Self::Limit) -> bool;
    /// Returns the result of [`is_below`](Self::is_below) for a limit that is not
    /// [scaled](Self::is_scaled), at lower cost.
    #[inline(always)]
    fn is_below_unscaled<const D: usize>(gaps: [Self::Gap; D], limit: &Self::Limit) -> bool {
        Self::is_below(gaps, limit)
    }
    /// Returns whether the distance of two centers is at most the sum of two radii. The result is
    /// right even if the sum or the squares overflow or underflow. Integers compute exactly.
    fn balls_overlap<const D: usize>(centers: [&[Self; D]; 2], radii: [Self; 2]) -> bool;
    /// Returns the displacement from one number to another, prepared as a divisor.
    fn step(from: Self, to: Self) -> Self::Step;
    /// Returns the times at which the box from `start[0]` to `start[1]`, moving by `steps`, first
    /// and last touches the box from `other[0]` to `other[1]`. Times are fractions of the steps, at
    /// most `until`; `None` if there is no contact. The time of the last contact is `until` if the
    /// boxes still touch at that time. Integers test contact exactly and round fractions once.
    ///
    /// All numbers must be finite; `until` may be infinite. A fraction that overflows is clamped to
    /// the largest finite number.
    fn touch<const D: usize>(
        start: [&[Self; D]; 2],
        steps: &[Self::Step; D],
        other: [&[Self; D]; 2],
        until: Self::Real,
    ) -> Option<[Self::Real; 2]>;
    /// Returns `step * fraction`, approximately. The fraction may be infinite.
    fn advance(step: Self::Step, fraction: f64) -> f64;
}

/// A float radius, scaled by a power of two if its square would overflow or underflow.
#[derive(Clone, Copy, Debug)]
pub struct FloatLimit<F> {
    scale: F,
    /// The square of the scaled radius. It is NaN for a negative radius, so every comparison fails.
    square: F,
}

/// A float displacement on one axis: the divisor of contact times.
#[derive(Clone, Copy, Debug)]
pub struct FloatStep<F> {
    /// The displacement, or half of it if the whole overflows.
    delta: F,
    halved: bool,
}

macro_rules! float_measure {
    (
        $F:ty, least: $least:expr, huge: $huge:expr, tiny: $tiny:expr, down: $down:expr, up: $up:expr,
        scales: [$scale_down:expr, $scale_up:expr], near_zero: $near_zero:expr
    ) => {
        impl Measure for $F {
            type Real = Self;
            type Gap = Self;
            type Limit = FloatLimit<Self>;
            type Step = FloatStep<Self>;

            const FRACTION_ERROR: f64 = 8.0 * <$F>::EPSILON as f64;
            const FRACTION_ERROR_NEAR_ZERO: f64 = $least;
            const MIN_SQUARE: Self = Self::MIN_POSITIVE;
            const SCALE_UP: f64 = $scale_up;
            const SCALE_DOWN: f64 = $scale_down;
            const NEAR_ZERO: f64 = $near_zero;

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

            fn length<const D: usize>(gaps: [Self; D]) -> Self {
                let largest =
                    gaps.iter().fold(0.0, |most, &gap| if gap > most { gap } else { most });
                let scale = if largest > $huge {
                    $down
                } else if largest < $tiny {
                    $up
                } else {
                    1.0
                };
                let square = Self::squared_length(gaps.map(|gap| gap * scale));
                let length = smallest_root(square, |root: Self| root * root >= square) / scale;
                // A subnormal length was rounded.
                if Self::is_within(gaps, length) { length } else { length.next_up() }
            }

            #[inline]
            fn root(square: Self) -> Option<Self> {
                let is_exact = $tiny * $tiny <= square && square <= $huge * $huge;
                is_exact.then(|| smallest_root(square, |root: Self| root * root >= square))
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
                // A gap one float above the radius has a larger square even after rounding: squares
                // of adjacent floats differ by nearly two float steps or more.
                let mut sum = 0.0;
                for gap in gaps {
                    sum += (gap * limit.scale) * (gap * limit.scale);
                }
                sum <= limit.square
            }

            #[inline(always)]
            fn is_scaled(limit: &FloatLimit<Self>) -> bool {
                limit.scale != 1.0
            }

            #[inline(always)]
            fn is_below_unscaled<const D: usize>(
                gaps: [Self; D],
                limit: &FloatLimit<Self>,
            ) -> bool {
                Self::squared_length(gaps) <= limit.square
            }

            #[inline(always)]
            fn balls_overlap<const D: usize>([a, b]: [&[Self; D]; 2], radii: [Self; 2]) -> bool {
                let mut gaps = [0.0; D];
                let mut reach = radii[0] + radii[1];
                if reach.is_infinite() {
                    // Halving is exact: no number is tiny compared with the sum.
                    reach = radii[0] * 0.5 + radii[1] * 0.5;
                    for axis in 0..D {
                        gaps[axis] = Self::distance(a[axis] * 0.5, b[axis] * 0.5);
                    }
                } else {
                    for axis in 0..D {
                        gaps[axis] = Self::distance(a[axis], b[axis]);
                    }
                }
                Self::is_within(gaps, reach)
            }

            #[inline(always)]
            fn step(from: Self, to: Self) -> FloatStep<Self> {
                // Adding 0 turns −0 into 0.
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
                    // Branch-free, because the sign of the displacement is unpredictable: the near
                    // time is the smaller one. For a displacement of 0 both times are infinite or
                    // NaN.
                    let one = step.time(start_max[axis], min[axis]);
                    let other = step.time(start_min[axis], max[axis]);
                    let near = if other < one { other } else { one };
                    let far = if other < one { one } else { other };
                    enter = if near > enter { near } else { enter };
                    // Without displacement the boxes never separate, so the last contact is
                    // unlimited.
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
            /// Returns the fraction of the step at which a point that starts at `from` reaches
            /// `to`, clamped to finite numbers. The result is unspecified for a step of 0.
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

/// Returns the smallest number near √`square` that `is_enough` accepts, as it does all larger ones.
#[inline]
fn smallest_root<R: Scalar>(square: R, is_enough: impl Fn(R) -> bool) -> R {
    if square == R::ZERO || square.to_f64() == f64::INFINITY {
        return square;
    }
    // Rounding moves the root by less than one float. Branch-free, because it is unpredictable.
    let root = R::from_f64(estimated_root(square.to_f64()));
    let (below, above) = (root.next_below(), root.next_above());
    let root = if is_enough(root) { root } else { above };
    let root = if is_enough(below) { below } else { root };
    #[cfg(not(feature = "std"))]
    let root = corrected(root, is_enough);
    root
}

/// Returns the smallest number that `is_enough` accepts, given a number near it.
#[cfg(not(feature = "std"))]
fn corrected<R: Scalar>(mut root: R, is_enough: impl Fn(R) -> bool) -> R {
    while !is_enough(root) {
        root = root.next_above();
    }
    while is_enough(root.next_below()) {
        root = root.next_below();
    }
    root
}

#[cfg(feature = "std")]
#[inline]
fn estimated_root(square: f64) -> f64 {
    square.sqrt()
}
#[cfg(not(feature = "std"))]
use newton_root as estimated_root;

/// Returns the square root of a normal number, with an error of a few roundings.
#[cfg(any(test, not(feature = "std")))]
#[inline]
fn newton_root(square: f64) -> f64 {
    // Halving the exponent estimates the root to 6 %. Each step of Newton's method squares the
    // error.
    let mut root = f64::from_bits((square.to_bits() >> 1) + (1023 << 51));
    for _ in 0..4 {
        root = (root + square / root) * 0.5;
    }
    root
}

float_measure!(
    f32, least: power_f64(-148),
    huge: power_f32(60), tiny: power_f32(-50), down: power_f32(-96), up: power_f32(100),
    scales: [power_f64(-66), power_f64(86)], near_zero: power_f64(-38)
);
float_measure!(
    f64, least: 1e-323,
    huge: power_f64(500), tiny: power_f64(-480), down: power_f64(-768), up: power_f64(800),
    scales: [power_f64(-514), power_f64(563)], near_zero: power_f64(-457)
);

const fn power_f32(n: i32) -> f32 {
    f32::from_bits(((n + 127) as u32) << 23)
}

const fn power_f64(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for i32 {}
}
