//! The walk over one row, which lets the caller change bounds and keeps the row sorted.
//!
//! Input: a row sorted along the first axis. Output: the same row with new bounds, sorted; objects
//! that left the row are appended to a list. For each chunk of 128 slots:
//!
//! 1. *Read*: convert slabs to bounds and find the holes.
//! 2. *Visit*: the caller changes bounds, and marks removed objects as holes.
//! 3. *Update slabs* with SIMD: convert bounds to slabs and find exceptional objects (invalid
//!    bounds, or possibly no longer in this row). These are handled one by one: the old bounds
//!    replace invalid bounds, which are reported; objects that left the row leave a hole and become
//!    pending.
//! 4. *Find inversions* with SIMD: slots that begin before the previous slot on the first axis.
//!    Prefetch the entries of the key-to-slot map that sorting will change.
//! 5. *Sort the previous chunk*, whose prefetches have arrived: insertion sort, starting at the
//!    inversions. An object that would move more than [`MAX_SHIFT`] slots becomes pending.
//!
//! Cost: O(n), plus the number of slots by which sorting moves objects. Most objects keep their
//! order between two steps, so scalar work is rare.
//!
//! A walker owns its part of the store. Changes outside of this part (the key-to-slot map,
//! counters) go to an [`UpdateSink`]: it applies them immediately, or logs them if several threads
//! walk.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Backend, FirstError, HitMask, LANES, Scalar, Slabs};

use crate::grid::storage::row::{Row, enclose};
use crate::grid::storage::store::Body;
use crate::grid::storage::tiers::{Tier, Tiers};
use crate::grid::update::batch::Change;
use crate::grid::update::chunk::{
    CHUNK, Chunk, FindInversions, Marks, UpdateSlabs, is_marked, mark, marked,
};
use crate::grid::update::store_slice::StoreSlice;
use crate::grid::update::update_sink::UpdateSink;

/// The maximum number of slots by which sorting moves an object; an object that would move farther
/// becomes pending.
const MAX_SHIFT: usize = 32;

/// The parameters of a walk.
#[derive(Clone, Copy)]
pub(in crate::grid) struct WalkContext<'a> {
    pub(in crate::grid) tiers: &'a [Tier],
    pub(in crate::grid) sizes: Tiers,
    pub(in crate::grid) backend: Backend,
}

/// A chunk to be sorted after the next chunk has been changed. By then the prefetched map entries
/// of its inverted objects have arrived.
#[derive(Clone, Copy, Default)]
struct DeferredChunk {
    begin: usize,
    end: usize,
    inverted: Marks,
}

/// Walks over the rows of a part of the store.
pub(in crate::grid) struct Walker<'a, S, const D: usize> {
    pub(in crate::grid) store: StoreSlice<'a, S, D>,
    pub(in crate::grid) context: WalkContext<'a>,
    pub(in crate::grid) sink: UpdateSink<'a>,
    pub(in crate::grid) first_error: &'a mut FirstError,
    /// Objects that left their rows.
    pub(in crate::grid) leaving: &'a mut Vec<Body<S, D>>,
    deferred: DeferredChunk,
    /// The box around the slabs of the finished chunks of the current row.
    bounds: Slabs<D>,
}

/// Panic guard: if the caller's closure unwinds, writes back the chunk that it was changing.
/// `mem::forget` disarms it.
struct UnwindGuard<'a, 'w, S: Scalar, const D: usize> {
    walker: &'a mut Walker<'w, S, D>,
    row: &'a mut Row<D>,
    chunk: &'a mut Chunk<S, D>,
    begin: usize,
    len: usize,
}

impl<S: Scalar, const D: usize> Drop for UnwindGuard<'_, '_, S, D> {
    /// Writes back valid bounds and holes. The guard of the walk then computes slabs and sorts the
    /// rows.
    #[cold]
    fn drop(&mut self) {
        let Self { ref mut walker, ref mut row, ref mut chunk, begin, len } = *self;
        walker.take_boxes(begin, len, chunk);
        walker.remove_marked(row, begin, chunk);
        for offset in (0..len).filter(|&offset| !is_marked(&chunk.holes, offset)) {
            if let Ok(bounds) = chunk.bounds_at(offset).checked() {
                walker.store.set_bounds(begin + offset, &bounds);
            }
        }
    }
}

