//! All tests in one program, so that what they share is compiled once.

mod below;
mod hits;
mod laws;
mod named;
mod order;
mod pairs;
mod queries;
mod rank;
#[cfg(feature = "scenes")]
mod scenes;
#[cfg(feature = "serde")]
mod serde;
mod sweep;
#[cfg(feature = "rayon")]
mod threads;
#[cfg(all(feature = "wide", feature = "pulp"))]
mod torus;
