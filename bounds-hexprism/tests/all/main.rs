//! All tests in one binary, so that shared code is compiled once.

mod aabb;
mod algebra;
mod ball;
#[cfg(feature = "batch")]
mod batch;
mod hexagon;
mod numbers;
#[cfg(feature = "serde")]
mod serde;
mod slabs;
