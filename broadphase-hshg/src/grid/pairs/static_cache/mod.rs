//! What static objects are around those that move, remembered.
//!
//! Each dynamic object gets a *range*, a box somewhat larger than its slabs, and it is found out
//! once which static ones overlap it. As long as it stays in its range, that is all it can meet of
//! them; when it has left it, it gets another one, which reaches ahead the way it went. So most
//! ticks most objects look for nothing.
//!
//! ```text
//!   ┌─────────────┐ range        ranges   [ a ][ b ][ · ][ c ] …    a spot for each place of the
//!   │     ┌────┐  │                                                 rows of those that move
//!   │     │ a ─┼→ ├──┐           near     [ a, p, slabs of p ] …    a list, in any order
//!   │     └────┘  │ p│
//!   └──────────┬──┘  │
//!              └─────┘
//! ```
//!
//! A place is an index into the store, a *spot* one into the ranges. That something static is in a
//! box, or nothing is, is true whoever moves there. So a range is not of an object, but of a spot;
//! whoever comes to be there, by whatever change of rows, may use it if he is in it, and gets
//! another one if not. Nothing but a change of what is static makes it untrue.
//!
//! Those that are far larger than the smallest of what is static are swept with it as without all
//! this.

mod lookup;
#[cfg(test)]
mod tests;
mod worker;

use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::{ControlFlow, Range};

use broadphase_core::{LANES, Scalar, SlabVec, Slabs};

use crate::grid::Core;
use crate::grid::pairs::row_index::MIN_UNCHANGED_SWEEPS;
use crate::grid::pairs::row_pairs::RESTING;
use crate::grid::pairs::sink::PairSink;
use crate::grid::pairs::static_cache::lookup::Outside;
use crate::grid::pairs::sweep::HITS;
use crate::grid::storage::row::{Row, RowId, STATIC, count_rows_of, enclose, rows_of_group};
use crate::grid::storage::store::is_like_hole;
use crate::grid::storage::tiers::Tier;
use worker::{Context, Worker};

/// It pays if so many times as many objects are static as move.
const MIN_STATIC_PER_MOVER: usize = 8;
/// Ranges are larger than the slabs in them by this part of the limit of the lowest tier of those
/// that move, on every side.
const MARGIN: f64 = 0.125;
/// And by this part more where an object went since it got its last range.
// A quarter on every side and none ahead: an eighth slower where all are of one size, a twentieth
// where sizes are mixed. A quarter and a half: no faster there, a ninth slower here.
const AHEAD: f64 = 0.375;
/// Those that move are at most in so many tiers above the lowest one of what is static.
const MAX_TIERS_ABOVE: i32 = 1;
/// More near those that move than one for so many objects are too many to remember.
const OBJECTS_PER_NEIGHBOR: usize = 2;
/// More looks, and candidates seen in them, than so many for each object take longer than to sweep.
const MAX_WORK_PER_OBJECT: usize = 4;
/// In how many sweeps it is not tried again after it has not paid, at first and at most.
const SKIPPED_SWEEPS: [u32; 2] = [16, 1024];

/// What is known around those that move.
#[derive(Clone, Debug)]
pub(in crate::grid) struct StaticCache<const D: usize> {
    /// Where the spots of the first rows are, those of dynamic objects that are not too large.
    row_entries: Vec<RowEntries<D>>,
    /// The same as it is now to become.
    next_row_entries: Vec<RowEntries<D>>,
    /// The range of each spot; of those that had none yet, nothing.
    ranges: SlabVec<D>,
    /// Where the object of each spot began when it got its range.
    last_begin: Vec<[i32; D]>,
    /// Of all spots, whether what is near them is to be forgotten: that of spots that were left
    /// since the last sweep, or that no row has any more.
    stale: Vec<bool>,
    /// What is static in ranges.
    neighbors: Vec<Neighbor<D>>,
    /// Those that have left their ranges since they were looked at last.
    expired: Vec<Expired<D>>,
    /// Of places of a row that are not in their ranges, each with its spot.
    outside: Vec<[u32; 2]>,
    /// The tiers in which something is static, and which rows that is in.
    tiers: Vec<(Tier, Range<usize>)>,
    /// Who finds out what is static in new ranges.
    workers: Vec<Worker<D>>,
    /// By how much more than every third object has left its range in each sweep, three times.
    cost_balance: isize,
    /// In how many sweeps it is not to be tried again.
    skip: u32,
    /// How many it will be the next time.
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

/// A row and its spots: one for each of its places, free ones included.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RowEntries<const D: usize> {
    id: RowId<D>,
    begin: usize,
    room: usize,
    /// The spot of its first place.
    entry: usize,
}

impl<const D: usize> RowEntries<D> {
    /// Whether a row is where it was when it got its spots.
    fn is_of(&self, row: &Row<D>) -> bool {
        (self.id, self.begin, self.room) == (row.id, row.begin, row.room)
    }

    const fn entries(&self) -> Range<usize> {
        self.entry..self.entry + self.room
    }
}

