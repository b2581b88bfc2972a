//! What the hierarchical grid has beyond the laws; once is enough, with all features.

#![cfg(all(feature = "wide", feature = "pulp"))]

extern crate alloc;

mod allocation;
mod batches;
mod between;
mod ends;
mod everywhere;
mod levels;
mod update_with;
mod upkeep;
