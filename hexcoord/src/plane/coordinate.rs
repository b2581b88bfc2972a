//! The coordinate types of points, `i32`, `f32` and `f64`, with their arithmetic.

use simd_lanes::Scalar;

use super::rotation::to_units;
use super::{Layout, Orientation, Point};
use crate::hex::Hex;

/// A coordinate of a [`Point`]: `i32`, `f32` or `f64`. The trait is sealed.
pub trait Coordinate: Scalar + sealed::Arithmetic {}

/// A float coordinate: `f32` or `f64`. The trait is sealed.
pub trait Float: Coordinate + sealed::Float {}

impl Coordinate for i32 {}
impl Coordinate for f32 {}
impl Coordinate for f64 {}
impl Float for f32 {}
impl Float for f64 {}

pub(super) mod sealed {
    use super::{Hex, Layout, Orientation, Point};

    /// Arithmetic of all coordinate types; wraps for integers.
    pub trait Arithmetic: Sized {
        fn add(self, other: Self) -> Self;
        fn sub(self, other: Self) -> Self;
        fn mul(self, other: Self) -> Self;
        fn from_cartesian(xy: [Self; 2]) -> Point<Self>;
        fn to_cartesian(point: Point<Self>) -> [Self; 2];
    }

    /// Constants and operations of float coordinates.
    pub trait Float: Sized {
        const SQRT_2_3: Self;
        const INVERSE_SQRT_6: Self;
        const INVERSE_SQRT_2: Self;
        const SQRT_3_2: Self;
        const SQRT_2: Self;
        const ONE: Self;
        fn of_i32(n: i32) -> Self;
        fn div(self, other: Self) -> Self;
        fn cell(point: Point<Self>) -> Hex;
        fn layout(
            orientation: Orientation,
            size: [Self; 2],
            origin: [Self; 2],
        ) -> Option<Layout<Self>>;
    }
}

/// The constants √2/√3, 1/√6, 1/√2, √3/√2 and √2 in units of 2^-30.
mod fixed {
    pub(super) const SQRT_2_3: i64 = 876_706_528;
    pub(super) const INVERSE_SQRT_6: i64 = 438_353_264;
    pub(super) const INVERSE_SQRT_2: i64 = 759_250_125;
    pub(super) const SQRT_3_2: i64 = 1_315_059_792;
    pub(super) const SQRT_2: i64 = 1_518_500_250;
}

impl sealed::Arithmetic for i32 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }
    fn from_cartesian(xy: [Self; 2]) -> Point {
        let [x, y] = xy.map(i64::from);
        let b = fixed::INVERSE_SQRT_2 * y - fixed::INVERSE_SQRT_6 * x;
        Point::new(to_units(fixed::SQRT_2_3 * x), to_units(b))
    }
    fn to_cartesian(point: Point) -> [Self; 2] {
        let [a, b] = [point.a, point.b].map(i64::from);
        let y = fixed::INVERSE_SQRT_2 * a + fixed::SQRT_2 * b;
        [to_units(fixed::SQRT_3_2 * a), to_units(y)]
    }
}

/// √2/√3, 1/√6 and √3/√2, rounded to each float type where used.
const SQRT_2_3: f64 = 0.816_496_580_927_726;
const INVERSE_SQRT_6: f64 = 0.408_248_290_463_863;
const SQRT_3_2: f64 = 1.224_744_871_391_589;

macro_rules! float {
    ($S:ident) => {
        impl sealed::Arithmetic for $S {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline]
            fn from_cartesian([x, y]: [Self; 2]) -> Point<Self> {
                use sealed::Float;
                Point::new(Self::SQRT_2_3 * x, Self::INVERSE_SQRT_2 * y - Self::INVERSE_SQRT_6 * x)
            }
            #[inline]
            fn to_cartesian(Point { a, b }: Point<Self>) -> [Self; 2] {
                use sealed::Float;
                [Self::SQRT_3_2 * a, Self::INVERSE_SQRT_2 * a + Self::SQRT_2 * b]
            }
        }

        impl sealed::Float for $S {
            const SQRT_2_3: Self = SQRT_2_3 as Self;
            const INVERSE_SQRT_6: Self = INVERSE_SQRT_6 as Self;
            const INVERSE_SQRT_2: Self = core::$S::consts::FRAC_1_SQRT_2;
            const SQRT_3_2: Self = SQRT_3_2 as Self;
            const SQRT_2: Self = core::$S::consts::SQRT_2;
            const ONE: Self = 1.0;

            #[inline(always)]
            fn of_i32(n: i32) -> Self {
                n as Self
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn cell(point: Point<Self>) -> Hex {
                super::float::$S::cell(point)
            }
            fn layout(
                orientation: Orientation,
                size: [Self; 2],
                origin: [Self; 2],
            ) -> Option<Layout<Self>> {
                Layout::<Self>::of_parts(orientation, size, origin)
            }
        }
    };
}

float!(f32);
float!(f64);
