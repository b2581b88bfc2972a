//! Runs a law for each number type, with one, two and three dimensions.

/// Defines three tests of each function `fn law<S: Numbers, const D: usize>()`.
macro_rules! everywhere {
    ($($law:ident)*) => { $(
        mod $law {
            #[test]
            fn i32_1d() {
                super::$law::<i32, 1>();
            }
            #[test]
            fn f32_2d() {
                super::$law::<f32, 2>();
            }
            #[test]
            fn f64_3d() {
                super::$law::<f64, 3>();
            }
        }
    )* };
}
pub(crate) use everywhere;
