//! Spatial queries: regions, paths and targets, searches in steps, and lists of results.
//!
//! * [`Region`]: objects that overlap a box, point or ball.
//! * [`Path`] and [`CastSegments`]: objects that a segment, ray or moving box touches, in order; a
//!   path is searched segment by segment.
//! * [`first_contact`]: the time at which two moving boxes first touch.
//! * [`Target`] and [`SearchShells`]: objects by distance; space around a target is searched shell
//!   by shell.
//! * [`Hits`]: the hits of one segment or shell.
//! * [`Lists`], [`Neighbors`], [`neighbors_in_strips`], [`nearest_to_each_in_tree`]: many queries at
//!   once.

mod batch;
mod cast_segments;
mod contact;
mod hits;
mod kd_tree;
mod list_buffer;
mod lists;
mod path;
mod path_bounds;
mod region;
mod runs;
mod search;
mod search_shells;
mod strips;
mod target;

pub(crate) use batch::{cast_many, nearest_many, nearest_to_each, query_many};
pub use cast_segments::{CastSegment, CastSegments};
pub use contact::{first_contact, first_contact_in};
pub(crate) use hits::compare;
pub use hits::{Hit, Hits};
pub use kd_tree::nearest_to_each_in_tree;
pub(crate) use list_buffer::ListBuffer;
pub use lists::{Lists, Neighbors};
pub use path::Path;
pub use path_bounds::PathBounds;
pub use region::{Region, distance, gaps};
pub(crate) use search::{cast, nearest, show};
pub(crate) use search_shells::has_corner_near_zero;
pub use search_shells::{SearchShell, SearchShells};
pub use strips::neighbors_in_strips;
pub(crate) use strips::{Radius, extent, pairs_with_ghosts};
pub use target::Target;
pub(crate) use target::square_root_above;

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
