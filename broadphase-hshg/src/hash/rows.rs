//! Pairs of objects that are in one cell each: rows of cells, in order along the first axis.
//!
//! ```text
//!    row 1   ───[a]──[b ]─────────[c]───     An object is in the row of its first cell, and
//!                  ╲╱                        reaches at most into the next: so it meets those of
//!    row 0   ─[d]─[e]──────[f]──[g]─────     its own row that begin before it ends, and the same
//!                                            of the rows around.
//! ```

use alloc::vec::Vec;

use broadphase_core::kernel::overlap::Spread;
use broadphase_core::{HitMask, Kernel, LANES, Lanes, SlabVec, Slabs};

use super::cells::Place;
use super::gather::Work;

/// What objects are in order by: their row, where they begin, and their slot.
type Mark = (u64, i32, u32);

/// The row of what is oversized, after all others: it is not swept.
const NOWHERE: u64 = u64::MAX;

/// All objects in rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows<const D: usize> {
    /// As they were last, for they have hardly changed.
    marks: Vec<Mark>,
    /// Those out of order.
    strays: Vec<Mark>,
    slabs: SlabVec<D>,
    /// Whether an object is not static, in a bit of its own.
    moving: Vec<i32>,
    /// Where each row begins, and one more.
    rows: Vec<u32>,
    /// Rows that are to be swept: against each other, or one in itself.
    jobs: Vec<[u32; 2]>,
}

/// Where the walk over jobs has come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JobCursor {
    pub(super) job: usize,
    /// Which of its two rows is swept against the other.
    side: usize,
    /// How many objects of the row are done, and how many of the other come before.
    done: usize,
    before: usize,
    /// How many objects of the other have been tested against the present one.
    tested: usize,
}

