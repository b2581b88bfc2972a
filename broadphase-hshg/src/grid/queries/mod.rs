//! Queries: regions, casts, nearest objects, neighbors.

pub(super) mod cast_nearest;
pub(super) mod neighbors;
pub(super) mod region;
pub(super) mod row_scan;
