//! Laws: property tests that every spatial structure must pass.
//!
//! One line in the tests of a structure adds it; `S` in the expression is the number type:
//!
//! ```text
//! laws::spatial_index!(brute_force, BruteForce::default());
//! ```
//!
//! This defines tests for `f32`, `f64` and `i32`. With the feature `every` (add
//! `-p laws --all-features` to the structure's package) each type is tested in 1-D, 2-D and 3-D.
//! Without it, `i32` is tested in 1-D, `f32` in 2-D and `f64` in 3-D. Each test
//!
//! 1. creates the structure on every available backend, combined in [`Together`], which applies
//!    each call to all of them and asserts equal results;
//! 2. draws random sequences of changes and queries, and applies them to the structures and to
//!    [`model::Model`]. The model is a sorted map of objects: it tests all pairs one by one, and
//!    shares only `Aabb::overlaps` with the structures;
//! 3. asserts equal results, and prints a minimal example on failure.
//!
//! A law is a function that panics if it is violated.

#![forbid(unsafe_code)]

pub mod casts;
pub mod compiled;
pub mod crowd;
pub mod distances;
pub mod examples;
pub mod laws;
pub mod map;
pub mod model;
pub mod near;
pub mod numbers;
pub mod panics;
pub mod queries;
pub mod random;
pub mod required;
pub mod threads;
mod together;
pub mod torus;

pub use together::Together;

/// Defines the tests of all laws for one structure: `spatial_index!(name, constructor)`. With `few`
/// before the name, defines one suite for each number type, independent of the features.
#[macro_export]
macro_rules! spatial_index {
    ($name:ident, $make:expr) => {
        $crate::suites!(all_laws, $name, $make);
    };
    (few $name:ident, $make:expr) => {
        $crate::few_suites!(all_laws, $name, $make);
    };
}

/// Defines the tests of the torus over one structure: `torus!(name, constructor)`. With `few`
/// before the name, defines one suite for each number type; this suffices if another structure has
/// all suites.
#[macro_export]
macro_rules! torus {
    ($name:ident, $make:expr) => {
        $crate::suites!(all_laws_of_the_torus, $name, $make);
    };
    (few $name:ident, $make:expr) => {
        $crate::few_suites!(all_laws_of_the_torus, $name, $make);
    };
}

/// Calls a macro with the other arguments, followed by the names of all laws of structures.
#[doc(hidden)]
#[macro_export]
macro_rules! all_laws {
    ($macro:path $(, $first:tt)*) => {
        $macro! {
            $($first,)*
            crowd::crowds_agree_with_the_model,
            laws::bad_input_changes_nothing,
            laws::every_step_agrees_with_the_model,
            laws::memory_use_equals_the_allocated_bytes,
            laws::visitors_can_stop_early,
            laws::reserved_memory_suffices,
            laws::infinite_boxes_pair_once,
            panics::changes_before_a_panic_are_kept,
            queries::crowds_are_found_by_the_definition,
            queries::queries_match_the_definition,
            queries::invalid_queries_find_nothing
        }
    };
}

/// Calls a macro with the other arguments, followed by the names of all laws of the torus.
#[doc(hidden)]
#[macro_export]
macro_rules! all_laws_of_the_torus {
    ($macro:path $(, $first:tt)*) => {
        $macro! {
            $($first,)*
            torus::every_image_counts_once,
            torus::queries_use_the_nearest_image,
            torus::vectors_are_shortest
        }
    };
}

/// Defines a module with one test for each law. The tests create structures with the function
/// `make` of the outer module.
#[doc(hidden)]
#[macro_export]
macro_rules! law_tests {
    ($name:ident, $S:ident, $D:literal, $($laws:ident::$law:ident),*) => {
        mod $name {
            $(
                #[test]
                fn $law() {
                    <$S as $crate::compiled::Compiled<$D>>::law(stringify!($law), super::make);
                }
            )*
        }
    };
}

/// Defines test suites for all number types in all dimensions.
#[cfg(feature = "every")]
#[doc(hidden)]
#[macro_export]
macro_rules! suites {
    ($laws:ident, $name:ident, $make:expr) => {
        $crate::some_suites!(
            $laws, $name, $make,
            f32_1d f32 1, f32_2d f32 2, f32_3d f32 3,
            f64_1d f64 1, f64_2d f64 2, f64_3d f64 3,
            i32_1d i32 1, i32_2d i32 2, i32_3d i32 3
        );
    };
}

/// Defines one test suite for each number type.
#[doc(hidden)]
#[macro_export]
macro_rules! few_suites {
    ($laws:ident, $name:ident, $make:expr) => {
        $crate::some_suites!($laws, $name, $make, i32_1d i32 1, f32_2d f32 2, f64_3d f64 3);
    };
}

#[cfg(not(feature = "every"))]
#[doc(hidden)]
pub use few_suites as suites;

/// Defines a module with a generic constructor, and one test suite for each given number type and
/// dimension; the macro `$laws` lists the laws.
#[doc(hidden)]
#[macro_export]
macro_rules! some_suites {
    ($laws:ident, $name:ident, $make:expr, $($suite:ident $S:ident $D:literal),*) => {
        mod $name {
            #[allow(unused_imports, reason = "the constructor may use no names of the outer module")]
            use super::*;

            fn make<S: $crate::numbers::Numbers, const D: usize>()
            -> $crate::Together<S, D> {
                $crate::Together::on_each_backend($make)
            }

            $($crate::$laws!($crate::law_tests, $suite, $S, $D);)*
        }
    };
}
