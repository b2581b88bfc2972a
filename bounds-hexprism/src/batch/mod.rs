//! Collections of volumes of one type, edited in place, with queries and pairs.
//!
//! Each end of each axis has an array of its own, a plane; lower ends are inverted (`!key`), so one
//! comparison serves all planes (`scan.rs`), and all padding is `i32::MIN`.
//!
//! ```text
//!              block 0           block 1            The eight planes of a prism. With up
//! max a   [ · · · · · · · · ][ · · · · · · · · ]  ┐ first, the first stage compares these
//! max b   [ · · · · · · · · ][ · · · · · · · · ]  ├ three with the query's up triangle.
//! max c   [ · · · · · · · · ][ · · · · · · · · ]  ┘
//! max z   [ · · · · · · · · ][ · · · · · · · · ]  ┐ The second stage reads the others, for
//!   ⋮                                             │ blocks that passed the first.
//! min z   [ · · · · · · · · ][ · · · · · · · · ]  ┘
//! ```

mod batched;
mod scan;

use alloc::vec::Vec;
use core::ops::Range;

use simd_lanes::{Backend, Flow, HitMask, LANES};

pub use batched::Batched;
use scan::{MAX_FIRST, NO_HITS, PlaneTest, scan};

use crate::aligned_plane::Plane;
use crate::{InvalidBounds, Slabs};

/// Largest number of planes.
const MAX_PLANES: usize = 8;

/// Number of blocks that all queries scan before the next blocks: 24 KiB for the three planes of a
/// triangle.
const TILE: usize = 256;

/// Number of queries per tile: at this number, the time to read the batch is negligible.
const QUERIES_PER_PASS: usize = 256;

/// A collection of volumes of one type, tested eight at a time.
///
/// A volume stays at the index at which it was pushed until it is [removed](Self::swap_remove) or
/// moved by a removal. Results are equal on every backend.
///
/// ```
/// use bounds_hexprism::{Batch, Bounds, HexPrism};
///
/// let mut trees: Batch<HexPrism> = Batch::new();
/// for x in 0..100 {
///     trees.push(HexPrism::of_cylinder([x as f32, 0.0, 2.0], 0.4, 2.0)?)?;
/// }
/// let deer = HexPrism::of_cylinder([7.5, 0.0, 1.0], 0.5, 1.0)?;
/// let mut near = Vec::new();
/// trees.query(&deer, |tree| near.push(tree));
/// assert_eq!(near, [7, 8]);
/// let bird = deer.translated([0.0, 0.0, 9.0]).expect("small numbers");
/// assert_eq!(trees.count(&bird), 0);
/// # Ok::<(), bounds_hexprism::InvalidBounds>(())
/// ```
#[derive(Clone, Debug)]
pub struct Batch<V: Batched> {
    /// The upper ends of each axis, then the inverted lower ends of each axis.
    planes: Vec<Plane>,
    len: usize,
    /// The volumes themselves if their keys are not exact, else empty.
    exact: Vec<V>,
    backend: Backend,
}

impl<V: Batched> Default for Batch<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Batched> Batch<V> {
    /// Creates an empty batch that uses the fastest backend of this CPU.
    #[must_use]
    pub fn new() -> Self {
        const {
            assert!(1 <= V::LOWER + V::UPPER && V::LOWER + V::UPPER <= MAX_FIRST);
            assert!(V::LOWER <= V::AXES && V::UPPER <= V::AXES && 2 * V::AXES <= MAX_PLANES);
        }
        let planes = (0..2 * V::AXES).map(|_| Plane::new()).collect();
        Self { planes, len: 0, exact: Vec::new(), backend: Backend::detect() }
    }

