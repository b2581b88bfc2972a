//! Copies the objects of one cell after another into contiguous arrays ("groups"), which the kernel
//! then tests against each other.
//!
//! 1. For a cell with a mover, copy the slots of its entries.
//! 2. If a group has at least [`SWEEP_MIN_LEN`] objects, and at least [`SWEEP_MIN_MOVERS`] % of
//!    them are movers, sort it by low end on the first axis. Then the kernel can stop at the first
//!    object that begins after the end of the tested one. Otherwise put the movers first: the
//!    kernel tests each mover against all later objects.
//! 3. For each object write one bit per axis, set if the object's low end lies in this cell, and
//!    one bit for movers. The kernel reports a pair only if each bit is set for at least one of the
//!    two objects: in exactly one of the cells that the pair shares, and never for two static
//!    objects.
//!
//! Cost: linear in the entries.

use alloc::vec::Vec;

use broadphase_core::{LANES, SlabVec, Slabs};

use crate::hash::cells::Cells;
use crate::hash::cells::entries::Cell;

/// Cells are gathered until they have this many objects, which fit into the L1 cache.
const GATHER_LIMIT: usize = 768;
/// Minimum number of objects in a group that is sorted and swept along the first axis.
const SWEEP_MIN_LEN: usize = 48;
/// Minimum share of movers in a group that is swept, in per cent. With fewer movers it is cheaper
/// to test each mover against all objects.
const SWEEP_MIN_MOVERS: usize = 25;

/// A range of the gathered objects: those of one cell, to be tested against each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    /// The index of the first object of the group.
    pub(crate) begin: u32,
    /// The end of the *rows*: the objects that are tested against all later objects of the group.
    /// These are the movers, or all objects if the group is swept.
    pub(crate) rows: u32,
    /// The index after the last object of the group.
    pub(crate) end: u32,
    /// Whether the objects of the group are sorted along the first axis.
    pub(crate) swept: bool,
}

/// Copies of the objects of a few cells, one group per cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered<const D: usize> {
    pub(crate) groups: Vec<Group>,
    pub(crate) slabs: SlabVec<D>,
    pub(crate) slots: Vec<u32>,
    /// Bits of each object: one for each axis, set if the low end of the object lies in this cell,
    /// and one that is set for movers. A pair is reported only if each bit is set for at least one
    /// of its objects.
    pub(crate) bits: Vec<i32>,
}

/// Returns the bits that the two objects of a reported pair must have together.
pub(crate) const fn all_bits(dimensions: usize) -> i32 {
    (2 << dimensions) - 1
}

/// Returns whether the group of a cell is sorted and swept.
#[inline(always)]
const fn is_swept(count: usize, movers: usize) -> bool {
    count >= SWEEP_MIN_LEN && movers * 100 >= count * SWEEP_MIN_MOVERS
}

/// Returns an upper bound on the number of box-against-box tests in a cell.
pub(crate) fn tests_in<const D: usize>(cell: &Cell<D>) -> u64 {
    let (count, movers) = (cell.count as usize, cell.moving as usize);
    let rows = if is_swept(count, movers) { count } else { movers } as u64;
    // Each row is tested against the objects after it.
    rows * count as u64 - rows * (rows + 1) / 2
}

impl<const D: usize> Gathered<D> {
    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
            + self.slabs.memory_use()
            + (self.slots.capacity() + self.bits.capacity()) * size_of::<u32>()
    }

    /// Replaces the groups with the groups of active cells, from number `next` on, until
    /// [`GATHER_LIMIT`] objects or cell `end` is reached. Advances `next` to the next cell.
    pub(crate) fn gather(&mut self, cells: &Cells<D>, next: &mut usize, end: usize) {
        self.groups.clear();
        self.slabs.clear();
        self.slots.clear();
        self.bits.clear();
        while *next < end && self.slots.len() < GATHER_LIMIT {
            self.gather_cell(cells, *next);
            *next += 1;
        }
        // Kernels load whole blocks, so the arrays end with padding that overlaps nothing.
        for _ in 0..LANES {
            self.slabs.push(Slabs::PADDING);
            self.bits.push(0);
        }
    }

    /// Appends the objects of a cell as a group. Skips a cell with a single object.
    #[inline(always)]
    fn gather_cell(&mut self, cells: &Cells<D>, number: usize) {
        let cell = &cells.table.cells()[number];
        let (count, moving) = (cell.count as usize, cell.moving as usize);
        if count < 2 {
            return;
        }
        let (begin, records) = (self.slots.len(), &cells.records[..]);
        for slots in cells.table.entries.of(number) {
            self.slots.extend_from_slice(slots);
        }
        let slots = &mut self.slots[begin..];
        let swept = is_swept(count, moving);
        if swept {
            slots.sort_unstable_by_key(|&slot| records[slot as usize].slabs.min[0]);
        } else if moving < count {
            let mut movers = 0;
            for at in 0..count {
                if !records[slots[at] as usize].is_static {
                    slots.swap(movers, at);
                    movers += 1;
                }
            }
        }
        for &slot in &*slots {
            let record = &records[slot as usize];
            let mut bits = i32::from(!record.is_static) << D;
            for (axis, (low, at)) in record.span.low.iter().zip(&cell.at).enumerate() {
                bits |= i32::from(low == at) << axis;
            }
            self.slabs.push(record.slabs);
            self.bits.push(bits);
        }
        let rows = begin + if swept { count } else { moving };
        let [begin, rows, end] = [begin, rows, begin + count].map(|at| at as u32);
        self.groups.push(Group { begin, rows, end, swept });
    }
}
