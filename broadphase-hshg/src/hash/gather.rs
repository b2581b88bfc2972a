//! The objects of cell after cell, gathered side by side for the kernel.

use alloc::vec::Vec;

use broadphase_core::{LANES, SlabVec, Slabs};

use super::cells::Cells;
use super::map::CellMap;
use super::placement::Placement;
use super::span::Span;

/// Cells are gathered until there are so many objects: they stay in the cache nearest by.
const FULL: usize = 768;
/// So many objects in one group are swept along the first axis.
const SWEPT: usize = 48;

/// Objects that are to be tested against each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// The first of them.
    pub(super) begin: u32,
    /// Those from the first to here are tested against all that come later in the group.
    pub(super) rows: u32,
    /// The last of them is before.
    pub(super) end: u32,
    /// Whether they ascend along the first axis.
    pub(super) swept: bool,
}

/// The objects of some cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Gathered<const D: usize> {
    pub(super) groups: Vec<Group>,
    pub(super) slabs: SlabVec<D>,
    pub(super) slots: Vec<u32>,
    /// A pair counts if its two have all of these bits between them: one for each axis, whether
    /// the object begins in this cell; one if it is not static; one if it is in this cell.
    pub(super) bits: Vec<i32>,
}

/// All bits of a pair that counts.
pub(super) const fn all_bits(dimensions: usize) -> i32 {
    (4 << dimensions) - 1
}

/// What was done to find pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    /// Boxes tested against a box, at most.
    pub(super) tests: u64,
    /// The same, with up to eight at a time counted once.
    pub(super) blocks: u64,
    /// Objects gathered.
    pub(super) gathered: u64,
    /// Neighbours looked for.
    pub(super) lookups: u64,
}

impl<const D: usize> Gathered<D> {
    /// The bytes of memory held.
    pub(super) fn memory_use(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
            + self.slabs.memory_use()
            + (self.slots.capacity() + self.bits.capacity()) * size_of::<u32>()
    }

    /// Gathers cells from `next` on, as many as are good at a time; counts what is to be done.
    pub(super) fn gather<M: CellMap<D>>(
        &mut self,
        cells: &Cells<D, M>,
        next: &mut usize,
        work: &mut Work,
    ) {
        self.groups.clear();
        self.slabs.clear();
        self.slots.clear();
        self.bits.clear();
        while *next < cells.table.active() && self.slots.len() < FULL {
            let number = *next;
            *next += 1;
            match cells.placement() {
                Placement::EveryCell => self.gather_cell(cells, number),
                Placement::FirstCell => self.gather_neighbours(cells, number, work),
            }
        }
        for group in &self.groups {
            let (rows, all) =
                (u64::from(group.rows - group.begin), u64::from(group.end - group.begin));
            let tests = rows * all - rows * (rows + 1) / 2;
            work.tests += tests;
            work.blocks += tests / LANES as u64 + rows;
        }
        work.gathered += self.slots.len() as u64;
        // What is loaded behind the last one is nothing.
        for _ in 0..LANES {
            self.slabs.push(Slabs::PADDING);
            self.bits.push(0);
        }
    }

    /// What is in a cell, all against all.
    #[inline(always)]
    fn gather_cell<M: CellMap<D>>(&mut self, cells: &Cells<D, M>, number: usize) {
        let cell = cells.table.cell(number);
        if cell.count < 2 {
            return;
        }
        let begin = self.slots.len();
        for chunk in cells.table.entries_of(number) {
            self.slots.extend_from_slice(chunk);
        }
        self.close(cells, &cell.at, begin, self.slots.len());
    }

    /// What is in a cell against each other and against what is in the cells around: in those
    /// that come after it in every walk over cells, and in those that are not walked over since
    /// nothing in them moves.
    #[inline(always)]
    fn gather_neighbours<M: CellMap<D>>(
        &mut self,
        cells: &Cells<D, M>,
        number: usize,
        work: &mut Work,
    ) {
        let cell = cells.table.cell(number);
        let begin = self.slots.len();
        // One bit for each set of axes along which an own object reaches into the next cell.
        let mut reaches = 0u32;
        for chunk in cells.table.entries_of(number) {
            self.slots.extend_from_slice(chunk);
            for &slot in chunk {
                reaches |= 1 << cells.places[slot as usize].span.reach();
            }
        }
        let own = self.slots.len();
        let some_rest = cells.table.active() < cells.table.len();
        // Where none reaches out and nothing rests, as with points, there is nobody to look for.
        let alone = reaches == 1 && !some_rest;
        let around = if alone { Span { low: [0; D], high: [0; D] } } else { Span::AROUND };
        around.each(|step| {
            let Some(&first) = step.iter().find(|&&step| step != 0) else { return };
            if first < 0 && !some_rest {
                return;
            }
            let (mut there, mut back) = (0, 0);
            for (axis, &step) in step.iter().enumerate() {
                there |= u32::from(step > 0) << axis;
                back |= u32::from(step < 0) << axis;
            }
            let reached = (0..1u32 << D).any(|r| reaches >> r & 1 == 1 && r & there == there);
            if !reached {
                return;
            }
            let mut at = cell.at;
            for (at, step) in at.iter_mut().zip(step) {
                *at += step;
            }
            work.lookups += 1;
            let Some(neighbour) = cells.table.number(&at) else { return };
            if first < 0 && neighbour < cells.table.active() {
                return;
            }
            for &slot in cells.table.entries_of(neighbour).flatten() {
                if cells.places[slot as usize].span.reach() & back == back {
                    self.slots.push(slot);
                }
            }
        });
        if self.slots.len() - begin < 2 {
            self.slots.truncate(begin);
            return;
        }
        self.close(cells, &cell.at, begin, own);
    }

    /// Makes a group of the slots from `begin` on, those before `own` of the cell itself.
    #[inline(always)]
    fn close<M: CellMap<D>>(
        &mut self,
        cells: &Cells<D, M>,
        at: &[i32; D],
        begin: usize,
        own: usize,
    ) {
        let end = self.slots.len();
        let swept = end - begin >= SWEPT;
        if swept {
            let low = |&slot: &u32| cells.places[slot as usize].slabs.min[0];
            self.slots[begin..].sort_unstable_by_key(low);
        }
        let begins_anywhere = cells.placement() == Placement::FirstCell;
        for &slot in &self.slots[begin..] {
            let place = &cells.places[slot as usize];
            let mut bits = i32::from(!place.stays) << D;
            if begins_anywhere {
                let own = (0..D).all(|axis| place.span.low[axis] == at[axis]);
                bits |= i32::from(own) << (D + 1) | ((1 << D) - 1);
            } else {
                bits |= 2 << D;
                for axis in 0..D {
                    bits |= i32::from(place.span.low[axis] == at[axis]) << axis;
                }
            }
            self.slabs.push(place.slabs);
            self.bits.push(bits);
        }
        let rows = if swept { end } else { own };
        let [begin, rows, end] = [begin, rows, end].map(|place| place as u32);
        self.groups.push(Group { begin, rows, end, swept });
    }
}
