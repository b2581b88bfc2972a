//! All laws, compiled for each number type in this crate instead of in the tests of each structure.
//!
//! A generic function is compiled in each crate that instantiates it. If a trait is implemented for
//! a concrete type, its methods are compiled only in the crate of the implementation. So the tests
//! call such methods instead of the generic laws.

use crate::Together;
use crate::numbers::Numbers;
use crate::{crowd, distances, laws, near, panics, queries, torus};

/// Defines a trait with one method for each law. Implements it for the number types and dimensions
/// of the `few` suites; with the feature `every`, for all number types and dimensions.
macro_rules! compiled {
    ($(#[$about:meta])* $name:ident, $($laws:ident::$law:ident),*) => {
        $(#[$about])*
        pub trait $name<const D: usize>: Numbers {
            $(
                #[doc = concat!("See [`", stringify!($laws), "::", stringify!($law), "`].")]
                fn $law(make: fn() -> Together<Self, D>);
            )*
        }
        compiled!(@all $name [$($laws::$law),*] i32 1, f32 2, f64 3);
        #[cfg(feature = "every")]
        compiled!(@all $name [$($laws::$law),*] f32 1, f32 3, f64 1, f64 2, i32 2, i32 3);
    };
    (@all $name:ident $all:tt $($S:ident $D:literal),*) => {
        $(compiled!(@one $name $S $D $all);)*
    };
    (@one $name:ident $S:ident $D:literal [$($laws:ident::$law:ident),*]) => {
        impl $name<$D> for $S {
            $(
                #[inline(never)]
                fn $law(make: fn() -> Together<Self, $D>) {
                    $laws::$law(make);
                }
            )*
        }
    };
}

crate::all_laws!(compiled,
    /// The laws of all structures; each method has the name of its law.
    OfStructures);

crate::all_laws_of_the_torus!(compiled,
    /// The laws of the torus; each method has the name of its law.
    OfTheTorus);
