//! The serial walk over all objects in storage order.
//!
//! 1. Visit the pending objects that exist at the start; rows can add more while they are walked.
//! 2. Walk each row: see [`walker`](crate::grid::update::walker).
//! 3. Refresh, which inserts pending objects into rows.
//!
//! With [margins](crate::grid::maintenance::margin), step 2 has a short form as long as every
//! object stays in its slabs: bounds are written, and nothing is sorted. If an object leaves its
//! slabs, all walked rows get new slabs and are sorted at the end of step 2.
//!
//! If the caller's closure panics, a guard sorts the rows again, so that the grid stays valid.

use broadphase_core::{FirstError, IndexError, Scalar, instances};

use crate::grid::data::{ApplyMoves, Payload};
use crate::grid::pairs::near_cache::StateId;
use crate::grid::storage::row::{Class, Row, rows_up_to};
use crate::grid::storage::store::Body;
use crate::grid::update::chunk::Chunk;
use crate::grid::update::outcome::WalkOutcome;
use crate::grid::update::store_slice::StoreSlice;
use crate::grid::update::update_sink::UpdateSink;
use crate::grid::update::visit::{Visit, VisitObjects, Visitor};
use crate::grid::update::walker::{WalkContext, Walker};
use crate::grid::{Core, Hshg, PENDING};

instances! {
    /// Walks over the objects of the motion classes up to `last`.
    fn walk<S, D>(
        core: &mut Core<S, D>,
        last: Class,
        visit: &mut dyn VisitObjects<S, D>,
    ) -> Result<(), IndexError> {
        let mut outcome = WalkOutcome::default();
        // Visit pending objects first: rows append to this list.
        core.walk_pending(last, visit, &mut outcome.first_error);
        let rows = rows_up_to(&core.rows, last);
        core.walk_rows(rows, visit, &mut outcome);
        outcome.first_error.result()
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Walks over the objects of the motion classes up to `last`, then refreshes.
    pub(in crate::grid) fn walk(
        &mut self,
        last: Class,
        mut visit: impl Visit<S, D, T>,
    ) -> Result<(), IndexError> {
        let visit = &mut visit;
        let Payload { placed, pending, .. } = &mut self.data;
        let walked = walk(&mut self.core, last, &mut Visitor { data: placed, pending, visit });
        self.refresh();
        walked
    }
}

/// Panic guard: sorts the first `rows` rows if the caller's closure unwinds. Disarmed with
/// `mem::forget`.
struct UnwindGuard<'a, S: Scalar, const D: usize> {
    core: &'a mut Core<S, D>,
    visit: &'a mut dyn VisitObjects<S, D>,
    rows: usize,
}

