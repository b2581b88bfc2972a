//! The walk over one row: the caller changes bounds, and the row stays sorted.
//!
//! Input: a row sorted along the first axis. Output: the same row with new bounds, sorted, and a
//! list of objects that left it. For each chunk of 128 slots:
//!
//! 1. *Read*: convert slabs to bounds and find the holes.
//! 2. *Visit*: the caller changes bounds, and marks removed objects as holes.
//! 3. *Update slabs* with SIMD, and find exceptional objects. These are handled one by one: the old
//!    bounds replace invalid bounds, which are reported; objects that left the row leave a hole and
//!    become pending.
//! 4. *Find inversions* with SIMD: slots that begin before the previous slot on the first axis.
//!    Prefetch the entries of the key-to-slot map that sorting will change.
//! 5. *Sort the previous chunk*, whose prefetches have arrived, by insertion from the inversions
//!    on. An object that would move more than [`MAX_SHIFT`] slots becomes pending.
//!
//! Cost: O(n), plus the slots by which sorting moves objects; most objects stay in order.
//!
//! A walker owns its part of the store. Other changes (the key-to-slot map, counters) go to an
//! [`UpdateSink`], which applies them immediately, or logs them if several threads walk.

use broadphase_core::{Aabb, Backend, FirstError, Scalar, Slabs};

use crate::grid::storage::pending::Pending;
use crate::grid::storage::row::{Row, enclose};
use crate::grid::storage::store::Body;
use crate::grid::storage::tiers::{Tier, Tiers};
use crate::grid::update::batch::Change;
use crate::grid::update::chunk::{
    CHUNK, Chunk, FindInversions, Marks, UpdateSlabs, is_marked, mark, marked,
};
use crate::grid::update::store_slice::StoreSlice;
use crate::grid::update::update_sink::UpdateSink;

/// The maximum number of slots by which sorting moves an object.
const MAX_SHIFT: usize = 32;

/// The parameters of a walk.
#[derive(Clone, Copy)]
pub(super) struct WalkContext<'a> {
    pub(crate) tiers: &'a [Tier],
    pub(crate) sizes: Tiers,
    pub(crate) backend: Backend,
}

/// A chunk to be sorted after the next chunk has been changed, when prefetched map entries have
/// arrived.
#[derive(Clone, Copy, Default)]
struct DeferredChunk {
    begin: usize,
    end: usize,
    inverted: Marks,
}

pub(super) struct Walker<'a, S, const D: usize> {
    pub(crate) store: StoreSlice<'a, S, D>,
    pub(crate) context: WalkContext<'a>,
    pub(super) sink: UpdateSink<'a>,
    pub(super) first_error: &'a mut FirstError,
    /// Objects that left their rows.
    pub(super) leaving: &'a mut Pending<S, D>,
    deferred: DeferredChunk,
    /// The box around the slabs of the finished chunks of the current row.
    bounds: Slabs<D>,
}

/// Panic guard: writes back the chunk that the caller's closure was changing. Disarmed with
/// `mem::forget`.
struct ChunkGuard<'a, 'w, S: Scalar, const D: usize> {
    walker: &'a mut Walker<'w, S, D>,
    row: &'a mut Row<D>,
    chunk: &'a mut Chunk<S, D>,
}

impl<S: Scalar, const D: usize> Drop for ChunkGuard<'_, '_, S, D> {
    /// Writes back valid bounds and holes, for the guard of the walk.
    #[cold]
    fn drop(&mut self) {
        let Self { walker, row, chunk } = self;
        walker.restore_unprocessed(chunk);
        walker.remove_marked(row, chunk);
        for offset in (0..chunk.len).filter(|&offset| !is_marked(&chunk.holes, offset)) {
            if let Ok(bounds) = chunk.boxes[offset].checked() {
                let slabs = walker.store.axes.slabs(&bounds);
                walker.store.set_bounds(chunk.begin + offset, &bounds, &slabs);
            }
        }
    }
}

