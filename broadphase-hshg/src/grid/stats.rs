//! Levels and cells of objects, for users; storage has tiers and rows instead.

use alloc::vec::Vec;

use broadphase_core::{Aabb, LevelStats, Scalar, instances};

use crate::cell::{Grid, sides};
use crate::grid::Hshg;
use crate::grid::storage::tiers::{exponent, power, size};

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns the distribution of objects over levels and cells: the levels with objects,
    /// ascending.
    ///
    /// An object is in one cell of one level. Cells of a level are twice as large as those of the
    /// level below. An object is at most as large as its cell and, above level 0, larger than half
    /// of it. O(n log n) time, O(n) memory.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndexExt};
    ///
    /// let mut world: Hshg<f32, 2> = Hshg::with_smallest_cell(1.0);
    /// world.extend((0..90).map(|n| (n, Aabb::of_ball([n as f32, 0.0], 0.25))))?;
    /// world.insert(90, Aabb::of_ball([0.0, 0.0], 50.0))?;
    /// let levels = world.levels();
    /// assert_eq!((levels[0].objects, levels[1].objects), (90, 1));
    /// assert_eq!((levels[1].level, levels[1].cell), (7, 128.0));
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub fn levels(&self) -> Vec<LevelStats> {
        levels(self)
    }

    /// Returns each cell that contains the low corner of an object, with its level, ascending.
    ///
    /// Cells and levels are as in [`levels`](Self::levels), except of objects so far out that the
    /// spacing of floating-point numbers determines their level. The outermost cells, 2^30 cells
    /// from the origin, are unbounded. O(n log n) time, O(n) memory.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndexExt};
    ///
    /// let mut world: Hshg<i32, 2> = Hshg::with_smallest_cell(4);
    /// world.insert(0, Aabb::new([-1, 5], [1, 7]))?;
    /// world.insert(1, Aabb::new([-3, 4], [1, 7]))?;
    /// world.insert(2, Aabb::new([5, 5], [25, 5]))?;
    /// let small = Aabb::new([-4, 4], [0, 8]);
    /// assert_eq!(world.cells(), [(0, small), (3, Aabb::new([0, 0], [32, 32]))]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub fn cells(&self) -> Vec<(u32, Aabb<S, D>)> {
        cells(self)
    }

    fn cell_side(&self, level: u32) -> f64 {
        power(self.sizes.smallest_cell().saturating_add(level as i32))
    }

    /// Returns the level and the cell of each object, ascending, with duplicates.
    fn object_cells(&self) -> Vec<(u32, [i32; D])> {
        let cell = |(_, bounds): (u32, Aabb<S, D>)| {
            let above = exponent(size::<S, D>(&bounds.slabs())) - self.sizes.smallest_cell();
            let level = above.max(0) as u32;
            let grid = Grid::new(self.cell_side(level));
            (level, bounds.min.map(|min| grid.cell(min)))
        };
        let mut cells: Vec<_> = self.objects().into_iter().map(cell).collect();
        cells.sort_unstable();
        cells
    }
}

instances! {
    fn levels<S, D>(grid: &Hshg<S, D>) -> Vec<LevelStats> {
        let stats = |of_level: &[(u32, [i32; D])]| LevelStats {
            level: of_level[0].0,
            cell: grid.cell_side(of_level[0].0),
            objects: of_level.len(),
            cells: of_level.chunk_by(|a, b| a == b).count(),
        };
        grid.object_cells().chunk_by(|a, b| a.0 == b.0).map(stats).collect()
    }

    fn cells<S, D>(grid: &Hshg<S, D>) -> Vec<(u32, Aabb<S, D>)> {
        let mut cells = grid.object_cells();
        cells.dedup();
        cells.into_iter().map(|(level, cell)| (level, sides(cell, grid.cell_side(level)))).collect()
    }
}