/// Something static in the range of a spot.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Neighbor<const D: usize> {
    entry: u32,
    /// The place of the spot.
    mover: u32,
    /// The place of what is static, and its slabs.
    slot: u32,
    slabs: Slabs<D>,
}

/// An object that has left its range, and gets another one.
#[derive(Clone, Copy, Debug)]
struct Expired<const D: usize> {
    entry: u32,
    slot: u32,
    range: Slabs<D>,
}

impl<const D: usize> StaticCache<D> {
    /// Of how many rows, the first ones, it is known what is around their objects.
    pub(in crate::grid) const fn rows(&self) -> usize {
        self.row_entries.len()
    }

    /// How much is known to be around those that move, for a part of the joins.
    pub(in crate::grid) const fn len(&self, group: usize) -> usize {
        if group == RESTING { 0 } else { self.neighbors.len() }
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
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

    /// Forgets it all.
    fn clear(&mut self) {
        self.row_entries.clear();
        self.ranges.clear();
        self.last_begin.clear();
        self.stale.clear();
        self.neighbors.clear();
    }

    /// Forgets it all, also that it did not pay.
    pub(in crate::grid) fn reset(&mut self) {
        self.clear();
        (self.cost_balance, self.skip, self.skip_next) = (0, 0, SKIPPED_SWEEPS[0]);
    }

    /// Forgets it all, as it does not pay, and waits for longer each time.
    fn suspend(&mut self) {
        self.clear();
        (self.cost_balance, self.skip) = (0, self.skip_next);
        self.skip_next = SKIPPED_SWEEPS[1].min(2 * self.skip_next);
    }

    /// Makes spots for rows, ascending by id, if they are others than before.
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
        // What reads eight lanes from the last one on reads padding.
        (self.ranges.len()..used + LANES).for_each(|_| self.ranges.push(Slabs::PADDING));
        self.last_begin.resize(used, [0; D]);
    }

    /// Whether it pays to remember, with so many objects that move.
    fn pays(&mut self, movers: usize) -> bool {
        let (movers, expired) = (movers as isize, self.expired.len() as isize);
        let least = -8 * movers;
        self.cost_balance = (self.cost_balance + 3 * expired - movers).max(least);
        if self.cost_balance == least {
            self.skip_next = SKIPPED_SWEEPS[0];
        }
        self.cost_balance <= 6 * movers
    }

