//! Runs laws on every backend; the laws themselves do not select one.

use core::cell::Cell;

use broadphase_core::{Backend, Scalar, SpatialIndex};

std::thread_local! {
    static TURN: Cell<Option<Backend>> = const { Cell::new(None) };
}

/// Runs a law once for every available backend. The law must create its structures with
/// [`in_turn`], which selects that backend.
///
/// # Panics
/// If the law panics.
pub fn on_each(law: impl Fn()) {
    for backend in Backend::available() {
        // The test runner prints this line if the law fails.
        println!("on {backend}");
        TURN.set(Some(backend));
        law();
    }
    TURN.set(None);
}

/// Sets the backend of the enclosing [`on_each`] on this thread. Outside of [`on_each`] the
/// structure keeps its backend.
///
/// # Panics
/// If the structure reports another backend afterwards.
#[must_use]
pub fn in_turn<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(mut index: I) -> I {
    if let Some(backend) = TURN.get() {
        index.set_backend(backend);
        let its = index.state().backend;
        assert!(its.is_none_or(|its| its == backend), "the backend is not {backend}");
    }
    index
}
