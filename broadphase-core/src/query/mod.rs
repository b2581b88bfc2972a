//! Spatial queries: regions, paths and targets, searches in steps, and lists of results.
//!
//! * [`Search`]: a [`Region`], whose objects are found in any order; a [`Path`], searched segment
//!   by segment; or a [`Target`], searched in shells around it.
//! * [`first_contact`]: the time at which two moving boxes first touch.
//! * [`Lists`], [`Neighbors`], [`find_neighbors`]: many queries at once.

mod batch;
mod cast_segments;
mod contact;
mod hits;
mod kd_tree;
mod kinds;
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

#[doc(hidden)]
pub use batch::{find_neighbors, find_neighbors_by_visits};
pub(crate) use batch::{query_many, search_many};
pub(crate) use cast_segments::CastSegments;
#[doc(hidden)]
pub use cast_segments::{CastSegment, LookAtSegment, search_path};
pub use contact::first_contact;
#[doc(hidden)]
pub use contact::first_contact_in;
pub(crate) use hits::compare;
#[doc(hidden)]
pub use hits::{Hit, Hits, VisitHit};
#[doc(hidden)]
pub use kd_tree::nearest_to_each_in_tree;
pub use kinds::{Near, Search, Visit};
pub(crate) use list_buffer::ListBuffer;
pub use lists::{Lists, Neighbors};
pub use path::Path;
#[doc(hidden)]
pub use path_bounds::PathBounds;
#[doc(hidden)]
pub use region::gaps;
pub use region::{Region, distance};
pub(crate) use search::entry;
pub use search::visit_by_regions;
#[doc(hidden)]
pub use search_shells::{LookAtShell, SearchShell, search_nearest};
pub(crate) use search_shells::{SearchShells, has_corner_near_zero};
pub(crate) use strips::{Radius, extent, pairs_with_ghosts};
#[doc(hidden)]
pub use strips::{neighbors_in_strips, neighbors_of_points};
pub use target::Target;
pub(crate) use target::square_root_above;
