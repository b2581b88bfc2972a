//! Conversion of points to cells: the rule, single lookups, and SIMD batches.

mod batch;
mod bit_set;
mod blocks;
mod footprint;
mod grid;
mod kernel;
pub(crate) mod rule;

pub use footprint::Footprint;
pub use grid::Grid;
