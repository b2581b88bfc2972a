//! Storage: arrays of objects, rows in them, and size classes (tiers) that determine the row.
//!
//! 1. [`store`]: keys and bounds of all objects as a structure of arrays, indexed by *slot*, in the
//!    order of axes of [`axis_order`].
//! 2. [`row`]: a row is a range of slots whose objects ascend along the first axis.
//! 3. [`tiers`]: maps an object's size to a tier and its low corner to a cell, which with the
//!    motion class identify its row.
//! 4. [`lane_slabs`]: computes the slabs of eight boxes in lanes.
//! 5. [`pending`]: objects that are in no row yet.
//! 6. [`sweep_stats`]: the cost of the last sweeps per tier, for the row height.

pub(super) mod axis_order;
pub(super) mod lane_slabs;
pub(super) mod pending;
pub(super) mod row;
pub(super) mod store;
pub(super) mod sweep_stats;
pub(super) mod tiers;
