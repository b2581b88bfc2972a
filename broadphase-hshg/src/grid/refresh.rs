//! Upkeep: brings rows up to date, and looks at sizes and density now and then.

use alloc::vec::Vec;

use broadphase_core::{Scalar, Slabs};

use super::Hshg;
use super::level::{Tier, exponent, power, size};
use super::merge::room_for;
use super::row::{GAP, Row, SPARE, enclose, places_for, sort_as_stored};
use super::store::{SCRATCH, Store};

/// So many sizes tell enough of all.
const SAMPLE: usize = 2000;

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Puts everything where it belongs, so that pairs can be swept.
    pub(super) fn refresh(&mut self) {
        let tunes = self.tuned == 0 || !self.manual;
        if !self.pending.is_empty() && self.is_out_of_tune() && tunes {
            self.rebuild();
            return;
        }
        if !self.manual {
            self.narrow_rows();
            self.follow_strays();
        }
        self.enclose_rows();
        if !self.pending.is_empty() {
            self.merge_pending();
        }
        if !self.manual && self.is_wasteful() {
            self.close_ranks();
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
    pub(super) fn is_out_of_tune(&self) -> bool {
        self.len > 2 * self.tuned || self.len < self.tuned / 4
    }

    /// Chooses levels and rows for all objects anew.
    pub(super) fn rebuild(&mut self) {
        self.tune();
        self.merge_pending();
        // What was needed for all is far too much for those that come later.
        self.pending = Vec::new();
        self.arrivals = Vec::new();
        self.spacing = self.typical_spacing();
    }

    /// Looks at the sizes of all objects and chooses tiers and rows for them anew.
    fn tune(&mut self) {
        self.take_apart();
        self.tuned = self.len;
        self.sizes = self.config.tiers(|| {
            let step = self.pending.len().div_ceil(SAMPLE).max(1);
            let sizes = self.pending.iter().step_by(step);
            sizes.map(|body| size::<S, D>(&self.slabs_of(body))).collect()
        });
    }

    /// Sends all objects to wait for rows of another kind.
    pub(super) fn take_apart(&mut self) {
        self.pending.reserve_exact(self.len - self.pending.len());
        for row in core::mem::take(&mut self.rows) {
            self.dissolve(&row);
        }
        self.joins.forget();
        self.wear.made();
        (self.holes, self.unused, self.tuned) = (0, 0, 0);
        self.store.clear();
        self.tiers.clear();
        self.rows_changed = true;
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
        self.unused += row.held();
    }

    /// Makes the rows of tiers narrower in which sweeps found too many neighbours.
    fn narrow_rows(&mut self) {
        for index in 0..self.tiers.len() {
            let Tier { number, side, narrowest, crowded, .. } = self.tiers[index];
            self.tiers[index].crowded = false;
            let half = side * 0.5;
            if !crowded || half < narrowest {
                continue;
            }
            self.tiers[index] = Tier::new::<S>(self.sizes, number, [half, narrowest]);
            self.joins.forget();
            let rows = core::mem::take(&mut self.rows);
            for row in rows.iter().filter(|row| row.id.tier == number) {
                self.dissolve(row);
            }
            self.rows = rows;
            self.rows.retain(|row| row.id.tier != number);
            self.rows_changed = true;
        }
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
    pub(super) fn open_tier(&mut self, number: i32) -> usize {
        self.tiers.binary_search_by_key(&number, |tier| tier.number).unwrap_or_else(|place| {
            let all = self.pending.iter().map(|body| self.slabs_of(body));
            let same = all.filter(|slabs| self.sizes.tier(size::<S, D>(slabs)) == number);
            let sides = sides::<S, D>(same, self.sizes.limit(number));
            self.tiers.insert(place, Tier::new::<S>(self.sizes, number, sides));
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
        tier.holds::<S, D>(self.sizes, slabs, &row.id)
    }

    /// Moves rows, as they are stored, up to the one before, so that no place is unused, and drops
    /// those without objects; takes no memory.
    fn close_ranks(&mut self) {
        let mut stored = core::mem::take(&mut self.stored);
        stored.clear();
        stored
            .extend((0..).zip(&self.rows).filter(|(_, row)| row.room > 0).map(|(index, _)| index));
        sort_as_stored(&mut stored, &self.rows);
        let mut end = SCRATCH + 1;
        for index in stored.iter().map(|&index| index as usize) {
            self.close_holes(index);
            let old = self.rows[index];
            if old.len == 0 {
                continue;
            }
            let places = places_for(old.len);
            let row = Row { begin: end + 1, room: old.room.min(room_for(places)), ..old };
            self.move_objects(&old, &row);
            self.store.set_fence(end);
            end = row.begin + row.room;
            self.store.set_free(row.begin + row.len..end);
            self.rows[index] = row;
            if places + SPARE <= row.room {
                self.merge_from_the_end(index, &[]);
            }
        }
        self.store.truncate(end);
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
    pub(super) fn compact(&mut self) {
        for index in 0..self.rows.len() {
            self.close_holes(index);
        }
        self.drop_empty_rows();
        self.joins.forget();
        let new = Store::new(self.store.skinned);
        let old = core::mem::replace(&mut self.store, new);
        let rooms = self.rows.iter().map(|row| room_for(places_for(row.len)) + 1);
        self.store.reserve(rooms.sum::<usize>() + SCRATCH + 1);
        self.unused = 0;
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            let len = places_for(row.len);
            let new = self.place_row(row, len, &old.body(row.begin, 0));
            let mut from = row.begin;
            for to in new.begin..new.begin + len {
                if (to - new.begin) % GAP == GAP - 1 {
                    let before = self.store.min[0][to - 1];
                    self.store.set_hole(to, before);
                    continue;
                }
                self.store.set(to, &old.body(from, 0), &old.slabs(from));
                self.slots.relocate(self.store.keys[to], to);
                from += 1;
            }
            self.holes += len - row.len;
            self.rows[index] = Row { len, holes: len - row.len, ..new };
        }
    }
}

/// Log2 of how many times as wide rows may be as it is from one object to the next.
const WIDEST: i32 = 3;

/// Rows narrower than so many of their objects side by side have more neighbours, and less to sweep
/// at once, than they save tests: in a crowd of equal balls a tick takes up to two and a half times
/// as long.
const NARROWEST: f64 = 3.0;

/// The side of rows for such objects, and how narrow they may become. About one of them should begin
/// in a row while another lasts, and none may be larger. Where they are far apart, rows are not so
/// wide that a query had to look at much that is not near.
fn sides<S: Scalar, const D: usize>(all: impl Iterator<Item = Slabs<D>>, limit: f64) -> [f64; 2] {
    let (mut widths, mut count, mut world) = ([0.0; D], 0.0, Slabs::PADDING);
    for slabs in all {
        count += 1.0;
        for (axis, width) in widths.iter_mut().enumerate() {
            *width += f64::from(S::key_extent(slabs.min[axis], slabs.max[axis]));
        }
        enclose(&mut world, &slabs);
    }
    // widths[0] / extent objects begin or last per unit of length, spread over the other axes.
    let extent =
        |axis: usize| f64::from(S::key_extent(world.min[axis], world.max[axis])).max(limit);
    let mut section = 1.0 / (widths[0] / extent(0)).max(1e-9);
    for axis in 1..D {
        section *= extent(axis);
    }
    let volume = (0..D).map(extent).product::<f64>();
    let spacing = exponent(volume / count) / D as i32;
    let wide = match D {
        1 => limit,
        2 => power(exponent(section)),
        _ => power(exponent(section) / 2 + 1),
    };
    let across = widths[1..].iter().fold(0.0, |most: f64, &width| most.max(width)) / count;
    [wide.min(power(spacing + WIDEST)).max(limit), NARROWEST * across]
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::array::from_fn;

    use broadphase_core::{Aabb, SpatialIndex};

    use super::Hshg;

    /// How wide the rows of the smallest tier are at first, and once sweeps have found a crowd of
    /// 16 by 16 by 16 balls among others that are far apart.
    fn sides_around_a_crowd(radius: impl Fn(u32) -> f32) -> [f64; 2] {
        let mut world: Hshg<f32, 3> = Hshg::new();
        for key in 0..8192 {
            let far = if key < 4096 { 4.0 } else { 100.0 };
            let at = from_fn(|axis| far * (key >> (4 * axis) & 15) as f32);
            world.insert(key, Aabb::of_ball(at, radius(key)), ()).expect("a free key");
        }
        world.optimize();
        let (mut pairs, before) = (Vec::new(), world.tiers[0].side);
        for _ in 0..8 {
            world.pairs_unordered_into(&mut pairs);
            world.update(|_, (), _| ()).expect("nothing is invalid");
        }
        world.assert_well_formed();
        [before, world.tiers[0].side]
    }

    #[test]
    fn a_crowd_makes_rows_narrower_until_few_are_side_by_side() {
        // Three of them take 36, and half of 64 is less.
        assert_eq!(sides_around_a_crowd(|_| 6.0), [512.0, 64.0]);
        // Where most are far smaller than the largest, rows become as narrow as the tier allows.
        assert_eq!(
            sides_around_a_crowd(|key| if key % 16 == 0 { 6.0 } else { 1.0 }),
            [512.0, 16.0]
        );
    }
}
