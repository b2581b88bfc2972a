//! Distances and times of contact of integers: exact, rounded once.

use super::{Measure, smallest_root};

/// Returns whether a number is at least the nearby square root of a whole number from 1 to 2^68.
fn is_at_least_root(root: f64, square: u128) -> bool {
    // root = mantissa / 2^shift, with a mantissa of 53 bits; `shift` is from 18 to 53.
    let mantissa = root.to_bits() & ((1 << 52) - 1) | 1 << 52;
    let shift = 1075 - (root.to_bits() >> 52) as u32;
    u128::from(mantissa) * u128::from(mantissa) >= square << (2 * shift)
}

impl Measure for i32 {
    type Real = f64;
    type Gap = u32;
    type Limit = Option<u32>;
    type Step = i64;

    const FRACTION_ERROR: f64 = 8.0 * f64::EPSILON;
    const FRACTION_ERROR_NEAR_ZERO: f64 = 0.0;
    const MIN_SQUARE: f64 = 0.0;
    const SCALE_UP: f64 = 1.0;
    const SCALE_DOWN: f64 = 1.0;
    const NEAR_ZERO: f64 = 0.0;

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

    fn length<const D: usize>(gaps: [u32; D]) -> f64 {
        let square = gaps.iter().fold(0, |sum, &gap| sum + u128::from(gap) * u128::from(gap));
        smallest_root(square as f64, |root| is_at_least_root(root, square))
    }

    #[inline]
    fn root(square: f64) -> Option<f64> {
        const EXACT: f64 = (1u64 << 53) as f64;
        let whole = square as u128;
        let root = || smallest_root(square, |root| is_at_least_root(root, whole));
        (square < EXACT).then(root)
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
            // If every gap is at most the limit (below 2^31), the sum of three squares fits in 64
            // bits; otherwise the result is `false` already.
            sum = sum.wrapping_add(square(gap));
        }
        reach & (sum <= square(limit))
    }

    #[inline(always)]
    fn is_scaled(_: &Option<u32>) -> bool {
        false
    }

    #[inline(always)]
    fn balls_overlap<const D: usize>([a, b]: [&[Self; D]; 2], radii: [Self; 2]) -> bool {
        let reach = i64::from(radii[0]) + i64::from(radii[1]);
        let mut sum = 0u64;
        for axis in 0..D {
            let gap = u64::from(a[axis].abs_diff(b[axis]));
            // The square of the reach is less than `u64::MAX`.
            sum = sum.saturating_add(gap * gap);
        }
        reach >= 0 && sum <= reach.unsigned_abs() * reach.unsigned_abs()
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
        // Compare fractions (numerator, denominator) of at most 33 bits; denominators are positive.
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
