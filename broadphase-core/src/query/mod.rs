//! Spatial queries: regions, paths and targets, searches in steps, and lists of results.
//!
//! * [`Region`]: objects that overlap a box, point or ball.
//! * [`Path`] and [`Pieces`]: objects that a segment, ray or moving box touches, in order; a path
//!   is searched segment by segment.
//! * [`Target`] and [`Rings`]: objects by distance; space around a target is searched shell by
//!   shell.
//! * [`Hits`]: the hits of one segment or shell.
//! * [`Lists`], [`Neighbors`], [`neighbors_in_strips`]: many queries at once.

mod batch;
mod course;
mod hits;
mod lists;
mod path;
mod pieces;
mod region;
mod rings;
mod search;
mod strips;
mod target;

pub(crate) use batch::{nearest_to_each, query_many};
pub use course::Course;
pub use hits::{Hit, Hits};
pub use lists::{Lists, Neighbors};
pub use path::Path;
pub use pieces::{Piece, Pieces};
pub use region::Region;
pub use rings::{Ring, Rings};
pub(crate) use search::{cast, nearest, show};
pub use strips::neighbors_in_strips;
pub use target::Target;

use bounds_hexprism::Scalar;

use crate::SpatialIndex;

/// Default implementation of [`SpatialIndex::neighbors`]: one query per object, in storage order.
pub fn neighbors<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    radius: S,
    out: &mut Neighbors,
) {
    batch::neighbors(index, radius, out);
}
