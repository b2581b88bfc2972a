//! Inner loops that structures of this workspace share; may change in any release.
//!
//! Terms of these modules:
//!
//! * *Volume*: a box as one interval of integer keys per axis ([`Slabs`](crate::Slabs)), which
//!   ascend as coordinates do.
//! * *Planes*: volumes as one array per axis and end ([`SlabPlanes`](crate::SlabPlanes)).
//! * *Row*: the one volume that a loop tests against many others.
//! * *Block*: eight volumes at successive indices, tested at once, one per lane.
//! * *Hit*: a test that found an overlap, written to a buffer as an index or a pair of indices.
//! * *Cursor*: the position at which to resume a loop after a full hit buffer stopped it.

pub use bounds_hexprism::kernel::{overlap, query};
pub(crate) use keys::AppendKeys;
pub(crate) use near_blocks::COUNTED;

pub mod enlarge;
pub mod hits;
mod keys;
mod list_sort;
pub mod near;
mod near_blocks;
pub mod rank;
pub mod sweep;
pub mod within;
