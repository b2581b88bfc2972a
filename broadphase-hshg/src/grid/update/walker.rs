//! What a walk does to rows, one after the other.
//!
//! A row is taken in chunks. The caller changes the bounds of a chunk one by one; lanes then look
//! at all of them at once and say which are invalid, which leave the row, and which are out of
//! order. What remains to be done one by one is rare.
//!
//! Bounds, keys and slots are moved here, whatever data objects have, in code that is compiled once.
//! Moves within a chunk are noted, 8 bytes for each, and the data follows when the chunk is finished.
//!
//! A walker has a part of the store to itself. Changes beyond its rows go to an [`UpdateSink`]:
//! straight to the slots, or, where several threads walk at once, into a list.

use alloc::vec::Vec;

use broadphase_core::slots::Slots;
use broadphase_core::{Aabb, Backend, Scalar, Slabs};

use crate::grid::PENDING;
use crate::grid::data::{ApplyMoves, DataAddress};
use crate::grid::maintenance::margin::{self, Margins};
use crate::grid::storage::row::{Row, enclose};
use crate::grid::storage::store::Body;
use crate::grid::storage::tiers::{Tier, Tiers};
use crate::grid::update::chunk::{
    CHUNK, Chunk, FindInversions, FindOutgrown, Marks, UpdateSlabs, is_marked, mark, marked,
};
use crate::grid::update::store_slice::StoreSlice;
use crate::grid::update::visit::VisitObjects;
use crate::grid::update::walk::FirstError;

/// An object that went farther than this in its row waits with those that leave it.
const MAX_SHIFT: usize = 32;

/// Where a walk writes changes beyond the rows it is in.
pub(in crate::grid) enum UpdateSink<'a> {
    /// Where they belong: for the only walker.
    Immediate { slots: &'a mut Slots, len: &'a mut usize, holes: &'a mut usize },
    /// Lists of objects moved, with their places, and of objects removed.
    Logged { moved: &'a mut Vec<(u32, usize)>, removed: &'a mut Vec<u32> },
}

impl UpdateSink<'_> {
    /// An object is in another place of the store.
    #[inline(always)]
    fn relocate(&mut self, key: u32, slot: usize) {
        match self {
            Self::Immediate { slots, .. } => slots.relocate(key, slot),
            Self::Logged { moved, .. } => moved.push((key, slot)),
        }
    }

    /// Whether an object is in a place of the store: called only for integers on a line.
    #[inline(always)]
    fn is_at(&self, key: u32, slot: usize) -> bool {
        match self {
            Self::Immediate { slots, .. } => slots.get(key) == Some(slot),
            Self::Logged { .. } => unreachable!("one thread walks over integers on a line"),
        }
    }

    /// An object was removed, and left a hole.
    fn remove(&mut self, key: u32) {
        match self {
            Self::Immediate { slots, len, holes, .. } => {
                slots.remove(key);
                **len -= 1;
                **holes += 1;
            }
            Self::Logged { removed, .. } => removed.push(key),
        }
    }

    /// An object becomes pending, with an index, and left a hole.
    fn move_to_pending(&mut self, key: u32, pending: usize) {
        if let Self::Immediate { slots, holes, .. } = self {
            slots.set(key, PENDING | pending);
            **holes += 1;
        }
    }
}

/// The parameters of a walk.
#[derive(Clone, Copy)]
pub(in crate::grid) struct WalkContext<'a, S> {
    pub(in crate::grid) tiers: &'a [Tier],
    pub(in crate::grid) sizes: Tiers,
    pub(in crate::grid) margins: Margins<S>,
    pub(in crate::grid) backend: Backend,
}

/// The maximum number of moves in a chunk: sorting notes two for each place, and an object leaves.
const MAX_MOVES: usize = 3 * CHUNK;

/// A chunk that is put in order once the next one has been changed: until then the slots of those
/// out of order are on their way from memory.
#[derive(Clone, Copy, Default)]
struct DeferredChunk {
    begin: usize,
    end: usize,
    inverted: Marks,
}

