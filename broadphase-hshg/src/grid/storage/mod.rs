//! Storage of objects: planes of bounds, rows in them, and tiers of sizes.

pub(super) mod row;
pub(super) mod store;
pub(super) mod sweep_stats;
pub(super) mod tiers;
