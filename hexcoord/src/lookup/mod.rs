//! Conversion of points to cells: the rule, single lookups and SIMD batches. Also the cells of a
//! disc, and the conversion between units and cell units.

mod batch;
mod grid;
mod kernel;
pub(crate) mod rule;
mod units;

pub use grid::Grid;
