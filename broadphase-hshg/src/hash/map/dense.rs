//! The map of a bounded world: an array with one number for each cell. Ticks take from 6 % less to
//! 16 % more time than with a [`Sparse`] map (`cargo xtask bench hash`).

use alloc::vec::Vec;

use broadphase_core::{Aabb, IndexError, Scalar};

use super::{CellMap, Sparse};
use crate::cell::Grid;

/// The number of a cell that is not in use.
const UNUSED: u32 = u32::MAX;
/// Maximum number of cells in the array, which then takes 64 MiB.
const MAX_CELLS: u64 = 1 << 24;

/// The map of a bounded world: an array indexed by cell, without hashing.
///
/// ```text
///   world.min ┌────┬────┬────┐
///             │ 0  │ 1  │ 2  │     cell [x, y] is at (y − low y) · 3 + (x − low x)
///             ├────┼────┼────┤
///             │ 3  │ 4  │ 5  │     cells outside are in a Sparse map
///             └────┴────┴────┘ world.max
/// ```
///
/// The array takes four bytes for every cell of the world, used or not, and is allocated with the
/// first object. A cell of the map is a block of the hash's cells or bins; see [`CellMap`]. Cells
/// outside the world work as well, at the speed of a [`Sparse`] map. If the world has more than
/// 2^24 cells, the array covers its middle.
///
/// ```
/// use broadphase_hshg::{Aabb, Dense, SpatialHash, SpatialIndex};
///
/// let world = Aabb::new([0.0, 0.0], [100.0, 100.0]);
/// let mut pool: SpatialHash<f32, 2, (), Dense<2>> = SpatialHash::bounded(4.0, world);
/// pool.insert(0, Aabb::of_ball([3.0, 3.0], 1.0), ())?;
/// pool.insert(1, Aabb::of_ball([4.0, 3.0], 1.0), ())?;
/// pool.insert(2, Aabb::of_ball([-900.0, 3.0], 1.0), ())?;
/// pool.insert(3, Aabb::of_ball([-900.5, 3.0], 1.0), ())?;
/// let mut pairs = Vec::new();
/// pool.pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 1], [2, 3]]);
/// # Ok::<(), broadphase_hshg::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dense<const D: usize> {
    world: Aabb<f64, D>,
    low: [i32; D],
    /// The number of cells along each axis.
    size: [u32; D],
    /// The number of each cell in the array; empty until the first insertion or reservation.
    numbers: Vec<u32>,
    outside: Sparse<D>,
}

impl<const D: usize> Dense<D> {
    /// Returns an empty map of this world. The hash that uses the map sets the
    /// [side](CellMap::set_side) of its cells.
    #[must_use]
    pub fn new<S: Scalar>(world: Aabb<S, D>) -> Self {
        let world = Aabb { min: world.min.map(S::to_f64), max: world.max.map(S::to_f64) };
        let outside = Sparse::default();
        Self { world, low: [0; D], size: [0; D], numbers: Vec::new(), outside }
    }

    /// Returns the array index of a cell, or `None` if the cell is outside the world.
    #[inline(always)]
    fn index(&self, cell: &[i32; D]) -> Option<usize> {
        let mut index = 0;
        let mut axis = D;
        while axis > 0 {
            axis -= 1;
            let along = cell[axis].wrapping_sub(self.low[axis]) as u32;
            if along >= self.size[axis] {
                return None;
            }
            index = index * self.size[axis] as usize + along as usize;
        }
        Some(index)
    }

    fn cell_count(&self) -> usize {
        self.size.iter().map(|&size| size as usize).product()
    }
}

impl<const D: usize> CellMap<D> for Dense<D> {
    #[inline(always)]
    fn get(&self, cell: &[i32; D]) -> Option<u32> {
        match self.index(cell) {
            Some(index) => self.numbers.get(index).copied().filter(|&number| number != UNUSED),
            None => self.outside.get(cell),
        }
    }