impl<'a, S: Scalar, const D: usize> Walker<'a, S, D> {
    pub(in crate::grid) fn new(
        store: StoreSlice<'a, S, D>,
        context: WalkContext<'a>,
        sink: UpdateSink<'a>,
        leaving: &'a mut Vec<Body<S, D>>,
        first_error: &'a mut FirstError,
    ) -> Self {
        let (deferred, bounds) = (DeferredChunk::default(), Slabs::PADDING);
        Self { store, context, sink, first_error, leaving, deferred, bounds }
    }

    /// Computes new slabs for the objects of a row from their bounds, and sorts the row. Does not
    /// call the caller's closure.
    #[cold]
    pub(in crate::grid) fn sort_row(&mut self, row: &mut Row<D>, chunk: &mut Chunk<S, D>) {
        self.begin_row();
        for (begin, len) in self.chunks(row) {
            self.read_chunk(row, begin, len, chunk);
            chunk.take_boxes(self.context.backend, len);
            self.finish_chunk(row, begin, len, chunk);
        }
        self.end_row(row);
    }

    /// Walks over the objects of a row, and sorts the row.
    pub(in crate::grid) fn walk_row(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        change: &mut Change<'_, S, D>,
    ) {
        self.begin_row();
        for (begin, len) in self.chunks(row) {
            self.change_chunk(row, begin, len, chunk, change);
            self.finish_chunk(row, begin, len, chunk);
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

    /// Reads the bounds of a chunk and finds its holes.
    #[inline(always)]
    fn read_chunk(&self, row: &Row<D>, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        let Self { store, context, sink, .. } = self;
        store.read_boxes(context.backend, begin, &mut chunk.boxes[..len]);
        chunk.holes = Marks::default();
        if row.holes > 0 {
            store.find_holes(context.backend, begin, len, &mut chunk.holes, |slot| {
                S::INTEGER && D == 1 && sink.is_at(store.keys[slot], store.to_global(slot))
            });
        }
        chunk.holes_before = chunk.holes;
    }

    /// Reads a chunk, calls the caller's closure for it, and removes the objects that the closure
    /// marked.
    #[inline(always)]
    fn change_chunk(
        &mut self,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        change: &mut Change<'_, S, D>,
    ) {
        self.read_chunk(row, begin, len, chunk);
        let guard = UnwindGuard { walker: self, row, chunk, begin, len };
        let keys = &guard.walker.store.keys[begin..][..len];
        guard.chunk.change(keys, change);
        core::mem::forget(guard);
        self.take_boxes(begin, len, chunk);
        if chunk.holes != chunk.holes_before {
            self.remove_marked(row, begin, chunk);
        }
    }

    /// Sets the bounds of a chunk to the boxes that the closure has processed, and to the stored
    /// bounds in the other places.
    #[inline(always)]
    fn take_boxes(&self, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        for offset in chunk.processed..len {
            chunk.boxes[offset] = self.store.bounds(begin + offset);
        }
        chunk.take_boxes(self.context.backend, len);
    }

    /// Writes a chunk to the store, sorts the previous chunk, and finds inversions in this chunk.
    #[inline(always)]
    fn finish_chunk(
        &mut self,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        self.update_slabs(row, begin, len, chunk);
        enclose(&mut self.bounds, &chunk.bounds);
        self.store.write_exact(begin, len, chunk);
        self.sort_deferred(row);
        self.find_inversions(begin, len);
    }

    /// Sorts the last chunk of a row and sets the box of the row.
    #[inline(always)]
    fn end_row(&mut self, row: &mut Row<D>) {
        self.sort_deferred(row);
        (row.bounds, row.bounds_stale) = (self.bounds, false);
    }

    /// Returns the bounds of an object in a chunk if they are valid. Otherwise replaces them with
    /// the old bounds, records the error and returns `None`.
    fn checked_bounds(
        &mut self,
        slot: usize,
        offset: usize,
        chunk: &mut Chunk<S, D>,
    ) -> Option<Aabb<S, D>> {
        let bounds = chunk.bounds_at(offset);
        let checked = bounds.checked();
        if checked.is_err() {
            self.first_error.record_bounds(self.store.keys[slot], bounds);
            chunk.set_bounds_at(offset, &self.store.bounds(slot));
        }
        checked.ok()
    }

    /// Removes the objects that the caller marked: turns their slots into holes.
    fn remove_marked(&mut self, row: &mut Row<D>, begin: usize, chunk: &Chunk<S, D>) {
        for offset in marked(&chunk.holes).filter(|&offset| !is_marked(&chunk.holes_before, offset))
        {
            let slot = begin + offset;
            self.sink.remove(self.store.keys[slot]);
            self.store.set_hole(slot, self.store.min[0][slot]);
            row.holes += 1;
        }
    }

    /// Writes the slabs of a chunk, handles exceptional objects, and makes holes sort after the
    /// previous slot.
    #[inline(always)]
    fn update_slabs(
        &mut self,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        let slot = self.context.tiers.binary_search_by_key(&row.id.tier, |tier| tier.number);
        let tier = &self.context.tiers[slot.expect("the tier of a row exists")];
        let (store, gate) = (&mut self.store, &row.gate);
        let kernel = UpdateSlabs { chunk, store, begin, len, tier, gate };
        self.context.backend.dispatch(kernel);
        if chunk.leaves_row {
            self.leave_row(row, begin, len, chunk);
        } else {
            for offset in marked(&chunk.exceptional) {
                self.reassign_row(row, tier, begin + offset, offset, chunk);
            }
        }
        for offset in marked(&chunk.holes) {
            // A hole begins where the previous slot begins, so that it causes no inversion.
            self.store.min[0][begin + offset] = self.store.min[0][begin + offset - 1];
        }
    }

    /// Moves all objects of a chunk to the pending objects, except those with invalid bounds.
    /// Called when most of them have left the row, because sorting would move the few others past
    /// many holes. The key-to-slot map is updated later, by the refresh after the walk or by the
    /// panic guard.
    #[inline(never)]
    fn leave_row(&mut self, row: &mut Row<D>, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        let mut present = chunk.holes.map(|holes| !holes);
        for (block, marks) in present.iter_mut().enumerate() {
            *marks &= HitMask::first(len.saturating_sub(block * LANES)).0;
        }
        chunk.bounds = Slabs::PADDING;
        self.leaving.reserve(len);
        for offset in marked(&present) {
            if let Some((bounds, _)) = chunk.bounds_at(offset).checked_slabs() {
                // With one-dimensional integer bounds, the key-to-slot map decides whether a slot
                // is a hole, so it is updated now.
                let maps = S::INTEGER && D == 1;
                self.move_to_pending(row, begin + offset, bounds, maps);
                mark(&mut chunk.holes, offset);
                self.store.set_slabs(begin + offset, &Slabs::PADDING);
            } else if self.checked_bounds(begin + offset, offset, chunk).is_none() {
                enclose(&mut chunk.bounds, &self.store.slabs(begin + offset));
            }
        }
    }

    /// Handles an exceptional object: restores invalid bounds, keeps an object that belongs in the
    /// row after all, or moves it to the pending objects. `tier` is the tier of the row.
    #[cold]
    fn reassign_row(
        &mut self,
        row: &mut Row<D>,
        tier: &Tier,
        slot: usize,
        offset: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        let Some(bounds) = self.checked_bounds(slot, offset, chunk) else {
            enclose(&mut chunk.bounds, &self.store.slabs(slot));
            return;
        };
        let slabs = self.store.axes.slabs(&bounds);
        if tier.holds::<S, D>(self.context.sizes, &slabs, &row.id) {
            self.store.set_slabs(slot, &slabs);
            enclose(&mut chunk.bounds, &slabs);
            return;
        }
        self.move_to_pending(row, slot, bounds, true);
        mark(&mut chunk.holes, offset);
        self.store.set_slabs(slot, &Slabs::PADDING);
    }

    /// Moves an object that left its row to the pending objects. Updates its entry in the
    /// key-to-slot map if `maps` is set.
    #[inline(always)]
    fn move_to_pending(&mut self, row: &mut Row<D>, slot: usize, bounds: Aabb<S, D>, maps: bool) {
        let (key, class) = (self.store.keys[slot], row.id.class);
        self.sink.move_to_pending(maps.then_some(key), self.leaving.len());
        self.leaving.push(Body { key, class, bounds });
        row.holes += 1;
    }

    /// Finds the inversions of a chunk and defers sorting it. The slots in front of the chunk must
    /// be sorted.
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

    /// Returns whether a slot holds an object.
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

    /// Swaps a slot with the previous slot.
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

    /// Moves the object of a slot down to its position in the row if that is at most [`MAX_SHIFT`]
    /// slots away; otherwise makes the object pending.
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
