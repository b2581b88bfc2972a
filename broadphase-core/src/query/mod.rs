//! What one asks of a structure besides pairs: regions, paths, targets, and answers in lists.

mod batch;
mod lists;
mod path;
mod region;
mod search;
mod target;

pub(crate) use batch::{nearest_to_each, neighbors, query_many};
pub use lists::{Lists, Neighbors};
pub use path::Path;
pub use region::Region;
pub(crate) use search::{cast, nearest};
pub use target::Target;
