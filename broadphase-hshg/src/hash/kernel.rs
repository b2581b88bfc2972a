//! The pairs of all cells, the hits into a buffer.

use alloc::vec::Vec;

use broadphase_core::kernel::between;
use broadphase_core::kernel::within::{self, Cursor, Gate};
use broadphase_core::motions::Motions;
use broadphase_core::{HitMask, Kernel, LANES, Lanes, Motion, SlabVec};

use super::cells::{Cells, Place};

/// The objects of one cell, gathered side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd<const D: usize> {
    slabs: SlabVec<D>,
    slots: Vec<u32>,
    /// One bit an axis: whether the object begins in this cell on it; and one whether it is not
    /// static. Padded to whole blocks.
    begins: Vec<i32>,
}

impl<const D: usize> Crowd<D> {
    /// The bytes of memory held.
    pub(super) fn memory_use(&self) -> usize {
        self.slabs.memory_use()
            + (self.slots.capacity() + self.begins.capacity()) * size_of::<u32>()
    }

    #[inline(always)]
    fn gather(&mut self, cells: &Cells<D>, motions: &Motions, number: usize) {
        let (at, count, entries) = cells.table.cell(number);
        self.slabs.clear();
        self.slots.clear();
        self.begins.clear();
        for chunk in entries {
            for &slot in chunk {
                let place = &cells.places[slot as usize];
                self.slabs.push(place.slabs);
                self.slots.push(slot);
                // One that is static alone meets all others.
                let stays = motions.statics() > 1 && motions.get(slot as usize) == Motion::Static;
                self.begins.push(begins(place, at) | i32::from(!stays) << D);
            }
        }
        self.begins.resize(count.next_multiple_of(LANES), 0);
    }
}

#[inline(always)]
fn begins<const D: usize>(place: &Place<D>, cell: &[i32; D]) -> i32 {
    let mut bits = 0;
    let mut axis = 0;
    while axis < D {
        bits |= i32::from(place.span.low[axis] == cell[axis]) << axis;
        axis += 1;
    }
    bits
}

/// Lets a pair through in the one cell where, on every axis, one of the two begins; and if not
/// both are static.
#[derive(Clone, Copy)]
struct OnceInItsCell<'a, const D: usize>(&'a [i32]);

impl<L: Lanes, const D: usize> Gate<L> for OnceInItsCell<'_, D> {
    #[inline(always)]
    fn open(self, lanes: L, row: usize, at: usize) -> HitMask {
        let either = lanes.or(lanes.splat(self.0[row]), lanes.load_at(self.0, at));
        lanes.bits(lanes.eq(either, lanes.splat((2 << D) - 1)))
    }
}

/// Where the walk over all cells has come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellCursor {
    pub(super) cell: usize,
    within: Cursor,
}

/// Goes on from `cursor` until the cells end or the buffer has no room; yields how many pairs of
/// slots it wrote.
pub(super) struct PairsInCells<'a, const D: usize> {
    pub(super) cells: &'a Cells<D>,
    pub(super) motions: &'a Motions,
    pub(super) crowd: &'a mut Crowd<D>,
    pub(super) cursor: &'a mut CellCursor,
    pub(super) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for PairsInCells<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { cells, motions, crowd, cursor, hits } = self;
        let mut filled = 0;
        while cursor.cell < cells.table.len() {
            let count = cells.table.cell(cursor.cell).1;
            if count > 1 {
                // Where a walk goes on within a cell, its crowd is still together.
                if cursor.within.is_begin() {
                    crowd.gather(cells, motions, cursor.cell);
                }
                let begin = filled;
                let gate = OnceInItsCell::<D>(&crowd.begins);
                let (planes, within) = (crowd.slabs.planes(), &mut cursor.within);
                filled = within::pairs(lanes, &planes, count, gate, within, hits, filled);
                for hit in &mut hits[begin..filled] {
                    *hit = [crowd.slots[hit[0] as usize], crowd.slots[hit[1] as usize]];
                }
                if cursor.within.row < count {
                    return filled;
                }
            }
            *cursor = CellCursor { cell: cursor.cell + 1, within: Cursor::default() };
        }
        filled
    }
}

/// Goes on from `cursor` until the objects end or the buffer has no room; yields how many pairs
/// `[slot, position among the oversized]` it wrote, of all objects with all oversized ones.
pub(super) struct PairsWithLarge<'a, const D: usize> {
    pub(super) cells: &'a Cells<D>,
    pub(super) cursor: &'a mut Cursor,
    pub(super) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for PairsWithLarge<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { cells, cursor, hits } = self;
        let (planes, len) = (cells.large.planes(), cells.large.len());
        let volume = |slot: usize| cells.places[slot].slabs;
        between::pairs(lanes, cells.places.len(), volume, &planes, len, cursor, hits)
    }
}
