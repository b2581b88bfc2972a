//! The walk over all objects in storage order, which keeps rows in order as it goes.
//!
//! First those that wait, then row after row: what happens to a row is in [`walker`](super::walker).

use broadphase_core::{Aabb, IndexError, Scalar};

use super::chunk::Chunk;
use super::part::Part;
use super::row::{Row, of_kinds};
use super::store::Body;
use super::visit::Visit;
use super::walker::{Plan, UpdateSink, Walk, Walker};
use super::{Hshg, PENDING};

/// What a walk has to tell: the error of the smallest key.
#[derive(Clone, Debug, Default)]
pub(super) struct Worst(Option<(u32, IndexError)>);

impl Worst {
    /// Takes over what another walk has to tell.
    pub(super) fn merge(&mut self, other: &Self) {
        if let Some((key, _)) = other.0
            && self.0.is_none_or(|(worst, _)| key < worst)
        {
            self.0 = other.0;
        }
    }

    /// The error, if there is one.
    pub(super) fn result(self) -> Result<(), IndexError> {
        self.0.map_or(Ok(()), |(_, error)| Err(error))
    }

    #[cold]
    pub(super) fn note<S: Scalar, const D: usize>(&mut self, key: u32, bounds: Aabb<S, D>) {
        if let Err(why) = bounds.checked()
            && self.0.is_none_or(|(worst, _)| key < worst)
        {
            self.0 = Some((key, IndexError::InvalidBounds { key, why }));
        }
    }
}

/// The first so many rows in the hands of a caller who may panic; if nobody forgets this, that
/// has happened.
struct Interrupted<'a, S: Scalar, const D: usize, T: Copy> {
    hshg: &'a mut Hshg<S, D, T>,
    rows: usize,
}

impl<S: Scalar, const D: usize, T: Copy> Drop for Interrupted<'_, S, D, T> {
    #[cold]
    fn drop(&mut self) {
        self.hshg.take_back(self.rows);
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Puts the first so many rows in order of which nobody knows how far a walk has come.
    pub(super) fn take_back(&mut self, rows: usize) {
        self.touch_rows(rows);
        self.put_in_order(rows);
        self.wear.made();
    }

    /// Walks over the objects of the first `kinds` kinds.
    pub(super) fn walk(
        &mut self,
        kinds: u8,
        visit: &mut dyn Visit<S, D, T>,
    ) -> Result<(), IndexError> {
        let mut worst = Worst::default();
        // Only the objects that are waiting now: rows add more.
        self.walk_pending(kinds, visit, &mut worst);
        let rows = of_kinds(&self.rows, kinds);
        self.walk_rows(rows, visit, &mut worst);
        self.refresh();
        worst.result()
    }

    /// Walks over the first so many rows.
    pub(super) fn walk_rows(
        &mut self,
        rows: usize,
        visit: &mut dyn Visit<S, D, T>,
        worst: &mut Worst,
    ) {
        let mut chunk = Chunk::new();
        let interrupted = Interrupted { hshg: self, rows };
        let hshg = &mut *interrupted.hshg;
        if !hshg.walks_within_skin() {
            hshg.touch_rows(rows);
            let (mut walk, rows) = hshg.walk_over(rows, worst);
            let mut left = false;
            for row in rows {
                left |= walk.walk_row(row, &mut chunk, visit);
            }
            hshg.wear.renewed(left);
            core::mem::forget(interrupted);
            return;
        }
        let (mut walk, walked) = hshg.walk_over(rows, worst);
        let mut outgrown = false;
        for row in &mut *walked {
            outgrown |= walk.walk_within_skin(row, &mut chunk, visit);
        }
        let left = walk.walker.left;
        core::mem::forget(interrupted);
        if outgrown {
            self.put_in_order(rows);
        }
        self.touch_after_skin(rows, outgrown, left);
    }

    /// Gives all objects of the first so many rows slabs and places anew.
    pub(super) fn put_in_order(&mut self, rows: usize) {
        let (mut worst, mut chunk) = (Worst::default(), Chunk::new());
        let (mut walk, rows) = self.walk_over(rows, &mut worst);
        for row in rows {
            walk.put_in_order(row, &mut chunk);
        }
    }

    /// Whether the next walk expects all to stay in their slabs.
    pub(super) const fn walks_within_skin(&self) -> bool {
        self.store.places.skinned && !self.wear.is_due()
    }

    /// A walk over the first so many rows, and these.
    fn walk_over<'a>(
        &'a mut self,
        rows: usize,
        worst: &'a mut Worst,
    ) -> (Walk<'a, S, D, T>, &'a mut [Row<D>]) {
        let sink = UpdateSink::Immediate {
            slots: &mut self.slots,
            len: &mut self.len,
            holes: &mut self.holes,
            pending: self.pending.len(),
        };
        let plan = Plan {
            tiers: &self.tiers,
            sizes: self.sizes,
            margins: self.margins,
            backend: self.backend,
        };
        let part = Part::new(&mut self.store.places);
        let walker = Walker::new(part, plan, sink, &mut self.moves, worst);
        let walk = Walk { walker, data: &mut self.store.data, away: &mut self.pending };
        (walk, &mut self.rows[..rows])
    }

    /// Takes note that objects of the first so many rows change their places or their slabs.
    pub(super) fn touch_rows(&mut self, rows: usize) {
        // Kinds ascend, and to touch one touches the dynamic ones as well.
        if let Some(row) = self.rows[..rows].last() {
            self.touch(row.id.kind);
        }
    }

    /// The same after a walk within the skin, which may have changed no more than that objects
    /// left rows up to some kind.
    pub(super) fn touch_after_skin(&mut self, rows: usize, outgrown: bool, left: Option<u8>) {
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

    pub(super) fn walk_pending(
        &mut self,
        kinds: u8,
        visit: &mut dyn Visit<S, D, T>,
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
            let stays = visit.one(key, &mut body.data, &mut bounds);
            match bounds.checked() {
                Ok(bounds) => body.bounds = bounds,
                Err(_) if stays => worst.note(key, bounds),
                Err(_) => {}
            }
            if stays {
                index += 1;
            } else {
                self.drop_pending(index);
                self.slots.remove(key);
                self.len -= 1;
            }
        }
    }

    /// Takes an object from among the pending; the last one takes its place.
    pub(super) fn drop_pending(&mut self, index: usize) {
        self.pending.swap_remove(index);
        if let Some(moved) = self.pending.get(index) {
            self.slots.set(moved.key, PENDING | index);
        }
    }

    /// Puts an object among those that wait for a row.
    #[inline]
    pub(super) fn await_row(&mut self, body: Body<S, D, T>) {
        self.slots.set(body.key, PENDING | self.pending.len());
        self.pending.push(body);
    }
}
