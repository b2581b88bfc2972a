//! Storage: the arrays of objects, the rows in them, and the size classes (tiers) that decide which
//! rows an object can be in.
//!
//! 1. [`store`]: keys and bounds of all objects as a structure of arrays. An index into these
//!    arrays is a *slot*. [`axis_order`]: the order of axes in these arrays.
//! 2. [`row`]: a row is a range of slots whose objects ascend along the first axis.
//! 3. [`tiers`]: maps the size of an object to a tier and its low corner to a cell. Motion class,
//!    tier and cell identify the row of the object.
//! 4. [`lane_slabs`]: computes the slabs of eight boxes in lanes.
//! 5. [`sweep_stats`]: per tier, the cost of the last sweeps, from which the row height is
//!    adjusted.

pub(super) mod axis_order;
pub(super) mod lane_slabs;
pub(super) mod row;
pub(super) mod store;
pub(super) mod sweep_stats;
pub(super) mod tiers;
