//! Iterators over cells. None of them allocates.

pub use super::line::{Cover, Line};
pub use super::range::{Range, Ring};
