//! Every backend in turn, for laws that know nothing of backends.

use core::cell::Cell;

use broadphase_core::{Backend, Scalar, SpatialIndex};

std::thread_local! {
    static TURN: Cell<Option<Backend>> = const { Cell::new(None) };
}

/// Tries a law on every backend there is: structures that are made [`in_turn`] run on it.
///
/// # Panics
/// If the law does.
pub fn on_each(law: impl Fn()) {
    for backend in Backend::available() {
        // Shown if it fails.
        println!("on {backend}");
        TURN.set(Some(backend));
        law();
    }
    TURN.set(None);
}

/// A structure on the backend whose turn it is on this thread, if it is any backend's.
///
/// # Panics
/// If it stays on another.
#[must_use]
pub fn in_turn<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(mut index: I) -> I {
    if let Some(backend) = TURN.get() {
        index.set_backend(backend);
        assert!(index.backend().is_none_or(|its| its == backend), "it is not on {backend}");
    }
    index
}
