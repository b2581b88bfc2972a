//! Inner loops that structures share; for the crates of this workspace, without stability between
//! releases.

pub use bounds_hexprism::kernel::{overlap, query};
pub(crate) use keys::AppendKeys;

pub mod between;
pub mod hits;
mod keys;
pub mod near;
pub mod rank;
pub mod sweep;
pub mod within;
