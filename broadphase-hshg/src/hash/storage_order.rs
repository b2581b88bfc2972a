//! Sorts the objects in storage by cell along a Morton curve: neighbors in space are neighbors in
//! memory.
//!
//! A move to another bin adds 1 to the disorder, an insertion or removal
//! [`DISORDER_PER_INSERTION`]. Objects are sorted when the disorder reaches
//! [`DISORDER_PER_INSERTION`] times the number of objects: the amortised cost of a move is a fixed
//! share of sorting an object.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Scalar, instances, spread_bits};

use crate::cell::Grid;
use crate::hash::SpatialHash;
use crate::hash::bins::DISORDER_PER_INSERTION;

/// Minimum number of objects to sort; fewer objects fit into the caches in any order.
const MIN_OBJECTS: usize = 2048;
/// A limit of reordering in place: with this many objects or more, they are not sorted.
const MAX_OBJECTS: usize = 1 << 30;

#[derive(Clone, Debug, Default)]
pub(crate) struct SortScratch {
    sort_keys: Vec<(u64, u32)>,
    order: Vec<u32>,
}

impl SortScratch {
    pub(crate) const fn memory_use(&self) -> usize {
        self.sort_keys.capacity() * size_of::<(u64, u32)>()
            + self.order.capacity() * size_of::<u32>()
    }
}

impl<S: Scalar, const D: usize> SpatialHash<S, D> {
    /// Sorts the objects by cell if their disorder has reached the threshold.
    #[inline]
    pub(crate) fn sort_if_worthwhile(&mut self) {
        let objects = self.objects.len();
        if (MIN_OBJECTS..MAX_OBJECTS).contains(&objects)
            && self.bins.disorder >= DISORDER_PER_INSERTION * objects
        {
            self.sort();
        }
    }

    #[cold]
    fn sort(&mut self) {
        let SortScratch { sort_keys, order } = &mut self.sort_scratch;
        write_sort_keys(self.bins.grid(), self.objects.bounds(), sort_keys);
        sort(sort_keys, order);
        self.bins.set_lowest(sort_keys.len(), |bits| count_bins::<D>(sort_keys, bits));
        self.objects.reorder(order);
        self.bins.rebuild(self.cell.to_f64(), &self.objects);
        self.bins.disorder = 0;
    }
}

instances! {
    /// Writes the Morton code of the cell of each object's low corner, with its slot.
    fn write_sort_keys<S, D>(
        grid: Grid,
        bounds: &[Aabb<S, D>],
        sort_keys: &mut Vec<(u64, u32)>,
    ) {
        sort_keys.clear();
        let code = |bounds: &Aabb<S, D>| morton_code(&bounds.min.map(|x| grid.cell(x)));
        sort_keys.extend(bounds.iter().map(code).zip(0..));
    }
}

/// Sorts the sort keys, and writes their slots in this order to `order`.
fn sort(sort_keys: &mut [(u64, u32)], order: &mut Vec<u32>) {
    sort_keys.sort_unstable();
    order.clear();
    order.extend(sort_keys.iter().map(|&(_, slot)| slot));
}

/// Returns the number of bins with 2^`bits` cells along each axis, given the sorted Morton codes of
/// cells, in which the cells of a bin are adjacent.
fn count_bins<const D: usize>(sort_keys: &[(u64, u32)], bits: u8) -> usize {
    let bin = |&(code, _): &(u64, u32)| code >> (usize::from(bits) * D);
    1 + sort_keys.windows(2).filter(|pair| bin(&pair[0]) != bin(&pair[1])).count()
}

/// Returns the position of a cell on a Morton curve: interleaved low bits of its coordinates, 64 in
/// all. Far from the origin the curve repeats.
fn morton_code<const D: usize>(cell: &[i32; D]) -> u64 {
    let mut code = 0;
    for (axis, &coordinate) in cell.iter().enumerate() {
        // Flipping the sign bit puts the origin in the middle of the range.
        let coordinate = coordinate as u32 ^ 1 << 31;
        code |= spread_bits::<D>(u64::from(coordinate)) << axis;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn morton_code_interleaves_bits() {
        assert_eq!(morton_code(&[1, 0]) ^ morton_code(&[0, 0]), 0b01);
        assert_eq!(morton_code(&[0, 3]) ^ morton_code(&[0, 0]), 0b1010);
        assert_eq!(morton_code(&[5, 0, 2]) ^ morton_code(&[0; 3]), 0b001_100_001);
        assert!(
            morton_code(&[-1]) < morton_code(&[0]) && morton_code(&[i32::MIN]) < morton_code(&[-1])
        );
    }
}