    #[inline(always)]
    fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32 {
        let Some(index) = self.index(cell) else {
            return self.outside.get_or_insert(cell, number);
        };
        if self.numbers.is_empty() {
            self.numbers.resize(self.cell_count(), UNUSED);
        }
        if self.numbers[index] == UNUSED {
            self.numbers[index] = number;
        }
        self.numbers[index]
    }

    #[inline(always)]
    fn replace(&mut self, cell: &[i32; D], number: u32) {
        match self.index(cell) {
            Some(index) => self.numbers[index] = number,
            None => self.outside.replace(cell, number),
        }
    }

    #[inline(always)]
    fn remove(&mut self, cell: &[i32; D]) {
        match self.index(cell) {
            Some(index) => self.numbers[index] = UNUSED,
            None => self.outside.remove(cell),
        }
    }

    fn clear(&mut self) {
        self.numbers.fill(UNUSED);
        self.outside.clear();
    }

    fn set_side(&mut self, side: f64) {
        let grid = Grid::new(side);
        let (low, high) =
            (self.world.min.map(|x| grid.cell(x)), self.world.max.map(|x| grid.cell(x)));
        for axis in 0..D {
            // An inverted world has no cells.
            let size = i64::from(high[axis]) - i64::from(low[axis]) + 1;
            (self.low[axis], self.size[axis]) = (low[axis], size.max(0) as u32);
        }
        let count = |size: &[u32; D]| {
            size.iter().fold(1u64, |count, &size| count.saturating_mul(u64::from(size)))
        };
        while count(&self.size) > MAX_CELLS {
            let longest = (0..D).max_by_key(|&axis| self.size[axis]).unwrap_or(0);
            let half = self.size[longest] / 2;
            self.low[longest] += (half / 2) as i32;
            self.size[longest] = half;
        }
        self.numbers.clear();
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        if self.numbers.is_empty() {
            let count = self.cell_count();
            self.numbers.try_reserve_exact(count).map_err(|_| IndexError::OutOfMemory)?;
            self.numbers.resize(count, UNUSED);
        }
        // Small reservations do not include the map of outside cells, which allocates on demand.
        if additional > 64 { self.outside.try_reserve(additional) } else { Ok(()) }
    }

    fn shrink_to_fit(&mut self) {
        if self.numbers.iter().all(|&number| number == UNUSED) {
            self.numbers = Vec::new();
        }
        self.numbers.shrink_to_fit();
        self.outside.shrink_to_fit();
    }

    fn memory_use(&self) -> usize {
        self.numbers.capacity() * size_of::<u32>() + self.outside.memory_use()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_of_the_world_has_its_own_index() {
        let mut map = Dense::new(Aabb::new([-2, 0, 5], [1, 3, 9]));
        map.set_side(2.0);
        assert_eq!((map.low, map.size), ([-1, 0, 2], [2, 2, 3]));
        let mut seen = [false; 12];
        for x in -1..1 {
            for y in 0..2 {
                for z in 2..5 {
                    let index = map.index(&[x, y, z]).expect("the cell is in the world");
                    assert!(!core::mem::replace(&mut seen[index], true), "once");
                }
            }
        }
        for cell in [[-2, 0, 2], [1, 0, 2], [0, 2, 2], [0, 0, 1], [0, 0, 5], [i32::MIN, 0, 2]] {
            assert_eq!(map.index(&cell), None);
        }
    }

    #[test]
    fn a_huge_world_has_an_array_for_its_middle() {
        let mut map = Dense::new(Aabb::new([f32::MIN; 3], [f32::MAX; 3]));
        map.set_side(1.0);
        assert!(map.cell_count() as u64 <= MAX_CELLS && map.cell_count() as u64 >= MAX_CELLS / 2);
        assert!(map.index(&[0; 3]).is_some());
        let mut none = Dense::new(Aabb::new([5, 5], [0, 0]));
        none.set_side(1.0);
        assert_eq!((none.index(&[0, 0]), none.cell_count()), (None, 0));
        assert_eq!(none.get_or_insert(&[3, 3], 7), 7);
        assert_eq!(none.get(&[3, 3]), Some(7));
    }
}
