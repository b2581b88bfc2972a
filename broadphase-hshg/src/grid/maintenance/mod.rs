//! Maintenance of rows.
//!
//! * [`refresh`]: automatic maintenance after walks and before pairs are found; choice of tiers,
//!   compaction.
//! * [`merge`]: inserts pending objects into rows, with [`insert_prefetch`].
//! * [`row_height`]: the row-height policy.
//! * [`sweep_axis`]: the choice of the axis along which rows are swept.
//! * [`margin`]: margins around bounds, which save sorting and sweeping.
//! * [`optimize`]: maintenance on demand.

pub(super) mod insert_prefetch;
pub(super) mod margin;
pub(super) mod merge;
pub(super) mod optimize;
pub(super) mod refresh;
pub(super) mod row_height;
pub(super) mod sweep_axis;
