//! All integration tests in one binary, so that shared code is compiled once.

extern crate alloc;

#[cfg(all(feature = "wide", feature = "pulp"))]
mod grid;
#[cfg(all(feature = "wide", feature = "pulp"))]
mod hash;
mod laws;
#[cfg(all(feature = "wide", feature = "pulp"))]
mod lists;
#[cfg(all(feature = "wide", feature = "pulp"))]
mod odd;
#[cfg(feature = "rayon")]
mod threads;
