//! Upkeep: puts what is pending into rows, closes holes, and looks at sizes now and then.

use alloc::vec::Vec;

use broadphase_core::{Scalar, Slabs};

use super::Hshg;
use super::level::{Tier, Tiers, exponent, power, size};
use super::row::{GAP, Row, RowId, SPARE, enclose, places_for};
use super::store::{Body, SCRATCH, Store};

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
        if !self.pending.is_empty() && (self.len > 2 * self.tuned || self.len < self.tuned / 4) {
            self.tune();
        }
        self.narrow_rows();
        if self.loose {
            self.enclose_rows();
        }
        if !self.pending.is_empty() {
            self.merge_pending();
        }
        if self.unused > self.store.len() / 2 {
            self.compact();
        }
    }

    /// Looks at the sizes of all objects and chooses tiers and rows for them anew.
    fn tune(&mut self) {
        for row in core::mem::take(&mut self.rows) {
            self.dissolve(&row);
        }
        (self.holes, self.unused) = (0, 0);
        self.store.clear();
        self.tiers.clear();
        self.rows_changed = true;
        self.tuned = self.len;
        self.sizes = self.smallest.map_or_else(
            || {
                let step = self.pending.len().div_ceil(SAMPLE).max(1);
                let sizes = self.pending.iter().step_by(step);
                let sizes = sizes.map(|body| size::<S, D>(&body.bounds.slabs()));
                Tiers::of_sizes(&mut sizes.collect::<Vec<_>>(), i32::MAX)
            },
            |cell| Tiers::of_cell(cell, i32::MAX),
        );
    }

    /// Sends all objects of a row, which is no more, to wait for others.
    fn dissolve(&mut self, row: &Row<D>) {
        for place in row.places() {
            if self.is_live(place) {
                let body = self.store.body(place, row.id.kind);
                self.await_row(body);
            }
        }
        self.holes -= row.holes;
        self.unused += row.room + 1;
    }

    /// Makes the rows of tiers narrower in which sweeps found too many neighbours.
    fn narrow_rows(&mut self) {
        for index in 0..self.tiers.len() {
            let Tier { number, side, limit, crowded, .. } = self.tiers[index];
            self.tiers[index].crowded = false;
            if !crowded || side * 0.5 < limit / (1.0 + 2e-6) {
                continue;
            }
            self.tiers[index] = Tier::new::<S>(self.sizes, number, side * 0.5);
            let rows = core::mem::take(&mut self.rows);
            for row in rows.iter().filter(|row| row.id.tier == number) {
                self.dissolve(row);
            }
            self.rows = rows;
            self.rows.retain(|row| row.id.tier != number);
            self.rows_changed = true;
        }
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
        self.store.set_free(to..row.begin + row.len);
        self.holes -= row.holes;
        self.rows[index] = Row { len: to - row.begin, holes: 0, ..row };
    }

    /// The tier of that number, made for the pending objects of its kind if there is none.
    fn open_tier(&mut self, number: i32) -> usize {
        self.tiers.binary_search_by_key(&number, |tier| tier.number).unwrap_or_else(|place| {
            let all = self.pending.iter().map(|body| body.bounds.slabs());
            let same = all.filter(|slabs| self.sizes.tier(size::<S, D>(slabs)) == number);
            let side = side::<S, D>(same, self.sizes.limit(number));
            self.tiers.insert(place, Tier::new::<S>(self.sizes, number, side));
            place
        })
    }

    /// The tier of an object with such slabs, if there is one.
    pub(super) fn tier_of(&self, slabs: &Slabs<D>) -> Option<&Tier> {
        let number = self.sizes.tier(size::<S, D>(slabs));
        self.tiers.iter().find(|tier| tier.number == number)
    }

    /// Whether an object with such slabs belongs into a row.
    pub(super) fn belongs(&self, slabs: &Slabs<D>, tier: &Tier, row: &Row<D>) -> bool {
        self.sizes.tier(size::<S, D>(slabs)) == row.id.tier
            && tier.cell::<S, D>(slabs) == row.id.cell
    }

    fn merge_pending(&mut self) {
        let mut arrivals = core::mem::take(&mut self.arrivals);
        arrivals.clear();
        for pending in 0..self.pending.len() {
            let Body { kind, bounds, .. } = self.pending[pending];
            let slabs = bounds.slabs();
            let number = self.sizes.tier(size::<S, D>(&slabs));
            let tier = match self.tiers.iter().find(|tier| tier.number == number) {
                Some(tier) => tier,
                None => {
                    let tier = self.open_tier(number);
                    &self.tiers[tier]
                }
            };
            let row = RowId { kind, tier: number, cell: tier.cell::<S, D>(&slabs) };
            arrivals.push(Arrival { row, first: slabs.min[0], pending: pending as u32 });
        }
        arrivals.sort_unstable();
        let known = self.rows.len();
        for group in arrivals.chunk_by(|a, b| a.row == b.row) {
            let found = self.rows[..known].binary_search_by_key(&group[0].row, |row| row.id);
            let index = found.unwrap_or_else(|_| {
                let any = self.pending[group[0].pending as usize];
                let row = self.open_row(group[0].row, places_for(group.len()), &any);
                self.rows.push(row);
                self.rows.len() - 1
            });
            self.merge_into(index, group);
        }
        if self.rows.len() > known {
            self.rows.sort_unstable_by_key(|row| row.id);
            self.rows_changed = true;
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
            None if row.len + SPARE < row.room => {
                self.shift_up(at, end);
                self.rows[index].len += 1;
                at
            }
            None => return false,
        };
        if nearest.is_some() {
            self.rows[index].holes -= 1;
            self.holes -= 1;
        }
        let slabs = body.bounds.slabs();
        self.store.set(place, &body, &slabs);
        self.slots.set(body.key, place);
        enclose(&mut self.rows[index].bounds, &slabs);
        true
    }

    /// Closes the holes of a row and merges arrivals into it from its end on, leaving a gap
    /// every now and then.
    fn merge_from_the_end(&mut self, index: usize, arrivals: &[Arrival<D>]) {
        self.close_holes(index);
        let objects = self.rows[index].len + arrivals.len();
        let len = places_for(objects);
        if len + SPARE > self.rows[index].room {
            self.move_row(index, len);
        }
        let Row { begin, len: old, mut bounds, .. } = self.rows[index];
        let mut left = begin + old;
        let mut to = begin + len;
        let mut arrivals = arrivals.iter().rev().peekable();
        while to > left || arrivals.peek().is_some() {
            to -= 1;
            if (to - begin) % GAP == GAP - 1 {
                let next = self.store.min[0][to + 1];
                self.store.set_hole(to, next);
                continue;
            }
            let later = |arrival: &Arrival<D>| {
                left == begin || self.store.min[0][left - 1] <= arrival.first
            };
            if let Some(arrival) = arrivals.next_if(|arrival| later(arrival)) {
                let body = self.pending[arrival.pending as usize];
                let slabs = body.bounds.slabs();
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

    /// An empty row at the end of the store, with room for so many places and a few more; `any`
    /// object fills them.
    fn open_row(&mut self, id: RowId<D>, places: usize, any: &Body<S, D, T>) -> Row<D> {
        let room = places + places / 16 + SPARE;
        let begin = self.store.len().max(SCRATCH + 1) + 1;
        self.store.grow(begin + room, any);
        self.store.set_fence(begin - 1);
        self.store.set_free(begin..begin + room);
        let tier = self.tiers.iter().find(|tier| tier.number == id.tier);
        let gate = tier.expect("the tier of a row is known").gate::<S, D>(&id);
        Row { id, begin, len: 0, room, holes: 0, gate, bounds: Slabs::PADDING }
    }

    /// Moves a row to the end of the store, where it has more room.
    fn move_row(&mut self, index: usize, places: usize) {
        let old = self.rows[index];
        let any = self.store.body(SCRATCH, 0);
        let new = self.open_row(old.id, places, &any);
        for offset in 0..old.len {
            self.store.copy(old.begin + offset, new.begin + offset);
            self.slots.set(self.store.keys[new.begin + offset], new.begin + offset);
        }
        self.unused += old.room + 1;
        self.rows[index] = Row { begin: new.begin, room: new.room, ..old };
    }

    /// Lays all rows out anew, one behind the other.
    fn compact(&mut self) {
        for index in 0..self.rows.len() {
            self.close_holes(index);
        }
        self.rows.retain(|row| row.len > 0);
        self.rows_changed = true;
        let old = core::mem::replace(&mut self.store, Store::new());
        self.unused = 0;
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            let (objects, len) = (row.len, places_for(row.len));
            let new = self.open_row(row.id, len, &old.body(row.begin, 0));
            let mut from = row.begin;
            for offset in 0..len {
                let to = new.begin + offset;
                if offset % GAP == GAP - 1 {
                    let before = self.store.min[0][to - 1];
                    self.store.set_hole(to, before);
                    continue;
                }
                self.store.set(to, &old.body(from, 0), &old.slabs(from));
                self.slots.set(self.store.keys[to], to);
                from += 1;
            }
            self.holes += len - objects;
            self.rows[index] = Row { len, holes: len - objects, bounds: row.bounds, ..new };
        }
    }
}

/// The side of rows for such objects: about one of them should begin in a row while another
/// lasts, and none may be larger.
fn side<S: Scalar, const D: usize>(all: impl Iterator<Item = Slabs<D>>, limit: f64) -> f64 {
    let (mut width, mut world) = (0.0, Slabs::PADDING);
    for slabs in all {
        width += f64::from(S::key_extent(slabs.min[0], slabs.max[0]));
        enclose(&mut world, &slabs);
    }
    // width / extent objects begin or last per unit of length, spread over the other axes.
    let extent =
        |axis: usize| f64::from(S::key_extent(world.min[axis], world.max[axis])).max(limit);
    let mut section = 1.0 / (width / extent(0)).max(1e-9);
    for axis in 1..D {
        section *= extent(axis);
    }
    match D {
        1 => limit,
        2 => power(exponent(section)),
        _ => power(exponent(section) / 2 + 1),
    }
    .clamp(limit, limit * 1e6)
}
