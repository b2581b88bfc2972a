//! Maps from cells to numbers, through which a hash finds its cells.
//!
//! * [`cell_map`]: a hash table.
//! * [`blocks`]: groups cells into blocks, so that one lookup in the table finds several cells.

pub(crate) mod blocks;
pub(crate) mod cell_map;
