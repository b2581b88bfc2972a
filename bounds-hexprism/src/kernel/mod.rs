//! The kernels: the inner loops, generic over the lanes.
//!
//! The module is public for crates of this workspace with their own traversals; it may change in
//! any release. Kernels only compare keys and do no arithmetic on coordinates, so they neither
//! round nor overflow.

pub mod overlap;
pub mod query;
