//! The static cache: the static objects near each moving object. In most steps, most objects need
//! no lookup.
//!
//! 1. Each slot of a dynamic row has a *range*: a box somewhat larger than the slabs of its object.
//!    The static objects that overlap the range are its *neighbors*.
//! 2. While the object stays in its range, its static pairs are found by testing its neighbors.
//! 3. When the object leaves its range, the entry *expires*: it gets a new range, extended in the
//!    direction of motion, and its neighbors are searched again ([`lookup`]).
//! 4. If too many entries expire, or there are too many neighbors, the cache is suspended for a
//!    growing number of sweeps.
//!
//! ```text
//!   ┌─────────────┐ range        ranges     [ a ][ b ][ · ][ c ] …     one entry per slot of the
//!   │     ┌────┐  │                                                     cached rows
//!   │     │ a ─┼→ ├──┐           neighbors  [ a, p, slabs of p ] …     a list, unordered
//!   │     └────┘  │ p│
//!   └──────────┬──┘  │
//!              └─────┘
//! ```
//!
//! An index into the ranges is an *entry*. The neighbors of a range are right for any object: if
//! sorting moves another object into a slot, the entry stays valid if the object lies in the range,
//! otherwise it expires. Only a change of static objects invalidates neighbors.
//!
//! Rows of dynamic objects far larger than the smallest static objects are swept instead.

mod lookup;
#[cfg(test)]
mod tests;
mod worker;

use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::{ControlFlow, Range};

use broadphase_core::{Keys, LANES, Pair, PairSearch, Scalar, SlabVec, Slabs};

use crate::grid::Hshg;
use crate::grid::pairs::row_index::MIN_UNCHANGED_SWEEPS;
use crate::grid::pairs::static_cache::lookup::Outside;
use crate::grid::pairs::sweep::{HITS, PairGroup};
use crate::grid::storage::row::{Class, Row, RowId, enclose, rows_of_group, rows_up_to};
use crate::grid::storage::tiers::Tier;
use worker::{Context, Worker};

/// The minimum number of static objects per moving object for which the cache is used.
const MIN_STATIC_PER_MOVER: usize = 8;
/// The margin of ranges on each side, relative to the largest size in the movers' lowest tier.
const MARGIN: f64 = 0.125;
/// The additional margin in the direction of motion since the last range, relative to that size.
// Rejected: 0.25 on each side and 0 ahead (+12 % with equal sizes, +5 % with mixed sizes); 0.25 and
// 0.5 (equal and +11 %).
const AHEAD: f64 = 0.375;
/// The cache serves moving objects up to this number of tiers above the lowest static tier.
const MAX_TIERS_ABOVE: i32 = 1;
/// The minimum number of objects in the grid per cached neighbor.
const OBJECTS_PER_NEIGHBOR: usize = 2;
/// The maximum work of one refill, per object in the grid; more takes longer than a sweep.
const MAX_WORK_PER_OBJECT: usize = 4;
/// The number of sweeps for which the cache is suspended: initial value and maximum.
const SKIPPED_SWEEPS: [u32; 2] = [16, 1024];

/// The ranges of moving objects and their static neighbors.
#[derive(Clone, Debug)]
pub(crate) struct StaticCache<const D: usize> {
    /// The entries of the cached rows: the first rows, with dynamic objects that are not too large.
    row_entries: Vec<RowEntries<D>>,
    /// Scratch buffer: the next value of `row_entries`.
    next_row_entries: Vec<RowEntries<D>>,
    /// The range of each entry, at first [`Slabs::PADDING`].
    ranges: SlabVec<D>,
    /// For each entry, the low corner that its object had when the entry got its range.
    last_begin: Vec<[i32; D]>,
    /// For each entry, whether its neighbors are to be dropped: it expired or has no row.
    stale: Vec<bool>,
    /// The static neighbors of all entries, unordered.
    neighbors: Vec<Neighbor<D>>,
    expired: Vec<Expired<D>>,
    /// Scratch buffer: slots of a row whose slabs are outside the range of their entry, with the
    /// entry.
    outside: Vec<[u32; 2]>,
    /// The tiers with static objects, each with its range of rows.
    tiers: Vec<(Tier, Range<usize>)>,
    /// The buffers of the threads that search neighbors.
    workers: Vec<Worker<D>>,
    /// The running cost: each sweep adds `3 * expired - movers`, so it grows while more than a
    /// third of the entries expire.
    cost_balance: isize,
    /// The number of sweeps for which the cache remains suspended.
    skip: u32,
    /// The length of the next suspension.
    skip_next: u32,
}

