//! The cell that contains a float point, by the rule of `lookup/rule.rs`.
//!
//! Comparisons are arranged to be exact: `2 fa + fb >= 1` becomes `fb >= 1 - 2 fa`, whose
//! subtraction is exact if both sides are nearly equal.

use super::Point;
use crate::hex::{Hex, hex};

macro_rules! float {
    ($S:ident, $fast_limit:expr, $sign_bit:expr) => {
        pub(super) mod $S {
            use super::{Hex, Point, hex};

            /// Below this limit, adding and subtracting `ROUNDING_BIAS` rounds to an integer of 32
            /// bits.
            const FAST_LIMIT: $S = $fast_limit;
            const ROUNDING_BIAS: $S = 1.5 / $S::EPSILON;

            #[inline(always)]
            pub(in super::super) fn cell(Point { a, b }: Point<$S>) -> Hex {
                if !(a > -FAST_LIMIT && a < FAST_LIMIT && b > -FAST_LIMIT && b < FAST_LIMIT) {
                    return cell_slow(a, b);
                }
                // The code is branch-free, because the outcome is unpredictable.
                let (q, r) = (floor(a), floor(b));
                let (fa, fb) = (a - q as $S, b - r as $S);
                let b_larger = i32::from(fb > fa);
                let step_a = fb >= (1 + b_larger) as $S - (fa + fa);
                let step_b = fa >= (2 - b_larger) as $S - (fb + fb);
                hex(q.wrapping_add(i32::from(step_a)), r.wrapping_add(i32::from(step_b)))
            }

            #[inline(always)]
            fn floor(x: $S) -> i32 {
                let sum = x + ROUNDING_BIAS;
                let nearest = sum.to_bits().wrapping_sub(ROUNDING_BIAS.to_bits()) as i32;
                // Adding 0 turns −0 into 0: the next line uses the sign bit.
                let fraction = x - (sum - ROUNDING_BIAS) + 0.0;
                nearest.wrapping_sub((fraction.to_bits() >> $sign_bit) as i32)
            }

            /// Converts a whole number to `i32`; returns `i32::MIN` if it is out of range or NaN.
            fn to_i32_or_min(x: $S) -> i32 {
                const LIMIT: $S = 2_147_483_648.0;
                if (-LIMIT..LIMIT).contains(&x) { x as i32 } else { i32::MIN }
            }

            /// Returns the cell that contains a point with large, infinite or NaN coordinates: a
            /// floor coordinate that does not fit in `i32` becomes `i32::MIN`.
            #[cold]
            fn cell_slow(a: $S, b: $S) -> Hex {
                let floor = |x: $S| {
                    if x > -1.0 / $S::EPSILON && x < 1.0 / $S::EPSILON {
                        let truncated = x as i64 as $S;
                        if truncated > x { truncated - 1.0 } else { truncated }
                    } else {
                        x
                    }
                };
                let (floor_a, floor_b) = (floor(a), floor(b));
                let (fa, fb) = (a - floor_a, b - floor_b);
                let (threshold_a, threshold_b) = if fb > fa { (2.0, 1.0) } else { (1.0, 2.0) };
                hex(
                    to_i32_or_min(floor_a).wrapping_add(i32::from(fb >= threshold_a - (fa + fa))),
                    to_i32_or_min(floor_b).wrapping_add(i32::from(fa >= threshold_b - (fb + fb))),
                )
            }
        }
    };
}

float!(f32, 4_194_304.0, 31);
float!(f64, 2_147_483_648.0, 63);