impl<S: Scalar, const D: usize> Drop for UnwindGuard<'_, S, D> {
    #[cold]
    fn drop(&mut self) {
        self.core.restore_order(self.rows, self.visit);
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Computes new slabs in the first `rows` rows, sorts these rows and maps the pending objects,
    /// after an interrupted walk.
    pub(in crate::grid) fn restore_order(&mut self, rows: usize, data: &mut dyn ApplyMoves) {
        self.invalidate_rows(rows);
        self.sort_rows(rows, data);
        for (index, body) in self.pending.iter().enumerate() {
            self.slots.set(body.key, PENDING | index);
        }
        self.margin_age.restart();
    }

    /// Walks over the first `rows` rows.
    pub(in crate::grid) fn walk_rows(
        &mut self,
        rows: usize,
        visit: &mut dyn VisitObjects<S, D>,
        outcome: &mut WalkOutcome,
    ) {
        let (mut chunk, within_margins) = (Chunk::new(), self.walks_within_margins());
        let guard = UnwindGuard { core: self, visit, rows };
        let (core, visit) = (&mut *guard.core, &mut *guard.visit);
        let (mut walker, walked) = core.walker(rows, within_margins, outcome);
        for row in walked {
            walker.walk_row(row, &mut chunk, visit);
        }
        if within_margins && outcome.outgrown {
            core.sort_rows(rows, visit);
        }
        core.finish_walk(rows, within_margins, outcome);
        core::mem::forget(guard);
    }

    /// Computes the slabs of all objects in the first `rows` rows and sorts these rows.
    pub(in crate::grid) fn sort_rows(&mut self, rows: usize, data: &mut dyn ApplyMoves) {
        let (mut outcome, mut chunk) = (WalkOutcome::default(), Chunk::new());
        let (mut walker, rows) = self.walker(rows, false, &mut outcome);
        for row in rows {
            walker.sort_row(row, &mut chunk, data);
        }
    }

    /// Returns whether the next walk may assume that all objects stay in their slabs (a walk within
    /// margins).
    pub(in crate::grid) const fn walks_within_margins(&self) -> bool {
        self.store.has_margins && !self.margin_age.is_due()
    }

    /// Returns a walker over the first `rows` rows, and these rows.
    fn walker<'a>(
        &'a mut self,
        rows: usize,
        within_margins: bool,
        outcome: &'a mut WalkOutcome,
    ) -> (Walker<'a, S, D>, &'a mut [Row<D>]) {
        let Self { slots, len, holes, .. } = self;
        let sink = UpdateSink::Immediate { slots, len, holes };
        let context = WalkContext {
            tiers: &self.tiers,
            sizes: self.sizes,
            margins: self.margins,
            backend: self.backend,
            within_margins,
        };
        let store = StoreSlice::new(&mut self.store);
        let walker = Walker::new(store, context, sink, &mut self.moves, &mut self.pending, outcome);
        (walker, &mut self.rows[..rows])
    }

    /// Invalidates cached pairs because objects of the first `rows` rows change their slots or
    /// slabs.
    pub(in crate::grid) fn invalidate_rows(&mut self, rows: usize) {
        // Rows ascend by class, so the last row has the highest class. Invalidating a class also
        // invalidates the pairs of lower classes.
        if let Some(row) = self.rows[..rows].last() {
            self.invalidate_pairs(row.id.class);
        }
    }

    /// Invalidates cached pairs after a walk over the first `rows` rows. After a walk within
    /// margins that no object left, only removals invalidate pairs.
    pub(in crate::grid) fn finish_walk(
        &mut self,
        rows: usize,
        within_margins: bool,
        outcome: &WalkOutcome,
    ) {
        self.row_pairs.state = StateId::UNKNOWN;
        if within_margins && !outcome.outgrown {
            self.margin_age.record_walk();
            if let Some(class) = outcome.removed_class {
                self.invalidate_pairs(class);
            }
            return;
        }
        self.margin_age.record_refresh(outcome.outgrown);
        self.invalidate_rows(rows);
    }

    /// Visits the pending objects of the motion classes up to `last`.
    pub(in crate::grid) fn walk_pending(
        &mut self,
        last: Class,
        visit: &mut dyn VisitObjects<S, D>,
        first_error: &mut FirstError,
    ) {
        let mut index = 0;
        while index < self.pending.len() {
            let body = &mut self.pending[index];
            if body.class > last {
                index += 1;
                continue;
            }
            let (key, mut bounds) = (body.key, body.bounds);
            let stays = visit.update_pending(index, key, &mut bounds);
            match bounds.checked() {
                Ok(bounds) => body.bounds = bounds,
                Err(_) if stays => first_error.record_bounds(key, bounds),
                Err(_) => {}
            }
            if stays {
                index += 1;
            } else {
                self.remove_pending(index);
                visit.remove_pending(index);
                self.slots.remove(key);
                self.len -= 1;
            }
        }
    }

    /// Removes a pending object by index. The last pending object takes this index. The caller
    /// removes the key and the data of the removed object.
    pub(in crate::grid) fn remove_pending(&mut self, index: usize) {
        self.pending.swap_remove(index);
        if let Some(moved) = self.pending.get(index) {
            self.slots.set(moved.key, PENDING | index);
        }
    }

    /// Appends an object to the pending objects. The caller appends its data.
    #[inline]
    pub(in crate::grid) fn push_pending(&mut self, body: Body<S, D>) {
        self.slots.set(body.key, PENDING | self.pending.len());
        self.pending.push(body);
    }
}
