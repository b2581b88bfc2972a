//! Walks over all objects: the caller changes bounds, and rows stay sorted.
//!
//! * [`walk`]: the walk over pending objects and rows, and its panic guard.
//! * [`walker`]: the algorithm for one row. [`chunk`] has its kernels, [`store_slice`] its part of
//!   the store.
//! * [`parallel`]: walkers on several threads, with logs that are merged in row order.
//! * [`batch`]: passes a chunk to the caller's closure as a batch of boxes.

mod batch;
pub(super) mod chunk;
pub(super) mod parallel;
pub(super) mod store_slice;
mod update_sink;
pub(super) mod walk;
pub(super) mod walker;
