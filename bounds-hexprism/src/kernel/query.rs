//! Scans a collection with one query volume, and writes the indices of hits to a buffer.

use core::marker::PhantomData;

use simd_lanes::{HitMask, Kernel, LANES, Lanes};

use super::order::Sides;
use super::scan::{Asked, Cursor, Scan, Sink};
use crate::{SlabPlanes, Slabs};

/// Kernel that scans from `block` on until the collection ends or the buffer has no space for
/// another block. Returns the number of indices written; they are ascending.
#[derive(Debug)]
pub struct Query<'a, const K: usize> {
    /// The volumes to scan.
    pub planes: SlabPlanes<'a, K>,
    /// The number of volumes, without padding.
    pub len: usize,
    /// The query volume.
    pub query: &'a Slabs<K>,
    /// The block to continue from; updated for the next call.
    pub block: &'a mut usize,
    /// The buffer for the indices; has at least eight elements.
    pub hits: &'a mut [u32],
}

impl<const K: usize> Kernel for Query<'_, K> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        if self.hits.len() < LANES {
            return 0;
        }
        let mut indices = Indices { hits: self.hits, filled: 0 };
        let mut cursor = Cursor { tile: *self.block, ..Cursor::default() };
        let scan = Scan {
            planes: self.planes,
            len: self.len,
            asked: &[Asked { slabs: *self.query, from: 0, second: false }],
            cursor: &mut cursor,
            sink: &mut indices,
            orders: PhantomData::<(Sides<K>, Sides<K>)>,
        };
        scan.run(lanes);
        *self.block = cursor.tile + cursor.block;
        indices.filled
    }
}

/// Sink that writes the indices of hits to a buffer, until a whole block might not fit.
struct Indices<'a> {
    hits: &'a mut [u32],
    filled: usize,
}

impl Sink for Indices<'_> {
    #[inline(always)]
    fn take(&mut self, _: usize, block: usize, hits: HitMask) -> bool {
        for lane in hits {
            self.hits[self.filled] = (block * LANES + lane) as u32;
            self.filled += 1;
        }
        self.filled + LANES <= self.hits.len()
    }
}
