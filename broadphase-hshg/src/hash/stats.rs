//! Statistics and cells of a hash, for display.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Flow, Scalar, SpatialIndex};

use crate::cell::sides;
use crate::hash::SpatialHash;
use crate::hash::pairs::gather::tests_in;

/// Statistics of a spatial hash, from [`SpatialHash::stats`]. All are counts and do not depend on
/// the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HashStats {
    /// The number of objects.
    pub objects: usize,
    /// The number of cells in use.
    pub cells: usize,
    /// The number of entries: an object has one in each cell it touches.
    pub entries: usize,
    /// The number of entries in the fullest cell.
    pub most: usize,
    /// The number of oversized objects, which are in a list instead of in cells.
    pub oversized: usize,
    /// Upper bound on the box-against-box tests in a search for pairs.
    pub tests: u64,
    /// The bytes of memory held.
    pub bytes: usize,
}

impl<S: Scalar, const D: usize> SpatialHash<S, D> {
    /// Returns statistics of the cells and of the tests a search for pairs would make. The time
    /// is linear in the number of cells.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndexExt};
    ///
    /// let mut world: SpatialHash<f32, 2> = SpatialHash::new(4.0);
    /// world.extend((0..8).map(|n| (n, Aabb::point([n as f32, 0.0]))))?;
    /// world.insert(8, Aabb::of_ball([0.0, 0.0], 1000.0))?;
    /// let stats = world.stats();
    /// assert_eq!((stats.cells, stats.entries, stats.most, stats.oversized), (2, 8, 4, 1));
    /// assert_eq!(stats.tests, 2 * 6 + 9);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> HashStats {
        let cells = self.cells.table.cells();
        let counts = cells.iter().map(|cell| cell.count as usize);
        HashStats {
            objects: self.objects.len(),
            cells: cells.len(),
            entries: counts.clone().sum(),
            most: counts.max().unwrap_or(0),
            oversized: self.oversized(),
            tests: cells.iter().map(tests_in).sum::<u64>()
                + self.objects.len() as u64 * self.oversized() as u64,
            bytes: self.memory_use(),
        }
    }

    /// Visits the cells in use, each with level 0, in ascending order of their positions.
    ///
    /// Oversized objects are in no cell. The outermost cells, 2^30 cells from the origin, extend to
    /// the ends of the number range. Time and memory are proportional to the number of cells.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndexExt};
    ///
    /// let mut world: SpatialHash<f32, 1> = SpatialHash::new(4.0);
    /// world.insert(0, Aabb::new([3.0], [5.0]))?;
    /// let mut cells = Vec::new();
    /// world.cells(|_, cell| cells.push(cell));
    /// assert_eq!(cells, [Aabb::new([0.0], [4.0]), Aabb::new([4.0], [8.0])]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn cells<R: Flow>(&self, mut visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        let mut positions: Vec<_> = self.cells.table.cells().iter().map(|cell| cell.at).collect();
        positions.sort_unstable();
        for position in positions {
            let answer = visit(0, sides(position, self.cells.side()));
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }
}
