//! The walk over all objects in storage order.
//!
//! 1. Visit the pending objects first, because rows append to them while they are walked.
//! 2. Walk each row ([`walker`](crate::grid::update::walker)), possibly on several threads
//!    ([`parallel`](crate::grid::update::parallel)).
//! 3. Refresh, which inserts pending objects into rows.
//!
//! If the caller's closure panics, a guard sorts the rows again: the grid stays valid.

use broadphase_core::{FirstError, IndexError, Scalar, Walk, WalkBatch, instances};

use crate::grid::storage::row::{Class, Row, rows_up_to};
use crate::grid::storage::store::Body;
use crate::grid::update::batch::Change;
use crate::grid::update::chunk::Chunk;
use crate::grid::update::parallel::ParallelChange;
use crate::grid::update::store_slice::StoreSlice;
use crate::grid::update::update_sink::UpdateSink;
use crate::grid::update::walker::{WalkContext, Walker};
use crate::grid::{Hshg, PENDING};

instances! {
    pub(crate) fn walk<S, D>(
        grid: &mut Hshg<S, D>,
        walk: Walk<'_, S, D>,
    ) -> Result<(), IndexError> {
        let mut first_error = FirstError::default();
        match walk {
            Walk::All(change) => grid.walk_serially(Class::Static, change, &mut first_error),
            Walk::Dynamic(change) => grid.walk_serially(Class::Dynamic, change, &mut first_error),
            Walk::Parallel(change) if grid.walks_in_parallel() => {
                grid.walk_in_parallel(change, &mut first_error);
            }
            Walk::Parallel(mut change) => {
                grid.walk_serially(Class::Static, &mut change, &mut first_error);
            }
        }
        grid.refresh();
        first_error.result()
    }
}

/// Panic guard: applies the logs of a parallel walk and sorts the first `rows` rows. Disarmed with
/// `mem::forget`.
struct UnwindGuard<'a, S: Scalar, const D: usize> {
    grid: &'a mut Hshg<S, D>,
    rows: usize,
}

impl<S: Scalar, const D: usize> Drop for UnwindGuard<'_, S, D> {
    #[cold]
    fn drop(&mut self) {
        self.grid.apply_logs(&mut FirstError::default());
        self.grid.restore_order(self.rows);
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Walks over the objects of the motion classes up to `last`.
    fn walk_serially(
        &mut self,
        last: Class,
        change: &mut Change<'_, S, D>,
        first_error: &mut FirstError,
    ) {
        self.walk_pending(last, change, first_error);
        let rows = rows_up_to(&self.rows, last);
        let guard = UnwindGuard { grid: self, rows };
        let mut chunk = Chunk::new();
        let (mut walker, walked) = guard.grid.walker(rows, first_error);
        for row in walked {
            walker.walk_row(row, &mut chunk, change);
        }
        guard.grid.invalidate_rows(rows);
        core::mem::forget(guard);
    }

    /// Walks over all objects on all threads of the current pool.
    fn walk_in_parallel(
        &mut self,
        change: &ParallelChange<'_, S, D>,
        first_error: &mut FirstError,
    ) {
        self.walk_pending(Class::Static, &mut { change }, first_error);
        let rows = self.rows.len();
        let guard = UnwindGuard { grid: self, rows };
        guard.grid.walk_jobs(change);
        guard.grid.apply_logs(first_error);
        guard.grid.invalidate_rows(rows);
        core::mem::forget(guard);
    }

    /// After an interrupted walk: computes new slabs in the first `rows` rows, sorts these rows and
    /// maps the pending objects.
    fn restore_order(&mut self, rows: usize) {
        self.invalidate_rows(rows);
        let (mut first_error, mut chunk) = (FirstError::default(), Chunk::new());
        let (mut walker, rows) = self.walker(rows, &mut first_error);
        for row in rows {
            walker.sort_row(row, &mut chunk);
        }
        for (index, &key) in self.pending.keys.iter().enumerate() {
            self.slots.set(key, PENDING | index);
        }
    }

    fn walker<'a>(
        &'a mut self,
        rows: usize,
        first_error: &'a mut FirstError,
    ) -> (Walker<'a, S, D>, &'a mut [Row<D>]) {
        let Self { slots, len, holes, .. } = self;
        let sink = UpdateSink::Immediate { slots, len, holes };
        let context = WalkContext { tiers: &self.tiers, sizes: self.sizes, backend: self.backend };
        let store = StoreSlice::new(&mut self.store);
        let walker = Walker::new(store, context, sink, &mut self.pending, first_error);
        (walker, &mut self.rows[..rows])
    }

    /// Invalidates cached pairs because objects of the first `rows` rows change.
    fn invalidate_rows(&mut self, rows: usize) {
        // The last row has the highest class, whose invalidation includes the pairs of lower
        // classes.
        if let Some(row) = self.rows[..rows].last() {
            self.invalidate_pairs(row.id.class);
        }
    }

    /// Visits the pending objects of the motion classes up to `last`.
    fn walk_pending(
        &mut self,
        last: Class,
        change: &mut Change<'_, S, D>,
        first_error: &mut FirstError,
    ) {
        let mut index = 0;
        while index < self.pending.len() {
            if self.pending.classes[index] > last {
                index += 1;
                continue;
            }
            let (key, mut bounds) = (self.pending.keys[index], self.pending.bounds[index]);
            let stays = WalkBatch::one(key, &mut bounds, &mut *change);
            match bounds.checked() {
                Ok(bounds) => self.pending.bounds[index] = bounds,
                Err(_) if stays => first_error.record_bounds(key, bounds),
                Err(_) => {}
            }
            if stays {
                index += 1;
            } else {
                self.remove_pending(index);
                self.slots.remove(key);
                self.len -= 1;
            }
        }
    }

    /// Removes a pending object, whose key the caller removes. The last pending object gets its
    /// index.
    pub(crate) fn remove_pending(&mut self, index: usize) {
        self.pending.swap_remove(index);
        if let Some(&moved) = self.pending.keys.get(index) {
            self.slots.set(moved, PENDING | index);
        }
    }

    #[inline]
    pub(crate) fn push_pending(&mut self, body: Body<S, D>) {
        self.slots.set(body.key, PENDING | self.pending.len());
        self.pending.push(body);
    }
}