    /// Forgets what is near stale spots.
    fn drop_stale(&mut self) {
        let Self { neighbors, stale, expired, .. } = self;
        neighbors.retain(|neighbor| !stale[neighbor.entry as usize]);
        for item in expired {
            stale[item.entry as usize] = false;
        }
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Brings up to date what is static around those that move, where that pays.
    pub(in crate::grid) fn update_static_cache(&mut self) {
        if self.row_pairs.unchanged_sweeps < MIN_UNCHANGED_SWEEPS {
            self.static_cache.clear();
            return;
        }
        if self.row_pairs.caches[0].known().is_some() {
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
        let statics = &self.rows[count_rows_of(&self.rows, STATIC)..];
        let lowest = statics.iter().find(|row| row.objects() > 0);
        let most = lowest.map(|row| row.id.tier.saturating_add(MAX_TIERS_ABOVE));
        let suits = |tier: &&Tier| Some(tier.number) <= most && tier.limit.is_finite();
        let highest = self.tiers.iter().rev().find(suits).map(|tier| tier.number);
        let movers = &self.rows[..count_rows_of(&self.rows, 1)];
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

    /// Finds those that are not in their ranges, and gives them others.
    fn find_expired(&self, cache: &mut StaticCache<D>) {
        let StaticCache { row_entries, ranges, last_begin, stale, expired, outside, .. } = cache;
        let rows = &self.rows[..row_entries.len()];
        let lowest = rows.iter().find(|row| row.objects() > 0).expect("something moves");
        let [margin, ahead] = self.range_margins(lowest.id.tier);
        expired.clear();
        for (row, of_row) in rows.iter().zip(&*row_entries) {
            outside.clear();
            let planes = [self.store.planes(), ranges.planes()];
            let begins = [row.begin, of_row.entry];
            self.backend.dispatch(Outside { planes, begins, len: row.len, found: outside });
            for &[slot, entry] in &*outside {
                let (min, max) = (&self.store.min, &self.store.max);
                let is_hole = is_like_hole::<S, _, D>(min, max, slot as usize);
                if is_hole && !(S::INTEGER && D == 1) {
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

    /// By how much ranges are larger than slabs, and how much more they may be where an object went,
    /// if the lowest tier of those that move is this one.
    fn range_margins(&self, tier: i32) -> [S; 2] {
        let tier = self.tiers.iter().find(|known| known.number == tier);
        let limit = tier.expect("the tier of a row is known").limit;
        [MARGIN, AHEAD].map(|factor| {
            let margin = limit * factor;
            let margin = S::from_f64(if S::INTEGER { margin.max(1.0) } else { margin });
            if margin.is_finite() { margin } else { S::ZERO }
        })
    }

    /// Finds what is static in the ranges of those that have left theirs; yields whether that is
    /// not too much to remember, and was not too hard.
    fn find_static_neighbors(&self, cache: &mut StaticCache<D>) -> bool {
        let StaticCache { neighbors, expired, workers, tiers, .. } = cache;
        tiers.clear();
        for tier in &self.tiers {
            let rows = rows_of_group(&self.rows, STATIC, tier.number);
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

    /// Checks that what is remembered is what is static around those that move.
    pub(in crate::grid) fn assert_static_cache_valid(&self) {
        let StaticCache { row_entries, ranges, neighbors, .. } = &self.static_cache;
        // Who looks next forgets them.
        if self.row_pairs.static_changed {
            return;
        }
        let mut known: Vec<_> =
            neighbors.iter().map(|neighbor| (neighbor.entry, neighbor.slot)).collect();
        known.sort_unstable();
        let mut known = known.into_iter().peekable();
        let mut row_entries: Vec<_> = row_entries.iter().collect();
        row_entries.sort_unstable_by_key(|of_row| of_row.entry);
        for entry in row_entries.iter().flat_map(|of_row| of_row.entries()) {
            let range = ranges.get(entry);
            let mut all = Vec::new();
            let is_one = range != Slabs::PADDING;
            let clip = |row: &Row<D>| (row.id.class == STATIC && is_one).then_some(range);
            let _ = self.scan_rows(&range, None, clip, &mut |slots| {
                all.extend_from_slice(slots);
                ControlFlow::Continue(())
            });
            all.sort_unstable();
            let of_entry =
                core::iter::from_fn(|| known.next_if(|neighbor| neighbor.0 as usize == entry));
            let found: Vec<_> = of_entry.map(|neighbor| neighbor.1).collect();
            // A hole may seem to overlap a range in which all numbers are.
            let live = |slots: Vec<u32>| -> Vec<u32> {
                slots.into_iter().filter(|&slot| self.is_live(slot as usize)).collect()
            };
            assert_eq!(live(found), live(all), "what is static near spot {entry}");
        }
        assert_eq!(known.next(), None, "nothing is near a spot that nobody has");
        for neighbor in neighbors {
            let index = row_entries
                .partition_point(|of_row| of_row.entries().end <= neighbor.entry as usize);
            let offset = neighbor.entry as usize - row_entries[index].entry;
            assert_eq!(
                row_entries[index].begin + offset,
                neighbor.mover as usize,
                "spots are of places"
            );
            assert_eq!(
                neighbor.slabs,
                self.store.slabs(neighbor.slot as usize),
                "it has not moved"
            );
        }
    }

    /// Visits those who meet something static of which it is known that it is around them: in a
    /// stretch of what is known.
    pub(in crate::grid) fn sweep_static_cache(
        &self,
        range: Range<usize>,
        mut recorded: Option<&mut Vec<[u32; 2]>>,
        sink: &mut PairSink<'_, S, D>,
    ) -> ControlFlow<()> {
        let planes = self.store.planes().of_one_length();
        let mut hits = [[0; 2]; HITS];
        for some in self.static_cache.neighbors[range].chunks(HITS) {
            let mut filled = 0;
            for &Neighbor { mover, slot, slabs, .. } in some {
                hits[filled] = [mover, slot];
                // Nobody can guess it.
                filled += usize::from(planes.get(mover as usize).overlaps(&slabs));
            }
            self.emit_hits(&mut hits[..filled], recorded.as_deref_mut(), sink)?;
        }
        ControlFlow::Continue(())
    }
}

/// The way from where an object began to where it begins now, as far as `ahead` on the axis on which
/// it is longest.
fn direction<S: Scalar, const D: usize>(
    last_begin: &[i32; D],
    begins: &[i32; D],
    ahead: S,
) -> [f64; D] {
    let number = |key: i32| S::of_key(key).to_f64();
    let direction: [f64; D] = from_fn(|axis| number(begins[axis]) - number(last_begin[axis]));
    let longest =
        direction.iter().fold(0.0, |longest: f64, direction| longest.max(direction.abs()));
    let factor = ahead.to_f64() / longest;
    // Infinite, or no number, where it did not go any way.
    direction.map(|direction| if factor.is_finite() { direction * factor } else { 0.0 })
}

/// The range of slabs: larger by a margin on every side, and more the way an object goes.
fn enlarged_range<S: Scalar, const D: usize>(
    slabs: &Slabs<D>,
    margin: S,
    direction: &[f64; D],
) -> Slabs<D> {
    let mut range = *slabs;
    for axis in 0..D {
        let [min, max] = [slabs.min[axis], slabs.max[axis]].map(S::of_key);
        let [back, on] =
            [-direction[axis], direction[axis]].map(|direction| S::from_f64(direction.max(0.0)));
        range.min[axis] = min.minus(margin).minus(back).canonical().key_below();
        range.max[axis] = max.plus(margin).plus(on).canonical().key_above();
    }
    // Whatever is rounded.
    enclose(&mut range, slabs);
    range
}
