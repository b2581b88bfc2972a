//! What one asks of a structure besides pairs: regions, paths, targets, and answers in lists.

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

/// [`SpatialIndex::neighbors`] as provided: a query for each object, in storage order.
pub fn neighbors<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    radius: S,
    out: &mut Neighbors,
) {
    batch::neighbors(index, radius, out);
}
