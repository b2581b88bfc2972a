//! What a walk does to rows, one after the other.
//!
//! A row is taken in chunks. The caller changes the bounds of a chunk one by one; lanes then look
//! at all of them at once and say which are invalid, which leave the row, and which are out of
//! order. What remains to be done one by one is rare.
//!
//! ```text
//!   Walk       [`read`] ──▶ the caller's closure ──▶ [`finish`] ──▶ data follows
//!              bounds of     changes bounds           slabs, order,    the moves noted
//!              a chunk       and data                 slots
//! ```
//!
//! All of this but the closure and the data is the same for any type of data: a [`Walker`] does it,
//! in functions that are compiled once, and notes which objects have changed their places. The
//! [`Walk`] around it then moves their data. It costs a note of 8 bytes for each object that changes
//! its place.
//!
//! A walker has a part of the store to itself. Changes beyond its rows go to an [`UpdateSink`]:
//! straight to the slots, or, where several threads walk at once, into a list.

use alloc::vec::Vec;

use broadphase_core::slots::Slots;
use broadphase_core::{Aabb, Backend, Scalar, Slabs, instances};

use super::PENDING;
use super::chunk::{
    self, Admit, CHUNK, Chunk, Data, Inversions, Marks, Outgrow, is_marked, mark, marked,
};
use super::level::{Tier, Tiers};
use super::part::{Part, lift};
use super::row::{Row, enclose};
use super::skin::{self, Margins};
use super::store::Body;
use super::visit::Visit;
use super::walk::Worst;

/// An object that went farther than this in its row waits with those that leave it.
const STEPS: usize = 32;

/// Where a walk writes changes beyond the rows it is in.
pub(super) enum UpdateSink<'a> {
    /// Where they belong: for the only walker.
    Immediate {
        slots: &'a mut Slots,
        len: &'a mut usize,
        holes: &'a mut usize,
        /// The number of pending objects.
        pending: usize,
    },
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

    /// An object becomes the last pending one, and left a hole.
    fn send_away(&mut self, key: u32) {
        if let Self::Immediate { slots, holes, pending, .. } = self {
            slots.set(key, PENDING | *pending);
            *pending += 1;
            **holes += 1;
        }
    }
}

/// The parameters of a walk.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a, S> {
    pub(super) tiers: &'a [Tier],
    pub(super) sizes: Tiers,
    pub(super) margins: Margins<S>,
    pub(super) backend: Backend,
}

/// How objects of a chunk have changed their places, in order, so that data can follow.
#[derive(Clone, Debug)]
pub(super) struct Moves<S, const D: usize> {
    /// From the first place of a part to the second, lower one, where those between go one place up.
    /// If both are equal, the object there left the row.
    places: Vec<[u32; 2]>,
    /// The objects that left the row.
    away: Vec<Body<S, D, ()>>,
}

impl<S, const D: usize> Default for Moves<S, D> {
    fn default() -> Self {
        Self { places: Vec::new(), away: Vec::new() }
    }
}

impl<S, const D: usize> Moves<S, D> {
    /// The maximum number for a chunk: sorting notes two for each place, and one leaves.
    const MOST: usize = 3 * CHUNK;

    pub(super) const fn memory_use(&self) -> usize {
        self.places.capacity() * size_of::<[u32; 2]>()
            + self.away.capacity() * size_of::<Body<S, D, ()>>()
    }

    /// Allocates the memory for a chunk, so that no later walk has to.
    fn reserve(&mut self) {
        self.places.reserve(Self::MOST);
        self.away.reserve(2 * CHUNK);
    }
}

/// A chunk that is put in order once the next one has been changed: until then the slots of those
/// out of order are on their way from memory.
#[derive(Clone, Copy, Default)]
struct Late {
    begin: usize,
    end: usize,
    inverted: Marks,
}

