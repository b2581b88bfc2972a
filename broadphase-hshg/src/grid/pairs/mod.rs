//! Overlapping pairs.
//!
//! 1. [`row_pairs`]: lists the pairs of rows to sweep.
//! 2. [`static_cache`]: replaces sweeps of moving rows with static rows; [`row_index`] speeds up
//!    others.
//! 3. [`sweep`]: finds overlapping slots, and appends the keys of accepted pairs to a list.
//!    [`find`]: sweeps all groups, on one thread or several.
//!
//! [`near`]: pairs within a distance or of two grids, by a sweep of enlarged objects.

pub(super) mod find;
pub(super) mod near;
pub(super) mod row_index;
pub(super) mod row_pairs;
pub(super) mod static_cache;
pub(super) mod sweep;
