//! Upkeep: puts what is pending into rows, closes holes, and looks at sizes now and then.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Scalar, Slabs};

use super::Hshg;
use super::level::{RowId, Tier, Tiers, side, size};
use super::row::{Row, enclose};
use super::store::{Body, Store};

/// So many sizes tell enough of all.
const SAMPLE: usize = 2000;

/// Where a pending object goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival<const D: usize> {
    row: RowId<D>,
    first: i32,
    pending: u32,
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Puts everything where it belongs, so that pairs can be swept.
    pub(super) fn refresh(&mut self) {
        if self.pending.is_empty() && !self.loose {
            return;
        }
        if self.len > 2 * self.tuned || self.len < self.tuned / 4 {
            self.tune();
        }
        if self.loose {
            self.enclose_rows();
        }
        self.merge_pending();
        if self.unused > self.store.len() / 2 {
            self.compact();
        }
    }

    /// Looks at the sizes of all objects and chooses tiers and rows for them anew.
    fn tune(&mut self) {
        for row in core::mem::take(&mut self.rows) {
            for place in row.places() {
                if self.is_live(place) {
                    self.pending.push(self.store.body(place));
                }
            }
        }
        (self.holes, self.unused) = (0, 0);
        self.store.clear();
        self.tiers.clear();
        self.tuned = self.len;
        self.sizes = self.smallest.map_or_else(
            || {
                let step = self.pending.len().div_ceil(SAMPLE).max(1);
                let sizes = self.pending.iter().step_by(step).map(|body| size(&body.bounds));
                Tiers::of_sizes(&mut sizes.collect::<Vec<_>>())
            },
            Tiers::of_cell,
        );
    }

    /// Finds the bounds of all rows anew.
    fn enclose_rows(&mut self) {
        for index in 0..self.rows.len() {
            let mut bounds = Slabs::PADDING;
            for place in self.rows[index].places() {
                if self.is_live(place) {
                    enclose(&mut bounds, &self.store.slabs(place));
                }
            }
            self.rows[index].bounds = bounds;
        }
        self.loose = false;
    }

    /// Moves all objects of a row to its beginning.
    fn close_holes(&mut self, index: usize) {
        let row = self.rows[index];
        let mut to = row.begin;
        for place in row.places() {
            if self.is_live(place) {
                if place != to {
                    self.store.copy(place, to);
                    self.slots.set(self.store.keys[to], to);
                }
                to += 1;
            }
        }
        self.store.set_fence(to, i32::MAX);
        self.holes -= row.holes;
        self.rows[index] = Row { len: to - row.begin, holes: 0, ..row };
    }

    /// The tier of that number, made for the pending objects of its kind if there is none.
    fn open_tier(&mut self, number: i32) -> usize {
        self.tiers.binary_search_by_key(&number, |tier| tier.number).unwrap_or_else(|place| {
            let bounds = self.pending.iter().map(|body| &body.bounds);
            let kind = bounds.filter(|bounds| self.sizes.tier(size(bounds)) == number);
            let side = side(kind, self.sizes.limit(number));
            self.tiers.insert(place, Tier::new::<S>(self.sizes, number, side));
            place
        })
    }

    pub(super) fn row_of(&self, bounds: &Aabb<S, D>) -> Option<RowId<D>> {
        let number = self.sizes.tier(size(bounds));
        let tier = self.tiers.iter().find(|tier| tier.number == number)?;
        Some(tier.row(bounds))
    }

    fn merge_pending(&mut self) {
        let mut arrivals = core::mem::take(&mut self.arrivals);
        arrivals.clear();
        for pending in 0..self.pending.len() {
            let bounds = self.pending[pending].bounds;
            let number = self.sizes.tier(size(&bounds));
            let tier = match self.tiers.iter().find(|tier| tier.number == number) {
                Some(tier) => tier,
                None => {
                    let tier = self.open_tier(number);
                    &self.tiers[tier]
                }
            };
            let first = bounds.min[0].key_below();
            arrivals.push(Arrival { row: tier.row(&bounds), first, pending: pending as u32 });
        }
        arrivals.sort_unstable();
        let known = self.rows.len();
        for group in arrivals.chunk_by(|a, b| a.row == b.row) {
            let found = self.rows[..known].binary_search_by_key(&group[0].row, |row| row.id);
            let index = found.unwrap_or_else(|_| {
                let row = self.new_row(group[0].row, group.len());
                self.rows.push(row);
                self.rows.len() - 1
            });
            self.merge_into(index, group);
        }
        if self.rows.len() > known {
            self.rows.sort_unstable_by_key(|row| row.id);
        }
        self.pending.clear();
        self.arrivals = arrivals;
    }

    /// Puts arrivals, which ascend, into a row.
    fn merge_into(&mut self, index: usize, arrivals: &[Arrival<D>]) {
        let row = self.rows[index];
        if arrivals.len() > row.holes + 8 || row.holes > row.len / 2 {
            self.merge_from_the_end(index, arrivals);
            return;
        }
        for (done, arrival) in arrivals.iter().enumerate() {
            if !self.insert_near_hole(index, arrival) {
                self.merge_from_the_end(index, &arrivals[done..]);
                return;
            }
        }
    }

    /// Puts one arrival into its place, moving what is between that and the nearest hole, or the
    /// end. `false` if there is no room.
    fn insert_near_hole(&mut self, index: usize, arrival: &Arrival<D>) -> bool {
        let row = self.rows[index];
        let body = self.pending[arrival.pending as usize];
        let order = &self.store.min[0][row.places()];
        let at = row.begin + order.partition_point(|&first| first <= arrival.first);
        let end = row.begin + row.len;
        // Look to both sides in turn, as far as the end is.
        let nearest = (0..=end - at).find_map(|steps| {
            let (below, above) = (at.wrapping_sub(steps + 1), at + steps);
            if above < end && !self.is_live(above) {
                return Some(above);
            }
            let is_hole = row.holes > 0 && below >= row.begin && below < at && !self.is_live(below);
            is_hole.then_some(below)
        });
        let place = match nearest {
            Some(hole) if hole >= at => {
                self.shift_up(at, hole);
                at
            }
            Some(hole) => {
                self.shift_down(hole, at - 1);
                at - 1
            }
            None if row.len + 1 < row.room => {
                self.shift_up(at, end);
                self.store.set_fence(end + 1, i32::MAX);
                self.rows[index].len += 1;
                at
            }
            None => return false,
        };
        if nearest.is_some() {
            self.rows[index].holes -= 1;
            self.holes -= 1;
        }
        self.store.set(place, &body);
        self.slots.set(body.key, place);
        enclose(&mut self.rows[index].bounds, &body.bounds.slabs());
        true
    }

    /// Closes the holes of a row and merges arrivals into it from its end on.
    fn merge_from_the_end(&mut self, index: usize, arrivals: &[Arrival<D>]) {
        self.close_holes(index);
        let row = self.rows[index];
        if row.len + arrivals.len() + 1 > row.room {
            self.move_row(index, row.len + arrivals.len());
        }
        let Row { begin, len, mut bounds, .. } = self.rows[index];
        let mut left = begin + len;
        let mut to = left + arrivals.len();
        self.store.set_fence(to, i32::MAX);
        for arrival in arrivals.iter().rev() {
            while left > begin && self.store.min[0][left - 1] > arrival.first {
                left -= 1;
                to -= 1;
                self.store.copy(left, to);
                self.slots.set(self.store.keys[to], to);
            }
            to -= 1;
            let body = self.pending[arrival.pending as usize];
            self.store.set(to, &body);
            self.slots.set(body.key, to);
            enclose(&mut bounds, &body.bounds.slabs());
        }
        let row = &mut self.rows[index];
        (row.len, row.bounds) = (len + arrivals.len(), bounds);
    }

    /// An empty row at the end of the store, with room for so many objects and a few more.
    fn new_row(&mut self, id: RowId<D>, objects: usize) -> Row<D> {
        let room = objects + objects / 8 + 8;
        let begin = self.store.len() + 1;
        let any = self.pending.first().copied().unwrap_or_else(|| self.store.body(0));
        self.store.extend(room + 1, &any);
        self.store.set_fence(begin - 1, i32::MIN);
        self.store.set_fence(begin, i32::MAX);
        let mut gate = Slabs { min: [i32::MIN; D], max: [i32::MAX; D] };
        if S::EXACT_KEYS
            && let Some(tier) = self.tiers.iter().find(|tier| tier.number == id.tier)
        {
            gate = tier.gate::<S, D>(&id);
        }
        Row { id, begin, len: 0, room, holes: 0, gate, bounds: Slabs::PADDING }
    }

    /// Moves a row to the end of the store, where it has more room.
    fn move_row(&mut self, index: usize, objects: usize) {
        let old = self.rows[index];
        let new = self.new_row(old.id, objects);
        for offset in 0..old.len {
            self.store.copy(old.begin + offset, new.begin + offset);
            self.slots.set(self.store.keys[new.begin + offset], new.begin + offset);
        }
        self.store.set_fence(new.begin + old.len, i32::MAX);
        self.unused += old.room + 1;
        self.rows[index] = Row { begin: new.begin, room: new.room, ..old };
    }

    /// Lays all rows out anew, one behind the other.
    fn compact(&mut self) {
        for index in 0..self.rows.len() {
            self.close_holes(index);
        }
        self.rows.retain(|row| row.len > 0);
        let old = core::mem::replace(&mut self.store, Store::new());
        self.unused = 0;
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            let room = row.len + row.len / 8 + 8;
            let begin = self.store.len() + 1;
            self.store.extend(room + 1, &old.body(row.begin));
            self.store.set_fence(begin - 1, i32::MIN);
            for offset in 0..row.len {
                let body: Body<S, D, T> = old.body(row.begin + offset);
                self.store.set(begin + offset, &body);
                self.slots.set(body.key, begin + offset);
            }
            self.store.set_fence(begin + row.len, i32::MAX);
            self.rows[index] = Row { begin, room, ..row };
        }
    }
}
