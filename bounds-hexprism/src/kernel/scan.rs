//! Scans a collection with many query volumes: the traversal of [`Batch`](crate::Batch).
//!
//! Input: the planes of a collection, and queries. Output, passed to a [`Sink`]: for each query,
//! the blocks with hits and their hit masks.
//!
//! 1. Split the collection into tiles of [`TILE`] blocks, which fit the inner caches. Each tile is
//!    scanned by every query before the next tile, so memory is read once for all queries.
//! 2. In a tile, run the first stage (the planes of an [`Order`]) on groups of [`GROUP`] blocks.
//!    Combine the masks: nearly all groups have no hit, and one branch rejects the whole group.
//! 3. In a group with hits, run the first stage again for each block, and the second stage (the
//!    other planes) for blocks with hits. Mask out padding, and volumes before the first index of
//!    the query.
//! 4. If the sink is full, stop and store the position in the [`Cursor`].
//!
//! Cost: O(volumes · queries) comparisons. For a block that the first stage rejects, only the
//! planes of the first stage are read.

use core::marker::PhantomData;

use simd_lanes::{HitMask, Kernel, LANES, Lanes};

use super::order::Order;
use super::overlap::Spread;
use crate::{SlabPlanes, Slabs};

/// Number of blocks whose masks are combined before one branch.
pub const GROUP: usize = 4;

/// Number of blocks per tile: 24 KiB for the three planes of a triangle.
pub const TILE: usize = 256;

/// A query of a scan: find the volumes that overlap a volume.
#[derive(Clone, Copy, Debug)]
pub struct Asked<T> {
    /// The query volume.
    pub slabs: T,
    /// Index of the first volume to test.
    pub from: usize,
    /// Whether to test in the second of the two orders.
    pub second: bool,
}

/// The position at which a scan continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The first block of the tile.
    pub tile: usize,
    /// The index of the query.
    pub query: usize,
    /// The block, relative to the tile.
    pub block: usize,
}

/// Receiver of the hits of a scan.
pub trait Sink {
    /// Receives the volumes of a block that overlap a query (at least one). Returns whether there
    /// is space for another block.
    fn take(&mut self, query: usize, block: usize, hits: HitMask) -> bool;
}

/// Kernel that scans from the cursor on until the end or until the sink is full.
#[derive(Debug)]
pub struct Scan<'a, const K: usize, First, Second, T> {
    /// The volumes to scan.
    pub planes: SlabPlanes<'a, K>,
    /// The number of volumes, without padding.
    pub len: usize,
    /// The queries.
    pub asked: &'a [Asked<Slabs<K>>],
    /// The position to continue from; updated for the next call.
    pub cursor: &'a mut Cursor,
    /// The receiver of the hits.
    pub sink: &'a mut T,
    /// The two orders of tests.
    pub orders: PhantomData<(First, Second)>,
}

impl<const K: usize, First: Order, Second: Order, T: Sink> Kernel
    for Scan<'_, K, First, Second, T>
{
    /// Whether the scan is complete.
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> bool {
        let blocks = Blocks::new(&self.planes, self.len);
        let mut cursor = *self.cursor;
        while cursor.tile < blocks.count {
            let end = blocks.count.min(cursor.tile + TILE);
            while cursor.query < self.asked.len() {
                let asked = &self.asked[cursor.query];
                let start = (cursor.tile + cursor.block).max(asked.from / LANES);
                let spread = Spread::new(lanes, &asked.slabs);
                let tile_scan =
                    TileScan { blocks: &blocks, spread: &spread, query: cursor.query, asked };
                let stopped = if asked.second {
                    tile_scan.run::<Second, T>(lanes, start, end, self.sink)
                } else {
                    tile_scan.run::<First, T>(lanes, start, end, self.sink)
                };
                if let Some(block) = stopped {
                    cursor.block = block - cursor.tile;
                    *self.cursor = cursor;
                    return false;
                }
                cursor.block = 0;
                cursor.query += 1;
            }
            cursor.query = 0;
            cursor.tile = end;
        }
        *self.cursor = cursor;
        true
    }
}

