//! Eight lanes of `i32` and `f32`, the same on every machine.
//!
//! The ground floor of hexphase. A *kernel* is written once, generic over [`Lanes`]; a
//! [`Backend`] value runs it with plain scalar code, with portable SIMD, or with the SSE4.1 or
//! AVX2 instructions of the CPU it finds itself on. Whatever runs, the results are equal bit for
//! bit, so neither data layouts nor the order of results depend on the machine.
//!
//! ```
//! use simd_lanes::{Backend, Kernel, Lanes};
//!
//! /// How many of eight numbers are above a threshold.
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
//! # Rules for kernels
//!
//! * `run` and every function it calls down to the lanes is `#[inline(always)]`; anything else is
//!   compiled without the backend's instructions and slows down tenfold without failing.
//! * A backend is entered once per public call, with a whole traversal, never once per block.
//! * No partial loads: data is padded to whole blocks, and the last block has a valid mask.
//! * Nothing may depend on the bits of a NaN: they are the one thing the backends do not share.
//!
//! # Features
//!
//! * `std` (default): ask the running CPU what it has.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: [`instances!`] compiles functions for these number types too, not only for `f32`.
//!
//! They add up: each makes backends available, none selects one.

#![no_std]
// One operation of the AVX2 backend takes it, in a file of its own: lanes/gather.rs.
#![cfg_attr(not(all(feature = "pulp", target_arch = "x86_64")), forbid(unsafe_code))]
#[cfg(any(test, feature = "std"))]
extern crate std;

mod array;
mod backend;
mod flow;
mod hit_mask;
mod instances;
mod lanes;
mod measure;
mod scalar;
#[doc(hidden)]
pub mod testing;

#[doc(hidden)]
pub use array::array_of;
pub use backend::{Backend, BackendKind, BackendUnavailable, Kernel};
pub use flow::Flow;
pub use hit_mask::{HitMask, Hits};
#[doc(hidden)]
pub use instances::as_type;
pub use lanes::{LANES, Lanes};
pub use measure::{FloatLimit, FloatStep, Measure};
pub use scalar::{LaneKeys, Number, Scalar};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
