//! Eight lanes of `i32` and `f32`, with identical results on every machine.
//!
//! A *kernel* is written once, generic over [`Lanes`]. A [`Backend`] value runs it with plain
//! scalar code, with portable SIMD, or with the SSE4.1 or AVX2 instructions of the running CPU.
//! Results are equal bit for bit on every backend, so neither data layouts nor the order of
//! results depend on the machine.
//!
//! ```
//! use simd_lanes::{Backend, Kernel, Lanes};
//!
//! /// Counts the numbers above a threshold.
//! struct CountAbove<'a> {
//!     numbers: &'a [i32; 8],
//!     threshold: i32,
//! }
//!
//! impl Kernel for CountAbove<'_> {
//!     type Output = u32;
//!
//!     #[inline(always)]
//!     fn run<L: Lanes>(self, lanes: L) -> u32 {
//!         let above = lanes.gt(lanes.load(self.numbers), lanes.splat(self.threshold));
//!         lanes.movemask(above).count()
//!     }
//! }
//!
//! for backend in Backend::available() {
//!     let numbers = &[3, -1, 4, -1, 5, -9, 2, 6];
//!     assert_eq!(backend.dispatch(CountAbove { numbers, threshold: 2 }), 4, "{backend}");
//! }
//! ```
//!
//! The examples of types and traits that `hexphase` re-exports name `hexphase`, not this crate.
//!
//! # Terms
//!
//! * **Lane**: one of the eight elements of a vector. Lane 0 is the first in memory.
//! * **Block**: eight consecutive numbers in memory, loaded or stored as one vector.
//! * **Kernel**: a struct with its arguments and a method `run`, generic over lanes ([`Kernel`]).
//! * **Backend**: an implementation of [`Lanes`] for one instruction set.
//! * **Token**: a value of a type that implements [`Lanes`]; proof that the CPU has the
//!   instructions.
//! * **Mask**: one truth value per lane, in a register; [`HitMask`] has them as bits of a byte.
//! * **Hit**: a lane whose test succeeded.
//! * **Key** (order-preserving key): an `i32` that sorts like the number it was made from
//!   ([`Keys`]), so integer kernels serve `f32`, `f64` and `i32`.
//! * **Instance**: a function compiled for one number type and number of dimensions
//!   ([`instances!`]).
//!
//! # Rules for kernels
//!
//! * Mark `run` and every function it calls, down to the lanes, `#[inline(always)]`. A function
//!   that is not inlined is compiled without the backend's instructions: its results are right, but
//!   it is about ten times slower.
//! * Dispatch once per public call, for a whole traversal, never once per block.
//! * There are no partial loads: pad data to whole blocks and mask the last with
//!   [`HitMask::first`].
//! * Do not depend on the bits of a NaN, the only results that differ between backends.
//!
//! # Features
//!
//! * `std` (default): detect the instruction sets of the running CPU.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: [`instances!`] compiles functions for these number types, in addition to `f32`.
//! * `one-dimension`, `two-dimensions`, `three-dimensions` (defaults): [`instances!`] compiles
//!   functions for this number of dimensions.
//!
//! Features are additive: they make backends, types or dimensions available and select none.

#![no_std]
// The AVX2 backend has one unsafe operation, in lanes/gather.rs.
#![cfg_attr(not(all(feature = "pulp", target_arch = "x86_64")), forbid(unsafe_code))]
#[cfg(any(test, feature = "std"))]
extern crate std;

mod array;
mod backend;
mod flow;
mod hit_mask;
mod instances;
mod keys;
mod lanes;
mod measure;
mod scalar;
#[doc(hidden)]
pub mod testing;

#[doc(hidden)]
pub use array::array_of;
pub use backend::{Backend, BackendKind, BackendUnavailable, Kernel};
pub use flow::Flow;
pub use hit_mask::{HitLanes, HitMask};
#[doc(hidden)]
pub use instances::{as_type, assert_compiled, assert_dimensions};
pub use keys::{Keys, LaneKeys};
pub use lanes::{LANES, Lanes};
pub use measure::{FloatLimit, FloatStep, Measure};
pub use scalar::{Number, Scalar};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