/// Walks over the rows of a part of the store, whatever data objects have.
pub(super) struct Walker<'a, S, const D: usize> {
    pub(super) part: Part<'a, S, D>,
    pub(super) plan: Plan<'a, S>,
    pub(super) sink: UpdateSink<'a>,
    pub(super) worst: &'a mut Worst,
    pub(super) moves: &'a mut Moves<S, D>,
    /// The highest kind of a row that a walk within the skin left a hole in.
    pub(super) left: Option<u8>,
    late: Late,
    /// Encloses the objects of the chunks of this row that are finished.
    bounds: Slabs<D>,
    /// Whether one of them outgrew its slabs, where there is a skin.
    outgrown: bool,
}

/// A walker, and the data of the objects in its part.
pub(super) struct Walk<'a, S, const D: usize, T> {
    pub(super) walker: Walker<'a, S, D>,
    pub(super) data: &'a mut [T],
    /// Where objects go that leave a row.
    pub(super) away: &'a mut Vec<Body<S, D, T>>,
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
    #[cold]
    fn drop(&mut self) {
        take_over(self.walker, self.row, self.chunk, self.begin, self.len);
    }
}

impl<'a, S: Scalar, const D: usize, T: Copy> Walk<'a, S, D, T> {
    /// Walks over the objects of a row, all of which stay as they are, to put it in order.
    #[cold]
    pub(super) fn put_in_order(&mut self, row: &mut Row<D>, chunk: &mut Chunk<S, D>) {
        self.each_chunk(row, chunk, finish, None);
        self.end_row(row);
    }

    /// Walks over the objects of a row; yields whether one outgrew its slabs, where there is a
    /// skin.
    pub(super) fn walk_row(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        visit: &mut dyn Visit<S, D, T>,
    ) -> bool {
        self.each_chunk(row, chunk, finish, Some(visit));
        self.end_row(row);
        self.walker.outgrown
    }

    /// Walks over the objects of a row whose slabs are larger than they are; yields whether one
    /// outgrew its own, so that all have to be walked over as others are.
    pub(super) fn walk_within_skin(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        visit: &mut dyn Visit<S, D, T>,
    ) -> bool {
        self.each_chunk(row, chunk, finish_within_skin, Some(visit));
        self.walker.outgrown
    }