/// The planes as slices of blocks, of equal length.
struct Blocks<'a, const K: usize> {
    min: [&'a [[i32; LANES]]; K],
    max: [&'a [[i32; LANES]]; K],
    count: usize,
    len: usize,
}

impl<'a, const K: usize> Blocks<'a, K> {
    #[inline(always)]
    fn new(planes: &SlabPlanes<'a, K>, len: usize) -> Self {
        let count = len.div_ceil(LANES);
        let empty: &'a [[i32; LANES]] = &[];
        let (mut min, mut max) = ([empty; K], [empty; K]);
        let mut axis = 0;
        while axis < K {
            min[axis] = &planes.min[axis].as_chunks().0[..count];
            max[axis] = &planes.max[axis].as_chunks().0[..count];
            axis += 1;
        }
        Self { min, max, count, len }
    }
}

/// The scan of one tile by one query.
struct TileScan<'a, 'b, L: Lanes, const K: usize> {
    blocks: &'a Blocks<'b, K>,
    spread: &'a Spread<L, K>,
    query: usize,
    asked: &'a Asked<Slabs<K>>,
}

impl<L: Lanes, const K: usize> TileScan<'_, '_, L, K> {
    /// Scans the blocks from `start` to `end`. Returns the next block if the sink is full, else
    /// `None`.
    #[inline(always)]
    fn run<O: Order, T: Sink>(
        &self,
        lanes: L,
        start: usize,
        end: usize,
        sink: &mut T,
    ) -> Option<usize> {
        let mut block = start;
        while block < end {
            while block + GROUP <= end {
                let mut apart = self.rejected_first::<O>(lanes, block);
                let mut next = 1;
                while next < GROUP {
                    apart = lanes.mask_and(apart, self.rejected_first::<O>(lanes, block + next));
                    next += 1;
                }
                if lanes.movemask(apart) != HitMask::ALL {
                    break;
                }
                block += GROUP;
            }
            let last = end.min(block + GROUP);
            while block < last {
                // Compute the masks of the group again: if the volumes are in cache, storing the
                // masks or packing them into a `u32` takes 35 % longer.
                let hits = !lanes.movemask(self.rejected_first::<O>(lanes, block));
                if !hits.is_empty() {
                    let hits = hits
                        & !lanes.movemask(self.rejected_second::<O>(lanes, block))
                        & self.valid(block);
                    if !hits.is_empty() && !sink.take(self.query, block, hits) {
                        return Some(block + 1);
                    }
                }
                block += 1;
            }
        }
        None
    }

    /// Returns the lanes that are not padding and not before the first index of the query.
    #[inline(always)]
    fn valid(&self, block: usize) -> HitMask {
        let at = block * LANES;
        HitMask::first(self.blocks.len - at) & HitMask::from(self.asked.from.saturating_sub(at))
    }

    /// Returns the lanes that the first stage rejects.
    #[inline(always)]
    fn rejected_first<O: Order>(&self, lanes: L, block: usize) -> L::M {
        let mut apart = lanes.gt(lanes.splat(0), lanes.splat(0));
        let mut axis = 0;
        while axis < K {
            if axis < O::UPPER {
                apart = lanes.mask_or(apart, self.end_before_begin(lanes, block, axis));
            }
            if axis < O::LOWER {
                apart = lanes.mask_or(apart, self.begin_after_end(lanes, block, axis));
            }
            axis += 1;
        }
        apart
    }

    /// Returns the lanes that the second stage rejects.
    #[inline(always)]
    fn rejected_second<O: Order>(&self, lanes: L, block: usize) -> L::M {
        let mut apart = lanes.gt(lanes.splat(0), lanes.splat(0));
        let mut axis = 0;
        while axis < K {
            if axis >= O::UPPER {
                apart = lanes.mask_or(apart, self.end_before_begin(lanes, block, axis));
            }
            if axis >= O::LOWER {
                apart = lanes.mask_or(apart, self.begin_after_end(lanes, block, axis));
            }
            axis += 1;
        }
        apart
    }

    /// Returns the volumes that end before the query begins.
    #[inline(always)]
    fn end_before_begin(&self, lanes: L, block: usize, axis: usize) -> L::M {
        self.spread.end_before_begin(lanes, lanes.load(&self.blocks.max[axis][block]), axis)
    }

    /// Returns the volumes that begin after the query ends.
    #[inline(always)]
    fn begin_after_end(&self, lanes: L, block: usize, axis: usize) -> L::M {
        self.spread.begin_after_end(lanes, lanes.load(&self.blocks.min[axis][block]), axis)
    }
}