    /// Creates a batch of the volumes, in order.
    ///
    /// # Errors
    /// If [`Batched::checked`] rejects a volume.
    ///
    /// ```
    /// use bounds_hexprism::{Aabb, Batch};
    ///
    /// let batch = Batch::of((0..9).map(|x| Aabb::around([x, 0], [2, 2])))?;
    /// assert_eq!(batch.count(&Aabb::point([4, 1])), 5);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    pub fn of(volumes: impl IntoIterator<Item = V>) -> Result<Self, InvalidBounds> {
        let mut batch = Self::new();
        volumes.into_iter().try_for_each(|volume| batch.push(volume))?;
        Ok(batch)
    }

    /// Returns the number of volumes.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the batch is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Sets the backend. Results do not depend on it.
    pub fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    /// Appends a volume. Its index is the previous length.
    ///
    /// # Errors
    /// If [`Batched::checked`] rejects the volume. On error the batch is unchanged.
    #[inline]
    pub fn push(&mut self, volume: V) -> Result<(), InvalidBounds> {
        let volume = volume.checked()?;
        if self.len.is_multiple_of(LANES) {
            self.planes.iter_mut().for_each(|plane| plane.push_block(i32::MIN));
        }
        self.len += 1;
        self.write(self.len - 1, ends_of(&volume));
        if !V::EXACT {
            self.exact.push(volume);
        }
        Ok(())
    }

    /// Replaces the volume at `index`.
    ///
    /// # Errors
    /// If [`Batched::checked`] rejects the volume. On error the batch is unchanged.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[inline]
    pub fn set(&mut self, index: usize, volume: V) -> Result<(), InvalidBounds> {
        assert!(index < self.len, "index {index} is out of bounds");
        let volume = volume.checked()?;
        self.write(index, ends_of(&volume));
        if !V::EXACT {
            self.exact[index] = volume;
        }
        Ok(())
    }

    /// Returns the volume at `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> V {
        assert!(index < self.len, "index {index} is out of bounds");
        if !V::EXACT {
            return self.exact[index];
        }
        let mut slabs = Slabs { min: [0; 4], max: [0; 4] };
        let (upper, lower) = self.planes.split_at(V::AXES);
        for (axis, (upper, lower)) in upper.iter().zip(lower).enumerate() {
            slabs.max[axis] = upper.as_slice()[index];
            slabs.min[axis] = !lower.as_slice()[index];
        }
        V::of_slabs(&slabs)
    }

    /// Removes and returns the volume at `index`, and moves the last volume to `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    pub fn swap_remove(&mut self, index: usize) -> V {
        let removed = self.get(index);
        self.len -= 1;
        let (last, padded) = (self.len, self.len.next_multiple_of(LANES));
        for plane in &mut self.planes {
            let numbers = plane.as_mut_slice();
            numbers[index] = numbers[last];
            numbers[last] = i32::MIN;
            plane.truncate(padded);
        }
        if !V::EXACT {
            self.exact.swap_remove(index);
        }
        removed
    }

    #[inline]
    fn write(&mut self, index: usize, ends: [i32; MAX_PLANES]) {
        for (plane, end) in self.planes.iter_mut().zip(ends) {
            plane.as_mut_slice()[index] = end;
        }
    }

    /// Calls `visit` with the index of every volume that overlaps `query`, ascending, until
    /// stopped.
    ///
    /// The closure returns `()` to continue, or a [`ControlFlow`](core::ops::ControlFlow) or
    /// `Result`, whose last value is returned. A query may be infinite; an inverted or NaN query
    /// overlaps nothing.
    ///
    /// ```
    /// use bounds_hexprism::{Aabb, Batch};
    /// use core::ops::ControlFlow;
    ///
    /// let batch = Batch::of((0..9).map(|x| Aabb::around([x, 0], [2, 2])))?;
    /// let first = batch.query(&Aabb::point([7, 1]), ControlFlow::Break);
    /// assert_eq!(first, ControlFlow::Break(5));
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    pub fn query<R: Flow>(&self, query: &V, mut visit: impl FnMut(usize) -> R) -> R {
        self.query_masks(query, |first, hits| each_lane(first, hits, &mut visit))
    }

    /// Calls `visit` for every block of eight volumes with a hit, ascending, with the index of the
    /// first volume and the mask of volumes that overlap `query`.
    ///
    /// ```
    /// use bounds_hexprism::{Aabb, Batch, HitMask};
    ///
    /// let batch = Batch::of((0..20).map(|x| Aabb::point([x])))?;
    /// let mut found = Vec::new();
    /// batch.query_masks(&Aabb::new([6], [9]), |first, hits| found.push((first, hits)));
    /// assert_eq!(found, [(0, HitMask(0b1100_0000)), (8, HitMask(0b0000_0011))]);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    pub fn query_masks<R: Flow>(&self, query: &V, visit: impl FnMut(usize, HitMask) -> R) -> R {
        let Some(query) = query.normalized() else { return R::CONTINUE };
        self.scan(&Query::new(query, 0), 0..usize::MAX, visit)
    }

    /// Returns the number of volumes that overlap `query`.
    #[must_use]
    pub fn count(&self, query: &V) -> usize {
        let mut count = 0;
        self.query_masks(query, |_, hits| count += hits.count() as usize);
        count
    }

    /// Calls `visit` with `(query, index)` for each overlap of many queries, until `visit` stops.
    ///
    /// All queries scan one tile of the batch before the next tile: a large batch is read from
    /// memory once per 256 queries. For each query, indices ascend, but hits of different queries
    /// are interleaved. The order does not depend on the backend.
    ///
    /// ```
    /// use bounds_hexprism::{Aabb, Batch};
    ///
    /// let batch = Batch::of((0..9).map(|x| Aabb::around([x, 0], [2, 2])))?;
    /// let mut tally = [0; 2];
    /// batch.query_many(&[Aabb::point([0, 0]), Aabb::point([4, 0])], |query, _| tally[query] += 1);
    /// assert_eq!(tally, [3, 5]);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    pub fn query_many<R: Flow>(&self, queries: &[V], visit: impl FnMut(usize, usize) -> R) -> R {
        let query = |index: usize| Some(Query::new(queries[index].normalized()?, 0));
        self.scan_many(queries.len(), query, visit)
    }

    /// Calls `visit` with the indices of each overlapping pair, smaller first, until stopped.
    ///
    /// Tests all pairs, in tiles: O(n²). The order is equal on every backend, but not sorted.
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
        let query = |index: usize| Some(Query::new(self.get(index), index + 1));
        self.scan_many(self.len, query, visit)
    }

    /// Calls `visit` with `(index in self, index in other)` for every overlapping pair of two
    /// batches, until stopped. Tests all pairs, in tiles: O(n · m).
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
        let query = |index: usize| Some(Query::new(self.get(index), 0));
        other.scan_many(self.len, query, visit)
    }

    /// Scans tile by tile with many queries (`None` finds nothing); visits `(query, index)`.
    fn scan_many<R: Flow>(
        &self,
        count: usize,
        query: impl Fn(usize) -> Option<Query<V>>,
        mut visit: impl FnMut(usize, usize) -> R,
    ) -> R {
        let mut queries = Vec::new();
        for start in (0..count).step_by(QUERIES_PER_PASS) {
            let pass = start..count.min(start + QUERIES_PER_PASS);
            queries.clear();
            queries.extend(pass.filter_map(|index| Some((index, query(index)?))));
            for tile in (0..self.len.div_ceil(LANES)).step_by(TILE) {
                for (number, query) in &queries {
                    let flow = self.scan(query, tile..tile + TILE, |first, hits| {
                        each_lane(first, hits, |index| visit(*number, index))
                    });
                    if flow.stops() {
                        return flow;
                    }
                }
            }
        }
        R::CONTINUE
    }

    /// Calls `visit` for every block with a hit, with the index of its first volume.
    fn scan<R: Flow>(
        &self,
        query: &Query<V>,
        blocks: Range<usize>,
        mut visit: impl FnMut(usize, HitMask) -> R,
    ) -> R {
        let mut block = blocks.start.max(query.from / LANES);
        let end = blocks.end.min(self.len.div_ceil(LANES));
        if block >= end {
            return R::CONTINUE;
        }
        let mut tests = [PlaneTest::default(); MAX_PLANES];
        for (test, &(plane, end)) in tests.iter_mut().zip(&query.tests[..2 * V::AXES]) {
            *test = PlaneTest { blocks: self.planes[plane].as_slice().as_chunks().0, end };
        }
        let tests = &tests[..2 * V::AXES];
        let mut found = NO_HITS;
        while block < end {
            let filled;
            (filled, block) =
                scan(self.backend, V::LOWER + V::UPPER, tests, block..end, &mut found);
            for &(block, hits) in &found[..filled] {
                let first = block as usize * LANES;
                let valid = HitMask::first(self.len - first)
                    & HitMask::from(query.from.saturating_sub(first));
                let hits = self.retain_exact(&query.volume, first, hits & valid);
                if !hits.is_empty() {
                    let flow = visit(first, hits);
                    if flow.stops() {
                        return flow;
                    }
                }
            }
        }
        R::CONTINUE
    }

    /// Returns the hits whose volumes, and not only their keys, overlap the query.
    #[inline]
    fn retain_exact(&self, query: &V, first: usize, mut hits: HitMask) -> HitMask {
        if !V::EXACT {
            for lane in hits {
                if !self.exact[first + lane].overlaps(query) {
                    hits = HitMask(hits.0 & !(1 << lane));
                }
            }
        }
        hits
    }
}

