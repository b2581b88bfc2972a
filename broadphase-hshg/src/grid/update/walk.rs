//! The walk over all objects in storage order, which keeps rows in order as it goes.
//!
//! First those that wait, then row after row: what happens to a row is in [`walker`](crate::grid::update::walker).

use broadphase_core::{Aabb, IndexError, Scalar, instances};

use crate::grid::data::{FollowMoves, Payload};
use crate::grid::storage::row::{Row, of_kinds};
use crate::grid::storage::store::Body;
use crate::grid::update::chunk::Chunk;
use crate::grid::update::store_slice::Part;
use crate::grid::update::visit::{Visit, VisitObjects, Visitor};
use crate::grid::update::walker::{Plan, UpdateSink, Walker};
use crate::grid::{Core, Hshg, PENDING};

/// What a walk has to tell: the error of the smallest key.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct Worst(Option<(u32, IndexError)>);

impl Worst {
    /// Takes over what another walk has to tell.
    pub(in crate::grid) fn merge(&mut self, other: &Self) {
        if let Some((key, _)) = other.0
            && self.0.is_none_or(|(worst, _)| key < worst)
        {
            self.0 = other.0;
        }
    }

    /// The error, if there is one.
    pub(in crate::grid) fn result(self) -> Result<(), IndexError> {
        self.0.map_or(Ok(()), |(_, error)| Err(error))
    }

    #[cold]
    pub(in crate::grid) fn note<S: Scalar, const D: usize>(
        &mut self,
        key: u32,
        bounds: Aabb<S, D>,
    ) {
        if let Err(why) = bounds.checked()
            && self.0.is_none_or(|(worst, _)| key < worst)
        {
            self.0 = Some((key, IndexError::InvalidBounds { key, why }));
        }
    }
}

instances! {
    /// Walks over the objects of the first `kinds` kinds.
    fn walk<S, D>(
        core: &mut Core<S, D>,
        kinds: u8,
        visit: &mut dyn VisitObjects<S, D>,
    ) -> Result<(), IndexError> {
        let mut worst = Worst::default();
        // Only the objects that are waiting now: rows add more.
        core.walk_pending(kinds, visit, &mut worst);
        let rows = of_kinds(&core.rows, kinds);
        core.walk_rows(rows, visit, &mut worst);
        worst.result()
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Walks over the objects of the first `kinds` kinds.
    pub(in crate::grid) fn walk(
        &mut self,
        kinds: u8,
        mut visit: impl Visit<S, D, T>,
    ) -> Result<(), IndexError> {
        let visit = &mut visit;
        let Payload { placed, pending, .. } = &mut self.data;
        let walked = walk(&mut self.core, kinds, &mut Visitor { data: placed, pending, visit });
        self.refresh();
        walked
    }
}

/// Panic guard: puts the first `rows` rows in order if a caller's closure unwinds. Disarmed with
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
    /// Puts the first `rows` rows in order after a walk that did not come to its end.
    pub(in crate::grid) fn restore_order(&mut self, rows: usize, data: &mut dyn FollowMoves) {
        self.touch_rows(rows);
        self.put_in_order(rows, data);
        self.wear.made();
    }

    /// Walks over the first so many rows.
    pub(in crate::grid) fn walk_rows(
        &mut self,
        rows: usize,
        visit: &mut dyn VisitObjects<S, D>,
        worst: &mut Worst,
    ) {
        let mut chunk = Chunk::new();
        let guard = UnwindGuard { core: self, visit, rows };
        let (core, visit) = (&mut *guard.core, &mut *guard.visit);
        if !core.walks_within_skin() {
            core.touch_rows(rows);
            let (mut walker, rows) = core.walker(rows, worst);
            let mut left = false;
            for row in rows {
                left |= walker.walk_row(row, &mut chunk, visit);
            }
            core.wear.renewed(left);
            core::mem::forget(guard);
            return;
        }
        let (mut walker, walked) = core.walker(rows, worst);
        let mut outgrown = false;
        for row in &mut *walked {
            outgrown |= walker.walk_within_skin(row, &mut chunk, visit);
        }
        let left = walker.left;
        if outgrown {
            core.put_in_order(rows, visit);
        }
        core.touch_after_skin(rows, outgrown, left);
        core::mem::forget(guard);
    }

    /// Gives all objects of the first `rows` rows new slabs and places.
    pub(in crate::grid) fn put_in_order(&mut self, rows: usize, data: &mut dyn FollowMoves) {
        let (mut worst, mut chunk) = (Worst::default(), Chunk::new());
        let (mut walker, rows) = self.walker(rows, &mut worst);
        for row in rows {
            walker.put_in_order(row, &mut chunk, data);
        }
    }

    /// Whether the next walk expects all to stay in their slabs.
    pub(in crate::grid) const fn walks_within_skin(&self) -> bool {
        self.store.skinned && !self.wear.is_due()
    }

    /// A walker over the first so many rows, and these.
    fn walker<'a>(
        &'a mut self,
        rows: usize,
        worst: &'a mut Worst,
    ) -> (Walker<'a, S, D>, &'a mut [Row<D>]) {
        let Self { slots, len, holes, .. } = self;
        let sink = UpdateSink::Immediate { slots, len, holes };
        let plan = Plan {
            tiers: &self.tiers,
            sizes: self.sizes,
            margins: self.margins,
            backend: self.backend,
        };
        let part = Part::new(&mut self.store);
        let walker = Walker::new(part, plan, sink, &mut self.moves, &mut self.pending, worst);
        (walker, &mut self.rows[..rows])
    }

    /// Takes note that objects of the first so many rows change their places or their slabs.
    pub(in crate::grid) fn touch_rows(&mut self, rows: usize) {
        // Kinds ascend, and to touch one touches the dynamic ones as well.
        if let Some(row) = self.rows[..rows].last() {
            self.touch(row.id.kind);
        }
    }

    /// The same after a walk within the skin, which may have changed no more than that objects
    /// left rows up to some kind.
    pub(in crate::grid) fn touch_after_skin(
        &mut self,
        rows: usize,
        outgrown: bool,
        left: Option<u8>,
    ) {
        if outgrown {
            self.wear.renewed(true);
            self.touch_rows(rows);
            return;
        }
        self.wear.walked();
        if let Some(kind) = left {
            self.touch(kind);
        }
    }

    /// Walks over the pending objects of the first `kinds` kinds.
    pub(in crate::grid) fn walk_pending(
        &mut self,
        kinds: u8,
        visit: &mut dyn VisitObjects<S, D>,
        worst: &mut Worst,
    ) {
        let mut index = 0;
        while index < self.pending.len() {
            let body = &mut self.pending[index];
            if body.kind >= kinds {
                index += 1;
                continue;
            }
            let (key, mut bounds) = (body.key, body.bounds);
            let stays = visit.pending(index, key, &mut bounds);
            match bounds.checked() {
                Ok(bounds) => body.bounds = bounds,
                Err(_) if stays => worst.note(key, bounds),
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

    /// Removes a pending object but for its key and data; the last one takes its place.
    pub(in crate::grid) fn remove_pending(&mut self, index: usize) {
        self.pending.swap_remove(index);
        if let Some(moved) = self.pending.get(index) {
            self.slots.set(moved.key, PENDING | index);
        }
    }

    /// Appends an object to the pending ones; its data has to follow.
    #[inline]
    pub(in crate::grid) fn await_row(&mut self, body: Body<S, D>) {
        self.slots.set(body.key, PENDING | self.pending.len());
        self.pending.push(body);
    }
}
