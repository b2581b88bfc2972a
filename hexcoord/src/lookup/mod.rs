//! From points to cells: the rule, one point at a time, and many at memory speed.

mod batch;
mod bit_set;
mod buffer;
mod footprint;
mod grid;
mod kernel;
pub(crate) mod rule;

pub use footprint::Footprint;
pub use grid::Grid;