impl<'a, S: Scalar, const D: usize> Walker<'a, S, D> {
    pub(crate) fn new(
        store: StoreSlice<'a, S, D>,
        context: WalkContext<'a>,
        sink: UpdateSink<'a>,
        leaving: &'a mut Pending<S, D>,
        first_error: &'a mut FirstError,
    ) -> Self {
        let (deferred, bounds) = (DeferredChunk::default(), Slabs::PADDING);
        Self { store, context, sink, first_error, leaving, deferred, bounds }
    }

    /// Computes new slabs for the objects of a row from their bounds, and sorts the row.
    #[cold]
    pub(crate) fn sort_row(&mut self, row: &mut Row<D>, chunk: &mut Chunk<S, D>) {
        self.begin_row();
        for (begin, len) in self.chunks(row) {
            self.read_chunk(row, begin, len, chunk);
            self.finish_chunk(row, chunk);
        }
        self.end_row(row);
    }

    pub(super) fn walk_row(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        change: &mut Change<'_, S, D>,
    ) {
        self.begin_row();
        for (begin, len) in self.chunks(row) {
            self.read_chunk(row, begin, len, chunk);
            self.change_chunk(row, chunk, change);
            self.finish_chunk(row, chunk);
        }
        self.end_row(row);
    }

    fn begin_row(&mut self) {
        (self.deferred, self.bounds) = (DeferredChunk::default(), Slabs::PADDING);
    }

    /// Returns the chunks of a row, each as its local first slot and its number of slots.
    fn chunks(&self, row: &Row<D>) -> impl Iterator<Item = (usize, usize)> + use<S, D> {
        let (begin, len) = (self.store.to_local(row.begin), row.len);
        (0..len).step_by(CHUNK).map(move |at| (begin + at, CHUNK.min(len - at)))
    }

    #[inline(always)]
    fn read_chunk(&self, row: &Row<D>, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        let Self { store, context, sink, .. } = self;
        (chunk.begin, chunk.len) = (begin, len);
        store.read_boxes(context.backend, begin, &mut chunk.boxes[..len]);
        chunk.holes = Marks::default();
        if row.holes > 0 {
            store.find_holes(context.backend, begin, len, &mut chunk.holes, |slot| {
                S::INTEGER && D == 1 && sink.is_at(store.keys[slot], store.to_global(slot))
            });
        }
        chunk.holes_before = chunk.holes;
    }

    /// Calls the caller's closure for a chunk, and removes the objects that the closure marked.
    #[inline(always)]
    fn change_chunk(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        change: &mut Change<'_, S, D>,
    ) {
        let guard = ChunkGuard { walker: self, row, chunk };
        let keys = &guard.walker.store.keys[guard.chunk.begin..][..guard.chunk.len];
        guard.chunk.change(keys, change);
        core::mem::forget(guard);
        self.restore_unprocessed(chunk);
        if chunk.holes != chunk.holes_before {
            self.remove_marked(row, chunk);
        }
    }

    /// Restores the stored bounds in the positions that the closure has not processed.
    #[inline(always)]
    fn restore_unprocessed(&self, chunk: &mut Chunk<S, D>) {
        for offset in chunk.processed..chunk.len {
            chunk.boxes[offset] = self.store.bounds(chunk.begin + offset);
        }
    }

    /// Writes a chunk to the store, sorts the previous chunk, and finds inversions in this chunk.
    #[inline(always)]
    fn finish_chunk(&mut self, row: &mut Row<D>, chunk: &mut Chunk<S, D>) {
        self.update_slabs(row, chunk);
        enclose(&mut self.bounds, &chunk.bounds);
        self.store.write_exact(chunk);
        self.sort_deferred(row);
        self.find_inversions(chunk.begin, chunk.len);
    }

    /// Sorts the last chunk of a row and sets the box of the row.
    #[inline(always)]
    fn end_row(&mut self, row: &mut Row<D>) {
        self.sort_deferred(row);
        (row.bounds, row.bounds_stale) = (self.bounds, false);
    }

