//! Macro [`instances!`](crate::instances!): generic functions compiled once, in their own crate.
//!
//! Normally a generic function is compiled in the crate that calls it with concrete types. Every
//! program then compiles it again, at its own optimization level. The macro avoids this:
//!
//! 1. It compiles the function in the crate that contains the macro call: once for each number of
//!    dimensions whose feature is enabled (`one-dimension`, `two-dimensions`, `three-dimensions`)
//!    and, if the function depends on it, for each number type.
//! 2. It stores a pointer to each instance in a separate static. The linker drops the instances
//!    that a program does not use.
//! 3. The generic caller compares the type of each static with the type it needs ([`as_type`]). An
//!    optimized build evaluates the comparisons at compile time, so a call costs as much as a call
//!    through a pointer.

use core::any::Any;

/// Returns the value if its type `V` is `T`, else `None`. Optimized builds evaluate the comparison
/// at compile time, so instances of other types are not linked.
#[doc(hidden)]
#[inline(always)]
pub fn as_type<T: Copy + 'static, V: 'static>(value: &V) -> Option<T> {
    (value as &dyn Any).downcast_ref().copied()
}

/// Panics unless the number of dimensions is 1, 2 or 3. Constructors call this function in a
/// `const` block, so other numbers fail to build.
#[doc(hidden)]
#[track_caller]
pub const fn assert_dimensions(dimensions: usize) {
    assert!(1 <= dimensions && dimensions <= 3, "the number of dimensions must be 1, 2 or 3");
}

/// Panics unless `instances!` compiles functions for this number of dimensions.
#[doc(hidden)]
pub const fn assert_compiled(dimensions: usize) {
    assert_dimensions(dimensions);
    assert!(
        dimensions != 1 || cfg!(feature = "one-dimension"),
        "one dimension needs the feature `one-dimension`: \
             `cargo add hexphase --features one-dimension`"
    );
    assert!(
        dimensions != 2 || cfg!(feature = "two-dimensions"),
        "two dimensions need the feature `two-dimensions`: \
             `cargo add hexphase --features two-dimensions`"
    );
    assert!(
        dimensions != 3 || cfg!(feature = "three-dimensions"),
        "three dimensions need the feature `three-dimensions`: \
             `cargo add hexphase --features three-dimensions`"
    );
}

/// Returns the first of the given statics that has the expected type. Each instance has its own
/// static, so the linker drops the instances that a program does not use.
#[doc(hidden)]
#[macro_export]
macro_rules! instance_of_type {
    ($($instance:path),+ $(,)?) => {
        None$(.or($crate::as_type(&$instance)))+.expect("no instance is compiled for this number of dimensions")
    };
}

/// Compiles a function for each enabled number of dimensions, and for one number type if it depends
/// on one. Returns the instance of the expected type, or `None`.
#[doc(hidden)]
#[macro_export]
macro_rules! instances_of_number {
    ($Instance:ident, $instance:ident $(, $number:ty)?) => {
        None
            .or($crate::instance_of_one_dimension!($Instance, $instance $(, $number)?))
            .or($crate::instance_of_two_dimensions!($Instance, $instance $(, $number)?))
            .or($crate::instance_of_three_dimensions!($Instance, $instance $(, $number)?))
    };
}

macro_rules! instances_of_dimensions {
    ($dollar:tt $name:ident $dimensions:literal $feature:literal) => {
        /// Compiles a function for this number of dimensions.
        #[cfg(feature = $feature)]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            ($dollar Instance:ident, $dollar instance:ident $dollar(, $dollar number:ty)?) => {{
                static COMPILED: $dollar Instance<$dollar($dollar number,)? $dimensions> =
                    $dollar instance::<$dollar($dollar number,)? $dimensions>;
                $dollar crate::as_type(&COMPILED)
            }};
        }

        /// Evaluates to `None`: the feature of this number of dimensions is disabled.
        #[cfg(not(feature = $feature))]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            ($dollar Instance:ident, $dollar instance:ident $dollar(, $dollar number:ty)?) => {
                None
            };
        }
    };
}
instances_of_dimensions!($ instance_of_one_dimension 1 "one-dimension");
instances_of_dimensions!($ instance_of_two_dimensions 2 "two-dimensions");
instances_of_dimensions!($ instance_of_three_dimensions 3 "three-dimensions");

macro_rules! instances_with_feature {
    ($dollar:tt $name:ident $number:ident $feature:literal) => {
        /// Compiles a function for this number type.
        #[cfg(feature = $feature)]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            ($dollar Instance:ident, $dollar instance:ident) => {
                $dollar crate::instances_of_number!($dollar Instance, $dollar instance, $number)
            };
        }

        /// Evaluates to `None`: the feature of this number type is disabled.
        #[cfg(not(feature = $feature))]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            ($dollar Instance:ident, $dollar instance:ident) => {
                None
            };
        }
    };
}
instances_with_feature!($ instances_of_f64 f64 "f64");
instances_with_feature!($ instances_of_i32 i32 "i32");

