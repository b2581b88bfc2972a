//! Maintenance of rows.
//!
//! * [`refresh`]: automatic maintenance after walks and before pairs are found, and maintenance on
//!   demand; choice of tiers, compaction.
//! * [`merge`]: inserts pending objects into rows.
//! * [`bulk_load`]: lays out all rows at once if most objects are pending, with
//!   [`cell_counts`], [`bulk_fill`] and [`row_sort`].
//! * [`measured`]: the number and distribution of objects.
//! * [`row_height`]: the row-height policy.
//! * [`sweep_axis`]: the choice of the axis along which rows are swept.

pub(super) mod bulk_fill;
pub(super) mod bulk_load;
pub(super) mod cell_counts;
pub(super) mod measured;
pub(super) mod merge;
pub(super) mod refresh;
pub(super) mod row_height;
pub(super) mod row_sort;
pub(super) mod sweep_axis;