    /// Returns the bounds of an object in a chunk if valid. Otherwise restores the old bounds,
    /// includes these in the box of the chunk, and records the error.
    fn checked_bounds(&mut self, offset: usize, chunk: &mut Chunk<S, D>) -> Option<Aabb<S, D>> {
        let slot = chunk.begin + offset;
        let bounds = chunk.boxes[offset];
        let checked = bounds.checked();
        if checked.is_err() {
            self.first_error.record_bounds(self.store.keys[slot], bounds);
            chunk.boxes[offset] = self.store.bounds(slot);
            enclose(&mut chunk.bounds, &self.store.slabs(slot));
        }
        checked.ok()
    }

    /// Turns the slots of objects that the caller marked into holes.
    fn remove_marked(&mut self, row: &mut Row<D>, chunk: &Chunk<S, D>) {
        for offset in marked(&chunk.holes).filter(|&offset| !is_marked(&chunk.holes_before, offset))
        {
            let slot = chunk.begin + offset;
            self.sink.remove(self.store.keys[slot]);
            self.store.set_hole(slot, self.store.min[0][slot]);
            row.holes += 1;
        }
    }

    /// Writes the slabs of a chunk, handles exceptional objects, and makes holes follow the
    /// previous slot.
    #[inline(always)]
    fn update_slabs(&mut self, row: &mut Row<D>, chunk: &mut Chunk<S, D>) {
        let slot = self.context.tiers.binary_search_by_key(&row.id.tier, |tier| tier.number);
        let tier = &self.context.tiers[slot.expect("the tier of a row exists")];
        let (store, gate) = (&mut self.store, &row.gate);
        self.context.backend.dispatch(UpdateSlabs { chunk, store, tier, gate });
        if chunk.leaves_row {
            self.leave_row(row, chunk);
        } else {
            for offset in marked(&chunk.exceptional) {
                self.reassign_row(row, tier, offset, chunk);
            }
        }
        for offset in marked(&chunk.holes) {
            // A hole begins where the previous slot begins, which is no inversion.
            let slot = chunk.begin + offset;
            self.store.min[0][slot] = self.store.min[0][slot - 1];
        }
    }

    /// Makes all objects of a chunk pending, except objects with invalid bounds, when most have left
    /// the row: sorting would move the others past many holes. The map is updated by the refresh
    /// after the walk or by the panic guard.
    #[inline(never)]
    fn leave_row(&mut self, row: &mut Row<D>, chunk: &mut Chunk<S, D>) {
        // For one-dimensional integer bounds the map decides whether a slot is a hole.
        let maps = S::INTEGER && D == 1;
        let mut staying = Marks::default();
        chunk.bounds = Slabs::PADDING;
        self.leaving.reserve(chunk.len);
        for offset in 0..chunk.len {
            if is_marked(&chunk.holes, offset) {
                continue;
            }
            if let Ok(bounds) = chunk.boxes[offset].checked() {
                self.move_to_pending(row, chunk.begin + offset, bounds, maps);
                mark(&mut chunk.holes, offset);
            } else {
                self.checked_bounds(offset, chunk);
                mark(&mut staying, offset);
            }
        }
        self.store.set_padding(chunk.begin, chunk.len);
        for offset in marked(&staying) {
            let slabs = self.store.axes.slabs(&chunk.boxes[offset]);
            self.store.set_slabs(chunk.begin + offset, &slabs);
        }
    }

    /// Handles an exceptional object: restores invalid bounds, leaves an object that belongs in the
    /// row after all, or makes it pending. `tier` is the tier of the row.
    #[cold]
    fn reassign_row(
        &mut self,
        row: &mut Row<D>,
        tier: &Tier,
        offset: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        let Some(bounds) = self.checked_bounds(offset, chunk) else { return };
        let slabs = self.store.axes.slabs(&bounds);
        if tier.holds::<S, D>(self.context.sizes, &slabs, &row.id) {
            self.store.set_slabs(chunk.begin + offset, &slabs);
            enclose(&mut chunk.bounds, &slabs);
        } else {
            self.move_to_pending(row, chunk.begin + offset, bounds, true);
            mark(&mut chunk.holes, offset);
            self.store.set_slabs(chunk.begin + offset, &Slabs::PADDING);
        }
    }

