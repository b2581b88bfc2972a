//! The order of objects in storage: along a curve through the cells, or along rows of cells, so
//! that what is near in the world is near in memory.

use alloc::vec::Vec;

use broadphase_core::{Scalar, apply_order, instances};

use crate::hash::SpatialHash;
use crate::hash::cells::Place;
use crate::hash::cells::placement::Placement;
use crate::hash::map::CellMap;
use crate::hash::pairs::rows::row;

/// Fewer objects are in the caches in any order.
const MANY: usize = 2048;
/// More objects cannot be put in order in place.
const TOO_MANY: usize = 1 << 30;
/// What has come, or taken the slot of what has gone, is anywhere, and counts as often as an
/// object that has gone through so many cells.
pub(crate) const ANYWHERE: usize = 4;

/// What is needed to sort, kept for the next time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorting {
    codes: Vec<(u64, i32, u32)>,
    order: Vec<u32>,
}

impl Sorting {
    /// The bytes of memory held.
    pub(crate) const fn memory_use(&self) -> usize {
        self.codes.capacity() * size_of::<(u64, i32, u32)>()
            + self.order.capacity() * size_of::<u32>()
    }
}

impl<S: Scalar, const D: usize, T: Copy, M: CellMap<D>> SpatialHash<S, D, T, M> {
    /// Sorts the objects by their cells if every one has gone through some since they were sorted.
    ///
    /// So sorting costs each change of a cell no more than a fixed amount.
    #[inline]
    pub(crate) fn sort_if_worthwhile(&mut self) {
        let objects = self.objects.len();
        if (MANY..TOO_MANY).contains(&objects) && self.cells.strayed >= ANYWHERE * objects {
            self.sort();
        }
    }

    #[cold]
    fn sort(&mut self) {
        let Sorting { codes, order } = &mut self.sorting;
        write_codes(&self.cells.places, self.cells.placement(), codes);
        sort(codes, order);
        self.objects.reorder(order);
        reorder(order, &mut self.cells.places);
        let (side, placement) = (self.cell.to_f64(), self.placement());
        let (bounds, keys) = (self.objects.bounds(), self.objects.keys());
        self.cells.rearrange(side, placement, bounds, keys);
        self.cells.strayed = 0;
    }
}

instances! {
    /// Writes for each object its place in the order, and its slot.
    fn write_codes<D>(
        places: &[Place<D>],
        placement: Placement,
        codes: &mut Vec<(u64, i32, u32)>,
    ) {
        let in_rows = placement == Placement::FirstCell;
        codes.clear();
        codes.extend((0..).zip(places).map(|(slot, place)| {
            let cell = &place.span.low;
            if in_rows { (row(cell), cell[0], slot) } else { (code(cell), 0, slot) }
        }));
    }

    /// Puts places into the order of the slots.
    fn reorder<D>(order: &mut [u32], places: &mut [Place<D>]) {
        apply_order(order, places);
    }
}

/// Sorts codes, and writes the slots in that order.
fn sort(codes: &mut [(u64, i32, u32)], order: &mut Vec<u32>) {
    codes.sort_unstable();
    order.clear();
    order.extend(codes.iter().map(|&(.., slot)| slot));
}

/// Where a cell is on a Morton curve: the bits of its coordinates in turn, the lowest that fit.
///
/// The curve repeats where they do not, which is far away.
fn code<const D: usize>(cell: &[i32; D]) -> u64 {
    let mut code = 0;
    for (axis, &coordinate) in cell.iter().enumerate() {
        // The sign last, so that the origin is in the middle.
        let coordinate = coordinate as u32 ^ 1 << 31;
        code |= match D {
            1 => u64::from(coordinate),
            2 => spread_by_two(coordinate),
            _ => spread_by_three(coordinate),
        } << axis;
    }
    code
}

/// Bit `i` to bit `2i`.
const fn spread_by_two(x: u32) -> u64 {
    let mut x = x as u64;
    x = (x | x << 16) & 0x0000_FFFF_0000_FFFF;
    x = (x | x << 8) & 0x00FF_00FF_00FF_00FF;
    x = (x | x << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    x = (x | x << 2) & 0x3333_3333_3333_3333;
    (x | x << 1) & 0x5555_5555_5555_5555
}

/// Bit `i` to bit `3i`, for the lowest 21 bits.
const fn spread_by_three(x: u32) -> u64 {
    let mut x = x as u64 & 0x1F_FFFF;
    x = (x | x << 32) & 0x001F_0000_0000_FFFF;
    x = (x | x << 16) & 0x001F_0000_FF00_00FF;
    x = (x | x << 8) & 0x100F_00F0_0F00_F00F;
    x = (x | x << 4) & 0x10C3_0C30_C30C_30C3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_take_turns() {
        for bit in 0..32 {
            assert_eq!(spread_by_two(1 << bit), 1 << (2 * bit));
            assert_eq!(spread_by_three(1 << bit), if bit < 21 { 1 << (3 * bit) } else { 0 });
        }
        assert_eq!(spread_by_two(u32::MAX), 0x5555_5555_5555_5555);
        assert_eq!(code(&[1, 0]) ^ code(&[0, 0]), 0b01);
        assert_eq!(code(&[0, 3]) ^ code(&[0, 0]), 0b1010);
        assert_eq!(code(&[5, 0, 2]) ^ code(&[0; 3]), 0b001_100_001);
        assert!(code(&[-1]) < code(&[0]) && code(&[i32::MIN]) < code(&[-1]));
    }
}