/// Walks over the rows of a part of the store, whatever data objects have.
pub(in crate::grid) struct Walker<'a, S, const D: usize> {
    pub(in crate::grid) store: StoreSlice<'a, S, D>,
    pub(in crate::grid) context: WalkContext<'a, S>,
    pub(in crate::grid) sink: UpdateSink<'a>,
    pub(in crate::grid) first_error: &'a mut FirstError,
    /// How objects of a chunk have changed their places, for their data to
    /// [follow](FollowMoves::follow).
    moves: &'a mut Vec<[u32; 2]>,
    /// Where objects go that leave a row.
    pub(in crate::grid) leaving: &'a mut Vec<Body<S, D>>,
    /// The highest kind of a row that a walk within the skin left a hole in.
    pub(in crate::grid) removed_class: Option<u8>,
    deferred: DeferredChunk,
    /// Encloses the objects of the chunks of this row that are finished.
    bounds: Slabs<D>,
    /// Whether one of them outgrew its slabs, where there is a skin.
    outgrown: bool,
}

/// Panic guard: takes over what a caller's closure did to a chunk if it unwinds. Disarmed with
/// `mem::forget`.
struct UnwindGuard<'a, 'w, S: Scalar, const D: usize> {
    walker: &'a mut Walker<'w, S, D>,
    row: &'a mut Row<D>,
    chunk: &'a mut Chunk<S, D>,
    begin: usize,
    len: usize,
}

impl<S: Scalar, const D: usize> Drop for UnwindGuard<'_, '_, S, D> {
    /// Slabs, and the order of the row, are restored by the code that gave the rows to the walker.
    #[cold]
    fn drop(&mut self) {
        let Self { ref mut walker, ref mut row, ref chunk, begin, len } = *self;
        walker.remove_marked(row, begin, chunk);
        for offset in 0..len {
            let (slot, bounds) = (begin + offset, chunk.bounds_at(offset).checked());
            if !is_marked(&chunk.holes, offset) {
                bounds.into_iter().for_each(|bounds| walker.store.set_bounds(slot, &bounds));
            } else if !is_marked(&chunk.holes_before, offset) {
                walker.store.set_hole(slot, walker.store.min[0][slot]);
            }
        }
    }
}

impl<'a, S: Scalar, const D: usize> Walker<'a, S, D> {
    pub(in crate::grid) fn new(
        store: StoreSlice<'a, S, D>,
        context: WalkContext<'a, S>,
        sink: UpdateSink<'a>,
        moves: &'a mut Vec<[u32; 2]>,
        leaving: &'a mut Vec<Body<S, D>>,
        first_error: &'a mut FirstError,
    ) -> Self {
        moves.clear();
        moves.reserve(MAX_MOVES);
        let (deferred, bounds) = (DeferredChunk::default(), Slabs::PADDING);
        Self {
            store,
            context,
            sink,
            first_error,
            moves,
            leaving,
            removed_class: None,
            deferred,
            bounds,
            outgrown: false,
        }
    }

    /// Walks over the objects of a row, all of which stay as they are, to put it in order.
    #[cold]
    pub(in crate::grid) fn sort_row(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        data: &mut dyn ApplyMoves,
    ) {
        self.begin_row();
        for (begin, len) in self.chunks(row) {
            self.read_chunk(row, begin, len, chunk, data.address());
            self.finish_chunk(row, begin, len, chunk);
            self.apply_data_moves(data);
        }
        self.end_row(row, data);
    }

    /// Walks over the objects of a row; yields whether one outgrew its slabs, where there is a
    /// skin.
    pub(in crate::grid) fn walk_row(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        visit: &mut dyn VisitObjects<S, D>,
    ) -> bool {
        self.begin_row();
        for (begin, len) in self.chunks(row) {
            self.change_chunk(row, begin, len, chunk, visit);
            self.finish_chunk(row, begin, len, chunk);
            self.apply_data_moves(visit);
        }
        self.end_row(row, visit);
        self.outgrown
    }

    /// Walks over the objects of a row whose slabs are larger than they are; yields whether one
    /// outgrew its own, so that all have to be walked over as others are.
    pub(in crate::grid) fn walk_row_within_margins(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        visit: &mut dyn VisitObjects<S, D>,
    ) -> bool {
        self.begin_row();
        for (begin, len) in self.chunks(row) {
            self.change_chunk(row, begin, len, chunk, visit);
            self.outgrows(begin, len, chunk);
            if chunk.holes != chunk.holes_before {
                self.make_holes(row.id.class, begin, chunk);
            }
            self.store.write_exact(begin, len, chunk);
        }
        self.outgrown
    }

    fn begin_row(&mut self) {
        (self.deferred, self.bounds, self.outgrown) =
            (DeferredChunk::default(), Slabs::PADDING, false);
    }

