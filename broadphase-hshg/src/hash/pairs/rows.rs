//! Finds pairs of objects with `Placement::FirstCell` by sweeping rows of cells.
//!
//! ```text
//!    row 1   ───[a]──[b ]─────────[c]───     An object is in the row of its first cell and
//!                  ╲╱                        extends at most into the next row. So it can meet
//!    row 0   ─[d]─[e]──────[f]──[g]─────     objects of its own row and of adjacent rows that
//!                                            begin before it ends on the first axis.
//! ```
//!
//! 1. Sort all objects by row (all cell coordinates but the first) and low end on the first axis.
//!    The keys of the last search are nearly sorted already, so a drop-merge sort takes linear
//!    time.
//! 2. Give up if rows have fewer than [`MIN_OBJECTS_PER_ROW`] objects on average; cells are faster
//!    then.
//! 3. Copy the key bounds of each row into contiguous arrays, followed by padding.
//! 4. List the row pairs: each row with itself, and with those adjacent rows whose bounds overlap.
//!    Each unordered pair is listed once.
//! 5. Sweep each row pair along the first axis, eight objects at a time.
//!
//! Cost: linear in the objects and hits, if objects overlap few others on the first axis.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::kernel::sweep::{self, BetweenCursor, Picks, Reach, Run, SPARE, WithinCursor};
use broadphase_core::sort::drop_merge;
use broadphase_core::{Kernel, LANES, Lanes, SlabPlanes, SlabVec, Slabs, instances};

use super::gather::Work;
use crate::hash::cells::Record;

/// The sort key of an object: its row, its low end on the first axis, its slot.
type SortKey = (u64, i32, u32);

/// The row of oversized objects, after all others. It is not swept.
const OVERSIZED_ROW: u64 = u64::MAX;

/// The slot of padding.
const PADDING_SLOT: u32 = u32::MAX;

/// Minimum average number of objects in a row for sweeping rows.
const MIN_OBJECTS_PER_ROW: usize = 6;

/// All objects that are not oversized, in rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows<const D: usize> {
    /// The sort keys, in the order of the last search, which is nearly right for the next.
    sort_keys: Vec<SortKey>,
    /// The sort keys that were out of order.
    out_of_order: Vec<[SortKey; 1]>,
    /// The key bounds, row after row, with padding after each row.
    slabs: SlabVec<D>,
    slots: Vec<u32>,
    rows: Vec<Row<D>>,
    /// The row pairs to sweep; a row with itself appears as two equal indices.
    row_pairs: Vec<[u32; 2]>,
    /// The number of objects in the longest row.
    longest: usize,
}

/// A row: its number, its range in the arrays, and the box that encloses its objects.
#[derive(Clone, Copy, Debug)]
struct Row<const D: usize> {
    number: u64,
    begin: u32,
    end: u32,
    bounds: Slabs<D>,
}

/// The position of a search within the row pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowPairCursor {
    row_pair: usize,
    /// The end of the row pairs to sweep.
    end: usize,
    within: WithinCursor,
    between: BetweenCursor,
}

impl RowPairCursor {
    /// Returns a cursor at the start of these row pairs.
    pub(crate) fn new(row_pairs: Range<usize>) -> Self {
        Self { row_pair: row_pairs.start, end: row_pairs.end, ..Self::default() }
    }

    /// Returns whether all row pairs are done.
    pub(crate) const fn is_end(&self) -> bool {
        self.row_pair == self.end
    }

    /// Returns the number of blocks tested within rows; those between rows are not counted.
    pub(crate) const fn blocks(&self) -> u64 {
        self.within.lags
    }
}

/// Returns the row number of a cell, formed from all coordinates but the first.
#[inline(always)]
pub(crate) fn row_number<const D: usize>(cell: &[i32; D]) -> u64 {
    let mut row = 0;
    let mut axis = D;
    while axis > 1 {
        axis -= 1;
        row = row << 32 | (cell[axis] as u32 ^ 1 << 31) as u64;
    }
    row
}

