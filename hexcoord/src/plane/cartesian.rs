//! To and from Cartesian coordinates, with the lengths kept.
//!
//! Axis b lies along y and axis a 30° from x towards y:
//!
//! ```text
//!     ┌ a ┐   ┌  √2/√3     0   ┐ ┌ x ┐        ┌ x ┐   ┌ √3/√2   0  ┐ ┌ a ┐
//!     │ b │ = │ −1/√6    1/√2  │ └ y ┘        └ y ┘ = └ 1/√2    √2 ┘ └ b ┘
//!     └ c ┘   └ −1/√6   −1/√2  ┘
//! ```
//!
//! The source is "Hexagonal coordinate representations in Hexeline". With the unit of (x, y) equal
//! to the unit of (a, b), a² + b² + c² = x² + y².

use super::Point;

/// √2/√3, −1/√6 and 1/√2, √3/√2 and √2, in units of 2^-30.
mod fixed {
    pub(super) const SQRT_2_3: i64 = 876_706_528;
    pub(super) const INVERSE_SQRT_6: i64 = 438_353_264;
    pub(super) const INVERSE_SQRT_2: i64 = 759_250_125;
    pub(super) const SQRT_3_2: i64 = 1_315_059_792;
    pub(super) const SQRT_2: i64 = 1_518_500_250;
}

/// From units of 2^-30 to whole ones, to nearest, upwards from the middle; wraps.
#[inline(always)]
const fn to_units(wide: i64) -> i32 {
    ((wide + (1 << 29)) >> 30) as i32
}

impl Point {
    /// The fixed-point point at Cartesian `[x, y]` of the same unit.
    ///
    /// Integers only; off by less than 1 unit on each axis for |x|, |y| ≤ 2^29, wraps beyond.
    ///
    /// ```
    /// use hexcoord::Point;
    ///
    /// let p = Point::from_cartesian([1000, 0]);
    /// assert_eq!([p.a, p.b, p.c()], [816, -408, -408]);
    /// assert_eq!(p.to_cartesian(), [999, 0]);
    /// ```
    #[must_use]
    pub const fn from_cartesian([x, y]: [i32; 2]) -> Self {
        let (x, y) = (x as i64, y as i64);
        Self::new(
            to_units(fixed::SQRT_2_3 * x),
            to_units(fixed::INVERSE_SQRT_2 * y - fixed::INVERSE_SQRT_6 * x),
        )
    }

    /// The Cartesian `[x, y]` of the point in the same unit.
    ///
    /// Integers only; off by less than 1 unit on each axis for |a|, |b| ≤ 2^29, wraps beyond.
    #[must_use]
    pub const fn to_cartesian(self) -> [i32; 2] {
        let (a, b) = (self.a as i64, self.b as i64);
        [to_units(fixed::SQRT_3_2 * a), to_units(fixed::INVERSE_SQRT_2 * a + fixed::SQRT_2 * b)]
    }
}

macro_rules! float {
    ($S:ident $module:ident) => {
        /// The constants of the matrices.
        pub(super) mod $module {
            pub(in super::super) const SQRT_2_3: $S = 0.816_496_580_927_726_032_73;
            pub(in super::super) const INVERSE_SQRT_6: $S = 0.408_248_290_463_863_016_37;
            pub(in super::super) const INVERSE_SQRT_2: $S = core::$S::consts::FRAC_1_SQRT_2;
            pub(in super::super) const SQRT_3_2: $S = 1.224_744_871_391_589_049_1;
            pub(in super::super) const SQRT_2: $S = core::$S::consts::SQRT_2;
        }

        impl Point<$S> {
            /// The point at Cartesian `[x, y]` of the same unit.
            ///
            /// Each product and sum is rounded once, so all machines agree.
            #[must_use]
            pub fn from_cartesian([x, y]: [$S; 2]) -> Self {
                use $module::{INVERSE_SQRT_2, INVERSE_SQRT_6, SQRT_2_3};
                Self::new(SQRT_2_3 * x, INVERSE_SQRT_2 * y - INVERSE_SQRT_6 * x)
            }

            /// The Cartesian `[x, y]` of the point in the same unit.
            #[must_use]
            pub fn to_cartesian(self) -> [$S; 2] {
                use $module::{INVERSE_SQRT_2, SQRT_2, SQRT_3_2};
                [SQRT_3_2 * self.a, INVERSE_SQRT_2 * self.a + SQRT_2 * self.b]
            }
        }
    };
}

float!(f32 single);
float!(f64 double);
