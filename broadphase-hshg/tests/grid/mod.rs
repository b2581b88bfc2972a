//! What the hierarchical grid has beyond the laws; once is enough, with all features.

mod allocation;
mod between;
mod ends;
mod everywhere;
mod levels;
pub(crate) mod together;
mod update_with;
mod upkeep;
