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
use crate::grid::data::{DataAddress, FollowMoves};
use crate::grid::maintenance::margin::{self, Margins};
use crate::grid::storage::row::{Row, enclose};
use crate::grid::storage::store::Body;
use crate::grid::storage::tiers::{Tier, Tiers};
use crate::grid::update::chunk::{
    Admit, CHUNK, Chunk, Inversions, Marks, Outgrow, is_marked, mark, marked,
};
use crate::grid::update::store_slice::Part;
use crate::grid::update::visit::VisitObjects;
use crate::grid::update::walk::Worst;

/// An object that went farther than this in its row waits with those that leave it.
const STEPS: usize = 32;

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
    fn relocate(&mut self, key: u32, place: usize) {
        match self {
            Self::Immediate { slots, .. } => slots.relocate(key, place),
            Self::Logged { moved, .. } => moved.push((key, place)),
        }
    }

    /// Whether an object is in a place of the store: called only for integers on a line.
    #[inline(always)]
    fn is_at(&self, key: u32, place: usize) -> bool {
        match self {
            Self::Immediate { slots, .. } => slots.get(key) == Some(place),
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
    fn send_away(&mut self, key: u32, pending: usize) {
        if let Self::Immediate { slots, holes, .. } = self {
            slots.set(key, PENDING | pending);
            **holes += 1;
        }
    }
}

/// The parameters of a walk.
#[derive(Clone, Copy)]
pub(in crate::grid) struct Plan<'a, S> {
    pub(in crate::grid) tiers: &'a [Tier],
    pub(in crate::grid) sizes: Tiers,
    pub(in crate::grid) margins: Margins<S>,
    pub(in crate::grid) backend: Backend,
}

/// The maximum number of moves in a chunk: sorting notes two for each place, and an object leaves.
const MOVES: usize = 3 * CHUNK;

/// A chunk that is put in order once the next one has been changed: until then the slots of those
/// out of order are on their way from memory.
#[derive(Clone, Copy, Default)]
struct Late {
    begin: usize,
    end: usize,
    inverted: Marks,
}

/// Walks over the rows of a part of the store, whatever data objects have.
pub(in crate::grid) struct Walker<'a, S, const D: usize> {
    pub(in crate::grid) part: Part<'a, S, D>,
    pub(in crate::grid) plan: Plan<'a, S>,
    pub(in crate::grid) sink: UpdateSink<'a>,
    pub(in crate::grid) worst: &'a mut Worst,
    /// How objects of a chunk have changed their places, for their data to
    /// [follow](FollowMoves::follow).
    moves: &'a mut Vec<[u32; 2]>,
    /// Where objects go that leave a row.
    pub(in crate::grid) away: &'a mut Vec<Body<S, D>>,
    /// The highest kind of a row that a walk within the skin left a hole in.
    pub(in crate::grid) left: Option<u8>,
    late: Late,
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
        walker.remove_left(row, begin, chunk);
        for offset in 0..len {
            let (place, bounds) = (begin + offset, chunk.bounds_at(offset).checked());
            if !is_marked(&chunk.holes, offset) {
                bounds.into_iter().for_each(|bounds| walker.part.set_bounds(place, &bounds));
            } else if !is_marked(&chunk.had, offset) {
                walker.part.set_hole(place, walker.part.min[0][place]);
            }
        }
    }
}

impl<'a, S: Scalar, const D: usize> Walker<'a, S, D> {
    pub(in crate::grid) fn new(
        part: Part<'a, S, D>,
        plan: Plan<'a, S>,
        sink: UpdateSink<'a>,
        moves: &'a mut Vec<[u32; 2]>,
        away: &'a mut Vec<Body<S, D>>,
        worst: &'a mut Worst,
    ) -> Self {
        moves.clear();
        moves.reserve(MOVES);
        let (late, bounds) = (Late::default(), Slabs::PADDING);
        Self { part, plan, sink, worst, moves, away, left: None, late, bounds, outgrown: false }
    }

    /// Walks over the objects of a row, all of which stay as they are, to put it in order.
    #[cold]
    pub(in crate::grid) fn put_in_order(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        data: &mut dyn FollowMoves,
    ) {
        self.begin_row();
        for (begin, len) in self.chunks(row) {
            self.read(row, begin, len, chunk, data.address());
            self.finish(row, begin, len, chunk);
            self.data_follows(data);
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
            self.change(row, begin, len, chunk, visit);
            self.finish(row, begin, len, chunk);
            self.data_follows(visit);
        }
        self.end_row(row, visit);
        self.outgrown
    }

    /// Walks over the objects of a row whose slabs are larger than they are; yields whether one
    /// outgrew its own, so that all have to be walked over as others are.
    pub(in crate::grid) fn walk_within_skin(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        visit: &mut dyn VisitObjects<S, D>,
    ) -> bool {
        self.begin_row();
        for (begin, len) in self.chunks(row) {
            self.change(row, begin, len, chunk, visit);
            self.outgrows(begin, len, chunk);
            if chunk.holes != chunk.had {
                self.leave_holes(row.id.kind, begin, chunk);
            }
            self.part.write_exact(begin, len, chunk);
        }
        self.outgrown
    }

