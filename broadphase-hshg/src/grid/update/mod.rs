//! Walks over all objects that let the caller change them.

pub(super) mod batch;
pub(super) mod chunk;
pub(super) mod deferred;
pub(super) mod parallel;
pub(super) mod store_slice;
pub(super) mod visit;
pub(super) mod walk;
pub(super) mod walker;