    /// Lets the caller change a row chunk by chunk.
    fn each_chunk(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        finish: fn(&mut Walker<'_, S, D>, &mut Row<D>, usize, usize, &mut Chunk<S, D>),
        mut visit: Option<&mut dyn Visit<S, D, T>>,
    ) {
        self.walker.begin_row();
        let mut begin = self.walker.part.inside(row.begin);
        let end = begin + row.len;
        while begin < end {
            let len = CHUNK.min(end - begin);
            read(&self.walker, row, begin, len, chunk, Data::of(self.data));
            if let Some(visit) = &mut visit {
                let guard = UnwindGuard { walker: &mut self.walker, row, chunk, begin, len };
                let keys = &guard.walker.part.keys[begin..][..len];
                let data = &mut self.data[begin..][..len];
                visit.chunk(guard.walker.plan.backend, keys, data, guard.chunk);
                core::mem::forget(guard);
            }
            finish(&mut self.walker, row, begin, len, chunk);
            self.follow();
            begin += len;
        }
    }

    /// Puts the last chunk of a row in order.
    fn end_row(&mut self, row: &mut Row<D>) {
        end_row(&mut self.walker, row);
        self.follow();
    }

    /// Moves data as objects have moved.
    #[inline]
    fn follow(&mut self) {
        let Self { walker, data, away } = self;
        let mut left = walker.moves.away.iter();
        for &[from, to] in &walker.moves.places {
            let (from, to) = (from as usize, to as usize);
            if to + 1 == from {
                // Neighbours that change places are what happens most.
                data.swap(to, from);
            } else if to < from {
                lift(&mut data[to..=from]);
            } else if let Some(&Body { key, kind, bounds, .. }) = left.next() {
                away.push(Body { key, kind, bounds, data: data[from] });
            }
        }
    }
}

instances! {
    /// Reads the bounds of a chunk, and finds its holes.
    fn read<S, D>(
        walker: &Walker<'_, S, D>,
        row: &Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        data: Data,
    ) {
        let Walker { part, plan, sink, .. } = walker;
        part.read(plan.backend, begin, len, chunk, data);
        chunk.holes = Marks::default();
        if row.holes > 0 {
            part.find_holes(plan.backend, begin, len, &mut chunk.holes, |place| {
                S::INTEGER && D == 1 && sink.is_at(part.keys[place], part.outside(place))
            });
        }
        chunk.had = chunk.holes;
    }

    /// Takes over what the caller did to a chunk: slabs, places and slots follow. The chunk is put
    /// in order when the next one is finished.
    fn finish<S, D>(
        walker: &mut Walker<'_, S, D>,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        walker.begin_chunk();
        walker.remove_left(row, begin, chunk);
        if walker.part.skinned {
            walker.outgrows(begin, len, chunk);
        }
        walker.admit(row, begin, len, chunk);
        enclose(&mut walker.bounds, &chunk.bounds);
        walker.part.write_exact(begin, len, chunk);
        walker.sort(row);
        walker.find_inversions(begin, len);
    }

    /// Takes over what the caller did to a chunk whose slabs are larger than the bounds in them.
    fn finish_within_skin<S, D>(
        walker: &mut Walker<'_, S, D>,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
    ) {
        walker.begin_chunk();
        walker.remove_left(row, begin, chunk);
        walker.outgrows(begin, len, chunk);
        if chunk.holes != chunk.had {
            walker.leave_holes(row.id.kind, begin, chunk);
        }
        walker.part.write_exact(begin, len, chunk);
    }

    /// Puts the last chunk of a row in order.
    fn end_row<S, D>(walker: &mut Walker<'_, S, D>, row: &mut Row<D>) {
        walker.begin_chunk();
        walker.sort(row);
        (row.bounds, row.loose) = (walker.bounds, false);
    }

    /// Takes over what was done to a chunk before the caller's closure unwound. Slabs, and the order
    /// of the row, are restored by the code that gave the rows to the walker.
    fn take_over<S, D>(
        walker: &mut Walker<'_, S, D>,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        begin: usize,
        len: usize,
    ) {
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
    pub(super) fn new(
        part: Part<'a, S, D>,
        plan: Plan<'a, S>,
        sink: UpdateSink<'a>,
        moves: &'a mut Moves<S, D>,
        worst: &'a mut Worst,
    ) -> Self {
        moves.reserve();
        let (late, bounds) = (Late::default(), Slabs::PADDING);
        Self { part, plan, sink, worst, moves, left: None, late, bounds, outgrown: false }
    }

    fn begin_row(&mut self) {
        (self.late, self.bounds, self.outgrown) = (Late::default(), Slabs::PADDING, false);
    }

    /// Forgets the moves that data has followed.
    #[inline(always)]
    fn begin_chunk(&mut self) {
        self.moves.places.clear();
        self.moves.away.clear();
    }

    /// Puts back what is invalid; notes whether anything else outgrew its slabs.
    fn outgrows(&mut self, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        let planes = self.part.planes();
        chunk::find_outgrown(self.plan.backend, Outgrow { chunk, len, planes, begin });
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
        let kernel = Admit { chunk, min, max, begin, len, tier, gate, margin };
        chunk::admit(self.plan.backend, kernel);
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
        let slabs = skin::slabs(&bounds, self.plan.margins.of(row.id.kind));
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
        self.sink.send_away(key);
        self.moves.places.push([place as u32; 2]);
        self.moves.away.push(Body { key, kind, bounds, data: () });
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
        chunk::find_inversions(plan.backend, Inversions { order, keys, begin, len, found, slots });
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
        self.moves.places.push([from as u32, to as u32]);
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