    /// The chunks of a row: the first place in the part, and the number of places.
    fn chunks(&self, row: &Row<D>) -> impl Iterator<Item = (usize, usize)> + use<S, D> {
        let (begin, len) = (self.store.to_local(row.begin), row.len);
        (0..len).step_by(CHUNK).map(move |at| (begin + at, CHUNK.min(len - at)))
    }

    /// Reads the bounds of a chunk, and finds its holes.
    #[inline(always)]
    fn read_chunk(
        &self,
        row: &Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        data: DataAddress,
    ) {
        let Self { store, context, sink, .. } = self;
        store.read_bounds(context.backend, begin, len, chunk, data);
        chunk.holes = Marks::default();
        if row.holes > 0 {
            store.find_holes(context.backend, begin, len, &mut chunk.holes, |slot| {
                S::INTEGER && D == 1 && sink.is_at(store.keys[slot], store.to_global(slot))
            });
        }
        chunk.holes_before = chunk.holes;
    }

    /// Lets the caller change a chunk.
    #[inline(always)]
    fn change_chunk(
        &mut self,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        visit: &mut dyn VisitObjects<S, D>,
    ) {
        self.read_chunk(row, begin, len, chunk, visit.address());
        let guard = UnwindGuard { walker: self, row, chunk, begin, len };
        let keys = &guard.walker.store.keys[begin..][..len];
        visit.update_chunk(guard.walker.context.backend, keys, begin, guard.chunk);
        core::mem::forget(guard);
        self.remove_marked(row, begin, chunk);
    }

    /// Takes over the bounds of a chunk: slabs, places and slots follow. The chunk is put in order
    /// when the next one is finished.
    #[inline(always)]
    fn finish_chunk(
        &mut self,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        if self.store.has_margins {
            self.outgrows(begin, len, chunk);
        }
        self.update_slabs(row, begin, len, chunk);
        enclose(&mut self.bounds, &chunk.bounds);
        self.store.write_exact(begin, len, chunk);
        self.sort_deferred(row);
        self.find_inversions(begin, len);
    }

    /// Puts the last chunk of a row in order.
    #[inline(always)]
    fn end_row(&mut self, row: &mut Row<D>, data: &mut dyn ApplyMoves) {
        self.sort_deferred(row);
        self.apply_data_moves(data);
        (row.bounds, row.bounds_stale) = (self.bounds, false);
    }

    /// Moves data as objects have moved.
    #[inline(always)]
    fn apply_data_moves(&mut self, data: &mut dyn ApplyMoves) {
        if !self.moves.is_empty() {
            data.apply_moves(self.moves);
            self.moves.clear();
        }
    }

    /// Puts back what is invalid; notes whether anything else outgrew its slabs.
    fn outgrows(&mut self, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        let planes = self.store.planes();
        self.context.backend.dispatch(FindOutgrown { chunk, len, planes, begin });
        for offset in marked(&chunk.exceptional) {
            let bounds = chunk.bounds_at(offset);
            if bounds.checked().is_err() {
                self.first_error.record(self.store.keys[begin + offset], bounds);
                chunk.set_bounds_at(offset, &self.store.bounds(begin + offset));
            } else {
                self.outgrown = true;
            }
        }
    }

    /// Makes holes of the places of a chunk that the caller has left, besides those there were.
    #[cold]
    fn make_holes(&mut self, class: u8, begin: usize, chunk: &Chunk<S, D>) {
        self.removed_class = self.removed_class.max(Some(class));
        for offset in marked(&chunk.holes).filter(|&offset| !is_marked(&chunk.holes_before, offset))
        {
            self.store.set_hole(begin + offset, self.store.min[0][begin + offset]);
        }
    }

    /// Removes the objects that the caller has marked as holes, besides those there were.
    #[inline(always)]
    fn remove_marked(&mut self, row: &mut Row<D>, begin: usize, chunk: &Chunk<S, D>) {
        if chunk.holes != chunk.holes_before {
            for offset in
                marked(&chunk.holes).filter(|&offset| !is_marked(&chunk.holes_before, offset))
            {
                self.sink.remove(self.store.keys[begin + offset]);
                row.holes += 1;
            }
        }
    }

