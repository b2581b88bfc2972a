//! Iterators over cells. None of them allocates.

pub use super::count::range_count;
pub use super::line::{Cover, Line};
pub use super::range::{Range, Wedge};
pub use super::ring::{Ring, Spiral};
