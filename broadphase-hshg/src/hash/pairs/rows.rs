//! Pairs of objects that are in one cell each: rows of cells, in order along the first axis.
//!
//! ```text
//!    row 1   ───[a]──[b ]─────────[c]───     An object is in the row of its first cell, and
//!                  ╲╱                        reaches at most into the next: so it meets those of
//!    row 0   ─[d]─[e]──────[f]──[g]─────     its own row that begin before it ends, and the same
//!                                            of the rows around.
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::kernel::sweep::{self, BetweenCursor, Picks, Reach, Run, SPARE, WithinCursor};
use broadphase_core::{Kernel, LANES, Lanes, SlabPlanes, SlabVec, Slabs, instances};

use super::gather::Work;
use crate::hash::cells::Place;

/// What objects are in order by: their row, where they begin, and their slot.
type Mark = (u64, i32, u32);

/// The row of what is oversized, after all others: it is not swept.
const NOWHERE: u64 = u64::MAX;

/// In place of the slot of an object: nothing is there.
const NOBODY: u32 = u32::MAX;

/// Rows with fewer objects than this on average are not worth it.
const FEW: usize = 6;

/// All objects in rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows<const D: usize> {
    /// As they were last, for they have hardly changed.
    marks: Vec<Mark>,
    /// Those out of order.
    strays: Vec<Mark>,
    /// Row after row, with nothing behind each of them.
    slabs: SlabVec<D>,
    slots: Vec<u32>,
    rows: Vec<Row<D>>,
    /// Rows that are to be swept: against each other, or one in itself.
    jobs: Vec<[u32; 2]>,
    /// How many objects the longest has.
    longest: usize,
}

/// A row: which it is, where it is, and what encloses its objects.
#[derive(Clone, Copy, Debug)]
struct Row<const D: usize> {
    number: u64,
    begin: u32,
    end: u32,
    bounds: Slabs<D>,
}

/// Where the walk over jobs has come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JobCursor {
    job: usize,
    /// The job to stop before.
    end: usize,
    within: WithinCursor,
    between: BetweenCursor,
}

impl JobCursor {
    /// At the beginning of some jobs.
    pub(crate) fn new(jobs: Range<usize>) -> Self {
        Self { job: jobs.start, end: jobs.end, ..Self::default() }
    }

    /// Whether all are done.
    pub(crate) const fn is_end(&self) -> bool {
        self.job == self.end
    }

    /// How many blocks were tested so far, but for those of two rows.
    pub(crate) const fn blocks(&self) -> u64 {
        self.within.lags
    }
}

/// The row of a cell: all coordinates but the first.
#[inline(always)]
pub(crate) fn row<const D: usize>(cell: &[i32; D]) -> u64 {
    let mut row = 0;
    let mut axis = D;
    while axis > 1 {
        axis -= 1;
        row = row << 32 | (cell[axis] as u32 ^ 1 << 31) as u64;
    }
    row
}

