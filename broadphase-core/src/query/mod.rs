//! What one asks of a structure besides pairs: regions, paths, targets, and answers in lists.

mod batch;
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
pub use hits::{Hit, Hits};
pub use lists::{Lists, Neighbors};
pub use path::Path;
pub use pieces::{Piece, Pieces};
pub use region::Region;
pub use rings::{Ring, Rings};
pub(crate) use search::{cast, nearest, show};
pub use strips::neighbors_in_strips;
pub use target::Target;

use bounds_hexprism::{Flow, Scalar};

use crate::{Entry, SpatialIndex};

/// [`SpatialIndex::neighbors`] as provided: a query for each object, in storage order.
pub fn neighbors<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    radius: S,
    out: &mut Neighbors,
) {
    batch::neighbors(index, radius, out);
}

/// [`SpatialIndex::cast`] for structures that look into every cell of an area, whatever is there:
/// along the path in pieces of nearly equal length, a few [`spacing`](SpatialIndex::spacing)s each,
/// until that has taken as long as a look at every object.
pub fn cast_in_equal_pieces<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    path: &Path<S, D>,
    visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    cast(index, path, false, visit)
}
