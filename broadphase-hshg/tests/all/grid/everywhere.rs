//! Runs a law for every number type in one, two and three dimensions.

/// Defines nine tests of a function `fn law<S: Numbers, const D: usize>()`.
macro_rules! everywhere {
    ($($law:ident)*) => { $(
        mod $law {
            crate::grid::everywhere::everywhere!(@one $law f32_1d f32_2d f32_3d, f32);
            crate::grid::everywhere::everywhere!(@one $law f64_1d f64_2d f64_3d, f64);
            crate::grid::everywhere::everywhere!(@one $law i32_1d i32_2d i32_3d, i32);
        }
    )* };
    (@one $law:ident $one:ident $two:ident $three:ident, $S:ty) => {
        #[test]
        fn $one() {
            super::$law::<$S, 1>();
        }
        #[test]
        fn $two() {
            super::$law::<$S, 2>();
        }
        #[test]
        fn $three() {
            super::$law::<$S, 3>();
        }
    };
}
pub(crate) use everywhere;
