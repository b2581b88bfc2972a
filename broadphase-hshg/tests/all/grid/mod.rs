//! Tests of the hierarchical grid beyond the laws. They are compiled only with all features, since
//! one run is enough.

mod allocation;
mod batches;
mod bulk_load;
mod ends;
mod everywhere;
mod levels;
mod near;
