//! Overlapping pairs.
//!
//! 1. [`row_pairs`]: lists the pairs of rows to sweep.
//! 2. [`static_cache`]: replaces sweeps of moving rows with static rows; [`row_index`] speeds up
//!    the remaining sweeps.
//! 3. [`sweep`]: finds overlapping slots. [`find`]: sweeps all groups, on one thread or several.
//! 4. [`sink`]: converts slots to keys, filters, or calls a visitor.
//!
//! [`between`]: pairs of objects from two grids. [`within`]: pairs within a distance, found by a
//! sweep of [`enlarged`] objects. Both keep their pairs while no object changes ([`near_cache`]).

pub(super) mod between;
pub(super) mod enlarged;
pub(super) mod find;
pub(super) mod near_cache;
pub(super) mod row_index;
pub(super) mod row_pairs;
pub(super) mod sink;
pub(super) mod static_cache;
pub(super) mod sweep;
pub(super) mod within;
