//! Queries. All are based on [`row_scan`], which finds the rows near a box and scans a range of
//! slots in each.
//!
//! * [`region`]: objects that overlap a box or ball.
//! * [`cast_nearest`]: objects on a path, and nearest objects.
//! * [`neighbors`]: for each object, the other objects within a radius.

pub(super) mod cast_nearest;
pub(super) mod neighbors;
pub(super) mod region;
pub(super) mod row_scan;
