//! All overlapping pairs within a batch, and between two batches.

use alloc::vec::Vec;

use simd_lanes::{Flow, LANES};

use super::query::QUERIES_PER_PASS;
use super::{Batch, Batched};
use crate::kernel::scan::{Cursor, TILE};

impl<V: Batched> Batch<V> {
    /// Calls `visit` with the two indices of every overlapping pair, the smaller first, until
    /// `visit` stops.
    ///
    /// Tests all pairs, in tiles: O(n²). The order of pairs is equal on every backend, but not
    /// sorted; [`pairs_into`](Self::pairs_into) sorts.
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

    /// Calls `visit` with `(index in self, index in other)` for every overlapping pair of two
    /// batches, until `visit` stops. Tests all pairs, in tiles: O(n · m).
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

    /// Appends the indices of every overlapping pair, the smaller first. The appended pairs are
    /// sorted.
    pub fn pairs_into(&self, pairs: &mut Vec<[usize; 2]>) {
        let old = pairs.len();
        self.pairs(|a, b| pairs.push([a, b]));
        pairs[old..].sort_unstable();
    }

    /// Visits every overlapping pair of a volume of this batch and one of the other batch. The
    /// volume with index `i` is tested against indices of at least `from(i)`.
    fn visit_pairs<R: Flow>(
        &self,
        other: &Self,
        from: impl Fn(usize) -> usize,
        mut visit: impl FnMut(usize, usize) -> R,
    ) -> R {
        let (mut volumes, mut queries) = (Vec::new(), Vec::new());
        for first in (0..self.len()).step_by(QUERIES_PER_PASS) {
            let last = self.len().min(first + QUERIES_PER_PASS);
            volumes.clear();
            volumes.extend((first..last).map(|index| self.get(index)));
            queries.clear();
            queries.extend(
                (first..last).zip(&volumes).map(|(i, volume)| Self::scan_query(volume, from(i))),
            );
            let tile = from(first) / LANES / TILE * TILE;
            let flow =
                other.scan(&queries, Cursor { tile, ..Cursor::default() }, |query, block, hits| {
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
