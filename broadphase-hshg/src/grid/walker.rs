//! What a walk does to rows, one after the other.
//!
//! A row is taken in chunks. The caller changes the bounds of a chunk one by one; lanes then look
//! at all of them at once and say which are invalid, which leave the row, and which are out of
//! order. What remains to be done one by one is rare.
//!
//! A walker has a part of the store to itself. What concerns more than its rows goes to a
//! [`Ledger`]: straight to where it belongs, or, where several walk at once, into a list.

use alloc::vec::Vec;

use broadphase_core::slots::Slots;
use broadphase_core::{Aabb, Backend, Lanes, Scalar, Slabs};

use super::PENDING;
use super::chunk::{
    Admit, Ahead, CHUNK, Chunk, Inversions, Marks, Outgrow, is_marked, mark, marked,
};
use super::level::{Tier, Tiers};
use super::part::Part;
use super::row::{Row, enclose};
use super::skin::{self, Margins};
use super::store::Body;
use super::visit::Visit;
use super::walk::Worst;

/// An object that went farther than this in its row waits with those that leave it.
const STEPS: usize = 32;

/// Where a walk writes what concerns more than the rows it is in.
pub(super) trait Ledger<S, const D: usize, T>: Ahead {
    /// An object is in another place of the store.
    fn relocate(&mut self, key: u32, place: usize);

    /// Whether an object is in a place of the store: asked only of integers on a line.
    fn is_at(&self, key: u32, place: usize) -> bool;

    /// An object was removed, and left a hole.
    fn remove(&mut self, key: u32);

    /// An object waits for another row, and left a hole.
    fn send_away(&mut self, body: Body<S, D, T>);
}

/// Writes all of it where it belongs.
pub(super) struct Direct<'a, S, const D: usize, T> {
    pub(super) slots: &'a mut Slots,
    pub(super) pending: &'a mut Vec<Body<S, D, T>>,
    pub(super) len: &'a mut usize,
    pub(super) holes: &'a mut usize,
}

impl<S, const D: usize, T> Ahead for Direct<'_, S, D, T> {
    #[inline(always)]
    fn ask<L: Lanes>(&self, lanes: L, key: u32) {
        self.slots.prefetch(lanes, key);
    }
}

impl<S, const D: usize, T> Ledger<S, D, T> for Direct<'_, S, D, T> {
    #[inline(always)]
    fn relocate(&mut self, key: u32, place: usize) {
        self.slots.relocate(key, place);
    }

    #[inline(always)]
    fn is_at(&self, key: u32, place: usize) -> bool {
        self.slots.get(key) == Some(place)
    }

    fn remove(&mut self, key: u32) {
        self.slots.remove(key);
        *self.len -= 1;
        *self.holes += 1;
    }

    fn send_away(&mut self, body: Body<S, D, T>) {
        self.slots.set(body.key, PENDING | self.pending.len());
        self.pending.push(body);
        *self.holes += 1;
    }
}

/// What all walkers know.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a, S> {
    pub(super) tiers: &'a [Tier],
    pub(super) sizes: Tiers,
    pub(super) margins: Margins<S>,
    pub(super) backend: Backend,
}

/// The tier of a number; one function for all walks.
#[inline]
fn tier_of(tiers: &[Tier], number: i32) -> Option<Tier> {
    let place = tiers.binary_search_by_key(&number, |tier| tier.number);
    place.ok().map(|place| tiers[place])
}

/// A chunk that is put in order once the next one has been changed: until then what is known of
/// those out of order is on its way from memory.
#[derive(Default)]
struct Late {
    begin: usize,
    end: usize,
    inverted: Marks,
}

/// Walks over the rows of a part of the store.
pub(super) struct Walker<'a, S, const D: usize, T, L> {
    pub(super) part: Part<'a, S, D, T>,
    pub(super) plan: Plan<'a, S>,
    pub(super) ledger: L,
    pub(super) worst: &'a mut Worst,
    /// The highest kind of a row that a walk within the skin left a hole in.
    pub(super) left: Option<u8>,
}

/// The walker that has the whole store, and walks while nobody else does.
pub(super) type Alone<'a, S, const D: usize, T> = Walker<'a, S, D, T, Direct<'a, S, D, T>>;

/// A chunk in the hands of a caller who may panic; if nobody forgets this, that has happened.
struct Interrupted<'a, 'w, S: Scalar, const D: usize, T: Copy, L: Ledger<S, D, T>> {
    walker: &'a mut Walker<'w, S, D, T, L>,
    row: &'a mut Row<D>,
    chunk: &'a mut Chunk<S, D>,
    begin: usize,
    len: usize,
    had: Marks,
}

