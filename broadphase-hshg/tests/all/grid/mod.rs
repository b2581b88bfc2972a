//! Tests of the hierarchical grid beyond the laws. Compiled only with all features, since one run
//! is enough.

mod allocation;
mod batches;
mod between;
mod ends;
mod everywhere;
mod levels;
mod neighbors;
mod skin;
mod update_with;
mod upkeep;
