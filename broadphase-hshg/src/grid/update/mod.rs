//! Walks over all objects: the caller changes bounds and data, and rows stay sorted.
//!
//! * [`walk`]: the serial walk over pending objects and rows, and its panic guard.
//! * [`walker`]: the algorithm for one row, chunk by chunk. [`chunk`] has its kernels,
//!   [`store_slice`] the part of the store it may write.
//! * [`parallel`]: walkers on several threads, with logs that are merged in row order.
//! * [`outcome`]: the error of a walk, and its effect on margins.
//! * [`visit`]: the caller's closure as a trait object. [`batch`]: walks over slices of
//!   objects.

pub(super) mod batch;
pub(super) mod chunk;
pub(super) mod outcome;
pub(super) mod parallel;
pub(super) mod store_slice;
mod update_sink;
pub(super) mod visit;
pub(super) mod walk;
pub(super) mod walker;
