//! All overlapping pairs within a batch and between two.

use alloc::vec::Vec;

use simd_lanes::{Flow, LANES};

use super::query::QUERIES_PER_PASS;
use super::{Batch, Batched};
use crate::kernel::scan::{Cursor, TILE};

impl<V: Batched> Batch<V> {
    /// Visits the two indices, the smaller first, of every overlapping pair until the visitor
    /// stops.
    ///
    /// Every pair is tested, in tiles: time grows with the square of the number of volumes. The
    /// order is the same on every backend; [`pairs_into`](Self::pairs_into) sorts.
    ///
    /// ```
    /// use bounds_hexprism::{Batch, Hexagon};
    ///
    /// let hexagons = (0..4).map(|x| Hexagon::of_disc([x * 3, 0], 2));
    /// let batch: Batch<Hexagon<i32>> = Batch::of(hexagons.flatten())?;
    /// let mut pairs = Vec::new();
    /// batch.pairs(|a, b| pairs.push((a, b)));
    /// assert_eq!(pairs, [(0, 1), (1, 2), (2, 3)]);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    pub fn pairs<R: Flow>(&self, visit: impl FnMut(usize, usize) -> R) -> R {
        self.visit_pairs(self, |index| index + 1, visit)
    }

    /// Visits `(index here, index there)` of every overlapping pair of two batches until the
    /// visitor stops. Tests every pair, as [`pairs`](Self::pairs).
    ///
    /// ```
    /// use bounds_hexprism::{Aabb, Batch};
    ///
    /// let walls = Batch::of([Aabb::new([0, 0], [9, 1]), Aabb::new([0, 8], [9, 9])])?;
    /// let balls = Batch::of([Aabb::of_ball([5, 5], 2), Aabb::of_ball([5, 7], 2)])?;
    /// let mut pairs = Vec::new();
    /// balls.pairs_with(&walls, |ball, wall| pairs.push((ball, wall)));
    /// assert_eq!(pairs, [(1, 1)]);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    pub fn pairs_with<R: Flow>(&self, other: &Self, visit: impl FnMut(usize, usize) -> R) -> R {
        self.visit_pairs(other, |_| 0, visit)
    }

    /// Appends every overlapping pair of indices, the smaller first, ascending.
    pub fn pairs_into(&self, pairs: &mut Vec<[usize; 2]>) {
        let old = pairs.len();
        self.pairs(|a, b| pairs.push([a, b]));
        pairs[old..].sort_unstable();
    }

    /// Visits the pairs of a volume here and one there whose index is at least `from` of the
    /// index here.
    fn visit_pairs<R: Flow>(
        &self,
        other: &Self,
        from: impl Fn(usize) -> usize,
        mut visit: impl FnMut(usize, usize) -> R,
    ) -> R {
        let (mut volumes, mut asked) = (Vec::new(), Vec::new());
        for first in (0..self.len()).step_by(QUERIES_PER_PASS) {
            let last = self.len().min(first + QUERIES_PER_PASS);
            volumes.clear();
            volumes.extend((first..last).map(|index| self.get(index)));
            asked.clear();
            asked.extend(
                (first..last).zip(&volumes).map(|(i, volume)| self.scan_query(volume, from(i))),
            );
            let tile = from(first) / LANES / TILE * TILE;
            let flow =
                other.scan(&asked, Cursor { tile, ..Cursor::default() }, |query, block, hits| {
                    for lane in other.retain_exact(&volumes[query], block, hits) {
                        let flow = visit(first + query, block * LANES + lane);
                        if flow.stops() {
                            return flow;
                        }
                    }
                    R::CONTINUE
                });
            if flow.stops() {
                return flow;
            }
        }
        R::CONTINUE
    }
}
