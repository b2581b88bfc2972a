//! The cell of a point in floats, by the rule of `lookup/rule.rs`.
//!
//! The comparisons are written so that their roundings decide nothing: `2 fa + fb >= 1` becomes
//! `fb >= 1 - 2 fa`, and wherever that may go either way the subtraction is exact.

use super::Point;
use crate::hex::{Hex, hex};

macro_rules! float {
    ($S:ident, $small:expr, $sign:expr) => {
        pub(super) mod $S {
            use super::{Hex, Point, hex};

            /// Up to here adding and taking away `ROUND` rounds to an integer that is an `i32`.
            const SMALL: $S = $small;
            const ROUND: $S = 1.5 / $S::EPSILON;

            #[inline(always)]
            pub(in super::super) fn cell(Point { a, b }: Point<$S>) -> Hex {
                if !(a > -SMALL && a < SMALL && b > -SMALL && b < SMALL) {
                    return far_out(a, b);
                }
                // No branches from here on: points are as good as random.
                let (q, r) = (floor(a), floor(b));
                let (fa, fb) = (a - q as $S, b - r as $S);
                let b_larger = i32::from(fb > fa);
                let beyond_a = fb >= (1 + b_larger) as $S - (fa + fa);
                let beyond_b = fa >= (2 - b_larger) as $S - (fb + fb);
                hex(q.wrapping_add(i32::from(beyond_a)), r.wrapping_add(i32::from(beyond_b)))
            }

            /// The largest integer not above `x`.
            #[inline(always)]
            fn floor(x: $S) -> i32 {
                let sum = x + ROUND;
                let nearest = sum.to_bits().wrapping_sub(ROUND.to_bits()) as i32;
                // 0 is added to turn −0 into 0: the sign decides.
                let rest = x - (sum - ROUND) + 0.0;
                nearest.wrapping_sub((rest.to_bits() >> $sign) as i32)
            }

            /// A whole number as an `i32`, `i32::MIN` where it is none.
            fn whole(x: $S) -> i32 {
                const END: $S = 2_147_483_648.0;
                if (-END..END).contains(&x) { x as i32 } else { i32::MIN }
            }

            /// The same for any coordinates.
            #[cold]
            fn far_out(a: $S, b: $S) -> Hex {
                let floor = |x: $S| {
                    if x > -1.0 / $S::EPSILON && x < 1.0 / $S::EPSILON {
                        let towards_zero = x as i64 as $S;
                        if towards_zero > x { towards_zero - 1.0 } else { towards_zero }
                    } else {
                        x
                    }
                };
                let (floor_a, floor_b) = (floor(a), floor(b));
                let (fa, fb) = (a - floor_a, b - floor_b);
                let (for_a, for_b) = if fb > fa { (2.0, 1.0) } else { (1.0, 2.0) };
                hex(
                    whole(floor_a).wrapping_add(i32::from(fb >= for_a - (fa + fa))),
                    whole(floor_b).wrapping_add(i32::from(fa >= for_b - (fb + fb))),
                )
            }
        }
    };
}

float!(f32, 4_194_304.0, 31);
float!(f64, 2_147_483_648.0, 63);
