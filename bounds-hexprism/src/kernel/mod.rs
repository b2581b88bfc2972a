//! The inner loops, written once over the lanes.
//!
//! For the crates of this workspace that build traversals of their own; what is in here may change
//! in any release. Kernels only compare: coordinates are never added or subtracted, so nothing
//! rounds and nothing overflows.

pub mod order;
pub mod overlap;
pub mod query;
pub mod scan;
