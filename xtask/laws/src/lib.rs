//! The laws every structure obeys, as tests.
//!
//! A structure joins with one line in its own tests; `S` in the expression is the number type:
//!
//! ```text
//! laws::spatial_index!(brute_force, BruteForce::default());
//! ```
//!
//! which makes tests for `f32`, `f64` and `i32`, each of one structure on every backend, side by
//! side: with feature `every` (`-p laws --all-features` beside the structure's package) in one, two
//! and three dimensions, without it in one dimension each. The oracle is [`model::Model`]: a sorted
//! map and all pairs tested one by one, sharing nothing with the structures but `Aabb::overlaps`.

#![forbid(unsafe_code)]

extern crate alloc;

pub mod backends;
pub mod casts;
pub mod compiled;
pub mod crowd;
pub mod examples;
mod face;
pub mod laws;
pub mod model;
pub mod numbers;
pub mod panics;
pub mod queries;
pub mod required;
mod seen;
pub mod threads;
mod together;
pub mod torus;

pub use together::Together;

/// Makes the tests of all laws for one structure: `spatial_index!(name, constructor)`; or, with
/// `few` before the name, one suite for each type of numbers, whatever the features.
#[macro_export]
macro_rules! spatial_index {
    ($name:ident, $make:expr) => {
        $crate::suites!(spatial_index, $name, $make);
    };
    (few $name:ident, $make:expr) => {
        $crate::few_suites!(spatial_index, $name, $make);
    };
    (@tests $name:ident, $S:ty, $D:literal) => {
        $crate::all_laws!($crate::law_tests, OfStructures, $name, $S, $D);
    };
}

/// Gives a macro the names of all laws of structures, after what else it is given.
#[doc(hidden)]
#[macro_export]
macro_rules! all_laws {
    ($macro:path, $($first:tt)*) => {
        $macro! {
            $($first)*,
            crowd::crowds_agree_with_the_model,
            laws::answers_do_not_depend_on_history,
            laws::bad_input_changes_nothing,
            laws::chosen_pairs_are_those_of_the_definition,
            laws::every_step_agrees_with_the_model,
            laws::memory_is_what_it_says,
            laws::visitors_stop_when_they_wish,
            laws::walks_change_what_they_say,
            laws::what_is_reserved_is_there,
            laws::what_spans_everything_meets_everything_once,
            panics::what_was_done_before_a_panic_counts,
            queries::crowds_are_found_by_the_definition,
            queries::questions_are_answered_by_the_definition,
            queries::strange_questions_find_nothing
        }
    };
}

/// Gives a macro the names of all laws of the torus, after what else it is given.
#[doc(hidden)]
#[macro_export]
macro_rules! all_laws_of_the_torus {
    ($macro:path, $($first:tt)*) => {
        $macro! {
            $($first)*,
            torus::bad_input_changes_nothing,
            torus::every_image_counts_once,
            torus::questions_see_the_nearest_image
        }
    };
}

/// Makes a module of tests: each tries one of the laws that are compiled here, with structures made
/// by the function around it.
#[doc(hidden)]
#[macro_export]
macro_rules! law_tests {
    ($all:ident, $name:ident, $S:ty, $D:literal, $($laws:ident::$law:ident),*) => {
        mod $name {
            $(
                #[test]
                fn $law() {
                    <$S as $crate::compiled::$all<$D>>::$law(super::make);
                }
            )*
        }
    };
}

/// Makes a module of tests: each tries a law of this crate, with structures made by a function.
#[doc(hidden)]
#[macro_export]
macro_rules! tests {
    ($name:ident, $make:expr, $($laws:ident::$law:ident),*) => {
        mod $name {
            use super::*;

            $(
                #[test]
                fn $law() {
                    $crate::$laws::$law($make);
                }
            )*
        }
    };
}

/// Makes suites of tests for all numbers in all dimensions.
#[cfg(feature = "every")]
#[doc(hidden)]
#[macro_export]
macro_rules! suites {
    ($tests:ident, $name:ident, $make:expr) => {
        $crate::some_suites!(
            $tests, $name, $make,
            f32_1d f32 1, f32_2d f32 2, f32_3d f32 3,
            f64_1d f64 1, f64_2d f64 2, f64_3d f64 3,
            i32_1d i32 1, i32_2d i32 2, i32_3d i32 3
        );
    };
}

/// Makes one suite of tests for each type of numbers: without the feature there are no more.
#[cfg(not(feature = "every"))]
#[doc(hidden)]
#[macro_export]
macro_rules! suites {
    ($tests:ident, $name:ident, $make:expr) => {
        $crate::few_suites!($tests, $name, $make);
    };
}

/// Makes one suite of tests for each type of numbers.
#[doc(hidden)]
#[macro_export]
macro_rules! few_suites {
    ($tests:ident, $name:ident, $make:expr) => {
        $crate::some_suites!($tests, $name, $make, i32_1d i32 1, f32_2d f32 2, f64_3d f64 3);
    };
}

/// Makes a module with a constructor for any numbers, and suites of tests in it, which the macro
/// `$tests` writes, for the numbers that are named.
#[doc(hidden)]
#[macro_export]
macro_rules! some_suites {
    ($tests:ident, $name:ident, $make:expr, $($suite:ident $S:ident $D:literal),*) => {
        mod $name {
            #[allow(unused_imports, reason = "the constructor may need nothing of the outer module")]
            use super::*;

            fn make<S: $crate::numbers::Numbers, const D: usize>()
            -> $crate::Together<S, D> {
                $crate::Together::on_each_backend($make)
            }

            $($crate::$tests!(@tests $suite, $S, $D);)*
        }
    };
}
