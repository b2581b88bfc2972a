//! Many volumes against all of a collection: the one traversal of this crate.
//!
//! The collection is walked in tiles that fit the inner caches, each by every query before the
//! next: memory is read once for all of them. Within a tile, groups of [`GROUP`] blocks are tested
//! by one branch, as nearly all of them have nothing to report.

use core::marker::PhantomData;

use simd_lanes::{HitMask, Kernel, LANES, Lanes};

use super::order::Order;
use super::overlap::Spread;
use crate::{SlabPlanes, Slabs};

/// How many blocks share a branch.
pub const GROUP: usize = 4;

/// How many blocks make a tile: the three planes of a triangle are 24 KiB of it.
pub const TILE: usize = 256;

/// A question: what overlaps this volume?
#[derive(Clone, Copy, Debug)]
pub struct Asked<T> {
    /// The volume.
    pub slabs: T,
    /// Only volumes from this index on are asked.
    pub from: usize,
    /// Whether the second order of the two is used.
    pub second: bool,
}

/// Where a scan goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The first block of the tile.
    pub tile: usize,
    /// The query.
    pub query: usize,
    /// The block within the tile.
    pub block: usize,
}

/// Takes what a scan finds.
pub trait Sink {
    /// Takes the volumes of a block that overlap a query, at least one; answers whether there is
    /// room for another block.
    fn take(&mut self, query: usize, block: usize, hits: HitMask) -> bool;
}

/// Scans on from the cursor until all is scanned or the sink is full.
#[derive(Debug)]
pub struct Scan<'a, const K: usize, First, Second, T> {
    /// The volumes.
    pub planes: SlabPlanes<'a, K>,
    /// How many of the lanes are volumes and not padding.
    pub len: usize,
    /// The questions.
    pub asked: &'a [Asked<Slabs<K>>],
    /// The place to go on from; left where the next call goes on.
    pub cursor: &'a mut Cursor,
    /// Where hits go.
    pub sink: &'a mut T,
    /// The two orders of tests.
    pub orders: PhantomData<(First, Second)>,
}

impl<const K: usize, First: Order, Second: Order, T: Sink> Kernel
    for Scan<'_, K, First, Second, T>
{
    /// Whether all is scanned.
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

/// The planes cut into blocks, as many on every plane.
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

/// One query on its way through a tile.
struct TileScan<'a, 'b, L: Lanes, const K: usize> {
    blocks: &'a Blocks<'b, K>,
    spread: &'a Spread<L, K>,
    query: usize,
    asked: &'a Asked<Slabs<K>>,
}

impl<L: Lanes, const K: usize> TileScan<'_, '_, L, K> {
    /// Walks the blocks from `start` to `end`; where it stopped if the sink is full.
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
                // Keeping the group's masks, or packing them into a word: 35 % slower in cache.
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

    /// The lanes that are volumes and asked for.
    #[inline(always)]
    fn valid(&self, block: usize) -> HitMask {
        let at = block * LANES;
        HitMask::first(self.blocks.len - at) & HitMask::from(self.asked.from.saturating_sub(at))
    }

    /// Which lanes the first stage rejects.
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

    /// Which lanes the second stage rejects.
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

    /// Which volumes end before the query begins.
    #[inline(always)]
    fn end_before_begin(&self, lanes: L, block: usize, axis: usize) -> L::M {
        self.spread.end_before_begin(lanes, lanes.load(&self.blocks.max[axis][block]), axis)
    }

    /// Which volumes begin after the query ends.
    #[inline(always)]
    fn begin_after_end(&self, lanes: L, block: usize, axis: usize) -> L::M {
        self.spread.begin_after_end(lanes, lanes.load(&self.blocks.min[axis][block]), axis)
    }
}