impl<S: Scalar, const D: usize, T: Copy, L: Ledger<S, D, T>> Drop
    for Interrupted<'_, '_, S, D, T, L>
{
    /// Takes over what has been done until then. Slabs, and the order of the row, are for the one
    /// to put right who gave the rows to the walker.
    #[cold]
    fn drop(&mut self) {
        let Self { ref mut walker, ref mut row, ref chunk, begin, len, ref had } = *self;
        walker.remove_left(row, begin, had, chunk);
        for offset in 0..len {
            let (place, bounds) = (begin + offset, chunk.bounds_at(offset).checked());
            if !is_marked(&chunk.holes, offset) {
                bounds.into_iter().for_each(|bounds| walker.part.set_bounds(place, &bounds));
            } else if !is_marked(had, offset) {
                walker.part.set_hole(place, walker.part.min[0][place]);
            }
        }
    }
}

impl<S: Scalar, const D: usize, T: Copy, L: Ledger<S, D, T>> Walker<'_, S, D, T, L> {
    /// Walks over the objects of a row, all of which stay as they are, to put it in order.
    #[cold]
    pub(super) fn put_in_order(&mut self, row: &mut Row<D>, chunk: &mut Chunk<S, D>) {
        self.walk_row(row, chunk, &mut |_: u32, _: &mut T, _: &mut Aabb<S, D>| true);
    }

    /// Walks over the objects of a row; yields whether one outgrew its slabs, where there is a
    /// skin.
    // Inlined, so that what the caller's closure refers to stays in registers.
    #[inline(always)]
    pub(super) fn walk_row(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        visit: &mut impl Visit<S, D, T>,
    ) -> bool {
        let Some(tier) = tier_of(self.plan.tiers, row.id.tier) else { return false };
        let (mut bounds, mut outgrown) = (Slabs::PADDING, false);
        let mut begin = self.part.inside(row.begin);
        let end = begin + row.len;
        let mut late = Late::default();
        while begin < end {
            let len = CHUNK.min(end - begin);
            self.change(row, begin, len, chunk, visit);
            if self.part.skinned {
                outgrown |= self.outgrows(begin, len, chunk);
            }
            self.admit(row, &tier, begin, len, chunk);
            enclose(&mut bounds, &chunk.bounds);
            self.part.write_exact(begin, len, chunk);
            self.sort(row, &late);
            self.find_inversions(begin, len, &mut late);
            begin += len;
        }
        self.sort(row, &late);
        (row.bounds, row.loose) = (bounds, false);
        outgrown
    }

    /// Walks over the objects of a row whose slabs are larger than they are; yields whether one
    /// outgrew its own, so that all have to be walked over as others are.
    #[inline(always)]
    pub(super) fn walk_within_skin(
        &mut self,
        row: &mut Row<D>,
        chunk: &mut Chunk<S, D>,
        visit: &mut impl Visit<S, D, T>,
    ) -> bool {
        let mut outgrown = false;
        let mut begin = self.part.inside(row.begin);
        let end = begin + row.len;
        while begin < end {
            let len = CHUNK.min(end - begin);
            let had = self.change(row, begin, len, chunk, visit);
            outgrown |= self.outgrows(begin, len, chunk);
            if chunk.holes != had {
                self.leave_holes(row.id.kind, begin, &had, chunk);
            }
            self.part.write_exact(begin, len, chunk);
            begin += len;
        }
        outgrown
    }

    /// Puts back what is invalid; yields whether anything else outgrew its slabs.
    fn outgrows(&mut self, begin: usize, len: usize, chunk: &mut Chunk<S, D>) -> bool {
        let planes = self.part.planes();
        self.plan.backend.dispatch(Outgrow { chunk, len, planes, begin });
        let mut outgrown = false;
        for offset in marked(&chunk.strange) {
            let bounds = chunk.bounds_at(offset);
            if bounds.checked().is_err() {
                self.worst.note(self.part.keys[begin + offset], bounds);
                chunk.set_bounds_at(offset, &self.part.bounds(begin + offset));
            } else {
                outgrown = true;
            }
        }
        outgrown
    }

    /// Makes holes of the places of a chunk that the caller has left, besides those there were.
    #[cold]
    fn leave_holes(&mut self, kind: u8, begin: usize, had: &Marks, chunk: &Chunk<S, D>) {
        self.left = self.left.max(Some(kind));
        for offset in marked(&chunk.holes).filter(|&offset| !is_marked(had, offset)) {
            self.part.set_hole(begin + offset, self.part.min[0][begin + offset]);
        }
    }

    /// Lets the caller change a chunk; yields which places had no objects before.
    #[inline(always)]
    fn change(
        &mut self,
        row: &mut Row<D>,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        visit: &mut impl Visit<S, D, T>,
    ) -> Marks {
        let Self { part, plan, ledger, .. } = &*self;
        part.read(plan.backend, begin, len, chunk);
        chunk.holes = Marks::default();
        if row.holes > 0 {
            part.find_holes(plan.backend, begin, len, &mut chunk.holes, |place| {
                S::INTEGER && D == 1 && ledger.is_at(part.keys[place], part.outside(place))
            });
        }
        let had = chunk.holes;
        let interrupted = Interrupted { walker: self, row, chunk, begin, len, had };
        let Part { keys, data, .. } = &mut interrupted.walker.part;
        let (keys, data) = (&keys[begin..][..len], &mut data[begin..][..len]);
        visit.chunk(interrupted.walker.plan.backend, keys, data, interrupted.chunk);
        core::mem::forget(interrupted);
        self.remove_left(row, begin, &had, chunk);
        had
    }

    /// Removes the objects that the caller has marked as holes, besides those there were.
    #[inline(always)]
    fn remove_left(&mut self, row: &mut Row<D>, begin: usize, had: &Marks, chunk: &Chunk<S, D>) {
        if chunk.holes != *had {
            for offset in marked(&chunk.holes).filter(|&offset| !is_marked(had, offset)) {
                self.ledger.remove(self.part.keys[begin + offset]);
                row.holes += 1;
            }
        }
    }

    /// Gives objects their slabs, sends away what leaves the row, leaves what is invalid as it was,
    /// and gives holes their place.
    #[inline(always)]
    fn admit(
        &mut self,
        row: &mut Row<D>,
        tier: &Tier,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
    ) {
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
        let slabs = skin::slabs(&bounds, self.plan.margins.of(row.id.kind));
        if tier.holds::<S, D>(self.plan.sizes, &slabs, &row.id) {
            self.part.set_slabs(place, &slabs);
            enclose(&mut chunk.bounds, &slabs);
            return;
        }
        let data = self.part.data[place];
        self.ledger.send_away(Body { key, kind: row.id.kind, bounds, data });
        mark(&mut chunk.holes, offset);
        self.part.set_slabs(place, &Slabs::PADDING);
        row.holes += 1;
    }

    /// Finds what of a chunk is out of order, when what is before it in the row is not.
    #[inline(always)]
    fn find_inversions(&self, begin: usize, len: usize, late: &mut Late) {
        let Part { keys, min, .. } = &self.part;
        let order = &*min[0];
        late.end = begin + len;
        late.begin = begin;
        let found = &mut late.inverted;
        let ahead = &self.ledger;
        self.plan.backend.dispatch(Inversions { order, keys, begin, len, found, ahead });
    }

    /// Puts a chunk, and what is before it in the row, in order.
    #[inline(always)]
    fn sort(&mut self, row: &mut Row<D>, late: &Late) {
        for offset in marked(&late.inverted) {
            let mut place = late.begin + offset;
            // What comes next may be out of order only now.
            while place < late.end && self.part.is_inverted(place) {
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
        let is_there = || self.ledger.is_at(self.part.keys[place], self.part.outside(place));
        !self.part.is_like_hole(place) || (S::INTEGER && D == 1 && is_there())
    }

    /// Takes note that what is in a place now was in another.
    #[inline(always)]
    fn relocate(&mut self, place: usize) {
        self.ledger.relocate(self.part.keys[place], self.part.outside(place));
    }

    /// Exchanges what is in a place and in the one before it.
    #[inline(always)]
    fn swap_back(&mut self, place: usize) {
        let (ahead, behind) = (self.is_live(place - 1), self.is_live(place));
        self.part.swap(place - 1, place);
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
            if live >> steps & 1 == 1 {
                self.relocate(begin);
            }
            for offset in (0..steps).filter(|offset| live >> offset & 1 == 1) {
                self.relocate(begin + offset + 1);
            }
            return;
        }
        if self.is_live(place) {
            self.ledger.send_away(self.part.body(place, row.id.kind));
            row.holes += 1;
        }
        self.part.set_hole(place, self.part.min[0][place - 1]);
    }
}
