//! Inner loops, generic over the lanes, which only compare keys and so neither round nor overflow.
//!
//! Public for crates of this workspace with their own traversals; may change in any release.

pub mod overlap;
pub mod query;