struct Query<V> {
    volume: V,
    /// Index of the first volume to test.
    from: usize,
    /// The planes in the order of the tests, each with the end of the query.
    tests: [(usize, i32); MAX_PLANES],
}

impl<V: Batched> Query<V> {
    fn new(volume: V, from: usize) -> Self {
        let Slabs { min, max } = volume.slabs();
        let ends = plane_ends::<V>(&min, &max);
        let down_first = volume.tests_down_first();
        let (upper, lower) = if down_first { (V::LOWER, V::UPPER) } else { (V::UPPER, V::LOWER) };
        let is_second = |plane: usize| {
            if plane < V::AXES { upper <= plane } else { lower <= plane - V::AXES }
        };
        let mut tests = [(0, 0); MAX_PLANES];
        let mut filled = 0;
        for second in [false, true] {
            for plane in (0..2 * V::AXES).filter(|&plane| is_second(plane) == second) {
                tests[filled] = (plane, ends[plane]);
                filled += 1;
            }
        }
        Self { volume, from, tests }
    }
}

/// Returns the ends of a checked volume as stored in the planes.
#[inline]
fn ends_of<V: Batched>(volume: &V) -> [i32; MAX_PLANES] {
    let Slabs { min, max } = volume.slabs();
    plane_ends::<V>(&max, &min)
}

/// Returns a number for each plane: `upper` for upper ends, inverted `lower` for lower ends.
#[inline]
fn plane_ends<V: Batched>(upper: &[i32; 4], lower: &[i32; 4]) -> [i32; MAX_PLANES] {
    let mut ends = [0; MAX_PLANES];
    for axis in 0..V::AXES {
        ends[axis] = upper[axis];
        ends[V::AXES + axis] = !lower[axis];
    }
    ends
}

#[inline]
fn each_lane<R: Flow>(first: usize, hits: HitMask, mut visit: impl FnMut(usize) -> R) -> R {
    for lane in hits {
        let flow = visit(first + lane);
        if flow.stops() {
            return flow;
        }
    }
    R::CONTINUE
}