impl<const D: usize> Default for StaticCache<D> {
    fn default() -> Self {
        Self {
            row_entries: Vec::new(),
            next_row_entries: Vec::new(),
            ranges: SlabVec::new(),
            last_begin: Vec::new(),
            stale: Vec::new(),
            neighbors: Vec::new(),
            expired: Vec::new(),
            outside: Vec::new(),
            tiers: Vec::new(),
            workers: Vec::new(),
            cost_balance: 0,
            skip: 0,
            skip_next: SKIPPED_SWEEPS[0],
        }
    }
}

/// The entries of a row, one for each of its slots, including free slots.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RowEntries<const D: usize> {
    id: RowId<D>,
    begin: usize,
    room: usize,
    /// The entry of the first slot of the row.
    entry: usize,
}

impl<const D: usize> RowEntries<D> {
    /// Returns whether these are the entries of a row which still has the same slots.
    fn is_of(&self, row: &Row<D>) -> bool {
        (self.id, self.begin, self.room) == (row.id, row.begin, row.room)
    }

    const fn entries(&self) -> Range<usize> {
        self.entry..self.entry + self.room
    }
}

/// A static object in the range of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Neighbor<const D: usize> {
    entry: u32,
    /// The slot of the moving object.
    mover: u32,
    /// The slot of the static object, and its slabs (`slabs`).
    slot: u32,
    slabs: Slabs<D>,
}

/// An expired entry with its new range.
#[derive(Clone, Copy, Debug)]
struct Expired<const D: usize> {
    entry: u32,
    slot: u32,
    range: Slabs<D>,
}

impl<const D: usize> StaticCache<D> {
    /// Returns the number of cached rows; these are the first rows.
    pub(crate) const fn rows(&self) -> usize {
        self.row_entries.len()
    }

    /// Returns the number of neighbors to test for a group of row pairs.
    pub(super) const fn len(&self, group: PairGroup) -> usize {
        match group {
            PairGroup::Moving => self.neighbors.len(),
            PairGroup::Resting => 0,
        }
    }

    pub(crate) fn memory_use(&self) -> usize {
        (self.row_entries.capacity() + self.next_row_entries.capacity())
            * size_of::<RowEntries<D>>()
            + self.ranges.memory_use()
            + self.last_begin.capacity() * size_of::<[i32; D]>()
            + self.stale.capacity()
            + self.neighbors.capacity() * size_of::<Neighbor<D>>()
            + self.expired.capacity() * size_of::<Expired<D>>()
            + self.outside.capacity() * size_of::<[u32; 2]>()
            + self.tiers.capacity() * size_of::<(Tier, Range<usize>)>()
            + self.workers.capacity() * size_of::<Worker<D>>()
            + self.workers.iter().map(Worker::memory_use).sum::<usize>()
    }

    fn clear(&mut self) {
        self.row_entries.clear();
        self.ranges.clear();
        self.last_begin.clear();
        self.stale.clear();
        self.neighbors.clear();
    }

    /// Clears the cache and its cost history.
    pub(crate) fn reset(&mut self) {
        self.clear();
        (self.cost_balance, self.skip, self.skip_next) = (0, 0, SKIPPED_SWEEPS[0]);
    }

    /// Clears the cache and suspends it, each time for twice as long, up to a maximum.
    fn suspend(&mut self) {
        self.clear();
        (self.cost_balance, self.skip) = (0, self.skip_next);
        self.skip_next = SKIPPED_SWEEPS[1].min(2 * self.skip_next);
    }

    /// Assigns an entry to each slot of `rows`, which must be sorted by id. Rows with the same
    /// slots retain their entries; other entries become stale.
    fn assign_entries(&mut self, rows: &[Row<D>]) {
        let is_same = |(of_row, row): (&RowEntries<D>, &Row<D>)| of_row.is_of(row);
        if self.row_entries.len() == rows.len() && self.row_entries.iter().zip(rows).all(is_same) {
            return;
        }
        let room: usize = rows.iter().map(|row| row.room).sum();
        if self.ranges.len() > 2 * room + LANES {
            self.clear();
        }
        self.next_row_entries.clear();
        let mut used = self.stale.len();
        let mut row_entries = self.row_entries.iter().peekable();
        for row in rows {
            while row_entries.next_if(|of_row| of_row.id < row.id).is_some() {}
            let of_row = row_entries.next_if(|of_row| of_row.is_of(row)).copied();
            self.next_row_entries.push(of_row.unwrap_or_else(|| {
                let entry = used;
                used += row.room;
                RowEntries { id: row.id, begin: row.begin, room: row.room, entry }
            }));
        }
        core::mem::swap(&mut self.row_entries, &mut self.next_row_entries);
        self.stale.clear();
        self.stale.resize(used, true);
        for of_row in &self.row_entries {
            self.stale[of_row.entries()].fill(false);
        }
        // Padding for kernels, which read a whole block even at the last entry.
        (self.ranges.len()..used + LANES).for_each(|_| self.ranges.push(Slabs::PADDING));
        self.last_begin.resize(used, [0; D]);
    }

