//! The structure of a world, and a refreshed copy of it for queries.
//!
//! Each query tests pending objects (inserted or changed by handle since the last refresh) one by
//! one. To make queries fast without a step:
//!
//! 1. Each query adds the number of pending objects to a counter.
//! 2. If a change ([`structure_mut`](Current::structure_mut)) finds [`TESTS_BEFORE_CHANGE`] tests
//!    for each object of the world, it refreshes the structure first.
//! 3. The query that reaches [`TESTS_BEFORE_COPY`] tests for each object makes a refreshed copy of
//!    the structure. Later queries use the copy; the next change replaces the structure by it.
//!
//! A refresh takes about as long as the tests that precede it, so queries take at most about twice
//! as long as with a refresh at the start. Only one query makes the copy, while other threads
//! continue with the structure: nothing waits, even if threads of a pool run other tasks while they
//! wait.

use alloc::boxed::Box;
#[cfg(feature = "std")]
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
#[cfg(feature = "std")]
use std::sync::OnceLock;

use broadphase_core::{Backend, Scalar, SpatialIndex};

use super::Choice;
use crate::Options;

/// Number of pending objects that are not counted: their tests take less time than the rest of a
/// query.
#[cfg(feature = "std")]
const MIN_PENDING: usize = 64;
/// Tests of pending objects, for each object of the world, after which a change refreshes.
#[cfg(feature = "std")]
const TESTS_BEFORE_CHANGE: usize = 2;
/// Tests of pending objects, for each object of the world, after which a query makes a copy, which
/// takes about 10 ns per object; a test takes 1 to 3 ns.
#[cfg(feature = "std")]
const TESTS_BEFORE_COPY: usize = 4;

/// A structure, and the reason for its selection.
pub(super) struct Selected<S: Scalar, const D: usize> {
    pub(super) structure: Box<dyn SpatialIndex<S, D>>,
    pub(super) choice: Choice<S>,
}

/// The structure of a world, its settings, and a refreshed copy.
pub(super) struct Current<S: Scalar, const D: usize> {
    selected: Selected<S, D>,
    pub(super) options: Options<S, D>,
    pub(super) backend: Backend,
    #[cfg(feature = "std")]
    copy: OnceLock<Selected<S, D>>,
    /// Tests of pending objects by queries since the last refresh.
    #[cfg(feature = "std")]
    tests: AtomicUsize,
}

impl<S: Scalar, const D: usize> Current<S, D> {
    pub(super) fn new(
        structure: Box<dyn SpatialIndex<S, D>>,
        choice: Choice<S>,
        options: Options<S, D>,
    ) -> Self {
        Self::of(Selected { structure, choice }, options, options.backend.unwrap_or_default())
    }

    fn of(selected: Selected<S, D>, options: Options<S, D>, backend: Backend) -> Self {
        Self {
            selected,
            options,
            backend,
            #[cfg(feature = "std")]
            copy: OnceLock::new(),
            #[cfg(feature = "std")]
            tests: AtomicUsize::new(0),
        }
    }

    /// Returns the structure that queries use: the copy, if there is one.
    pub(super) fn latest(&self) -> &Selected<S, D> {
        #[cfg(feature = "std")]
        if let Some(copy) = self.copy.get() {
            return copy;
        }
        &self.selected
    }

    /// Returns the structure for calls that read single objects.
    #[inline]
    pub(super) fn structure(&self) -> &dyn SpatialIndex<S, D> {
        &*self.latest().structure
    }

    /// Returns the structure for a number of queries.
    #[cfg_attr(not(feature = "std"), expect(unused_variables, reason = "nothing is counted"))]
    pub(super) fn structure_for(&self, queries: usize) -> &dyn SpatialIndex<S, D> {
        #[cfg(feature = "std")]
        if self.copy.get().is_none() {
            self.count(queries);
        }
        self.structure()
    }

    /// Counts the tests of a number of queries, and makes the copy if they reach the limit.
    #[cfg(feature = "std")]
    fn count(&self, queries: usize) {
        let (now, objects) = (&self.selected, self.selected.structure.len());
        // Brute force tests all objects.
        let outgrown = now.outgrows_brute_force(&self.options);
        let pending = if outgrown { objects } else { now.structure.state().pending };
        if pending <= MIN_PENDING {
            return;
        }
        let limit = TESTS_BEFORE_COPY.saturating_mul(objects);
        let more = pending.saturating_mul(queries).min(limit);
        let before = self.tests.fetch_add(more, Relaxed);
        // Exactly one query passes the limit.
        if before < limit && before + more >= limit {
            let _ = self.copy.set(now.refreshed(&self.options, self.backend));
        }
    }

    pub(super) fn memory_use(&self) -> usize {
        let structure = self.selected.structure.memory_use();
        #[cfg(feature = "std")]
        if let Some(copy) = self.copy.get() {
            return structure + copy.structure.memory_use();
        }
        structure
    }

    /// Returns the structure to change it: a refreshed copy or, after many tests, refreshed now.
    pub(super) fn structure_mut(&mut self) -> &mut dyn SpatialIndex<S, D> {
        &mut *self.selected_mut().structure
    }

    /// Returns the structure and its choice; see [`structure_mut`](Self::structure_mut).
    pub(super) fn selected_mut(&mut self) -> &mut Selected<S, D> {
        #[cfg(feature = "std")]
        {
            if let Some(copy) = self.copy.take() {
                self.selected = copy;
                *self.tests.get_mut() = 0;
            }
            let tests = *self.tests.get_mut();
            if tests > 0 && tests >= TESTS_BEFORE_CHANGE * self.selected.structure.len() {
                broadphase_core::SpatialIndexExt::optimize(&mut *self.selected.structure);
                *self.tests.get_mut() = 0;
            }
        }
        &mut self.selected
    }

    /// Selects the structure for a number of objects. The caller refreshes it afterwards.
    pub(super) fn select(&mut self, objects: usize) {
        let (options, backend) = (self.options, self.backend);
        #[cfg(feature = "std")]
        {
            // The refresh of the caller replaces the one that the tests would cause.
            *self.tests.get_mut() = 0;
        }
        self.selected_mut().select(&options, backend, objects);
    }
}

impl<S: Scalar, const D: usize> Clone for Current<S, D> {
    fn clone(&self) -> Self {
        let Selected { structure, choice } = self.latest();
        let selected = Selected { structure: structure.boxed_clone(), choice: *choice };
        Self::of(selected, self.options, self.backend)
    }
}
