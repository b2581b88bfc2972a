//! Upkeep: brings rows up to date, and looks at sizes and density now and then.

use broadphase_core::{Scalar, Slabs};

use crate::grid::Core;
use crate::grid::data::MoveData;
use crate::grid::maintenance::merge::room_for;
use crate::grid::maintenance::row_height::sides;
use crate::grid::storage::row::{GAP, Row, SPARE, enclose, places_for, sort_as_stored};
use crate::grid::storage::store::{SCRATCH, Store};
use crate::grid::storage::tiers::{Tier, size};

/// Upkeep never gives back room for so many objects that wait: in small worlds that come into and out
/// of crowds, it would be taken again and again; and by a steady tick, the first time.
const FEW: usize = 4096;

/// So many sizes tell enough of all.
const SAMPLE: usize = 2000;

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Puts everything where it belongs, so that pairs can be swept.
    pub(in crate::grid) fn refresh(&mut self, data: &mut dyn MoveData) {
        let tunes = self.tuned == 0 || !self.manual;
        let is_due = || self.is_out_of_tune() || self.is_spread_anew();
        if !self.pending.is_empty() && tunes && is_due() {
            self.rebuild(data);
            return;
        }
        let rooms = [self.pending.capacity(), self.arrivals.capacity()];
        let mut relaid = false;
        if !self.manual {
            relaid = self.fit_rows(data);
            self.follow_strays(data);
        }
        self.enclose_rows();
        if !self.pending.is_empty() {
            self.merge_pending(data);
        }
        if relaid {
            self.give_back_room(rooms, data);
        }
        if !self.manual && self.is_wasteful() {
            self.close_ranks(data);
        }
        self.spacing = self.typical_spacing();
    }

    /// Whether much of the store, or of the rows, holds nothing: objects that all move on leave
    /// rows behind.
    fn is_wasteful(&self) -> bool {
        let empty = self.rows.iter().filter(|row| row.objects() == 0).count();
        4 * (self.unused + self.holes) > self.store.len() || 2 * empty > self.rows.len() + 64
    }

    /// Whether there are far more or far fewer objects than when sizes were looked at.
    pub(in crate::grid) fn is_out_of_tune(&self) -> bool {
        self.len > 2 * self.tuned || self.len < self.tuned / 4
    }

    /// Chooses levels and rows for all objects anew.
    pub(in crate::grid) fn rebuild(&mut self, data: &mut dyn MoveData) {
        self.tune(data);
        self.merge_pending(data);
        self.give_back_room([0; 2], data);
        self.spacing = self.typical_spacing();
    }

    /// Gives back what was needed while most objects waited for their rows, which is far more than
    /// what comes later, but for what there was before.
    fn give_back_room(&mut self, [pending, arrivals]: [usize; 2], data: &mut dyn MoveData) {
        self.pending.shrink_to(pending.max(FEW));
        data.shrink_pending(pending.max(FEW));
        self.arrivals.shrink_to(arrivals.max(FEW));
    }

    /// Looks at the sizes of all objects and chooses tiers and rows for them anew.
    fn tune(&mut self, data: &mut dyn MoveData) {
        self.take_apart(data);
        self.tuned = self.len;
        self.sizes = self.config.tiers(|| {
            let step = self.pending.len().div_ceil(SAMPLE).max(1);
            let sizes = self.pending.iter().step_by(step);
            sizes.map(|body| size::<S, D>(&self.slabs_of(body))).collect()
        });
    }

    /// Sends all objects to wait for rows of another kind.
    pub(in crate::grid) fn take_apart(&mut self, data: &mut dyn MoveData) {
        self.reserve_pending(self.len - self.pending.len(), data);
        for row in core::mem::take(&mut self.rows) {
            self.dissolve(&row, data);
        }
        self.joins.forget();
        self.wear.made();
        (self.holes, self.unused, self.tuned) = (0, 0, 0);
        self.store.clear();
        data.truncate(0);
        self.tiers.clear();
        self.rows_changed = true;
    }

    /// Sends all objects of a row, which is no more, to wait for others.
    pub(in crate::grid) fn dissolve(&mut self, row: &Row<D>, data: &mut dyn MoveData) {
        for place in row.places() {
            if self.is_live(place) {
                let body = self.store.body(place, row.id.kind);
                self.await_row(body);
                data.await_row(place);
            }
        }
        self.holes -= row.holes;
        self.unused += row.held();
    }

    /// Allocates room for further pending objects.
    pub(in crate::grid) fn reserve_pending(&mut self, more: usize, data: &mut dyn MoveData) {
        self.pending.reserve_exact(more);
        data.reserve_pending(more);
    }

    /// Finds the bounds of rows anew whose objects were changed in place.
    fn enclose_rows(&mut self) {
        for index in 0..self.rows.len() {
            if !core::mem::take(&mut self.rows[index].loose) {
                continue;
            }
            let mut bounds = Slabs::PADDING;
            for place in self.rows[index].places() {
                if self.is_live(place) {
                    enclose(&mut bounds, &self.store.slabs(place));
                }
            }
            self.rows[index].bounds = bounds;
        }
    }

    /// The tier of that number, made for the pending objects of its kind if there is none.
    pub(in crate::grid) fn open_tier(&mut self, number: i32) -> usize {
        self.tiers.binary_search_by_key(&number, |tier| tier.number).unwrap_or_else(|place| {
            let all = self.pending.iter().map(|body| self.slabs_of(body));
            let same = all.filter(|slabs| self.sizes.tier(size::<S, D>(slabs)) == number);
            let sides = sides::<S, D>(same, self.sizes.limit(number));
            self.tiers.insert(place, Tier::new::<S>(self.sizes, number, sides));
            place
        })
    }

    /// The tier of an object with such slabs, if there is one.
    pub(in crate::grid) fn tier_of(&self, slabs: &Slabs<D>) -> Option<&Tier> {
        let number = self.sizes.tier(size::<S, D>(slabs));
        self.tiers.iter().find(|tier| tier.number == number)
    }

    /// Whether an object with such slabs belongs into a row.
    pub(in crate::grid) fn belongs(&self, slabs: &Slabs<D>, tier: &Tier, row: &Row<D>) -> bool {
        tier.holds::<S, D>(self.sizes, slabs, &row.id)
    }

    /// Moves rows, as they are stored, up to the one before, so that no place is unused, and drops
    /// those without objects; takes no memory.
    pub(in crate::grid) fn close_ranks(&mut self, data: &mut dyn MoveData) {
        let mut stored = core::mem::take(&mut self.stored);
        stored.clear();
        stored
            .extend((0..).zip(&self.rows).filter(|(_, row)| row.room > 0).map(|(index, _)| index));
        sort_as_stored(&mut stored, &self.rows);
        let mut end = SCRATCH + 1;
        for index in stored.iter().map(|&index| index as usize) {
            self.close_holes(index, data);
            let old = self.rows[index];
            if old.len == 0 {
                continue;
            }
            let places = places_for(old.len);
            let row = Row { begin: end + 1, room: old.room.min(room_for(places)), ..old };
            self.move_objects(&old, &row, data);
            self.store.set_fence(end);
            end = row.begin + row.room;
            self.store.set_free(row.begin + row.len..end);
            self.rows[index] = row;
            if places + SPARE <= row.room {
                self.merge_from_the_end(index, &[], data);
            }
        }
        self.store.truncate(end);
        data.truncate(end);
        self.unused = 0;
        self.drop_empty_rows();
        self.joins.forget();
        self.stored = stored;
    }

    /// Drops rows without places in use.
    fn drop_empty_rows(&mut self) {
        let before = self.rows.len();
        self.rows.retain(|row| row.len > 0);
        self.rows_changed |= self.rows.len() < before;
    }

    /// Lays all rows out anew, one behind the other in their order, with gaps.
    pub(in crate::grid) fn compact(&mut self, data: &mut dyn MoveData) {
        for index in 0..self.rows.len() {
            self.close_holes(index, data);
        }
        self.drop_empty_rows();
        self.joins.forget();
        let new = Store::new(self.store.skinned);
        let old = core::mem::replace(&mut self.store, new);
        data.put_aside();
        let rooms = self.rows.iter().map(|row| room_for(places_for(row.len)) + 1);
        let room = rooms.sum::<usize>() + SCRATCH + 1;
        self.store.reserve(room);
        data.reserve(room);
        self.unused = 0;
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            let len = places_for(row.len);
            let new = self.place_row(row, len, &old.body(row.begin, 0), data);
            let mut from = row.begin;
            for to in new.begin..new.begin + len {
                if (to - new.begin) % GAP == GAP - 1 {
                    let before = self.store.min[0][to - 1];
                    self.store.set_hole(to, before);
                    continue;
                }
                self.store.set(to, &old.body(from, 0), &old.slabs(from));
                data.take_back(from, to);
                self.slots.relocate(self.store.keys[to], to);
                from += 1;
            }
            self.holes += len - row.len;
            self.rows[index] = Row { len, holes: len - row.len, ..new };
        }
        data.forget_aside();
    }
}