    fn begin_row(&mut self) {
        (self.late, self.bounds, self.outgrown) = (Late::default(), Slabs::PADDING, false);
    }

    /// The chunks of a row: the first place in the part, and the number of places.
    fn chunks(&self, row: &Row<D>) -> impl Iterator<Item = (usize, usize)> + use<S, D> {
        let (begin, len) = (self.part.inside(row.begin), row.len);
        (0..len).step_by(CHUNK).map(move |at| (begin + at, CHUNK.min(len - at)))
    }

    /// Reads the bounds of a chunk, and finds its holes.
    #[inline(always)]
    fn read(
        &self,
        row: &Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        data: DataAddress,
    ) {
        let Self { part, plan, sink, .. } = self;
        part.read(plan.backend, begin, len, chunk, data);
        chunk.holes = Marks::default();
        if row.holes > 0 {
            part.find_holes(plan.backend, begin, len, &mut chunk.holes, |place| {
                S::INTEGER && D == 1 && sink.is_at(part.keys[place], part.outside(place))
            });
        }
        chunk.had = chunk.holes;
    }

    /// Lets the caller change a chunk.
    #[inline(always)]
    fn change(
        &mut self,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        visit: &mut dyn VisitObjects<S, D>,
    ) {
        self.read(row, begin, len, chunk, visit.address());
        let guard = UnwindGuard { walker: self, row, chunk, begin, len };
        let keys = &guard.walker.part.keys[begin..][..len];
        visit.chunk(guard.walker.plan.backend, keys, begin, guard.chunk);
        core::mem::forget(guard);
        self.remove_left(row, begin, chunk);
    }

    /// Takes over the bounds of a chunk: slabs, places and slots follow. The chunk is put in order
    /// when the next one is finished.
    #[inline(always)]
    fn finish(&mut self, row: &mut Row<D>, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        if self.part.skinned {
            self.outgrows(begin, len, chunk);
        }
        self.admit(row, begin, len, chunk);
        enclose(&mut self.bounds, &chunk.bounds);
        self.part.write_exact(begin, len, chunk);
        self.sort(row);
        self.find_inversions(begin, len);
    }

    /// Puts the last chunk of a row in order.
    #[inline(always)]
    fn end_row(&mut self, row: &mut Row<D>, data: &mut dyn FollowMoves) {
        self.sort(row);
        self.data_follows(data);
        (row.bounds, row.loose) = (self.bounds, false);
    }

    /// Moves data as objects have moved.
    #[inline(always)]
    fn data_follows(&mut self, data: &mut dyn FollowMoves) {
        if !self.moves.is_empty() {
            data.follow(self.moves);
            self.moves.clear();
        }
    }

    /// Puts back what is invalid; notes whether anything else outgrew its slabs.
    fn outgrows(&mut self, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        let planes = self.part.planes();
        self.plan.backend.dispatch(Outgrow { chunk, len, planes, begin });
        for offset in marked(&chunk.strange) {
            let bounds = chunk.bounds_at(offset);
            if bounds.checked().is_err() {
                self.worst.note(self.part.keys[begin + offset], bounds);
                chunk.set_bounds_at(offset, &self.part.bounds(begin + offset));
            } else {
                self.outgrown = true;
            }
        }
    }

    /// Makes holes of the places of a chunk that the caller has left, besides those there were.
    #[cold]
    fn leave_holes(&mut self, kind: u8, begin: usize, chunk: &Chunk<S, D>) {
        self.left = self.left.max(Some(kind));
        for offset in marked(&chunk.holes).filter(|&offset| !is_marked(&chunk.had, offset)) {
            self.part.set_hole(begin + offset, self.part.min[0][begin + offset]);
        }
    }

    /// Removes the objects that the caller has marked as holes, besides those there were.
    #[inline(always)]
    fn remove_left(&mut self, row: &mut Row<D>, begin: usize, chunk: &Chunk<S, D>) {
        if chunk.holes != chunk.had {
            for offset in marked(&chunk.holes).filter(|&offset| !is_marked(&chunk.had, offset)) {
                self.sink.remove(self.part.keys[begin + offset]);
                row.holes += 1;
            }
        }
    }

    /// Gives objects their slabs, sends away what leaves the row, leaves what is invalid as it was,
    /// and gives holes their place.
    #[inline(always)]
    fn admit(&mut self, row: &mut Row<D>, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        let place = self.plan.tiers.binary_search_by_key(&row.id.tier, |tier| tier.number);
        let tier = &self.plan.tiers[place.expect("the tier of a row is known")];
        let margin = self.part.skinned.then(|| self.plan.margins.of(row.id.kind));
        let (min, max) = (self.part.min.each_mut(), self.part.max.each_mut());
        let (min, max) = (min.map(|plane| &mut **plane), max.map(|plane| &mut **plane));
        let gate = &row.gate;
        self.plan.backend.dispatch(Admit { chunk, min, max, begin, len, tier, gate, margin });
        for offset in marked(&chunk.strange) {
            self.settle(row, tier, begin + offset, offset, chunk);
        }
        for offset in marked(&chunk.holes) {
            // Wherever its neighbours have gone, it stays between them.
            self.part.min[0][begin + offset] = self.part.min[0][begin + offset - 1];
        }
    }

