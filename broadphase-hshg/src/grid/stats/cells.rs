//! The levels and cells of objects that callers can inspect. Storage does not use them: it has
//! tiers and rows.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Flow, Scalar, instances};

use crate::cell::{Grid, sides};
use crate::grid::Hshg;
use crate::grid::storage::tiers::{exponent, power, size};

/// The cell that contains the low corner of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::grid) struct CellId<const D: usize> {
    pub(in crate::grid) level: u32,
    cell: [i32; D],
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns the side of the cells of a level.
    pub(in crate::grid) fn cell_side(&self, level: u32) -> f64 {
        power(self.sizes.smallest_cell().saturating_add(level as i32))
    }

    /// Returns the level of an object.
    pub(in crate::grid) fn level_of(&self, bounds: &Aabb<S, D>) -> u32 {
        let above = exponent(size::<S, D>(&bounds.slabs())) - self.sizes.smallest_cell();
        above.max(0) as u32
    }

    /// Returns the keys and bounds of all objects in storage order, with the index of the row;
    /// `None` for pending objects.
    pub(in crate::grid) fn objects(
        &self,
    ) -> impl Iterator<Item = (Option<usize>, u32, Aabb<S, D>)> + '_ {
        let in_rows = self.rows.iter().enumerate().flat_map(move |(index, row)| {
            let object = move |slot| (Some(index), self.store.keys[slot], self.store.bounds(slot));
            self.live_slots(row).map(object)
        });
        in_rows.chain(self.pending.iter().map(|body| (None, body.key, body.bounds)))
    }

    /// Returns the cell of each object, sorted by level and cell, with duplicates.
    pub(in crate::grid) fn object_cells(&self) -> Vec<CellId<D>> {
        let mut object_cells: Vec<CellId<D>> = Vec::with_capacity(self.len);
        object_cells.extend(self.objects().map(|(_, _, bounds)| {
            let level = self.level_of(&bounds);
            let grid = Grid::new(self.cell_side(level));
            CellId { level, cell: bounds.min.map(|min| grid.cell(min)) }
        }));
        object_cells.sort_unstable();
        object_cells
    }
}

instances! {
    /// Returns the cells that contain the low corner of an object, ascending, without duplicates.
    fn occupied<S, D>(grid: &Hshg<S, D>) -> Vec<(u32, Aabb<S, D>)> {
        let mut object_cells = grid.object_cells();
        object_cells.dedup();
        let bounds = |id: &CellId<D>| (id.level, sides(id.cell, grid.cell_side(id.level)));
        object_cells.iter().map(bounds).collect()
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Visits each cell that contains the low corner of an object, with its level, until the
    /// visitor stops. Cells of each level are twice as large as those of the level below.
    ///
    /// An object is at most as large as the cells of its level, except objects so far from the
    /// origin that the spacing of floating-point numbers there determines their level. The
    /// outermost cells, 2^30 cells from the origin, are unbounded. Takes O(n log n) time and O(n)
    /// memory.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndexExt};
    ///
    /// let mut world: Hshg<i32, 2> = Hshg::with_smallest_cell(4);
    /// world.insert(0, Aabb::new([-1, 5], [1, 7]))?;
    /// world.insert(1, Aabb::new([-3, 4], [1, 7]))?;
    /// world.insert(2, Aabb::new([5, 5], [25, 5]))?;
    /// let mut cells = Vec::new();
    /// world.cells(|level, cell| cells.push((level, cell)));
    /// let small = Aabb::new([-4, 4], [0, 8]);
    /// assert_eq!(cells, [(0, small), (3, Aabb::new([0, 0], [32, 32]))]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn cells<R: Flow>(&self, mut visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        for (level, cell) in occupied(self) {
            let answer = visit(level, cell);
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }
}
