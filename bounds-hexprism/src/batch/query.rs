//! One volume against all of a batch, or many in tiles; hits counted, collected or visited.

use alloc::vec;
use alloc::vec::Vec;

use simd_lanes::{Flow, HitMask, LANES};

use super::{Batch, Batched, Store, TestOrder};
use crate::kernel::scan::{Asked, Cursor, Sink};

/// How many queries go through the batch together. Beyond this, reading it again costs nothing.
pub(super) const QUERIES_PER_PASS: usize = 256;

impl<V: Batched> Batch<V> {
    /// Visits the index of every volume that overlaps `query`, ascending, until the visitor stops.
    ///
    /// The visitor may return nothing, or a [`ControlFlow`](core::ops::ControlFlow) or `Result`,
    /// which is handed back. A query may be infinite; one that is inverted or NaN overlaps nothing.
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

    /// Visits every block of eight volumes in which some overlap `query`: the index of the first
    /// of the eight, ascending, and which of them do.
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
        let Some(query) = query.askable() else { return R::CONTINUE };
        self.scan(&[self.scan_query(&query, 0)], Cursor::default(), |_, block, hits| {
            let hits = self.retain_exact(&query, block, hits);
            if hits.is_empty() { R::CONTINUE } else { visit(block * LANES, hits) }
        })
    }

    /// Appends the index of every volume that overlaps `query`, ascending.
    pub fn query_into(&self, query: &V, found: &mut Vec<usize>) {
        self.query(query, |index| found.push(index));
    }

    /// How many volumes overlap `query`.
    #[must_use]
    pub fn count(&self, query: &V) -> usize {
        let mut count = 0;
        if V::EXACT {
            if let Some(query) = query.askable() {
                self.count_key_hits(
                    &[self.scan_query(&query, 0)],
                    core::slice::from_mut(&mut count),
                );
            }
        } else {
            self.query(query, |_| count += 1);
        }
        count
    }

    /// Visits `(query, index)` for every volume that overlaps one of many queries, until the
    /// visitor stops.
    ///
    /// Goes through the batch a tile at a time with many queries, so that what is in the cache is
    /// used by all of them: a large batch is read from memory once, not once for each query.
    /// Indices ascend for a query, but queries take turns; the order is the same on every
    /// backend.
    ///
    /// ```
    /// use bounds_hexprism::{Aabb, Batch};
    ///
    /// let batch = Batch::of((0..9).map(|x| Aabb::around([x, 0], [2, 2])))?;
    /// let mut count_key_hits = [0; 2];
    /// batch.query_many(&[Aabb::point([0, 0]), Aabb::point([4, 0])], |query, _| count_key_hits[query] += 1);
    /// assert_eq!(count_key_hits, [3, 5]);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    pub fn query_many<R: Flow>(
        &self,
        queries: &[V],
        mut visit: impl FnMut(usize, usize) -> R,
    ) -> R {
        for (chunk, queries) in queries.chunks(QUERIES_PER_PASS).enumerate() {
            let asked: Vec<_> =
                queries.iter().map(|query| self.scan_query_or_empty(query)).collect();
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

    /// How many volumes overlap each query. Tiled as [`query_many`](Self::query_many).
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
                queries.iter().map(|query| self.scan_query_or_empty(query)).collect();
            self.count_key_hits(&asked, counts);
        }
        counts
    }

    /// Adds to the counts how many volumes' keys flow each question.
    fn count_key_hits(&self, asked: &[Asked<V::Slabs>], counts: &mut [usize]) {
        self.store.count::<V::UpFirst, V::DownFirst>(self.backend, asked, counts);
    }

    /// An askable volume as a question about the volumes from an index on.
    pub(super) fn scan_query(&self, query: &V, from: usize) -> Asked<V::Slabs> {
        let order = match self.order {
            TestOrder::Auto => query.better_order(),
            order => order,
        };
        Asked { slabs: query.slabs(), from, second: order == TestOrder::DownFirst }
    }

    /// As [`scan_query`](Self::scan_query); about no volumes at all if the query is not valid.
    fn scan_query_or_empty(&self, query: &V) -> Asked<V::Slabs> {
        match query.askable() {
            Some(query) => self.scan_query(&query, 0),
            None => Asked { from: usize::MAX, ..self.scan_query(query, 0) },
        }
    }

    /// Visits `(question, block, hits)` from the cursor on. Hits are those of the keys.
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

    /// The hits that are hits of the volumes, not only of their keys.
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

const BUFFER_BLOCKS: usize = 64;

/// Blocks with hits, until it is full.
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

/// The number of hits of each query.
pub(super) struct HitCounts<'a>(pub(super) &'a mut [usize]);

impl Sink for HitCounts<'_> {
    #[inline(always)]
    fn take(&mut self, query: usize, _: usize, hits: HitMask) -> bool {
        self.0[query] += hits.count() as usize;
        true
    }
}
