//! Queries, all based on [`row_scan`]: find the rows near a box, and scan a range of each.
//!
//! * [`region`]: objects that overlap a box or ball.
//! * [`cast_nearest`]: objects on a path, and nearest objects.
//! * [`neighbors`]: for each object, the others within a radius.

pub(super) mod cast_nearest;
pub(super) mod neighbors;
pub(super) mod region;
pub(super) mod row_scan;
