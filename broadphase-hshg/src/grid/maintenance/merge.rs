//! Merges pending objects into rows.
//!
//! 1. Find the row of each pending object; create missing rows.
//! 2. Sort the insertions by row and position (one `u128` key).
//! 3. Rows with few insertions: insert each object at its position, shifting others up to the
//!    nearest hole.
//! 4. Rows with many insertions, or without room: close the holes and merge from the end, one gap
//!    per [`GAP_PERIOD`] slots. A row with too few slots is first moved to the end of the store.
//!
//! Cost: O(p log p) for p pending objects, plus at most about two row lengths of shifts per row.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::{Scalar, Slabs};

use crate::grid::Hshg;
use crate::grid::storage::pending::{Objects, Pending};
use crate::grid::storage::row::{self, Class, GAP_PERIOD, Row, RowId, SPARE, enclose, slots_for};
use crate::grid::storage::store::{Body, RESERVED_SLOT};

/// A pending object with its target row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insertion {
    row: u32,
    /// The low end on the first axis.
    first: i32,
    /// The index among the pending objects.
    pending: u32,
}

impl Insertion {
    /// Returns a key that sorts insertions by row, then by low end on the first axis, then by
    /// index. One `u128` is compared without branches.
    const fn sort_key(self) -> u128 {
        let first = self.first.cast_unsigned() ^ 1 << 31;
        (self.row as u128) << 64 | (first as u128) << 32 | self.pending as u128
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    pub(super) fn merge_pending(&mut self) {
        let mut insertions = core::mem::take(&mut self.insertions);
        if !self.find_rows(&mut insertions) {
            let pending = core::mem::take(&mut self.pending);
            self.create_rows(pending.objects());
            self.pending = pending;
            assert!(self.find_rows(&mut insertions), "all rows exist");
        }
        sort(&mut insertions);
        for group in insertions.chunk_by(|a, b| a.row == b.row) {
            self.merge_into(group[0].row as usize, group);
        }
        self.pending.clear();
        insertions.clear();
        self.insertions = insertions;
    }

    /// Writes an insertion for each pending object, up to the first whose row does not exist
    /// (`false`).
    fn find_rows(&self, insertions: &mut Vec<Insertion>) -> bool {
        insertions.clear();
        insertions.reserve_exact(self.pending.len());
        let Pending { classes, bounds, .. } = &self.pending;
        (0..).zip(classes.iter().zip(bounds)).all(|(pending, (&class, bounds))| {
            let slabs = self.store.axes.slabs(bounds);
            let id = self.row_of(class, &slabs);
            let row = id.and_then(|id| row::find(&self.rows, &id));
            let first = slabs.min[0];
            insertions.extend(row.map(|row| Insertion { row: row as u32, first, pending }));
            row.is_some()
        })
    }

    /// Returns the row id of an object, or `None` if its tier does not exist.
    pub(super) fn row_of(&self, class: Class, slabs: &Slabs<D>) -> Option<RowId<D>> {
        let tier = self.tier_of(slabs)?;
        Some(RowId { class, tier: tier.number, cell: tier.cell::<S, D>(slabs) })
    }

    /// Creates the missing rows of objects. New rows have no slots.
    pub(super) fn create_rows(&mut self, objects: Objects<'_, S, D>) {
        let mut missing = core::mem::take(&mut self.missing);
        let mut enough = 1024;
        for index in 0..objects.len() {
            let class = objects.class(index);
            let slabs = self.store.axes.slabs(&objects.bounds[index]);
            let id = self.row_of(class, &slabs).unwrap_or_else(|| {
                self.measure(objects, false);
                self.create_tiers(0.0);
                self.row_of(class, &slabs).expect("the tiers of all objects exist")
            });
            if row::find(&self.rows, &id).is_none() {
                missing.push(id);
            }
            // Remove duplicates before the list grows: there are far fewer rows than objects.
            if missing.len() == enough {
                missing.sort_unstable();
                missing.dedup();
                enough = 1024.max(2 * missing.len());
            }
        }
        missing.sort_unstable();
        missing.dedup();
        self.rows_changed |= !missing.is_empty();
        for id in missing.drain(..) {
            let tier = self.tiers.iter().find(|tier| tier.number == id.tier);
            let gate = tier.expect("all tiers exist").gate::<S, D>(&id);
            self.rows.push(Row::new(id, gate));
        }
        row::sort(&mut self.rows);
        self.missing = missing;
    }

    /// Merges sorted insertions into a row.
    fn merge_into(&mut self, index: usize, insertions: &[Insertion]) {
        let row = self.rows[index];
        self.invalidate_pairs(row.id.class);
        if insertions.len() > row.holes + 8 || row.holes > row.len / 2 {
            self.merge_from_end(index, insertions);
            return;
        }
        // If holes are far from the insertions, many objects are shifted. Once these exceed the
        // slots of the row, merging the rest from the end is cheaper.
        let mut moved = 0;
        for (done, insertion) in insertions.iter().enumerate() {
            let some = moved <= row.len;
            let inserted = if some { self.insert_near_hole(index, insertion) } else { None };
            let Some(more) = inserted else {
                self.merge_from_end(index, &insertions[done..]);
                return;
            };
            moved += more;
        }
    }

    /// Inserts an object by shifting the objects from its slot to the nearest hole or the end of
    /// the row. Returns the number of shifted objects, or `None` if there is no room.
    fn insert_near_hole(&mut self, index: usize, insertion: &Insertion) -> Option<usize> {
        let row = self.rows[index];
        let body = self.pending.get(insertion.pending as usize);
        let end = row.begin + row.len;
        let order = &self.store.min[0];
        let at = row.begin + order[row.slots()].partition_point(|&first| first <= insertion.first);
        let nearest = self.nearest_hole(&row, at);
        let (slot, moved) = match nearest {
            Some(hole) if hole >= at => {
                self.shift(at..hole, at + 1);
                (at, hole - at)
            }
            Some(hole) => {
                self.shift(hole + 1..at, hole);
                (at - 1, at - 1 - hole)
            }
            None if row.len + SPARE < row.room => {
                self.shift(at..end, at + 1);
                self.rows[index].len += 1;
                (at, end - at)
            }
            None => return None,
        };
        if nearest.is_some() {
            self.rows[index].holes -= 1;
            self.holes -= 1;
        }
        let slabs = self.store.axes.slabs(&body.bounds);
        self.store.set(slot, &body, &slabs);
        self.slots.set(body.key, slot);
        enclose(&mut self.rows[index].bounds, &slabs);
        Some(moved)
    }

    /// Returns the hole of a row nearest to the slot `at`, as far as the end of the row on each
    /// side.
    fn nearest_hole(&self, row: &Row<D>, at: usize) -> Option<usize> {
        let end = row.begin + row.len;
        // Searches both sides alternately.
        (0..=end - at).find_map(|steps| {
            let (below, above) = (at.wrapping_sub(steps + 1), at + steps);
            if above < end && !self.is_live(above) {
                return Some(above);
            }
            let is_hole = row.holes > 0 && below >= row.begin && below < at && !self.is_live(below);
            is_hole.then_some(below)
        })
    }

    /// Closes the holes of a row, moves it if it has too few slots, and merges sorted insertions
    /// from its end on, leaving one gap per [`GAP_PERIOD`] slots.
    pub(super) fn merge_from_end(&mut self, index: usize, insertions: &[Insertion]) {
        self.close_holes(index);
        let objects = self.rows[index].len + insertions.len();
        let len = slots_for(objects);
        if len + SPARE > self.rows[index].room {
            let any = self.pending.get(insertions[0].pending as usize);
            self.move_row(index, len, &any);
        }
        let Row { begin, len: old, mut bounds, .. } = self.rows[index];
        let mut left = begin + old;
        let mut to = begin + len;
        let mut insertions = insertions.iter().rev().peekable();
        while to > left || insertions.peek().is_some() {
            to -= 1;
            if (to - begin) % GAP_PERIOD == GAP_PERIOD - 1 {
                let next = self.store.min[0][to + 1];
                self.store.set_hole(to, next);
                continue;
            }
            let later = |insertion: &Insertion| {
                left == begin || self.store.min[0][left - 1] <= insertion.first
            };
            if let Some(insertion) = insertions.next_if(|insertion| later(insertion)) {
                let body = self.pending.get(insertion.pending as usize);
                let slabs = self.store.axes.slabs(&body.bounds);
                self.store.set(to, &body, &slabs);
                enclose(&mut bounds, &slabs);
            } else {
                left -= 1;
                self.store.copy(left, to);
            }
            self.slots.set(self.store.keys[to], to);
        }
        let row = &mut self.rows[index];
        (row.len, row.holes, row.bounds) = (len, len - objects, bounds);
        self.holes += len - objects;
    }

    /// Moves a range of objects to the slots from `to` on. New slots outside of it must be empty.
    fn shift(&mut self, slots: Range<usize>, to: usize) {
        let moved = to..to + slots.len();
        self.store.shift(slots.clone(), to);
        for slot in moved {
            self.slots.relocate(self.store.keys[slot], slot);
        }
    }

    /// Moves a row without holes to the end of the store, where it gets `slots` slots. Keys and
    /// exact bounds of new, unused slots are copied from `any`.
    fn move_row(&mut self, index: usize, slots: usize, any: &Body<S, D>) {
        let old = self.rows[index];
        let begin = self.store.len().max(RESERVED_SLOT + 1) + 1;
        let new = Row { begin, room: room_for(slots), ..old };
        self.store.grow(begin + new.room, any);
        self.store.set_hole(begin - 1, i32::MIN);
        self.store.set_free(begin..begin + new.room);
        self.move_objects(&old, &new);
        self.unused += old.slots_held();
        self.rows[index] = new;
    }

    /// Moves all objects of a row without holes from the slots of `old` to those of `new`, first to
    /// last: `new` must begin before `old`, or lie entirely after it.
    pub(super) fn move_objects(&mut self, old: &Row<D>, new: &Row<D>) {
        for offset in 0..old.len {
            self.store.copy(old.begin + offset, new.begin + offset);
            self.slots.relocate(self.store.keys[new.begin + offset], new.begin + offset);
        }
    }

    /// Moves all objects of a row to its beginning, in order; frees the slots after them.
    pub(super) fn close_holes(&mut self, index: usize) {
        let row = self.rows[index];
        let mut to = row.begin;
        for slot in row.slots() {
            if self.is_live(slot) {
                if slot != to {
                    self.store.copy(slot, to);
                    self.slots.set(self.store.keys[to], to);
                }
                to += 1;
            }
        }
        self.store.set_free(to..row.begin + row.len);
        self.holes -= row.holes;
        self.rows[index] = Row { len: to - row.begin, holes: 0, ..row };
    }
}

fn sort(insertions: &mut [Insertion]) {
    insertions.sort_unstable_by_key(|insertion| insertion.sort_key());
}

/// Returns the number of slots to allocate for a row of `slots` slots, with room to grow.
pub(super) const fn room_for(slots: usize) -> usize {
    slots + slots / 16 + SPARE
}

#[cfg(test)]
mod tests {
    use broadphase_core::{Aabb, SpatialIndex, SpatialIndexExt};

    use crate::grid::Hshg;
    use crate::grid::storage::row::slots_for;

    #[test]
    fn insertions_far_from_holes_are_merged_in_bulk() {
        let mut world: Hshg = Hshg::new();
        let ball = |at: f32| Aabb::of_ball([at, 0.0], 0.5);
        world.extend((0..10_000).map(|key| (key, ball(key as f32)))).expect("keys are unique");
        world.optimize();
        for key in 5500..6500 {
            assert!(world.remove(key), "the key is known");
        }
        for key in 6500..9500 {
            let at = (key - 6500) as f32 * 0.125;
            world.set_bounds(key, ball(at)).expect("the key is known");
        }
        let [row] = world.rows[..] else { panic!("{} rows", world.rows.len()) };
        assert!(
            row.holes > world.pending.len() && row.holes <= row.len / 2,
            "there are enough holes"
        );
        world.refresh();
        world.assert_well_formed();
        // If the objects had been inserted one by one, each would have shifted half of the row and
        // left holes in it.
        assert_eq!(world.rows[0].len, slots_for(9000), "the row was laid out again");
    }
}
