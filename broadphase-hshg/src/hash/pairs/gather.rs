//! Copies the objects of one cell after another into contiguous arrays ("groups"), which the kernel
//! then tests all against all.
//!
//! 1. For a cell with a mover, copy the slots of its entries. With `Placement::FirstCell`, add
//!    those objects of neighboring cells that can reach into this cell or be reached from it. Each
//!    pair of cells is handled once: by the earlier cell, unless that one has no mover and is
//!    skipped.
//! 2. Sort a group of [`SWEEP_MIN_LEN`] objects or more by their low end on the first axis, so that
//!    the kernel can stop early.
//! 3. For each object write bits that say on which axes it begins in this cell, and whether it is a
//!    mover. The kernel reports a pair only if the two bit sets together are complete: in exactly
//!    one of the cells a pair shares, and never for two static objects.
//!
//! Cost: linear in the entries, plus up to 3^D − 1 map accesses for each cell with
//! `Placement::FirstCell`.

use alloc::vec::Vec;
use core::ops::AddAssign;

use broadphase_core::{LANES, SlabVec, Slabs};

use crate::hash::cells::placement::Placement;
use crate::hash::cells::{Cells, Record};
use crate::hash::map::CellMap;

/// Cells are gathered until there are this many objects, so that they fit into the L1 cache.
const GATHER_LIMIT: usize = 768;
/// Minimum number of objects in a group that is sorted and swept along the first axis.
const SWEEP_MIN_LEN: usize = 48;

/// A range of gathered objects to be tested against each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    /// The first object.
    pub(crate) begin: u32,
    /// The end of the objects that are tested against all later ones in the group.
    pub(crate) rows: u32,
    /// The end of the group.
    pub(crate) end: u32,
    /// Whether the objects are sorted along the first axis.
    pub(crate) swept: bool,
}

/// Sorts slots by the low end of their objects on the first axis.
fn sort<const D: usize>(slots: &mut [u32], records: &[Record<D>]) {
    slots.sort_unstable_by_key(|&slot| records[slot as usize].slabs.min[0]);
}

/// The objects of some cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered<const D: usize> {
    pub(crate) groups: Vec<Group>,
    pub(crate) slabs: SlabVec<D>,
    pub(crate) slots: Vec<u32>,
    /// A pair is reported if the bits of its two objects together are all set. The bits are: one
    /// for each axis, set if the object begins in this cell (always set for `FirstCell`); one for
    /// movers; one for objects with an entry in this cell.
    pub(crate) bits: Vec<i32>,
}

/// The offset from a cell to one of its neighbors.
#[derive(Clone, Copy)]
struct NeighborStep<const D: usize> {
    offset: [i32; D],
    /// Whether the neighbor precedes the cell in the order of cells.
    is_earlier: bool,
    /// The axes along which an object of the neighbor must extend into the next cell to reach this
    /// cell.
    their_axes: u32,
    /// A bit for each set of axes: set if an object of this cell that extends into the next cell
    /// along exactly these axes can meet an object of the neighbor.
    own_axis_sets: u32,
}

impl<const D: usize> NeighborStep<D> {
    /// All neighbors: 3^D − 1.
    const ALL: &'static [Self] = Self::LIST.split_at(3usize.pow(D as u32) - 1).0;

    const LIST: [Self; 26] = {
        let mut list =
            [Self { offset: [0; D], is_earlier: false, their_axes: 0, own_axis_sets: 0 }; 26];
        let (mut number, mut filled) = (0, 0);
        while number < 3i32.pow(D as u32) {
            let mut step =
                Self { offset: [0; D], is_earlier: false, their_axes: 0, own_axis_sets: 0 };
            let (mut rest, mut there, mut first) = (number, 0, 0);
            let mut axis = D;
            while axis > 0 {
                axis -= 1;
                let along = rest % 3 - 1;
                rest /= 3;
                step.offset[axis] = along;
                there |= ((along > 0) as u32) << axis;
                step.their_axes |= ((along < 0) as u32) << axis;
                if along != 0 {
                    first = along;
                }
            }
            step.is_earlier = first < 0;
            let mut set = 0;
            while set < 1 << D {
                if set & there == there {
                    step.own_axis_sets |= 1 << set;
                }
                set += 1;
            }
            if first != 0 {
                list[filled] = step;
                filled += 1;
            }
            number += 1;
        }
        list
    };
}

/// Returns the bits that a reported pair must have.
pub(crate) const fn all_bits(dimensions: usize) -> i32 {
    (4 << dimensions) - 1
}

/// Counts of the work done to find pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Upper bound on the number of box-against-box tests.
    pub(crate) tests: u64,
    /// The number of tests of one box against a block of up to eight.
    pub(crate) blocks: u64,
    /// The number of objects copied into groups or rows.
    pub(crate) gathered: u64,
    /// The number of neighboring cells or row pairs looked up.
    pub(crate) lookups: u64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.blocks += other.blocks;
        self.gathered += other.gathered;
        self.lookups += other.lookups;
    }
}