/// Defines generic functions that are compiled in the crate that defines them.
///
/// A function `name<D>` is compiled for each number of dimensions whose feature of this crate is
/// enabled: `one-dimension`, `two-dimensions`, `three-dimensions`. A function `name<S, D>` is
/// compiled for each of them and each [`Number`](crate::Number): `f32`, and `f64` and `i32` if
/// enabled.
///
/// * The parameter names `S` and `D` are literal. `S` is a [`Scalar`](crate::Scalar). `S: Trait`
///   adds a trait bound, which all three number types must satisfy; callers need not repeat the
///   bound.
/// * Arguments are plain names, and every lifetime in their types is elided.
/// * Callers see one generic function. Each call goes through a pointer, so the macro suits
///   functions that do more than a few instructions of work.
/// * In unit tests of the defining crate, `name<D>` and `name<S, D>` call the generic function
///   directly, so the test program contains only the instances it uses. A function with `S: Trait`
///   is compiled there for `f32` only.
/// * A call with a number type that is not compiled, or with a number of dimensions other than 1, 2
///   or 3, fails to build. `cargo check` does not report the error, because the assertion is
///   evaluated only in a build.
///
/// ```
/// use simd_lanes::{Backend, Kernel, Lanes, instances};
///
/// struct Total<'a, const D: usize>(&'a [[i32; D]]);
///
/// impl<const D: usize> Kernel for Total<'_, D> {
///     type Output = i32;
///     #[inline(always)]
///     fn run<L: Lanes>(self, _: L) -> i32 {
///         self.0.as_flattened().iter().sum()
///     }
/// }
///
/// instances! {
///     /// Adds all numbers.
///     fn total<D>(backend: Backend, kernel: Total<'_, D>) -> i32 {
///         backend.dispatch(kernel)
///     }
/// }
///
/// assert_eq!(total(Backend::detect(), Total(&[[1, 2], [3, 4]])), 10);
/// ```
#[macro_export]
macro_rules! instances {
    () => {};
    (
        $(#[$about:meta])*
        $see:vis fn $name:ident<D>($($argument:ident: $type:ty),+ $(,)?) $(-> $out:ty)? $body:block
        $($rest:tt)*
    ) => {
        $(#[$about])*
        #[inline]
        $see fn $name<const D: usize>($($argument: $type),+) $(-> $out)? {
            #[allow(dead_code, reason = "not used if no number of dimensions is enabled")]
            fn instance<const D: usize>($($argument: $type),+) $(-> $out)? $body
            #[cfg(test)]
            {
                instance::<D>($($argument),+)
            }
            #[cfg(not(test))]
            {
                type Instance<const D: usize> = fn($($type),+) $(-> $out)?;
                const { $crate::assert_compiled(D) };
                let compiled: Option<Instance<D>> = $crate::instances_of_number!(Instance, instance);
                compiled.expect("an instance is compiled for this number of dimensions")($($argument),+)
            }
        }
        $crate::instances! { $($rest)* }
    };
    (
        $(#[$about:meta])*
        $see:vis fn $name:ident<S, D>($($argument:ident: $type:ty),+ $(,)?) $(-> $out:ty)? $body:block
        $($rest:tt)*
    ) => {
        #[cfg(test)]
        $(#[$about])*
        #[inline]
        $see fn $name<S: $crate::Scalar, const D: usize>($($argument: $type),+) $(-> $out)? $body
        #[cfg(not(test))]
        $crate::instances! {
            $(#[$about])*
            $see fn $name<S: Sized, D>($($argument: $type),+) $(-> $out)? $body
        }
        $crate::instances! { $($rest)* }
    };
    (
        $(#[$about:meta])*
        $see:vis fn $name:ident<S: $bound:ident, D>($($argument:ident: $type:ty),+ $(,)?) $(-> $out:ty)? $body:block
        $($rest:tt)*
    ) => {
        $(#[$about])*
        #[inline]
        $see fn $name<S: $crate::Scalar, const D: usize>($($argument: $type),+) $(-> $out)? {
            #[allow(type_alias_bounds, reason = "associated types need the bound")]
            type Instance<S: $crate::Scalar, const D: usize> = fn($($type),+) $(-> $out)?;
            #[allow(dead_code, reason = "not used if no number of dimensions is enabled")]
            fn instance<S: $crate::Scalar + $bound, const D: usize>($($argument: $type),+) $(-> $out)? $body
            const { $crate::assert_compiled(D) };
            const { assert!(S::COMPILED, "enable the feature that has the name of the number type, `f64` or `i32`"); }
            let compiled: Option<Instance<S, D>> = $crate::instances_of_number!(Instance, instance, f32);
            #[cfg(not(test))]
            let compiled = compiled.or($crate::instances_of_f64!(Instance, instance));
            #[cfg(not(test))]
            let compiled = compiled.or($crate::instances_of_i32!(Instance, instance));
            compiled.expect("an instance is compiled for this number of dimensions")($($argument),+)
        }
        $crate::instances! { $($rest)* }
    };
}
