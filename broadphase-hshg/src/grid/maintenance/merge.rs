//! Puts what waits into rows: into a gap nearby, or a row is laid out anew.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::{Scalar, Slabs};

use crate::grid::Core;
use crate::grid::data::MoveData;
use crate::grid::maintenance::insert_prefetch::AT_ONCE;
use crate::grid::storage::row::{self, GAP, Row, RowId, SPARE, enclose, places_for};
use crate::grid::storage::store::{Body, SCRATCH};
use crate::grid::storage::tiers::size;

/// Where a pending object goes.
#[derive(Clone, Copy, Debug)]
pub(in crate::grid) struct Arrival {
    /// The index of the row.
    pub(in crate::grid) row: u32,
    pub(in crate::grid) first: i32,
    pending: u32,
}

impl Arrival {
    /// Sorts as row, place in the row and turn do; one comparison, and no branches.
    const fn rank(self) -> u128 {
        let first = self.first.cast_unsigned() ^ 1 << 31;
        (self.row as u128) << 64 | (first as u128) << 32 | self.pending as u128
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Puts all that waits into rows.
    pub(in crate::grid) fn merge_pending(&mut self, data: &mut dyn MoveData) {
        let mut arrivals = core::mem::take(&mut self.arrivals);
        if !self.find_rows(&mut arrivals) {
            self.open_rows();
            assert!(self.find_rows(&mut arrivals), "all rows are open");
        }
        // So that closing ranks takes no memory.
        self.stored.clear();
        self.stored.reserve(self.rows.len());
        sort(&mut arrivals);
        self.reserve_rows(&arrivals, data);
        let mut rest = &arrivals[..];
        while !rest.is_empty() {
            // Rows with few arrivals together, one with many alone.
            let (mut some, mut many) = (0, 0);
            for group in rest.chunk_by(|a, b| a.row == b.row) {
                many = group.len();
                if some + many > AT_ONCE {
                    break;
                }
                some += many;
            }
            let (now, later) = rest.split_at(if some > 0 { some } else { many });
            rest = later;
            let mut places = [0; AT_ONCE];
            let mut places = self.approach(now, &mut places, data.address());
            for group in now.chunk_by(|a, b| a.row == b.row) {
                let (known, later) = places.split_at(group.len().min(places.len()));
                places = later;
                self.merge_into(group[0].row as usize, group, known, data);
            }
        }
        self.pending.clear();
        data.clear_pending();
        arrivals.clear();
        self.arrivals = arrivals;
    }

    /// Finds the rows of all that wait; `false` if some of them have none.
    fn find_rows(&self, arrivals: &mut Vec<Arrival>) -> bool {
        arrivals.clear();
        arrivals.reserve_exact(self.pending.len());
        (0..).zip(&self.pending).all(|(pending, body)| {
            let slabs = self.slabs_of(body);
            let id = self.row_of(body.kind, &slabs);
            let row = id.and_then(|id| row::find(&self.rows, &id));
            let first = slabs.min[0];
            arrivals.extend(row.map(|row| Arrival { row: row as u32, first, pending }));
            row.is_some()
        })
    }

    /// The row of an object, if its tier is known.
    fn row_of(&self, kind: u8, slabs: &Slabs<D>) -> Option<RowId<D>> {
        let tier = self.tier_of(slabs)?;
        Some(RowId { kind, tier: tier.number, cell: tier.cell::<S, D>(slabs) })
    }

    /// Makes the rows, without places, that pending objects need.
    fn open_rows(&mut self) {
        let mut missing = core::mem::take(&mut self.missing);
        let mut enough = 1024;
        for index in 0..self.pending.len() {
            let kind = self.pending[index].kind;
            let slabs = self.slabs_of(&self.pending[index]);
            let id = self.row_of(kind, &slabs).unwrap_or_else(|| {
                let tier = self.open_tier(self.sizes.tier(size::<S, D>(&slabs)));
                let tier = &self.tiers[tier];
                RowId { kind, tier: tier.number, cell: tier.cell::<S, D>(&slabs) }
            });
            if row::find(&self.rows, &id).is_none() {
                missing.push(id);
            }
            // Few rows have many objects: so memory is for rows, not for objects.
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
            let gate = tier.expect("all tiers are open").gate::<S, D>(&id);
            self.rows.push(Row::new(id, gate));
        }
        row::sort(&mut self.rows);
        self.missing = missing;
    }

    /// Makes room in the store for rows that have no places yet, all at once.
    fn reserve_rows(&mut self, arrivals: &[Arrival], data: &mut dyn MoveData) {
        let groups = arrivals.chunk_by(|a, b| a.row == b.row);
        let new = groups.filter(|group| self.rows[group[0].row as usize].room == 0);
        let more: usize = new.map(|group| room_for(places_for(group.len())) + 1).sum();
        if more > self.store.len() / 2 {
            self.store.reserve(more + SCRATCH + 1);
            data.reserve(more + SCRATCH + 1);
        }
    }

    /// Puts arrivals, which ascend, into a row; `places` are about where they go, if that is known.
    fn merge_into(
        &mut self,
        index: usize,
        arrivals: &[Arrival],
        places: &[u32],
        data: &mut dyn MoveData,
    ) {
        let row = self.rows[index];
        self.touch(row.id.kind);
        if arrivals.len() > row.holes + 8 || row.holes > row.len / 2 {
            self.merge_from_the_end(index, arrivals, data);
            return;
        }
        // Holes may all be far from where the arrivals belong: so nobody goes farther in all than
        // it is through the row.
        let mut moved = 0;
        for (done, arrival) in arrivals.iter().enumerate() {
            let some = moved <= row.len;
            let place = places.get(done).copied();
            let inserted =
                if some { self.insert_near_hole(index, arrival, place, data) } else { None };
            let Some(more) = inserted else {
                self.merge_from_the_end(index, &arrivals[done..], data);
                return;
            };
            moved += more;
        }
    }

    /// Puts one arrival into its place, moving what is between that and the nearest hole, or the
    /// end; yields how much that was. `None` if there is no room.
    fn insert_near_hole(
        &mut self,
        index: usize,
        arrival: &Arrival,
        place: Option<u32>,
        data: &mut dyn MoveData,
    ) -> Option<usize> {
        let row = self.rows[index];
        let body = self.pending[arrival.pending as usize];
        let end = row.begin + row.len;
        let order = &self.store.min[0];
        // Those that came before may have moved it a little.
        let mut at = match place {
            Some(place) => (place as usize).clamp(row.begin, end),
            None => {
                row.begin + order[row.places()].partition_point(|&first| first <= arrival.first)
            }
        };
        while at > row.begin && order[at - 1] > arrival.first {
            at -= 1;
        }
        while at < end && order[at] <= arrival.first {
            at += 1;
        }
        let nearest = self.nearest_hole(&row, at, usize::MAX);
        let (place, moved) = match nearest {
            Some(hole) if hole >= at => {
                self.shift(at..hole, at + 1, data);
                (at, hole - at)
            }
            Some(hole) => {
                self.shift(hole + 1..at, hole, data);
                (at - 1, at - 1 - hole)
            }
            None if row.len + SPARE < row.room => {
                self.shift(at..end, at + 1, data);
                self.rows[index].len += 1;
                (at, end - at)
            }
            None => return None,
        };
        if nearest.is_some() {
            self.rows[index].holes -= 1;
            self.holes -= 1;
        }
        let slabs = self.slabs_of(&body);
        self.store.set(place, &body, &slabs);
        data.place(arrival.pending as usize, place);
        self.slots.set(body.key, place);
        enclose(&mut self.rows[index].bounds, &slabs);
        Some(moved)
    }

    /// The hole of a row that is nearest to a place, up to so many steps from it and no farther than
    /// the end is.
    #[inline(always)]
    pub(in crate::grid) fn nearest_hole(
        &self,
        row: &Row<D>,
        at: usize,
        most: usize,
    ) -> Option<usize> {
        let end = row.begin + row.len;
        // Look to both sides in turn.
        (0..=most.min(end - at)).find_map(|steps| {
            let (below, above) = (at.wrapping_sub(steps + 1), at + steps);
            if above < end && !self.is_live(above) {
                return Some(above);
            }
            let is_hole = row.holes > 0 && below >= row.begin && below < at && !self.is_live(below);
            is_hole.then_some(below)
        })
    }

    /// Closes the holes of a row and merges arrivals into it from its end on, leaving a gap
    /// every now and then.
    pub(in crate::grid) fn merge_from_the_end(
        &mut self,
        index: usize,
        arrivals: &[Arrival],
        data: &mut dyn MoveData,
    ) {
        self.close_holes(index, data);
        let objects = self.rows[index].len + arrivals.len();
        let len = places_for(objects);
        if len + SPARE > self.rows[index].room {
            let any = self.pending[arrivals[0].pending as usize];
            self.move_row(index, len, &any, data);
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
            let later =
                |arrival: &Arrival| left == begin || self.store.min[0][left - 1] <= arrival.first;
            if let Some(arrival) = arrivals.next_if(|arrival| later(arrival)) {
                let body = self.pending[arrival.pending as usize];
                let slabs = self.slabs_of(&body);
                self.store.set(to, &body, &slabs);
                data.place(arrival.pending as usize, to);
                enclose(&mut bounds, &slabs);
            } else {
                left -= 1;
                self.store.copy(left, to);
                data.copy(left, to);
            }
            self.slots.set(self.store.keys[to], to);
        }
        let row = &mut self.rows[index];
        (row.len, row.holes, row.bounds) = (len, len - objects, bounds);
        self.holes += len - objects;
    }

    /// Moves the objects in some places to those from `to` on; what is there besides them is a hole.
    fn shift(&mut self, places: Range<usize>, to: usize, data: &mut dyn MoveData) {
        let moved = to..to + places.len();
        self.store.shift(places.clone(), to);
        data.shift(places, to);
        for place in moved {
            self.slots.relocate(self.store.keys[place], place);
        }
    }

    /// Gives a row places at the end of the store, so many and a few more; `any` object fills
    /// those that are free.
    pub(in crate::grid) fn place_row(
        &mut self,
        row: Row<D>,
        places: usize,
        any: &Body<S, D>,
        data: &mut dyn MoveData,
    ) -> Row<D> {
        let room = room_for(places);
        let begin = self.store.len().max(SCRATCH + 1) + 1;
        self.store.grow(begin + room, any);
        data.grow(begin + room);
        self.store.set_fence(begin - 1);
        self.store.set_free(begin..begin + room);
        Row { begin, room, ..row }
    }

    /// Moves a row to the end of the store, where it has more room.
    pub(in crate::grid) fn move_row(
        &mut self,
        index: usize,
        places: usize,
        any: &Body<S, D>,
        data: &mut dyn MoveData,
    ) {
        let old = self.rows[index];
        let new = self.place_row(old, places, any, data);
        self.move_objects(&old, &new, data);
        self.unused += old.held();
        self.rows[index] = new;
    }

    /// Moves all objects of a row without holes to other places: behind it, or closer to the front.
    pub(in crate::grid) fn move_objects(
        &mut self,
        old: &Row<D>,
        new: &Row<D>,
        data: &mut dyn MoveData,
    ) {
        for offset in 0..old.len {
            self.store.copy(old.begin + offset, new.begin + offset);
            self.slots.relocate(self.store.keys[new.begin + offset], new.begin + offset);
        }
        data.shift(old.places(), new.begin);
    }

    /// Moves all objects of a row to its beginning.
    pub(in crate::grid) fn close_holes(&mut self, index: usize, data: &mut dyn MoveData) {
        let row = self.rows[index];
        let mut to = row.begin;
        for place in row.places() {
            if self.is_live(place) {
                if place != to {
                    self.store.copy(place, to);
                    data.copy(place, to);
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

/// Sorts arrivals by row, place in the row and turn.
fn sort(arrivals: &mut [Arrival]) {
    arrivals.sort_unstable_by_key(|arrival| arrival.rank());
}

/// How many places a row has that needs so many.
pub(in crate::grid) const fn room_for(places: usize) -> usize {
    places + places / 16 + SPARE
}

#[cfg(test)]
mod tests {
    use broadphase_core::{Aabb, SpatialIndex};

    use crate::grid::Hshg;
    use crate::grid::storage::row::places_for;

    #[test]
    fn arrivals_far_from_all_holes_are_merged_at_once() {
        let mut world: Hshg<f32, 1> = Hshg::new();
        let ball = |at: f32| Aabb::of_ball([at], 0.5);
        world.extend((0..10_000).map(|key| (key, ball(key as f32), ()))).expect("keys differ");
        world.optimize();
        for key in 5500..6500 {
            world.remove(key).expect("it is there");
        }
        for key in 6500..9500 {
            let at = (key - 6500) as f32 * 0.125;
            world.set_bounds(key, ball(at)).expect("it is there");
        }
        let [row] = world.core.rows[..] else { panic!("{} rows", world.core.rows.len()) };
        assert!(
            row.holes > world.core.pending.len() && row.holes <= row.len / 2,
            "they have places"
        );
        world.refresh();
        world.assert_well_formed();
        // One by one they would go through half of the row each, and leave holes where they were.
        assert_eq!(world.core.rows[0].len, places_for(9000), "all is in order again");
    }
}