    /// Makes an object that left its row pending. Updates its map entry if `maps` is set.
    #[inline(always)]
    fn move_to_pending(&mut self, row: &mut Row<D>, slot: usize, bounds: Aabb<S, D>, maps: bool) {
        let (key, class) = (self.store.keys[slot], row.id.class);
        self.sink.move_to_pending(maps.then_some(key), self.leaving.len());
        self.leaving.push(Body { key, class, bounds });
        row.holes += 1;
    }

    /// Finds the inversions of a chunk and defers sorting it. The slots before it must be sorted.
    #[inline(always)]
    fn find_inversions(&mut self, begin: usize, len: usize) {
        let Self { store, deferred, sink, context, .. } = self;
        let (order, keys) = (&*store.min[0], &*store.keys);
        (deferred.begin, deferred.end) = (begin, begin + len);
        let found = &mut deferred.inverted;
        let slots = match sink {
            UpdateSink::Immediate { slots, .. } => Some(&**slots),
            UpdateSink::Logged { .. } => None,
        };
        context.backend.dispatch(FindInversions { order, keys, begin, len, found, slots });
    }

    /// Sorts the deferred chunk by insertion sort, starting at its inversions.
    #[inline(always)]
    fn sort_deferred(&mut self, row: &mut Row<D>) {
        let DeferredChunk { begin, end, inverted } = self.deferred;
        for offset in marked(&inverted) {
            let mut slot = begin + offset;
            // Moving one object can make the next slot an inversion.
            while slot < end && self.store.is_inverted(slot) {
                // The most frequent case: neighbors swap.
                self.swap_back(slot);
                if self.store.is_inverted(slot - 1) {
                    self.move_back(row, slot - 1);
                }
                slot += 1;
            }
        }
    }

    #[inline(always)]
    fn is_live(&self, slot: usize) -> bool {
        let is_there = || self.sink.is_at(self.store.keys[slot], self.store.to_global(slot));
        !self.store.is_like_hole(slot) || (S::INTEGER && D == 1 && is_there())
    }

    /// Sets the map entry of the object in a slot to this slot.
    #[inline(always)]
    fn relocate(&mut self, slot: usize) {
        self.sink.relocate(self.store.keys[slot], self.store.to_global(slot));
    }

    #[inline(always)]
    fn swap_back(&mut self, slot: usize) {
        let (ahead, behind) = (self.is_live(slot - 1), self.is_live(slot));
        self.store.swap(slot - 1, slot);
        if ahead {
            self.relocate(slot);
        }
        if behind {
            self.relocate(slot - 1);
        }
    }

    /// Moves the object of a slot down to its position in the row, or makes it pending if that is
    /// more than [`MAX_SHIFT`] slots away.
    fn move_back(&mut self, row: &mut Row<D>, slot: usize) {
        let first = self.store.min[0][slot];
        let order = &self.store.min[0][..slot];
        let nearby = order.iter().rev().take(MAX_SHIFT + 1);
        let steps = nearby.take_while(|&&key| key > first).count();
        if steps <= MAX_SHIFT {
            let begin = slot - steps;
            let live = (begin..=slot)
                .fold(0, |live: u64, at| live | u64::from(self.is_live(at)) << (at - begin));
            self.store.move_back(slot, begin);
            if live >> steps & 1 == 1 {
                self.relocate(begin);
            }
            for offset in (0..steps).filter(|offset| live >> offset & 1 == 1) {
                self.relocate(begin + offset + 1);
            }
            return;
        }
        if self.is_live(slot) {
            self.move_to_pending(row, slot, self.store.bounds(slot), true);
        }
        self.store.set_hole(slot, self.store.min[0][slot - 1]);
    }
}
