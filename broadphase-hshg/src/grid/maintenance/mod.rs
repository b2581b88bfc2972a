//! Maintenance: pending objects into rows, row heights, margins, compaction.

pub(super) mod insert_prefetch;
pub(super) mod margin;
pub(super) mod merge;
pub(super) mod optimize;
pub(super) mod refresh;
pub(super) mod row_height;
