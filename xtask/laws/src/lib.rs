//! The laws every structure obeys, as tests.
//!
//! A structure joins with one line in its own tests; `S` in the expression is the number type:
//!
//! ```text
//! laws::spatial_index!(brute_force, BruteForce::default());
//! ```
//!
//! which makes tests for `f32`, `f64` and `i32` in one, two and three dimensions; the law of the
//! model, and that of giants, on every backend. The oracle is [`model::Model`]: a sorted map and all pairs tested one by one, sharing
//! nothing with the structures but `Aabb::overlaps`.

extern crate alloc;

pub mod crowd;
pub mod laws;
pub mod model;
pub mod numbers;
pub mod queries;
pub mod torus;

/// Makes the tests of all laws for one structure: `spatial_index!(name, constructor)`.
#[macro_export]
macro_rules! spatial_index {
    ($name:ident, $make:expr) => {
        mod $name {
            #[allow(unused_imports, reason = "the constructor may need nothing of the outer module")]
            use super::*;
            use $crate::{crowd, laws, queries};

            fn make<S: $crate::numbers::Numbers, const D: usize>()
            -> impl broadphase_core::SpatialIndex<S, D, Data = u32> {
                $make
            }

            $crate::spatial_index!(@numbers f32_1d f32_2d f32_3d, f32);
            $crate::spatial_index!(@numbers f64_1d f64_2d f64_3d, f64);
            $crate::spatial_index!(@numbers i32_1d i32_2d i32_3d, i32);
        }
    };
    // One suite for each type of numbers: for builds in which only kernels are others.
    (few $name:ident, $make:expr) => {
        mod $name {
            #[allow(unused_imports, reason = "the constructor may need nothing of the outer module")]
            use super::*;
            use $crate::{crowd, laws, queries};

            fn make<S: $crate::numbers::Numbers, const D: usize>()
            -> impl broadphase_core::SpatialIndex<S, D, Data = u32> {
                $make
            }

            $crate::spatial_index!(@laws i32_1d, i32, 1);
            $crate::spatial_index!(@laws f32_2d, f32, 2);
            $crate::spatial_index!(@laws f64_3d, f64, 3);
        }
    };
    (@numbers $one:ident $two:ident $three:ident, $S:ty) => {
        $crate::spatial_index!(@laws $one, $S, 1);
        $crate::spatial_index!(@laws $two, $S, 2);
        $crate::spatial_index!(@laws $three, $S, 3);
    };
    (@laws $name:ident, $S:ty, $D:literal) => {
        mod $name {
            use super::{crowd, laws, make, queries};

            #[test]
            fn every_step_agrees_with_the_model() {
                laws::every_step_agrees_with_the_model(make::<$S, $D>);
            }
            #[test]
            fn crowds_agree_with_the_model() {
                crowd::crowds_agree_with_the_model(make::<$S, $D>);
            }
            #[test]
            fn answers_do_not_depend_on_history() {
                laws::answers_do_not_depend_on_history(make::<$S, $D>);
            }
            #[test]
            fn bad_input_changes_nothing() {
                laws::bad_input_changes_nothing(make::<$S, $D>);
            }
            #[test]
            fn visitors_stop_when_they_wish() {
                laws::visitors_stop_when_they_wish(make::<$S, $D>);
            }
            #[test]
            fn what_spans_everything_meets_everything_once() {
                laws::what_spans_everything_meets_everything_once(make::<$S, $D>);
            }
            #[test]
            fn walks_change_what_they_say() {
                laws::walks_change_what_they_say(make::<$S, $D>);
            }
            #[test]
            fn chosen_pairs_are_those_of_the_definition() {
                laws::chosen_pairs_are_those_of_the_definition(make::<$S, $D>);
            }
            #[test]
            fn memory_is_what_it_says() {
                laws::memory_is_what_it_says(make::<$S, $D>);
            }
            #[test]
            fn questions_are_answered_by_the_definition() {
                queries::questions_are_answered_by_the_definition(make::<$S, $D>);
            }
            #[test]
            fn crowds_are_found_by_the_definition() {
                queries::crowds_are_found_by_the_definition(make::<$S, $D>);
            }
            #[test]
            fn strange_questions_find_nothing() {
                queries::strange_questions_find_nothing(make::<$S, $D>);
            }
            #[test]
            fn what_is_reserved_is_there() {
                laws::what_is_reserved_is_there(make::<$S, $D>);
            }
        }
    };
}
