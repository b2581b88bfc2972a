//! All tests in one binary, so that shared code is compiled once.
//!
//! Without `std` the code is the same, except for the detection of backends. Tests that take long are
//! compiled with `std` only.

extern crate alloc;

#[cfg(feature = "std")]
mod bodies;
#[cfg(feature = "bytemuck")]
mod bytes;
mod cells;
mod discs;
mod edges;
#[allow(dead_code, reason = "some functions are used with `std` only")]
mod geometry;
mod layouts;
mod lines;
mod lookup;
mod maps;
#[cfg(feature = "std")]
mod overlaps;
mod plane;
#[cfg(feature = "std")]
mod polygons;
#[allow(dead_code, reason = "some functions are used with `std` only")]
mod random;
mod rewind;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "std")]
mod sight;