    /// Adds the expired entries to the running cost. Returns whether the cache is worthwhile for
    /// this number of moving objects.
    fn pays(&mut self, movers: usize) -> bool {
        let (movers, expired) = (movers as isize, self.expired.len() as isize);
        let least = -8 * movers;
        self.cost_balance = (self.cost_balance + 3 * expired - movers).max(least);
        if self.cost_balance == least {
            self.skip_next = SKIPPED_SWEEPS[0];
        }
        self.cost_balance <= 6 * movers
    }

    /// Drops the neighbors of stale entries. Expired entries, which have new ranges, are then
    /// valid.
    fn drop_stale(&mut self) {
        let Self { neighbors, stale, expired, .. } = self;
        neighbors.retain(|neighbor| !stale[neighbor.entry as usize]);
        for item in expired {
            stale[item.entry as usize] = false;
        }
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Updates the cache before a sweep, or clears it if static objects have changed recently or it
    /// is not worthwhile.
    pub(super) fn update_static_cache(&mut self) {
        if self.row_pairs.unchanged_sweeps < MIN_UNCHANGED_SWEEPS {
            self.static_cache.clear();
            return;
        }
        if self.row_pairs.known(PairGroup::Moving).is_some() {
            return;
        }
        let mut cache = core::mem::take(&mut self.static_cache);
        if cache.skip > 0 {
            cache.skip -= 1;
        } else {
            self.refill_static_cache(&mut cache);
        }
        self.static_cache = cache;
    }

    fn refill_static_cache(&mut self, cache: &mut StaticCache<D>) {
        let objects = |rows: &[Row<D>]| rows.iter().map(Row::objects).sum::<usize>();
        let statics = &self.rows[rows_up_to(&self.rows, Class::Sleeping)..];
        let lowest = statics.iter().find(|row| row.objects() > 0);
        let most = lowest.map(|row| row.id.tier.saturating_add(MAX_TIERS_ABOVE));
        let suits = |tier: &&Tier| Some(tier.number) <= most && tier.limit.is_finite();
        let highest = self.tiers.iter().rev().find(suits).map(|tier| tier.number);
        let movers = &self.rows[..rows_up_to(&self.rows, Class::Dynamic)];
        let rows = &movers[..movers.partition_point(|row| Some(row.id.tier) <= highest)];
        let movers = objects(rows);
        if movers == 0 || MIN_STATIC_PER_MOVER * movers > objects(statics) {
            cache.clear();
            return;
        }
        cache.assign_entries(rows);
        self.find_expired(cache);
        cache.drop_stale();
        if !(cache.pays(movers) && self.find_static_neighbors(cache)) {
            cache.suspend();
        }
    }

    /// Gives objects outside their ranges new ranges, and lists their entries as expired.
    fn find_expired(&self, cache: &mut StaticCache<D>) {
        let StaticCache { row_entries, ranges, last_begin, stale, expired, outside, .. } = cache;
        let rows = &self.rows[..row_entries.len()];
        let lowest = rows.iter().find(|row| row.objects() > 0).expect("a dynamic object exists");
        let [margin, ahead] = self.range_margins(lowest.id.tier);
        expired.clear();
        for (row, of_row) in rows.iter().zip(&*row_entries) {
            outside.clear();
            let planes = [self.store.planes(), ranges.planes()];
            let begins = [row.begin, of_row.entry];
            self.backend.dispatch(Outside { planes, begins, len: row.len, found: outside });
            for &[slot, entry] in &*outside {
                if self.store.is_like_hole(slot as usize) && !(S::INTEGER && D == 1) {
                    continue;
                }
                let slabs = self.store.slabs(slot as usize);
                let last_begin = &mut last_begin[entry as usize];
                let is_first = ranges.get(entry as usize) == Slabs::PADDING;
                let direction =
                    if is_first { [0.0; D] } else { direction(last_begin, &slabs.min, ahead) };
                *last_begin = slabs.min;
                let range = enlarged_range(&slabs, margin, &direction);
                ranges.set(entry as usize, range);
                stale[entry as usize] = true;
                expired.push(Expired { entry, slot, range });
            }
        }
    }

    /// Returns the margins of ranges, on every side and ahead; `tier` is the lowest with moving
    /// objects.
    fn range_margins(&self, tier: i32) -> [S; 2] {
        let tier = self.tiers.iter().find(|known| known.number == tier);
        let limit = tier.expect("the tier of a row exists").limit;
        [MARGIN, AHEAD].map(|factor| {
            let margin = limit * factor;
            let margin = S::from_f64(if S::INTEGER { margin.max(1.0) } else { margin });
            if margin.is_finite() { margin } else { S::ZERO }
        })
    }

    /// Finds the static neighbors of expired entries; returns `false` if there are too many
    /// neighbors, or too many lookups and candidates.
    fn find_static_neighbors(&self, cache: &mut StaticCache<D>) -> bool {
        let StaticCache { neighbors, expired, workers, tiers, .. } = cache;
        tiers.clear();
        for tier in &self.tiers {
            let rows = rows_of_group(&self.rows, Class::Static, tier.number);
            if !rows.is_empty() {
                tiers.push((*tier, rows));
            }
        }
        let context = Context {
            backend: self.backend,
            planes: self.store.planes(),
            rows: &self.rows,
            row_index: &self.row_pairs.row_index,
            tiers,
            expired,
            max_neighbors: self.len / OBJECTS_PER_NEIGHBOR,
            max_work: MAX_WORK_PER_OBJECT * self.len,
        };
        worker::refill_all::<S, D>(workers, &context, neighbors)
    }

    /// Asserts that the cache equals the static objects in all ranges.
    pub(crate) fn assert_static_cache_valid(&self) {
        let StaticCache { row_entries, ranges, neighbors, .. } = &self.static_cache;
        // The next update will clear the cache.
        if self.row_pairs.static_changed {
            return;
        }
        let mut expected = Vec::new();
        for (of_row, offset) in
            row_entries.iter().flat_map(|row| (0..row.room).map(move |n| (row, n)))
        {
            let [entry, mover] = [of_row.entry, of_row.begin].map(|first| (first + offset) as u32);
            let range = ranges.get(entry as usize);
            let is_one = range != Slabs::PADDING;
            let clip = |row: &Row<D>| (row.id.class == Class::Static && is_one).then_some(range);
            let _ = self.scan_rows(&range, None, clip, &mut |slots| {
                expected.extend(slots.iter().map(|&slot| [entry, mover, slot]));
                ControlFlow::Continue(())
            });
        }
        let mut known = Vec::new();
        for &Neighbor { entry, mover, slot, slabs } in neighbors {
            assert_eq!(slabs, self.store.slabs(slot as usize), "static slabs are unchanged");
            // A hole can be reported to overlap a range of all numbers.
            if self.is_live(slot as usize) {
                known.push([entry, mover, slot]);
            }
        }
        known.sort_unstable();
        expected.sort_unstable();
        assert_eq!(known, expected, "entries, movers and static neighbors");
    }

    /// Tests a range of the cached neighbors and appends the keys of accepted pairs to `found`.
    pub(super) fn sweep_static_cache(
        &self,
        range: Range<usize>,
        mut recorded: Option<&mut Vec<[u32; 2]>>,
        search: &PairSearch<'_, S>,
        found: &mut Vec<Pair>,
    ) {
        let planes = self.store.planes().of_one_length();
        let mut hits = [[0; 2]; HITS];
        for some in self.static_cache.neighbors[range].chunks(HITS) {
            let mut filled = 0;
            for &Neighbor { mover, slot, slabs, .. } in some {
                hits[filled] = [mover, slot];
                // Branch-free, because the outcome is unpredictable.
                filled += usize::from(planes.get(mover as usize).overlaps(&slabs));
            }
            self.emit_hits(&mut hits[..filled], recorded.as_deref_mut(), search, found);
        }
    }
}

/// Returns the motion between two low corners, with `ahead` as its largest component.
fn direction<S: Scalar, const D: usize>(
    last_begin: &[i32; D],
    begins: &[i32; D],
    ahead: S,
) -> [f64; D] {
    let number = |key: i32| S::from_key(key).to_f64();
    let direction: [f64; D] = from_fn(|axis| number(begins[axis]) - number(last_begin[axis]));
    let longest =
        direction.iter().fold(0.0, |longest: f64, direction| longest.max(direction.abs()));
    let factor = ahead.to_f64() / longest;
    // Not finite if the object did not move.
    direction.map(|direction| if factor.is_finite() { direction * factor } else { 0.0 })
}

/// Returns slabs enlarged by a margin on every side and extended in a direction.
fn enlarged_range<S: Scalar, const D: usize>(
    slabs: &Slabs<D>,
    margin: S,
    direction: &[f64; D],
) -> Slabs<D> {
    let mut range = *slabs;
    for axis in 0..D {
        let [min, max] = [slabs.min[axis], slabs.max[axis]].map(S::from_key);
        let [back, on] =
            [-direction[axis], direction[axis]].map(|direction| S::from_f64(direction.max(0.0)));
        range.min[axis] = min.minus(margin).minus(back).canonical().key_below();
        range.max[axis] = max.plus(margin).plus(on).canonical().key_above();
    }
    // Rounding could make the range smaller than the slabs.
    enclose(&mut range, slabs);
    range
}
