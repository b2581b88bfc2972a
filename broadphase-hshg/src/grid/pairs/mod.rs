//! Overlapping pairs: row pairs, sweep, output.

pub(super) mod between;
pub(super) mod parallel;
pub(super) mod row_index;
pub(super) mod row_pairs;
pub(super) mod sink;
pub(super) mod static_cache;
pub(super) mod sweep;
