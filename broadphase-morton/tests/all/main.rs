//! All integration tests in one program, so that shared code is compiled once.

mod casts;
mod code;
mod laws;
mod memory;
mod nodes;
mod order;
mod outliers;
#[cfg(feature = "rayon")]
mod threads;
#[cfg(all(feature = "wide", feature = "pulp"))]
mod torus;
