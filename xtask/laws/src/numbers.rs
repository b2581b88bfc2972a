//! Coordinates for tests: numbers that often coincide, and extreme numbers.

use broadphase_core::{Aabb, Number};
use proptest::prelude::*;

/// A number type with strategies for random values.
pub trait Numbers: Number {
    /// Extreme numbers, such as the ends of the range.
    const EXTREME: &'static [Self];
    /// The values that are invalid in bounds; empty for integers.
    const FORBIDDEN: &'static [Self];
    /// Units of length for small and large worlds, from the smallest number to 1/16 of the largest.
    /// Near some of the units, squared distances underflow or overflow.
    const SCALES: &'static [f64];

    /// Returns the number that the low bits encode.
    fn of_bits(bits: u64) -> Self;

    /// Returns a strategy for small numbers with coarse steps: boxes often touch, coordinates are
    /// often equal. Some steps are too small for a 32-bit key: different numbers of `f64` then have
    /// equal keys.
    fn crowded() -> BoxedStrategy<Self> {
        let number = |(n, fine)| Self::from_f64(f64::from(n) * 0.5 + f64::from(fine) * 1e-12);
        (-40i8..40, -1i8..2).prop_map(number).boxed()
    }

    /// Returns a strategy for any finite numbers: huge, tiny, subnormal, and the ends of the range.
    fn hostile() -> BoxedStrategy<Self> {
        let any = any::<u64>().prop_map(Self::of_bits).prop_filter("finite", |x| x.is_finite());
        prop_oneof![any, prop::sample::select(Self::EXTREME), Self::crowded()].boxed()
    }
}

impl Numbers for f32 {
    const EXTREME: &'static [Self] =
        &[Self::MIN, Self::MAX, -0.0, 1e-45, -1e-45, 16_777_216.0, 1e30];
    const FORBIDDEN: &'static [Self] = &[Self::NAN, Self::INFINITY, Self::NEG_INFINITY];
    const SCALES: &'static [f64] = &[1e-45, 1e-38, 1e-30, 1e-23, 2e-20, 1.0, 2e18, 1e25, 2e37];

    fn of_bits(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
}

impl Numbers for f64 {
    const EXTREME: &'static [Self] =
        &[Self::MIN, Self::MAX, -0.0, 5e-324, -5e-324, 1e300, 1e39, 1.0 + 1e-15];
    const FORBIDDEN: &'static [Self] = &[Self::NAN, Self::INFINITY, Self::NEG_INFINITY];
    const SCALES: &'static [f64] =
        &[5e-324, 1e-308, 1e-200, 1e-162, 2e-155, 1.0, 2e153, 1e200, 1e307];

    fn of_bits(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

impl Numbers for i32 {
    const EXTREME: &'static [Self] = &[Self::MIN, Self::MAX];
    const FORBIDDEN: &'static [Self] = &[];
    const SCALES: &'static [f64] = &[1.0, 1000.0, 1e8];

    fn of_bits(bits: u64) -> Self {
        bits as Self
    }
}

/// Returns a strategy for invalid boxes: inverted, or with a forbidden number.
pub fn wrong_boxes<S: Numbers, const D: usize>() -> BoxedStrategy<Aabb<S, D>> {
    (boxes::<S, D>(), 0..D, any::<prop::sample::Index>())
        .prop_map(|(mut bounds, axis, which)| {
            let which = which.index(S::FORBIDDEN.len() + 2);
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            if let Some(&forbidden) = S::FORBIDDEN.get(which) {
                bounds.max[axis] = forbidden;
            } else if which == S::FORBIDDEN.len() && min < max {
                (bounds.min[axis], bounds.max[axis]) = (max, min);
            } else {
                (bounds.min[axis], bounds.max[axis]) = (S::MAX, S::MIN);
            }
            bounds
        })
        .boxed()
}

/// Returns a strategy for valid boxes; about one in eight has extreme numbers.
pub fn boxes<S: Numbers, const D: usize>() -> BoxedStrategy<Aabb<S, D>> {
    let of = |numbers: BoxedStrategy<S>| {
        prop::collection::vec((numbers.clone(), numbers), D).prop_map(|ends| {
            let (mut min, mut max) = ([S::ZERO; D], [S::ZERO; D]);
            for (axis, (a, b)) in ends.into_iter().enumerate() {
                (min[axis], max[axis]) = if a <= b { (a, b) } else { (b, a) };
            }
            Aabb { min, max }
        })
    };
    // Mostly small boxes, so that not all of them overlap.
    let small = (of(S::crowded()), 0u8..4).prop_map(|(bounds, size)| {
        let reach = S::from_f64(f64::from(size));
        Aabb { min: bounds.min, max: bounds.min.map(|min| min.plus(reach)) }
    });
    prop_oneof![6 => small, 1 => of(S::crowded()), 1 => of(S::hostile())].boxed()
}