impl<const D: usize> Rows<D> {
    /// The bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        (self.marks.capacity() + self.strays.capacity()) * size_of::<Mark>()
            + self.slabs.memory_use()
            + self.slots.capacity() * size_of::<u32>()
            + self.rows.capacity() * size_of::<Row<D>>()
            + self.jobs.capacity() * size_of::<[u32; 2]>()
    }

    /// How many jobs there are.
    pub(crate) const fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// How many objects the longest row has.
    pub(crate) const fn longest(&self) -> usize {
        self.longest
    }

    /// About how long a job takes, in objects: most of those in two rows are passed over.
    pub(crate) fn weight(&self, job: usize) -> usize {
        let [one, other] = self.jobs[job].map(|row| self.rows[row as usize].places().len());
        if self.jobs[job][0] == self.jobs[job][1] { one } else { (one + other) / 4 }
    }

    /// The objects of hits between places; `None` if nothing is in one of them.
    #[inline(always)]
    pub(crate) fn slots(&self, [a, b]: [u32; 2]) -> Option<[u32; 2]> {
        let [a, b] = [self.slots[a as usize], self.slots[b as usize]];
        (a != NOBODY && b != NOBODY).then_some([a, b])
    }

    /// Puts all objects into rows that are not oversized, and counts what is done so far; or
    /// yields false, if there are too many rows.
    fn fill(&mut self, places: &[Place<D>], work: &mut Work) -> bool {
        let known = self.marks.len();
        self.marks.retain(|mark| (mark.2 as usize) < places.len());
        // Those that are known are the first: slots have no gaps.
        let added = known.min(places.len())..places.len();
        self.marks.extend(added.map(|slot| (0, 0, slot as u32)));
        for (row_of, begin, slot) in &mut self.marks {
            let place = &places[*slot as usize];
            (*row_of, *begin) = if place.is_oversized() {
                (NOWHERE, 0)
            } else {
                (row(&place.span.low), place.slabs.min[0])
            };
        }
        self.sort();
        let here = self.marks.partition_point(|mark| mark.0 != NOWHERE);
        let rows = self.marks[..here].chunk_by(|a, b| a.0 == b.0);
        if D > 1 && rows.clone().count() * FEW > here {
            return false;
        }
        self.slabs.clear();
        self.slots.clear();
        self.rows.clear();
        let mut longest = 0;
        for marks in rows {
            let begin = self.slots.len();
            let mut bounds = places[marks[0].2 as usize].slabs;
            for &(.., slot) in marks {
                let slabs = places[slot as usize].slabs;
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
                self.slots.push(NOBODY);
            }
            let [begin, end] = [begin, end].map(|place| place as u32);
            self.rows.push(Row { number: marks[0].0, begin, end, bounds });
        }
        // Kernels load whole blocks.
        for _ in 0..SPARE {
            self.slabs.push(Slabs::PADDING);
        }
        self.longest = longest;
        self.find_jobs();
        work.gathered += self.marks.len() as u64;
        work.lookups += self.jobs.len() as u64;
        true
    }

    /// Takes out what is not in order, sorts it, and merges it in again.
    ///
    /// Source: Emil Ernerfeldt, "Drop-Merge sort".
    fn sort(&mut self) {
        self.strays.clear();
        let mut kept = 0;
        for index in 0..self.marks.len() {
            let mark = self.marks[index];
            if kept > 0 && mark < self.marks[kept - 1] {
                if kept > 1 && mark >= self.marks[kept - 2] {
                    // Rather the last one is out of order.
                    self.strays.push(self.marks[kept - 1]);
                    self.marks[kept - 1] = mark;
                } else {
                    self.strays.push(mark);
                }
            } else {
                self.marks[kept] = mark;
                kept += 1;
            }
        }
        self.strays.sort_unstable();
        // From the end, where there is room for the strays.
        let mut hole = self.marks.len();
        while let Some(&stray) = self.strays.last() {
            hole -= 1;
            if kept > 0 && self.marks[kept - 1] > stray {
                kept -= 1;
                self.marks[hole] = self.marks[kept];
            } else {
                self.marks[hole] = stray;
                self.strays.pop();
            }
        }
    }

    /// Counts what sweeping will do.
    fn count(&self, reach: Reach, work: &mut Work) {
        let planes = self.slabs.planes();
        for &[one, other] in &self.jobs {
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

    /// Every row by itself, and with those around it that come after it.
    fn find_jobs(&mut self) {
        self.jobs.clear();
        let rows = self.rows.len();
        let row_of = |row: usize| self.rows[row].number;
        // Rows ascend, so those a step away are looked for where the last one was.
        let steps: &[i64] = match D {
            1 => &[],
            2 => &[1],
            _ => &[1, (1 << 32) - 1, 1 << 32, (1 << 32) + 1],
        };
        let mut next = [0; 4];
        for row in 0..rows {
            self.jobs.push([row as u32; 2]);
            let own = self.rows[row].bounds;
            for (next, &step) in next.iter_mut().zip(steps) {
                let wanted = row_of(row).wrapping_add_signed(step);
                while *next < rows && row_of(*next) < wanted {
                    *next += 1;
                }
                if *next < rows && row_of(*next) == wanted && own.overlaps(&self.rows[*next].bounds)
                {
                    self.jobs.push([row as u32, *next as u32]);
                }
            }
        }
    }
}

/// How far an object can reach that is of at most two cells of such a side.
pub(crate) fn reach(side: f64, integer: bool) -> Reach {
    Reach::new(2.5 * side, integer)
}

instances! {
    /// Puts all objects into rows that are not oversized, and counts the work so far. Returns
    /// `false` if there are too many rows.
    pub(crate) fn fill_rows<D>(rows: &mut Rows<D>, places: &[Place<D>], work: &mut Work) -> bool {
        rows.fill(places, work)
    }

    /// Adds up the work that sweeping will take.
    pub(crate) fn count_rows<D>(rows: &Rows<D>, reach: Reach, work: &mut Work) {
        rows.count(reach, work);
    }
}

/// Goes on from `cursor` until the jobs end or the buffer has no room; yields how many pairs of
/// places it wrote.
pub(crate) struct PairsInRows<'a, const D: usize> {
    pub(crate) rows: &'a Rows<D>,
    pub(crate) picked: &'a mut Picks,
    /// How far objects reach.
    pub(crate) reach: Reach,
    pub(crate) cursor: &'a mut JobCursor,
    pub(crate) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for PairsInRows<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { rows, picked, reach, cursor, hits } = self;
        let Rows { slabs, rows, jobs, .. } = rows;
        let planes = slabs.planes();
        let mut filled = 0;
        while let Some(&[a, b]) = jobs[..cursor.end].get(cursor.job) {
            let (one, other) = (&rows[a as usize], &rows[b as usize]);
            let done;
            if a == b {
                let (run, within) = (one.places(), &mut cursor.within);
                (filled, done) =
                    sweep::within::<false, _, _>(lanes, &planes, run, within, hits, filled);
            } else {
                // The shorter one looks into the other.
                let flip = one.end - one.begin > other.end - other.begin;
                let (one, other) = if flip { (other, one) } else { (one, other) };
                (filled, done) = sweep::between::<false, _, _>(
                    lanes,
                    &one.run(planes),
                    &other.run(planes),
                    reach,
                    picked,
                    &mut cursor.between,
                    flip,
                    hits,
                    filled,
                );
            }
            if !done {
                return filled;
            }
            cursor.job += 1;
        }
        filled
    }
}

