//! All laws, compiled for each number type in this crate instead of in the tests of each structure.
//!
//! A generic function is compiled in each crate that instantiates it. If a trait is implemented for
//! a concrete type, its methods are compiled only in the crate of the implementation. So the tests
//! call such methods instead of the generic laws.

use crate::Together;
use crate::numbers::Numbers;
use crate::{crowd, laws, panics, queries, threads, torus};

/// The laws, compiled for a number type and dimension.
pub trait Compiled<const D: usize>: Numbers {
    /// Runs the law with this name.
    fn law(name: &str, make: fn() -> Together<Self, D>);
    /// See [`threads::ticks_are_those_of_one_thread`].
    fn ticks(scene: &str, make: fn() -> Together<Self, D>);
}

type Law<S, const D: usize> = fn(fn() -> Together<S, D>);

/// Defines a function that returns the names and functions of laws.
macro_rules! named {
    ($list:ident, $($laws:ident::$law:ident),*) => {
        fn $list<S: Numbers, const D: usize>() -> Vec<(&'static str, Law<S, D>)> {
            vec![$((stringify!($law), $laws::$law)),*]
        }
    };
}

crate::all_laws!(named, of_structures);
crate::all_laws_of_the_torus!(named, of_the_torus);

fn run<S: Numbers, const D: usize>(name: &str, make: fn() -> Together<S, D>) {
    let mut all = of_structures().into_iter().chain(of_the_torus());
    let (_, law) = all.find(|law| law.0 == name).expect("a law has this name");
    law(make);
}

/// Compiles the laws for number types and dimensions.
macro_rules! compiled {
    ($($S:ident $D:literal),*) => {
        $(impl Compiled<$D> for $S {
            #[inline(never)]
            fn law(name: &str, make: fn() -> Together<Self, $D>) {
                run(name, make);
            }

            #[inline(never)]
            fn ticks(scene: &str, make: fn() -> Together<Self, $D>) {
                threads::ticks_are_those_of_one_thread(scene, make);
            }
        })*
    };
}

compiled!(i32 1, f32 2, f64 3);
#[cfg(feature = "every")]
compiled!(f32 1, f32 3, f64 1, f64 2, i32 2, i32 3);