impl<const D: usize> Rows<D> {
    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        (self.sort_keys.capacity() + self.out_of_order.capacity()) * size_of::<SortKey>()
            + self.slabs.memory_use()
            + self.slots.capacity() * size_of::<u32>()
            + self.rows.capacity() * size_of::<Row<D>>()
            + self.row_pairs.capacity() * size_of::<[u32; 2]>()
    }

    /// Returns the number of row pairs.
    pub(crate) const fn row_pairs(&self) -> usize {
        self.row_pairs.len()
    }

    /// Returns the number of objects in the longest row.
    pub(crate) const fn longest(&self) -> usize {
        self.longest
    }

    /// Returns the estimated work of a row pair, in objects. Between two rows most objects are
    /// skipped.
    pub(crate) fn weight(&self, row_pair: usize) -> usize {
        let [one, other] =
            self.row_pairs[row_pair].map(|row| self.rows[row as usize].range().len());
        if self.row_pairs[row_pair][0] == self.row_pairs[row_pair][1] {
            one
        } else {
            (one + other) / 4
        }
    }

    /// Returns the slots of a hit between two array positions, or `None` if one of them is padding.
    #[inline(always)]
    pub(crate) fn slots_of_hit(&self, [a, b]: [u32; 2]) -> Option<[u32; 2]> {
        let [a, b] = [self.slots[a as usize], self.slots[b as usize]];
        (a != PADDING_SLOT && b != PADDING_SLOT).then_some([a, b])
    }

    /// Sorts all objects that are not oversized into rows and counts the work. Returns `false` if
    /// there are too many rows.
    fn rebuild(&mut self, records: &[Record<D>], work: &mut Work) -> bool {
        let known = self.sort_keys.len();
        self.sort_keys.retain(|sort_key| (sort_key.2 as usize) < records.len());
        // Slots have no gaps, so the known ones are the first.
        let added = known.min(records.len())..records.len();
        self.sort_keys.extend(added.map(|slot| (0, 0, slot as u32)));
        for (row_of, begin, slot) in &mut self.sort_keys {
            let record = &records[*slot as usize];
            (*row_of, *begin) = if record.is_oversized() {
                (OVERSIZED_ROW, 0)
            } else {
                (row_number(&record.span.low), record.slabs.min[0])
            };
        }
        let Self { sort_keys, out_of_order, .. } = self;
        drop_merge([sort_keys], 0, usize::MAX, out_of_order, |&[sort_key]| sort_key);
        let here = self.sort_keys.partition_point(|sort_key| sort_key.0 != OVERSIZED_ROW);
        let rows = self.sort_keys[..here].chunk_by(|a, b| a.0 == b.0);
        if D > 1 && rows.clone().count() * MIN_OBJECTS_PER_ROW > here {
            return false;
        }
        self.slabs.clear();
        self.slots.clear();
        self.rows.clear();
        let mut longest = 0;
        for sort_keys in rows {
            let begin = self.slots.len();
            let mut bounds = records[sort_keys[0].2 as usize].slabs;
            for &(.., slot) in sort_keys {
                let slabs = records[slot as usize].slabs;
                for axis in 0..D {
                    bounds.min[axis] = bounds.min[axis].min(slabs.min[axis]);
                    bounds.max[axis] = bounds.max[axis].max(slabs.max[axis]);
                }
                self.slabs.push(slabs);
                self.slots.push(slot);
            }
            let end = self.slots.len();
            longest = longest.max(end - begin);
            for _ in 0..SPARE {
                self.slabs.push(Slabs::PADDING);
                self.slots.push(PADDING_SLOT);
            }
            let [begin, end] = [begin, end].map(|at| at as u32);
            self.rows.push(Row { number: sort_keys[0].0, begin, end, bounds });
        }
        // Kernels load whole blocks.
        for _ in 0..SPARE {
            self.slabs.push(Slabs::PADDING);
        }
        self.longest = longest;
        self.find_row_pairs();
        work.gathered += self.sort_keys.len() as u64;
        work.lookups += self.row_pairs.len() as u64;
        true
    }

    /// Adds the work that sweeping would take.
    fn count_work(&self, reach: Reach, work: &mut Work) {
        let planes = self.slabs.planes();
        for &[one, other] in &self.row_pairs {
            let [one, other] = [one, other].map(|row| &self.rows[row as usize]);
            let lows = &planes.min[0][other.begin as usize..other.end as usize];
            for row in one.begin as usize..one.end as usize {
                let (low, high) = (planes.min[0][row], planes.max[0][row]);
                let first = if one.begin == other.begin {
                    row + 1 - one.begin as usize
                } else {
                    lows.partition_point(|&begin| begin < reach.earliest(low))
                };
                let tests = lows[first..].partition_point(|&begin| begin <= high);
                work.tests += tests as u64;
                work.blocks += 1 + (tests / LANES) as u64;
            }
        }
    }

    /// Lists each row with itself and with the adjacent rows that follow it in the order.
    fn find_row_pairs(&mut self) {
        self.row_pairs.clear();
        let rows = self.rows.len();
        let row_of = |row: usize| self.rows[row].number;
        // Row numbers ascend, so the search for an adjacent row continues where the last one ended.
        let steps: &[i64] = match D {
            1 => &[],
            2 => &[1],
            _ => &[1, (1 << 32) - 1, 1 << 32, (1 << 32) + 1],
        };
        let mut next = [0; 4];
        for row in 0..rows {
            self.row_pairs.push([row as u32; 2]);
            let own = self.rows[row].bounds;
            for (next, &step) in next.iter_mut().zip(steps) {
                let wanted = row_of(row).wrapping_add_signed(step);
                while *next < rows && row_of(*next) < wanted {
                    *next += 1;
                }
                if *next < rows && row_of(*next) == wanted && own.overlaps(&self.rows[*next].bounds)
                {
                    self.row_pairs.push([row as u32, *next as u32]);
                }
            }
        }
    }
}