    /// Decides what becomes of an object that lanes do not know a place for.
    #[cold]
    fn settle(
        &mut self,
        row: &mut Row<D>,
        tier: &Tier,
        place: usize,
        offset: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        let key = self.part.keys[place];
        let Ok(bounds) = chunk.bounds_at(offset).checked() else {
            self.worst.note(key, chunk.bounds_at(offset));
            chunk.set_bounds_at(offset, &self.part.bounds(place));
            enclose(&mut chunk.bounds, &self.part.slabs(place));
            return;
        };
        let slabs = margin::slabs(&bounds, self.plan.margins.of(row.id.kind));
        if tier.holds::<S, D>(self.plan.sizes, &slabs, &row.id) {
            self.part.set_slabs(place, &slabs);
            enclose(&mut chunk.bounds, &slabs);
            return;
        }
        self.send_away(row, place, bounds);
        mark(&mut chunk.holes, offset);
        self.part.set_slabs(place, &Slabs::PADDING);
    }

    /// Notes that an object leaves a row.
    fn send_away(&mut self, row: &mut Row<D>, place: usize, bounds: Aabb<S, D>) {
        let (key, kind) = (self.part.keys[place], row.id.kind);
        self.sink.send_away(key, self.away.len());
        self.moves.push([place as u32; 2]);
        self.away.push(Body { key, kind, bounds });
        row.holes += 1;
    }

    /// Finds what of a chunk is out of order, when what is before it in the row is not.
    #[inline(always)]
    fn find_inversions(&mut self, begin: usize, len: usize) {
        let Self { part, late, sink, plan, .. } = self;
        let (order, keys) = (&*part.min[0], &*part.keys);
        (late.begin, late.end) = (begin, begin + len);
        let found = &mut late.inverted;
        let slots = match sink {
            UpdateSink::Immediate { slots, .. } => Some(&**slots),
            UpdateSink::Logged { .. } => None,
        };
        plan.backend.dispatch(Inversions { order, keys, begin, len, found, slots });
    }

    /// Puts the chunk before, and what is before it in the row, in order.
    #[inline(always)]
    fn sort(&mut self, row: &mut Row<D>) {
        let Late { begin, end, inverted } = self.late;
        for offset in marked(&inverted) {
            let mut place = begin + offset;
            // What comes next may be out of order only now.
            while place < end && self.part.is_inverted(place) {
                // Neighbours that change places are what happens most.
                self.swap_back(place);
                if self.part.is_inverted(place - 1) {
                    self.move_back(row, place - 1);
                }
                place += 1;
            }
        }
    }

    /// Whether a place holds an object.
    #[inline(always)]
    fn is_live(&self, place: usize) -> bool {
        let is_there = || self.sink.is_at(self.part.keys[place], self.part.outside(place));
        !self.part.is_like_hole(place) || (S::INTEGER && D == 1 && is_there())
    }

    /// Notes that the object in a place was in another.
    #[inline(always)]
    fn relocate(&mut self, place: usize) {
        self.sink.relocate(self.part.keys[place], self.part.outside(place));
    }

    /// Notes that an object goes to a lower place, and those between one place up.
    #[inline(always)]
    fn note(&mut self, from: usize, to: usize) {
        self.moves.push([from as u32, to as u32]);
    }

    /// Exchanges what is in a place and in the one before it.
    #[inline(always)]
    fn swap_back(&mut self, place: usize) {
        let (ahead, behind) = (self.is_live(place - 1), self.is_live(place));
        self.part.swap(place - 1, place);
        self.note(place, place - 1);
        if ahead {
            self.relocate(place);
        }
        if behind {
            self.relocate(place - 1);
        }
    }

    /// Moves what is in a place back to where it belongs in its row, if that is near.
    fn move_back(&mut self, row: &mut Row<D>, place: usize) {
        let first = self.part.min[0][place];
        let order = &self.part.min[0][..place];
        let nearby = order.iter().rev().take(STEPS + 1);
        let steps = nearby.take_while(|&&key| key > first).count();
        if steps <= STEPS {
            let begin = place - steps;
            let live = (begin..=place)
                .fold(0, |live: u64, at| live | u64::from(self.is_live(at)) << (at - begin));
            self.part.move_back(place, begin);
            self.note(place, begin);
            if live >> steps & 1 == 1 {
                self.relocate(begin);
            }
            for offset in (0..steps).filter(|offset| live >> offset & 1 == 1) {
                self.relocate(begin + offset + 1);
            }
            return;
        }
        if self.is_live(place) {
            self.send_away(row, place, self.part.bounds(place));
        }
        self.part.set_hole(place, self.part.min[0][place - 1]);
    }
}
