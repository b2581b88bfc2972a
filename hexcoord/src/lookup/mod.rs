//! Conversion of points to cells: the rule, single lookups and SIMD batches; cells of a disc.

mod batch;
mod grid;
mod kernel;
pub(crate) mod rule;
mod units;

pub use grid::Grid;