impl<const D: usize> Row<D> {
    #[inline(always)]
    const fn places(&self) -> Range<usize> {
        self.begin as usize..self.end as usize
    }

    #[inline(always)]
    const fn run<'a>(&self, planes: SlabPlanes<'a, D>) -> Run<'a, D> {
        Run { planes, places: self.places(), bounds: self.bounds, guide: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_order_is_put_in_order() {
        let mut rows: Rows<2> = Rows::default();
        let mut state = 7u32;
        for round in 0..200 {
            // From hardly anything out of order to nothing in order.
            for index in 0..300 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let mark = (u64::from(state >> 30), (state >> 12 & 1023) as i32, index);
                if rows.marks.len() < 300 {
                    rows.marks.push(mark);
                } else if (state >> 22) % 200 < round {
                    rows.marks[index as usize].1 = mark.1;
                }
            }
            let mut expected = rows.marks.clone();
            expected.sort_unstable();
            rows.sort();
            assert_eq!(rows.marks, expected);
        }
    }

    #[test]
    fn rows_are_numbered_without_loss() {
        let far = 1 << 30;
        for cell in [[5, -far, far], [5, far, -far], [5, 0, -1], [5, -1, 0]] {
            let [_, y, z] = cell;
            assert_eq!(row(&cell).wrapping_add_signed(1), row(&[9, y + 1, z]));
            assert_eq!(row(&cell).wrapping_add_signed((1 << 32) - 1), row(&[9, y - 1, z + 1]));
            assert_ne!(row(&cell), NOWHERE);
        }
        assert_eq!((row(&[3]), row(&[3, 4]) - row(&[7, 3])), (0, 1));
    }
}
