//! What the hierarchical grid has beyond the laws; once is enough, with all features.

mod allocation;
mod batches;
mod between;
mod ends;
mod everywhere;
mod levels;
mod skin;
mod update_with;
mod upkeep;