/// Returns the maximum extent of an object that touches at most two cells of this side.
pub(crate) fn max_reach(side: f64, integer: bool) -> Reach {
    Reach::new(2.5 * side, integer)
}

instances! {
    /// Sorts all objects that are not oversized into rows and counts the work. Returns `false` if
    /// there are too many rows.
    pub(crate) fn rebuild_rows<D>(rows: &mut Rows<D>, records: &[Record<D>], work: &mut Work) -> bool {
        rows.rebuild(records, work)
    }

    /// Adds the work that sweeping would take.
    pub(crate) fn count_row_work<D>(rows: &Rows<D>, reach: Reach, work: &mut Work) {
        rows.count_work(reach, work);
    }
}

/// Sweeps row pairs from `cursor` until they end or the buffer is full. Returns the number of pairs
/// of array positions written.
pub(crate) struct PairsInRows<'a, const D: usize> {
    pub(crate) rows: &'a Rows<D>,
    pub(crate) picks: &'a mut Picks,
    /// Upper bound on the extent of objects.
    pub(crate) reach: Reach,
    pub(crate) cursor: &'a mut RowPairCursor,
    pub(crate) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for PairsInRows<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { rows, picks, reach, cursor, hits } = self;
        let Rows { slabs, rows, row_pairs, .. } = rows;
        let planes = slabs.planes();
        let mut filled = 0;
        while let Some(&[a, b]) = row_pairs[..cursor.end].get(cursor.row_pair) {
            let (one, other) = (&rows[a as usize], &rows[b as usize]);
            let done;
            if a == b {
                let (run, within) = (one.range(), &mut cursor.within);
                (filled, done) =
                    sweep::within::<false, _, _>(lanes, &planes, run, within, hits, filled);
            } else {
                // The shorter row searches in the longer one.
                let flip = one.end - one.begin > other.end - other.begin;
                let (one, other) = if flip { (other, one) } else { (one, other) };
                (filled, done) = sweep::between::<false, _, _>(
                    lanes,
                    &one.run(planes),
                    &other.run(planes),
                    reach,
                    picks,
                    &mut cursor.between,
                    flip,
                    hits,
                    filled,
                );
            }
            if !done {
                return filled;
            }
            cursor.row_pair += 1;
        }
        filled
    }
}

impl<const D: usize> Row<D> {
    #[inline(always)]
    const fn range(&self) -> Range<usize> {
        self.begin as usize..self.end as usize
    }

    #[inline(always)]
    const fn run<'a>(&self, planes: SlabPlanes<'a, D>) -> Run<'a, D> {
        Run { planes, places: self.range(), bounds: self.bounds, row_index: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_numbers_are_unique_and_adjacent() {
        let far = 1 << 30;
        for cell in [[5, -far, far], [5, far, -far], [5, 0, -1], [5, -1, 0]] {
            let [_, y, z] = cell;
            assert_eq!(row_number(&cell).wrapping_add_signed(1), row_number(&[9, y + 1, z]));
            assert_eq!(
                row_number(&cell).wrapping_add_signed((1 << 32) - 1),
                row_number(&[9, y - 1, z + 1])
            );
            assert_ne!(row_number(&cell), OVERSIZED_ROW);
        }
        assert_eq!((row_number(&[3]), row_number(&[3, 4]) - row_number(&[7, 3])), (0, 1));
    }
}