/// The row of a cell: all coordinates but the first.
#[inline(always)]
fn row<const D: usize>(cell: &[i32; D]) -> u64 {
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
    pub(super) fn memory_use(&self) -> usize {
        (self.marks.capacity() + self.strays.capacity()) * size_of::<Mark>()
            + self.slabs.memory_use()
            + (self.moving.capacity() + self.rows.capacity()) * size_of::<u32>()
            + self.jobs.capacity() * size_of::<[u32; 2]>()
    }

    /// How many jobs there are.
    pub(super) const fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// Puts all objects into rows that are not oversized; counts what is done so far.
    pub(super) fn fill(&mut self, places: &[Place<D>], work: &mut Work) {
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
        self.slabs.clear();
        self.moving.clear();
        self.rows.clear();
        let mut last = None;
        for &(row, _, slot) in self.marks.iter().take_while(|mark| mark.0 != NOWHERE) {
            let place = &places[slot as usize];
            if last != Some(row) {
                self.rows.push(self.moving.len() as u32);
                last = Some(row);
            }
            self.slabs.push(place.slabs);
            self.moving.push(i32::from(!place.stays));
        }
        self.rows.push(self.moving.len() as u32);
        for _ in 0..LANES {
            self.slabs.push(Slabs::PADDING);
            self.moving.push(0);
        }
        self.find_jobs();
        work.gathered += self.marks.len() as u64;
        work.lookups += self.jobs.len() as u64;
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
    pub(super) fn count(&self, work: &mut Work) {
        let planes = self.slabs.planes();
        let (low, high) = (planes.min[0], planes.max[0]);
        for job in &self.jobs {
            let [one, other] = job.map(|row| row as usize);
            let range = |row: usize| self.rows[row] as usize..self.rows[row + 1] as usize;
            for (side, own, other) in [(0, range(one), range(other)), (1, range(other), range(one))]
            {
                if own == other && side == 1 {
                    continue;
                }
                let itself = own == other;
                let (mut before, last) = (other.start, other.end);
                for row in own {
                    while itself && before <= row
                        || !itself && before < last && comes_before(low[before], low[row], side)
                    {
                        before += 1;
                    }
                    let tests = low[before..last].partition_point(|&low| low <= high[row]);
                    work.tests += tests as u64;
                    work.blocks += 1 + tests.div_ceil(LANES) as u64;
                }
            }
        }
    }

    /// Every row by itself, and with those around it that come after it.
    fn find_jobs(&mut self) {
        self.jobs.clear();
        let rows = self.rows.len() - 1;
        let row_of = |row: usize| self.marks[self.rows[row] as usize].0;
        // Rows ascend, so those a step away are looked for where the last one was.
        let steps: &[i64] = match D {
            1 => &[],
            2 => &[1],
            _ => &[1, (1 << 32) - 1, 1 << 32, (1 << 32) + 1],
        };
        let mut next = [0; 4];
        for row in 0..rows {
            self.jobs.push([row as u32; 2]);
            for (next, &step) in next.iter_mut().zip(steps) {
                let wanted = row_of(row).wrapping_add_signed(step);
                while *next < rows && row_of(*next) < wanted {
                    *next += 1;
                }
                if *next < rows && row_of(*next) == wanted {
                    self.jobs.push([row as u32, *next as u32]);
                }
            }
        }
    }
}

/// Whether an object of the other row begins before one of this: they meet when the other row is
/// swept against this. Of two that begin alike, the one of the first row meets the other.
#[inline(always)]
const fn comes_before(other: i32, own: i32, side: usize) -> bool {
    if side == 0 { other < own } else { other <= own }
}

/// Goes on from `cursor` until the jobs end or the buffer has no room; yields how many pairs of
/// slots it wrote.
pub(super) struct PairsInRows<'a, const D: usize> {
    pub(super) rows: &'a Rows<D>,
    pub(super) cursor: &'a mut JobCursor,
    pub(super) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for PairsInRows<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { rows, cursor, hits } = self;
        let planes = rows.slabs.planes();
        let (low, marks, moving) = (planes.min[0], &rows.marks[..], &rows.moving[..]);
        let one = lanes.splat(1);
        let mut filled = 0;
        while cursor.job < rows.jobs.len() {
            let job = rows.jobs[cursor.job].map(|row| row as usize);
            let itself = job[0] == job[1];
            let (own, other) = (job[cursor.side], job[1 - cursor.side]);
            let (begin, end) = (rows.rows[own] as usize, rows.rows[own + 1] as usize);
            let (first, last) = (rows.rows[other] as usize, rows.rows[other + 1] as usize);
            let mut row = begin + cursor.done;
            let mut before = first + cursor.before;
            let mut tested = cursor.tested;
            while row < end {
                let slabs = planes.get(row);
                if itself {
                    before = row + 1;
                } else {
                    while before < last && comes_before(low[before], slabs.min[0], cursor.side) {
                        before += 1;
                    }
                }
                let mut at = before + tested;
                tested = 0;
                if at < last && low[at] <= slabs.max[0] {
                    let volume = Spread::new(lanes, &slabs);
                    let stays = lanes.splat(moving[row]);
                    while at < last && low[at] <= slabs.max[0] {
                        if filled + LANES > hits.len() {
                            cursor.done = row - begin;
                            cursor.before = before - first;
                            cursor.tested = at - before;
                            return filled;
                        }
                        let either = lanes.or(stays, lanes.load_at(moving, at));
                        let valid = lanes.bits(lanes.eq(either, one)) & HitMask::first(last - at);
                        for lane in volume.overlaps(lanes, &planes, at) & valid {
                            hits[filled] = [marks[row].2, marks[at + lane].2];
                            filled += 1;
                        }
                        at += LANES;
                    }
                }
                row += 1;
            }
            let side = if itself || cursor.side == 1 { 2 } else { 1 };
            *cursor =
                JobCursor { job: cursor.job + side / 2, side: side % 2, ..JobCursor::default() };
        }
        filled
    }
}
