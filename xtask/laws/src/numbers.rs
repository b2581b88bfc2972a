//! Coordinates for tests: numbers that often coincide, and extreme numbers.

use broadphase_core::{Aabb, Number};
use proptest::prelude::*;

/// A number type with strategies for random values.
pub trait Numbers: Number {
    /// Returns a strategy for small numbers with coarse steps: boxes often touch, coordinates are
    /// often equal.
    fn crowded() -> BoxedStrategy<Self>;
    /// Returns a strategy for any finite numbers: huge, tiny, subnormal, and the ends of the range.
    fn hostile() -> BoxedStrategy<Self>;
    /// Returns the values that are invalid in bounds; empty for integers.
    fn forbidden() -> &'static [Self];
    /// Returns units of length for small and large worlds, from the smallest number to 1/16 of the
    /// largest. Near some of the units, squared distances underflow or overflow.
    fn scales() -> &'static [f64];
}

impl Numbers for f32 {
    fn crowded() -> BoxedStrategy<Self> {
        (-40i8..40).prop_map(|n| Self::from(n) * 0.5).boxed()
    }
    fn hostile() -> BoxedStrategy<Self> {
        let any = any::<u32>().prop_map(Self::from_bits).prop_filter("finite", |x| x.is_finite());
        let ends = [Self::MIN, Self::MAX, -0.0, 1e-45, -1e-45, 16_777_216.0, 1e30];
        prop_oneof![any, prop::sample::select(ends.to_vec()), Self::crowded()].boxed()
    }
    fn forbidden() -> &'static [Self] {
        &[Self::NAN, Self::INFINITY, Self::NEG_INFINITY]
    }
    fn scales() -> &'static [f64] {
        &[1e-45, 1e-38, 1e-30, 1e-23, 2e-20, 1.0, 2e18, 1e25, 2e37]
    }
}

impl Numbers for f64 {
    fn crowded() -> BoxedStrategy<Self> {
        // Some steps are too small for a 32-bit key: different numbers then have equal keys.
        (-40i8..40, -1i8..2)
            .prop_map(|(n, fine)| Self::from(n) * 0.5 + Self::from(fine) * 1e-12)
            .boxed()
    }
    fn hostile() -> BoxedStrategy<Self> {
        let any = any::<u64>().prop_map(Self::from_bits).prop_filter("finite", |x| x.is_finite());
        let ends = [Self::MIN, Self::MAX, -0.0, 5e-324, -5e-324, 1e300, 1e39, 1.0 + 1e-15];
        prop_oneof![any, prop::sample::select(ends.to_vec()), Self::crowded()].boxed()
    }
    fn forbidden() -> &'static [Self] {
        &[Self::NAN, Self::INFINITY, Self::NEG_INFINITY]
    }
    fn scales() -> &'static [f64] {
        &[5e-324, 1e-308, 1e-200, 1e-162, 2e-155, 1.0, 2e153, 1e200, 1e307]
    }
}

impl Numbers for i32 {
    fn crowded() -> BoxedStrategy<Self> {
        (-20..20).boxed()
    }
    fn hostile() -> BoxedStrategy<Self> {
        prop_oneof![any::<Self>(), Just(Self::MIN), Just(Self::MAX), Self::crowded()].boxed()
    }
    fn forbidden() -> &'static [Self] {
        &[]
    }
    fn scales() -> &'static [f64] {
        &[1.0, 1000.0, 1e8]
    }
}

/// Returns a strategy for invalid boxes: inverted, or with a forbidden number.
pub fn wrong_boxes<S: Numbers, const D: usize>() -> BoxedStrategy<Aabb<S, D>> {
    (boxes::<S, D>(), 0..D, any::<prop::sample::Index>())
        .prop_map(|(mut bounds, axis, which)| {
            let which = which.index(S::forbidden().len() + 2);
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            if let Some(&forbidden) = S::forbidden().get(which) {
                bounds.max[axis] = forbidden;
            } else if which == S::forbidden().len() && min < max {
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