impl<const D: usize> Gathered<D> {
    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
            + self.slabs.memory_use()
            + (self.slots.capacity() + self.bits.capacity()) * size_of::<u32>()
    }

    /// Gathers cells from `next` to `end` until [`GATHER_LIMIT`] is reached, advances `next`, and
    /// counts the work.
    pub(crate) fn gather<M: CellMap<D>>(
        &mut self,
        cells: &Cells<D, M>,
        next: &mut usize,
        end: usize,
        work: &mut Work,
    ) {
        self.groups.clear();
        self.slabs.clear();
        self.slots.clear();
        self.bits.clear();
        while *next < end && self.slots.len() < GATHER_LIMIT {
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
        // Kernels load whole blocks, so the arrays end with padding that overlaps nothing.
        for _ in 0..LANES {
            self.slabs.push(Slabs::PADDING);
            self.bits.push(0);
        }
    }

    /// Gathers the entries of a cell, to be tested all against all.
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
        self.push_group(cells, &cell.at, begin, self.slots.len());
    }

    /// Gathers the entries of a cell, and the objects of neighboring cells that they can meet: of
    /// all neighbors later in the order of cells, and of earlier ones that are skipped because
    /// they have no mover.
    #[inline(always)]
    fn gather_neighbours<M: CellMap<D>>(
        &mut self,
        cells: &Cells<D, M>,
        number: usize,
        work: &mut Work,
    ) {
        let cell = cells.table.cell(number);
        let begin = self.slots.len();
        // One bit for each set of axes along which some object of this cell extends into the next
        // cell.
        let mut axis_sets = 0u32;
        for chunk in cells.table.entries_of(number) {
            self.slots.extend_from_slice(chunk);
            for &slot in chunk {
                axis_sets |= 1 << cells.records[slot as usize].span.multi_cell_axes();
            }
        }
        let own = self.slots.len();
        let some_rest = cells.table.active() < cells.table.len();
        for step in NeighborStep::<D>::ALL {
            // An earlier neighbor with a mover has gathered this cell already.
            if (step.is_earlier && !some_rest) || axis_sets & step.own_axis_sets == 0 {
                continue;
            }
            let mut at = cell.at;
            for (at, along) in at.iter_mut().zip(step.offset) {
                *at += along;
            }
            work.lookups += 1;
            let Some(neighbor) = cells.table.number(&at) else { continue };
            if step.is_earlier && neighbor < cells.table.active() {
                continue;
            }
            for &slot in cells.table.entries_of(neighbor).flatten() {
                if cells.records[slot as usize].span.multi_cell_axes() & step.their_axes
                    == step.their_axes
                {
                    self.slots.push(slot);
                }
            }
        }
        if self.slots.len() - begin < 2 {
            self.slots.truncate(begin);
            return;
        }
        self.push_group(cells, &cell.at, begin, own);
    }

    /// Makes a group of the slots from `begin` on. Those before `own` have an entry in the cell
    /// itself.
    #[inline(always)]
    fn push_group<M: CellMap<D>>(
        &mut self,
        cells: &Cells<D, M>,
        at: &[i32; D],
        begin: usize,
        own: usize,
    ) {
        let end = self.slots.len();
        let swept = end - begin >= SWEEP_MIN_LEN;
        if swept {
            sort(&mut self.slots[begin..], &cells.records);
        }
        let first_cell_only = cells.placement() == Placement::FirstCell;
        for &slot in &self.slots[begin..] {
            let record = &cells.records[slot as usize];
            let mut bits = i32::from(!record.is_static) << D;
            if first_cell_only {
                let own = (0..D).all(|axis| record.span.low[axis] == at[axis]);
                bits |= i32::from(own) << (D + 1) | ((1 << D) - 1);
            } else {
                bits |= 2 << D;
                for (axis, (low, at)) in record.span.low.iter().zip(at).enumerate() {
                    bits |= i32::from(low == at) << axis;
                }
            }
            self.slabs.push(record.slabs);
            self.bits.push(bits);
        }
        let rows = if swept { end } else { own };
        let [begin, rows, end] = [begin, rows, end].map(|at| at as u32);
        self.groups.push(Group { begin, rows, end, swept });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_neighbour_is_one_step_away() {
        let steps: Vec<[i32; 2]> = NeighborStep::<2>::ALL.iter().map(|step| step.offset).collect();
        let expected = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];
        assert_eq!(steps, expected);
        assert!(NeighborStep::<2>::ALL.iter().take(4).all(|step| step.is_earlier));
        assert!(NeighborStep::<2>::ALL.iter().skip(4).all(|step| !step.is_earlier));
        let aslant = NeighborStep::<2>::ALL[5];
        // To reach this neighbor, an object extends along the first axis; an object there must
        // extend along the second.
        assert_eq!((aslant.their_axes, aslant.own_axis_sets), (0b10, 0b1010));
        assert_eq!((NeighborStep::<1>::ALL.len(), NeighborStep::<3>::ALL.len()), (2, 26));
    }
}
