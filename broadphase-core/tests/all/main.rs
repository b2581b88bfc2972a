//! All tests in one binary, so that shared code is compiled once.
//!
//! Without `rayon`, work is not divided among threads, and no other code differs. Tests of
//! functions that do not divide work are compiled with `std` only.

#[cfg(feature = "std")]
mod contact;
#[cfg(feature = "std")]
mod hits;
mod laws;
mod nearest;
mod order;
mod pairs;
#[cfg(feature = "std")]
mod scan;
#[cfg(feature = "scenes")]
mod scenes;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "std")]
mod sweep;
#[cfg(feature = "rayon")]
mod threads;
#[cfg(all(feature = "wide", feature = "pulp"))]
mod torus;
