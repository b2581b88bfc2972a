//! Conversion of points to cells: the rule, single lookups and SIMD batches. Also the cells of a
//! disc, and the conversion between units and cell units.

mod batch;
mod bit_set;
mod blocks;
mod disc;
mod footprint;
mod grid;
mod kernel;
pub(crate) mod rule;
mod units;

pub use disc::Disc;
pub use footprint::Footprint;
pub use grid::Grid;
