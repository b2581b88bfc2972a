//! All laws for the numbers they are tried with, compiled here: once, and not again in the tests of
//! every structure.
//!
//! Laws are generic, and whoever names a generic function has to compile it and all that it calls.
//! Methods of traits that are implemented for types are compiled where that is written: they are
//! what tests name.

use crate::Together;
use crate::numbers::Numbers;
use crate::{crowd, laws, panics, queries, torus};

/// Makes a trait in which each law is a method, and implements it for numbers in so many
/// dimensions: those of `few` suites, and with feature `every` all others.
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
    /// The laws of all structures, by the names of their functions.
    OfStructures);

crate::all_laws_of_the_torus!(compiled,
    /// The laws of the torus, by the names of their functions.
    OfTheTorus);