    /// Gives objects their slabs, sends away what leaves the row, leaves what is invalid as it was,
    /// and gives holes their place.
    #[inline(always)]
    fn update_slabs(
        &mut self,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        let slot = self.context.tiers.binary_search_by_key(&row.id.tier, |tier| tier.number);
        let tier = &self.context.tiers[slot.expect("the tier of a row is known")];
        let margin = self.store.has_margins.then(|| self.context.margins.of(row.id.class));
        let (min, max) = (self.store.min.each_mut(), self.store.max.each_mut());
        let (min, max) = (min.map(|plane| &mut **plane), max.map(|plane| &mut **plane));
        let gate = &row.gate;
        self.context.backend.dispatch(UpdateSlabs {
            chunk,
            min,
            max,
            begin,
            len,
            tier,
            gate,
            margin,
        });
        for offset in marked(&chunk.exceptional) {
            self.reassign_row(row, tier, begin + offset, offset, chunk);
        }
        for offset in marked(&chunk.holes) {
            // Wherever its neighbours have gone, it stays between them.
            self.store.min[0][begin + offset] = self.store.min[0][begin + offset - 1];
        }
    }

    /// Decides what becomes of an object that lanes do not know a place for.
    #[cold]
    fn reassign_row(
        &mut self,
        row: &mut Row<D>,
        tier: &Tier,
        slot: usize,
        offset: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        let key = self.store.keys[slot];
        let Ok(bounds) = chunk.bounds_at(offset).checked() else {
            self.first_error.record(key, chunk.bounds_at(offset));
            chunk.set_bounds_at(offset, &self.store.bounds(slot));
            enclose(&mut chunk.bounds, &self.store.slabs(slot));
            return;
        };
        let slabs = margin::slabs(&bounds, self.context.margins.of(row.id.class));
        if tier.holds::<S, D>(self.context.sizes, &slabs, &row.id) {
            self.store.set_slabs(slot, &slabs);
            enclose(&mut chunk.bounds, &slabs);
            return;
        }
        self.move_to_pending(row, slot, bounds);
        mark(&mut chunk.holes, offset);
        self.store.set_slabs(slot, &Slabs::PADDING);
    }

    /// Notes that an object leaves a row.
    fn move_to_pending(&mut self, row: &mut Row<D>, slot: usize, bounds: Aabb<S, D>) {
        let (key, class) = (self.store.keys[slot], row.id.class);
        self.sink.move_to_pending(key, self.leaving.len());
        self.moves.push([slot as u32; 2]);
        self.leaving.push(Body { key, class, bounds });
        row.holes += 1;
    }

    /// Finds what of a chunk is out of order, when what is before it in the row is not.
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

    /// Puts the chunk before, and what is before it in the row, in order.
    #[inline(always)]
    fn sort_deferred(&mut self, row: &mut Row<D>) {
        let DeferredChunk { begin, end, inverted } = self.deferred;
        for offset in marked(&inverted) {
            let mut slot = begin + offset;
            // What comes next may be out of order only now.
            while slot < end && self.store.is_inverted(slot) {
                // Neighbours that change places are what happens most.
                self.swap_back(slot);
                if self.store.is_inverted(slot - 1) {
                    self.move_back(row, slot - 1);
                }
                slot += 1;
            }
        }
    }

    /// Whether a place holds an object.
    #[inline(always)]
    fn is_live(&self, slot: usize) -> bool {
        let is_there = || self.sink.is_at(self.store.keys[slot], self.store.to_global(slot));
        !self.store.is_like_hole(slot) || (S::INTEGER && D == 1 && is_there())
    }

    /// Notes that the object in a place was in another.
    #[inline(always)]
    fn relocate(&mut self, slot: usize) {
        self.sink.relocate(self.store.keys[slot], self.store.to_global(slot));
    }

    /// Notes that an object goes to a lower place, and those between one place up.
    #[inline(always)]
    fn record_move(&mut self, from: usize, to: usize) {
        self.moves.push([from as u32, to as u32]);
    }

    /// Exchanges what is in a place and in the one before it.
    #[inline(always)]
    fn swap_back(&mut self, slot: usize) {
        let (ahead, behind) = (self.is_live(slot - 1), self.is_live(slot));
        self.store.swap(slot - 1, slot);
        self.record_move(slot, slot - 1);
        if ahead {
            self.relocate(slot);
        }
        if behind {
            self.relocate(slot - 1);
        }
    }

    /// Moves what is in a place back to where it belongs in its row, if that is near.
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
            self.record_move(slot, begin);
            if live >> steps & 1 == 1 {
                self.relocate(begin);
            }
            for offset in (0..steps).filter(|offset| live >> offset & 1 == 1) {
                self.relocate(begin + offset + 1);
            }
            return;
        }
        if self.is_live(slot) {
            self.move_to_pending(row, slot, self.store.bounds(slot));
        }
        self.store.set_hole(slot, self.store.min[0][slot - 1]);
    }
}
