//! Upkeep: brings rows up to date, and looks at sizes and density now and then.

use broadphase_core::{Scalar, Slabs};

use crate::grid::Core;
use crate::grid::data::MoveData;
use crate::grid::maintenance::merge::room_for;
use crate::grid::maintenance::row_height::row_heights;
use crate::grid::storage::row::{GAP_PERIOD, Row, SPARE, enclose, slots_for, sort_as_stored};
use crate::grid::storage::store::{RESERVED_SLOT, Store};
use crate::grid::storage::tiers::{Tier, size};

/// Upkeep never gives back room for so many objects that wait: in small worlds that come into and out
/// of crowds, it would be taken again and again; and by a steady tick, the first time.
const MIN_KEPT_CAPACITY: usize = 4096;

/// So many sizes tell enough of all.
const SIZE_SAMPLES: usize = 2000;

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Puts everything where it belongs, so that pairs can be swept.
    pub(in crate::grid) fn refresh(&mut self, data: &mut dyn MoveData) {
        let tunes = self.len_at_rebuild == 0 || !self.manual;
        let is_due = || self.len_changed_much() || self.has_outgrown_rows();
        if !self.pending.is_empty() && tunes && is_due() {
            self.rebuild(data);
            return;
        }
        let rooms = [self.pending.capacity(), self.insertions.capacity()];
        let mut relaid = false;
        if !self.manual {
            relaid = self.adjust_row_heights(data);
            self.refresh_margins(data);
        }
        self.update_row_bounds();
        if !self.pending.is_empty() {
            self.merge_pending(data);
        }
        if relaid {
            self.shrink_buffers(rooms, data);
        }
        if !self.manual && self.is_wasteful() {
            self.compact_in_place(data);
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
    pub(in crate::grid) fn len_changed_much(&self) -> bool {
        self.len > 2 * self.len_at_rebuild || self.len < self.len_at_rebuild / 4
    }

    /// Chooses levels and rows for all objects anew.
    pub(in crate::grid) fn rebuild(&mut self, data: &mut dyn MoveData) {
        self.choose_tiers(data);
        self.merge_pending(data);
        self.shrink_buffers([0; 2], data);
        self.spacing = self.typical_spacing();
    }

    /// Gives back what was needed while most objects waited for their rows, which is far more than
    /// what comes later, but for what there was before.
    fn shrink_buffers(&mut self, [pending, insertions]: [usize; 2], data: &mut dyn MoveData) {
        self.pending.shrink_to(pending.max(MIN_KEPT_CAPACITY));
        data.shrink_pending(pending.max(MIN_KEPT_CAPACITY));
        self.insertions.shrink_to(insertions.max(MIN_KEPT_CAPACITY));
    }

    /// Looks at the sizes of all objects and chooses tiers and rows for them anew.
    fn choose_tiers(&mut self, data: &mut dyn MoveData) {
        self.unpack_all(data);
        self.len_at_rebuild = self.len;
        self.sizes = self.config.tiers(|| {
            let step = self.pending.len().div_ceil(SIZE_SAMPLES).max(1);
            let sizes = self.pending.iter().step_by(step);
            sizes.map(|body| size::<S, D>(&self.slabs_of(body))).collect()
        });
    }

    /// Sends all objects to wait for rows of another kind.
    pub(in crate::grid) fn unpack_all(&mut self, data: &mut dyn MoveData) {
        self.reserve_pending(self.len - self.pending.len(), data);
        for row in core::mem::take(&mut self.rows) {
            self.unpack_row(&row, data);
        }
        self.row_pairs.invalidate();
        self.margin_age.restart();
        (self.holes, self.unused, self.len_at_rebuild) = (0, 0, 0);
        self.store.clear();
        data.truncate(0);
        self.tiers.clear();
        self.rows_changed = true;
    }

    /// Sends all objects of a row, which is no more, to wait for others.
    pub(in crate::grid) fn unpack_row(&mut self, row: &Row<D>, data: &mut dyn MoveData) {
        for slot in row.slots() {
            if self.is_live(slot) {
                let body = self.store.body(slot, row.id.class);
                self.push_pending(body);
                data.push_pending(slot);
            }
        }
        self.holes -= row.holes;
        self.unused += row.slots_held();
    }

    /// Allocates room for further pending objects.
    pub(in crate::grid) fn reserve_pending(&mut self, more: usize, data: &mut dyn MoveData) {
        self.pending.reserve_exact(more);
        data.reserve_pending(more);
    }

    /// Finds the bounds of rows anew whose objects were changed in place.
    fn update_row_bounds(&mut self) {
        for index in 0..self.rows.len() {
            if !core::mem::take(&mut self.rows[index].bounds_stale) {
                continue;
            }
            let mut bounds = Slabs::PADDING;
            for slot in self.rows[index].slots() {
                if self.is_live(slot) {
                    enclose(&mut bounds, &self.store.slabs(slot));
                }
            }
            self.rows[index].bounds = bounds;
        }
    }

    /// The tier of that number, made for the pending objects of its kind if there is none.
    pub(in crate::grid) fn create_tier(&mut self, number: i32) -> usize {
        self.tiers.binary_search_by_key(&number, |tier| tier.number).unwrap_or_else(|slot| {
            let all = self.pending.iter().map(|body| self.slabs_of(body));
            let same = all.filter(|slabs| self.sizes.tier(size::<S, D>(slabs)) == number);
            let row_heights = row_heights::<S, D>(same, self.sizes.limit(number));
            self.tiers.insert(slot, Tier::new::<S>(self.sizes, number, row_heights));
            slot
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
    pub(in crate::grid) fn compact_in_place(&mut self, data: &mut dyn MoveData) {
        let mut rows_by_slot = core::mem::take(&mut self.rows_by_slot);
        rows_by_slot.clear();
        rows_by_slot
            .extend((0..).zip(&self.rows).filter(|(_, row)| row.room > 0).map(|(index, _)| index));
        sort_as_stored(&mut rows_by_slot, &self.rows);
        let mut end = RESERVED_SLOT + 1;
        for index in rows_by_slot.iter().map(|&index| index as usize) {
            self.close_holes(index, data);
            let old = self.rows[index];
            if old.len == 0 {
                continue;
            }
            let slots = slots_for(old.len);
            let row = Row { begin: end + 1, room: old.room.min(room_for(slots)), ..old };
            self.move_objects(&old, &row, data);
            self.store.set_fence(end);
            end = row.begin + row.room;
            self.store.set_free(row.begin + row.len..end);
            self.rows[index] = row;
            if slots + SPARE <= row.room {
                self.merge_from_end(index, &[], data);
            }
        }
        self.store.truncate(end);
        data.truncate(end);
        self.unused = 0;
        self.drop_empty_rows();
        self.row_pairs.invalidate();
        self.rows_by_slot = rows_by_slot;
    }

    /// Drops rows without places in use.
    fn drop_empty_rows(&mut self) {
        let before = self.rows.len();
        self.rows.retain(|row| row.len > 0);
        self.rows_changed |= self.rows.len() < before;
    }

    /// Lays all rows out anew, one behind the other in their order, with gaps.
    pub(in crate::grid) fn rebuild_storage(&mut self, data: &mut dyn MoveData) {
        for index in 0..self.rows.len() {
            self.close_holes(index, data);
        }
        self.drop_empty_rows();
        self.row_pairs.invalidate();
        let new = Store::new(self.store.has_margins);
        let old = core::mem::replace(&mut self.store, new);
        data.set_aside();
        let rooms = self.rows.iter().map(|row| room_for(slots_for(row.len)) + 1);
        let room = rooms.sum::<usize>() + RESERVED_SLOT + 1;
        self.store.reserve(room);
        data.reserve(room);
        self.unused = 0;
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            let len = slots_for(row.len);
            let new = self.allocate_row(row, len, &old.body(row.begin, 0), data);
            let mut from = row.begin;
            for to in new.begin..new.begin + len {
                if (to - new.begin) % GAP_PERIOD == GAP_PERIOD - 1 {
                    let before = self.store.min[0][to - 1];
                    self.store.set_hole(to, before);
                    continue;
                }
                self.store.set(to, &old.body(from, 0), &old.slabs(from));
                data.restore_aside(from, to);
                self.slots.relocate(self.store.keys[to], to);
                from += 1;
            }
            self.holes += len - row.len;
            self.rows[index] = Row { len, holes: len - row.len, ..new };
        }
        data.drop_aside();
    }
}
