//! Queries of a batch, one or many at a time. Hits are counted, collected or visited.

use alloc::vec;
use alloc::vec::Vec;

use simd_lanes::{Flow, HitMask, LANES};

use super::{Batch, Batched, Store};
use crate::kernel::scan::{Asked, Cursor, Sink};

/// Maximum number of queries per scan of the batch. At this number, the time to read the batch from
/// memory is negligible.
pub(super) const QUERIES_PER_PASS: usize = 256;

impl<V: Batched> Batch<V> {
    /// Calls `visit` with the index of every volume that overlaps `query`, ascending, until `visit`
    /// stops.
    ///
    /// The closure returns `()` to continue, or a [`ControlFlow`](core::ops::ControlFlow) or
    /// `Result` that can stop the query; the method returns that value. A query may be infinite; an
    /// inverted or NaN query overlaps nothing.
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
        self.query_masks(query, |first, hits| {
            for lane in hits {
                let flow = visit(first + lane);
                if flow.stops() {
                    return flow;
                }
            }
            R::CONTINUE
        })
    }

    /// Calls `visit` for every block of eight volumes with a hit, ascending. The arguments are the
    /// index of the first volume of the block and the mask of volumes that overlap `query`.
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
    pub fn query_masks<R: Flow>(&self, query: &V, mut visit: impl FnMut(usize, HitMask) -> R) -> R {
        let Some(query) = query.normalized() else { return R::CONTINUE };
        self.scan(&[Self::scan_query(&query, 0)], Cursor::default(), |_, block, hits| {
            let hits = self.retain_exact(&query, block, hits);
            if hits.is_empty() { R::CONTINUE } else { visit(block * LANES, hits) }
        })
    }

    /// Appends the index of every volume that overlaps `query`, ascending.
    pub fn query_into(&self, query: &V, found: &mut Vec<usize>) {
        self.query(query, |index| found.push(index));
    }

    /// Returns the number of volumes that overlap `query`.
    #[must_use]
    pub fn count(&self, query: &V) -> usize {
        let mut count = 0;
        if V::EXACT {
            if let Some(query) = query.normalized() {
                self.count_key_hits(
                    &[Self::scan_query(&query, 0)],
                    core::slice::from_mut(&mut count),
                );
            }
        } else {
            self.query(query, |_| count += 1);
        }
        count
    }

    /// Calls `visit` with `(query, index)` for every volume that overlaps one of many queries,
    /// until `visit` stops.
    ///
    /// All queries scan one tile of the batch before the next tile. So a large batch is read from
    /// memory once per 256 queries instead of once per query. For each query, indices ascend, but
    /// hits of different queries are interleaved. The order does not depend on the backend.
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
    pub fn query_many<R: Flow>(
        &self,
        queries: &[V],
        mut visit: impl FnMut(usize, usize) -> R,
    ) -> R {
        for (chunk, queries) in queries.chunks(QUERIES_PER_PASS).enumerate() {
            let asked: Vec<_> =
                queries.iter().map(|query| Self::scan_query_or_empty(query)).collect();
            let flow = self.scan(&asked, Cursor::default(), |query, block, hits| {
                for lane in self.retain_exact(&queries[query], block, hits) {
                    let flow = visit(chunk * QUERIES_PER_PASS + query, block * LANES + lane);
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

    /// Returns the number of volumes that overlap each query. Scans in tiles, as
    /// [`query_many`](Self::query_many) does.
    #[must_use]
    pub fn count_many(&self, queries: &[V]) -> Vec<usize> {
        let mut counts = vec![0; queries.len()];
        if !V::EXACT {
            self.query_many(queries, |query, _| counts[query] += 1);
            return counts;
        }
        for (queries, counts) in
            queries.chunks(QUERIES_PER_PASS).zip(counts.chunks_mut(QUERIES_PER_PASS))
        {
            let asked: Vec<_> =
                queries.iter().map(|query| Self::scan_query_or_empty(query)).collect();
            self.count_key_hits(&asked, counts);
        }
        counts
    }

    /// Adds to each count the number of volumes whose keys overlap the query.
    fn count_key_hits(&self, asked: &[Asked<V::Slabs>], counts: &mut [usize]) {
        self.store.count::<V::UpFirst, V::DownFirst>(self.backend, asked, counts);
    }

    /// Converts a valid query to a scan query that begins at the volume with index `from`.
    pub(super) fn scan_query(query: &V, from: usize) -> Asked<V::Slabs> {
        Asked { slabs: query.slabs(), from, second: query.tests_down_first() }
    }

    /// Converts a query to a query of a scan over all volumes. An invalid query starts after the
    /// last volume and finds none.
    fn scan_query_or_empty(query: &V) -> Asked<V::Slabs> {
        match query.normalized() {
            Some(query) => Self::scan_query(&query, 0),
            None => Asked { from: usize::MAX, ..Self::scan_query(query, 0) },
        }
    }

    /// Scans from the cursor on and calls `visit` with `(query, block, hits)`, until `visit` stops.
    /// Hits are volumes whose keys overlap; the caller does the exact test.
    pub(super) fn scan<R: Flow>(
        &self,
        asked: &[Asked<V::Slabs>],
        mut cursor: Cursor,
        mut visit: impl FnMut(usize, usize, HitMask) -> R,
    ) -> R {
        let mut buffer = HitBuffer { blocks: [(0, 0, HitMask::NONE); BUFFER_BLOCKS], len: 0 };
        loop {
            let done = self.store.scan::<V::UpFirst, V::DownFirst>(
                self.backend,
                asked,
                &mut cursor,
                &mut buffer,
            );
            for &(query, block, hits) in &buffer.blocks[..buffer.len] {
                let flow = visit(query, block, hits);
                if flow.stops() {
                    return flow;
                }
            }
            if done {
                return R::CONTINUE;
            }
            buffer.len = 0;
        }
    }

    /// Returns the hits whose volumes, and not only their keys, overlap the query.
    #[inline]
    pub(super) fn retain_exact(&self, query: &V, block: usize, mut hits: HitMask) -> HitMask {
        if !V::EXACT {
            for lane in hits {
                if !self.exact[block * LANES + lane].overlaps(query) {
                    hits = HitMask(hits.0 & !(1 << lane));
                }
            }
        }
        hits
    }
}

/// Capacity of [`HitBuffer`].
const BUFFER_BLOCKS: usize = 64;

/// Sink that stores blocks with hits, `(query, block, hits)`, until it is full.
#[derive(Debug)]
pub struct HitBuffer {
    blocks: [(usize, usize, HitMask); BUFFER_BLOCKS],
    len: usize,
}

impl Sink for HitBuffer {
    #[inline(always)]
    fn take(&mut self, query: usize, block: usize, hits: HitMask) -> bool {
        self.blocks[self.len] = (query, block, hits);
        self.len += 1;
        self.len < BUFFER_BLOCKS
    }
}

/// Sink that counts the hits of each query.
pub(super) struct HitCounts<'a>(pub(super) &'a mut [usize]);

impl Sink for HitCounts<'_> {
    #[inline(always)]
    fn take(&mut self, query: usize, _: usize, hits: HitMask) -> bool {
        self.0[query] += hits.count() as usize;
        true
    }
}
