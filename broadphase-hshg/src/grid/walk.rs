//! The walk over all objects in storage order, which keeps rows in order as it goes.
//!
//! A row is taken in chunks. The caller changes the bounds of a chunk one by one; lanes then look
//! at all of them at once and say which are invalid, which leave the row, and which are out of
//! order. What remains to be done one by one is rare.

use broadphase_core::{Aabb, IndexError, Scalar, Slabs};

use super::chunk::{Admit, CHUNK, Chunk, Inversions, Marks, is_marked, mark, marked};
use super::level::Tier;
use super::row::enclose;
use super::store::{Body, SCRATCH};
use super::{Hshg, PENDING};

/// An object that went farther than this in its row waits with those that leave it.
const STEPS: usize = 32;

/// What a walk has to tell: the error of the smallest key.
#[derive(Default)]
pub(super) struct Worst(Option<(u32, IndexError)>);

impl Worst {
    #[cold]
    pub(super) fn note<S: Scalar, const D: usize>(&mut self, key: u32, bounds: Aabb<S, D>) {
        if let Err(why) = bounds.checked()
            && self.0.is_none_or(|(worst, _)| key < worst)
        {
            self.0 = Some((key, IndexError::InvalidBounds { key, why }));
        }
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Walks over the objects of the first `kinds` kinds.
    pub(super) fn walk(
        &mut self,
        kinds: u8,
        mut keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        let mut worst = Worst::default();
        let mut chunk = Chunk::new();
        // Only the objects that are waiting now: rows add more.
        self.walk_pending(kinds, &mut keep, &mut worst);
        let rows = self.rows.partition_point(|row| row.id.kind < kinds);
        if self.store.skinned {
            self.walk_within_skin(rows, &mut chunk, &mut keep, &mut worst);
        } else {
            for index in 0..rows {
                self.walk_row(index, &mut chunk, &mut keep, &mut worst);
            }
        }
        self.refresh();
        worst.0.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn walk_pending(
        &mut self,
        kinds: u8,
        keep: &mut impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
        worst: &mut Worst,
    ) {
        let mut index = 0;
        while index < self.pending.len() {
            let body = &mut self.pending[index];
            if body.kind >= kinds {
                index += 1;
                continue;
            }
            let (key, old) = (body.key, body.bounds);
            let stays = keep(key, &mut body.data, &mut body.bounds);
            match body.bounds.checked() {
                Ok(bounds) => body.bounds = bounds,
                Err(_) => {
                    let bad = core::mem::replace(&mut body.bounds, old);
                    if stays {
                        worst.note(key, bad);
                    }
                }
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

    pub(super) fn walk_row(
        &mut self,
        index: usize,
        chunk: &mut Chunk<S, D>,
        keep: &mut impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
        worst: &mut Worst,
    ) {
        let row = self.rows[index];
        let Ok(tier) = self.tiers.binary_search_by_key(&row.id.tier, |tier| tier.number) else {
            return;
        };
        let tier = self.tiers[tier];
        let margin = self.store.skinned.then_some(self.margin);
        self.touch(row.id.kind);
        let mut bounds = Slabs::PADDING;
        let mut begin = row.begin;
        while begin < row.begin + row.len {
            let len = CHUNK.min(row.begin + row.len - begin);
            self.change(index, begin, len, chunk, keep);
            self.backend.dispatch(Admit { chunk, len, tier: &tier, gate: &row.gate, margin });
            self.settle(index, &tier, begin, chunk, worst);
            enclose(&mut bounds, &chunk.bounds);
            self.store.write(begin, len, chunk);
            self.sort(index, begin, len, chunk);
            begin += len;
        }
        (self.rows[index].bounds, self.rows[index].loose) = (bounds, false);
    }

    /// Lets the caller change a chunk.
    #[inline(always)]
    pub(super) fn change(
        &mut self,
        index: usize,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        keep: &mut impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
    ) {
        let Self { store, slots, rows, backend, .. } = self;
        let row = &mut rows[index];
        store.read(*backend, begin, len, chunk);
        chunk.holes = Marks::default();
        if row.holes > 0 {
            store.find_holes(*backend, begin, len, slots, &mut chunk.holes);
        }
        let had = chunk.holes;
        let (keys, data) = (&store.keys[begin..][..len], &mut store.data[begin..][..len]);
        let mut from = 0;
        for hole in marked(&had).chain([len]) {
            for offset in from..hole.min(CHUNK).min(len) {
                let mut bounds = chunk.bounds_at(offset);
                if !keep(keys[offset], &mut data[offset], &mut bounds) {
                    mark(&mut chunk.holes, offset);
                }
                chunk.set_bounds_at(offset, &bounds);
            }
            from = hole + 1;
        }
        if chunk.holes != had {
            for offset in marked(&chunk.holes).filter(|&offset| !is_marked(&had, offset)) {
                slots.remove(keys[offset]);
                self.len -= 1;
                self.holes += 1;
                row.holes += 1;
            }
        }
    }

    /// Sends away what leaves the row, puts back what is invalid, and gives holes their place.
    #[inline(always)]
    fn settle(
        &mut self,
        index: usize,
        tier: &Tier,
        begin: usize,
        chunk: &mut Chunk<S, D>,
        worst: &mut Worst,
    ) {
        for offset in marked(&chunk.strange) {
            self.settle_one(index, tier, begin + offset, offset, chunk, worst);
        }
        for offset in marked(&chunk.holes) {
            // Wherever its neighbours have gone, it stays between them.
            chunk.low[0][offset] = match offset {
                0 => self.store.min[0][begin - 1],
                _ => chunk.low[0][offset - 1],
            };
        }
    }

    #[cold]
    fn settle_one(
        &mut self,
        index: usize,
        tier: &Tier,
        place: usize,
        offset: usize,
        chunk: &mut Chunk<S, D>,
        worst: &mut Worst,
    ) {
        let key = self.store.keys[place];
        let bounds = chunk.bounds_at(offset);
        let slabs = if bounds.checked().is_err() {
            worst.note(key, bounds);
            chunk.set_bounds_at(offset, &self.store.bounds(place));
            self.store.slabs(place)
        } else {
            chunk.slabs_at(offset)
        };
        if self.belongs(&slabs, tier, &self.rows[index]) {
            chunk.set_slabs_at(offset, &slabs);
            enclose(&mut chunk.bounds, &slabs);
            return;
        }
        let data = self.store.data[place];
        let kind = self.rows[index].id.kind;
        self.await_row(Body { key, kind, bounds, data });
        mark(&mut chunk.holes, offset);
        chunk.set_slabs_at(offset, &Slabs::PADDING);
        self.holes += 1;
        self.rows[index].holes += 1;
    }

    /// Puts an object among those that wait for a row.
    #[inline]
    pub(super) fn await_row(&mut self, body: Body<S, D, T>) {
        self.slots.set(body.key, PENDING | self.pending.len());
        self.pending.push(body);
    }

    /// Puts a chunk, and what is before it in the row, in order.
    #[inline(always)]
    fn sort(&mut self, index: usize, begin: usize, len: usize, chunk: &mut Chunk<S, D>) {
        let order = &self.store.min[0];
        self.backend.dispatch(Inversions { order, begin, len, found: &mut chunk.strange });
        for offset in marked(&chunk.strange) {
            let mut place = begin + offset;
            // What comes next may be out of order only now.
            while place < begin + len && self.store.is_inverted(place) {
                // Neighbours that change places are what happens most.
                self.swap_back(place);
                if self.store.is_inverted(place - 1) {
                    self.move_back(index, place - 1);
                }
                place += 1;
            }
        }
    }

    /// Exchanges what is in a place and in the one before it.
    #[inline(always)]
    fn swap_back(&mut self, place: usize) {
        let (ahead, behind) = (self.is_live(place - 1), self.is_live(place));
        self.store.swap(place - 1, place);
        if ahead {
            self.slots.relocate(self.store.keys[place], place);
        }
        if behind {
            self.slots.relocate(self.store.keys[place - 1], place - 1);
        }
    }

    /// Moves what is in a place back to where it belongs in its row, if that is near.
    fn move_back(&mut self, index: usize, place: usize) {
        let first = self.store.min[0][place];
        let order = &self.store.min[0][..place];
        let nearby = order.iter().rev().take(STEPS + 1);
        let steps = nearby.take_while(|&&key| key > first).count();
        if steps <= STEPS {
            let live = self.is_live(place);
            self.store.copy(place, SCRATCH);
            self.shift_up(place - steps, place);
            self.store.copy(SCRATCH, place - steps);
            if live {
                self.slots.relocate(self.store.keys[SCRATCH], place - steps);
            }
            return;
        }
        if self.is_live(place) {
            let kind = self.rows[index].id.kind;
            let body = self.store.body(place, kind);
            self.await_row(body);
            self.holes += 1;
            self.rows[index].holes += 1;
        }
        self.store.set_hole(place, self.store.min[0][place - 1]);
    }

    /// Moves what is in `at..to` one place up; what is in `to` is overwritten.
    pub(super) fn shift_up(&mut self, at: usize, to: usize) {
        for place in (at..to).rev() {
            let live = self.is_live(place);
            self.store.copy(place, place + 1);
            if live {
                self.slots.relocate(self.store.keys[place + 1], place + 1);
            }
        }
    }

    /// Moves what is behind `at`, up to `to`, one place down; what is in `at` is overwritten.
    pub(super) fn shift_down(&mut self, at: usize, to: usize) {
        for place in at + 1..=to {
            let live = self.is_live(place);
            self.store.copy(place, place - 1);
            if live {
                self.slots.relocate(self.store.keys[place - 1], place - 1);
            }
        }
    }
}
