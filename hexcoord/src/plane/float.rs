//! Points in floats: their cells, lengths and angles.

use super::Point;
use crate::hex::{Hex, hex};

macro_rules! float {
    ($S:ident, $whole:expr) => {
        impl Point<$S> {
            /// The point (0, 0).
            pub const ORIGIN: Self = Self::new(0.0, 0.0);

            /// The centre of a cell, in units of cells; rounded beyond the type's integers.
            #[must_use]
            pub const fn center(cell: Hex) -> Self {
                Self::new(cell.q as $S, cell.r as $S)
            }

            /// The third coordinate, −a − b.
            #[inline(always)]
            #[must_use]
            pub fn c(self) -> $S {
                -self.a - self.b
            }

            /// The cell that holds the point, in units of cells; on borders the greatest one.
            ///
            /// The border is decided exactly on what rounding down leaves of the coordinates. That
            /// is exact too but for a coordinate just below an integer, where it may round to 1;
            /// such a point may fall to the other side of a border it is as near to. Beyond the
            /// range of `i32` a coordinate stops at the end, and NaN becomes 0.
            ///
            /// ```
            /// use hexcoord::{Point, hex};
            ///
            /// assert_eq!(Point::new(1.25, -0.2).cell(), hex(1, 0));
            /// assert_eq!(Point::new(0.5, 0.0).cell(), hex(1, 0)); // on an edge
            /// ```
            #[inline]
            #[must_use]
            pub fn cell(self) -> Hex {
                let (floor_a, floor_b) = (floor(self.a), floor(self.b));
                let (fa, fb) = (self.a - floor_a, self.b - floor_b);
                // As drawn in `lookup/rule.rs`, in a form whose roundings decide nothing.
                let a_larger = fa >= fb;
                let (large, small) = if a_larger { (fa, fb) } else { (fb, fa) };
                let beyond_large = small >= 1.0 - (large + large);
                let beyond_small = large >= 2.0 - (small + small);
                let a = beyond_small | (beyond_large & a_larger);
                let b = beyond_small | (beyond_large & !a_larger);
                return hex(
                    (floor_a as i32).wrapping_add(i32::from(a)),
                    (floor_b as i32).wrapping_add(i32::from(b)),
                );

                /// The largest integer not above `x`.
                #[inline(always)]
                fn floor(x: $S) -> $S {
                    if x > -$whole && x < $whole {
                        let towards_zero = x as i64 as $S;
                        if towards_zero > x { towards_zero - 1.0 } else { towards_zero }
                    } else {
                        x
                    }
                }
            }

            /// The Euclidean scalar product.
            #[inline]
            #[must_use]
            pub fn dot(self, other: Self) -> $S {
                self.a * other.a + self.b * other.b + self.c() * other.c()
            }

            /// The squared Euclidean length, a² + b² + c².
            #[inline]
            #[must_use]
            pub fn length_squared(self) -> $S {
                self.dot(self)
            }
        }

        #[cfg(any(feature = "std", feature = "libm"))]
        impl Point<$S> {
            /// The Euclidean length; needs feature `std` or `libm`.
            #[must_use]
            pub fn length(self) -> $S {
                math::$S::sqrt(self.length_squared())
            }

            /// The direction as seen from the origin in radians, from axis a towards axis b, in
            /// (−π, π]; needs feature `std` or `libm`, which differ in the last bits.
            #[must_use]
            pub fn angle(self) -> $S {
                let sqrt_3 = math::$S::sqrt(3.0);
                math::$S::atan2(sqrt_3 * self.b, self.a + self.a + self.b)
            }
        }
    };
}

float!(f32, 8_388_608.0);
float!(f64, 4_503_599_627_370_496.0);

/// The two functions that `core` lacks.
#[cfg(feature = "std")]
mod math {
    pub(super) mod f32 {
        pub(in super::super) fn sqrt(x: f32) -> f32 {
            x.sqrt()
        }
        pub(in super::super) fn atan2(y: f32, x: f32) -> f32 {
            y.atan2(x)
        }
    }
    pub(super) mod f64 {
        pub(in super::super) fn sqrt(x: f64) -> f64 {
            x.sqrt()
        }
        pub(in super::super) fn atan2(y: f64, x: f64) -> f64 {
            y.atan2(x)
        }
    }
}

/// The two functions that `core` lacks.
#[cfg(all(feature = "libm", not(feature = "std")))]
mod math {
    pub(super) mod f32 {
        pub(in super::super) use libm::{atan2f as atan2, sqrtf as sqrt};
    }
    pub(super) mod f64 {
        pub(in super::super) use libm::{atan2, sqrt};
    }
}
