//! The levels and bins of a hash, for users.

use alloc::vec::Vec;

use broadphase_core::{Aabb, LevelStats, Scalar, array_of};

use super::bins::Bins;
use crate::cell::border;
use crate::hash::SpatialHash;

impl<S: Scalar, const D: usize> SpatialHash<S, D> {
    /// Returns the distribution of objects over levels and bins (`cells` is the number of bins):
    /// the levels that have objects, ascending.
    ///
    /// An object is in one bin of one level. Bins of a level are twice as large as those of the
    /// level below. O(n log n) time and O(n) memory for n bins.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndexExt};
    ///
    /// let mut world: SpatialHash<f32, 2> = SpatialHash::new(4.0);
    /// world.extend((0..8).map(|n| (n, Aabb::point([n as f32 * 4.0, 0.0]))))?;
    /// world.insert(8, Aabb::of_ball([0.0, 0.0], 1000.0))?;
    /// let [points, ball] = world.levels()[..] else { panic!("two levels have objects") };
    /// assert_eq!((points.cell, points.objects, points.cells), (8.0, 8, 4));
    /// assert!(ball.cell >= 2000.0);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub fn levels(&self) -> Vec<LevelStats> {
        let stats = |bins: &[(u8, [i32; D], usize)]| LevelStats {
            level: bins[0].0.into(),
            cell: self.cell.to_f64() * Bins::<D>::cells_along(bins[0].0),
            objects: bins.iter().map(|bin| bin.2).sum(),
            cells: bins.len(),
        };
        self.bins.sorted().chunk_by(|a, b| a.0 == b.0).map(stats).collect()
    }

    /// Returns the bins in use with their levels, ascending by level, then by position.
    ///
    /// The outermost bins, 2^30 cells from the origin, extend to the ends of the number range. O(n
    /// log n) time and O(n) memory for n bins.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndexExt};
    ///
    /// let mut world: SpatialHash<f32, 1> = SpatialHash::new(4.0);
    /// world.insert(0, Aabb::new([3.0], [5.0]))?;
    /// world.insert(1, Aabb::new([20.0], [21.0]))?;
    /// let [low, high] = [[0.0], [16.0]].map(|low| Aabb::new(low, [low[0] + 8.0]));
    /// assert_eq!(world.cells(), [(0, low), (0, high)]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub fn cells(&self) -> Vec<(u32, Aabb<S, D>)> {
        let side = self.cell.to_f64();
        let bounds = |(level, bin, _): (u8, [i32; D], usize)| {
            let along = Bins::<D>::cells_along(level);
            let bounds = Aabb {
                min: array_of(|axis| border(f64::from(bin[axis]) * along, side)),
                max: array_of(|axis| border((f64::from(bin[axis]) + 1.0) * along, side)),
            };
            (level.into(), bounds)
        };
        self.bins.sorted().into_iter().map(bounds).collect()
    }
}
