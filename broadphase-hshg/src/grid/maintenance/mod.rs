//! Maintenance of rows.
//!
//! * [`refresh`]: maintenance after walks, before pairs are found, and on demand; compaction.
//! * [`merge`]: inserts pending objects into rows.
//! * [`bulk_load`]: lays out all rows at once, with [`cell_counts`], [`bulk_fill`], [`row_sort`].
//! * [`measured`]: number and distribution of objects; [`row_height`]: the row-height policy.
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
