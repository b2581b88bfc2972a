//! All tests in one binary, so that shared code is compiled once.

mod below;
mod contact;
mod hits;
mod laws;
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
mod within_keys;
