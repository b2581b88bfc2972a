//! One volume against all of a collection, the hits as indices into a buffer.

use core::marker::PhantomData;

use simd_lanes::{HitMask, Kernel, LANES, Lanes};

use super::order::Sides;
use super::scan::{Asked, Cursor, Scan, Sink};
use crate::{SlabPlanes, Slabs};

/// Goes on from `block` until the volumes end or the buffer has no room for another block; yields
/// how many indices it wrote. Indices ascend.
#[derive(Debug)]
pub struct Query<'a, const K: usize> {
    /// The volumes.
    pub planes: SlabPlanes<'a, K>,
    /// How many of the lanes are volumes and not padding.
    pub len: usize,
    /// What to test them against.
    pub query: &'a Slabs<K>,
    /// The block to go on from; left where the next call goes on.
    pub block: &'a mut usize,
    /// Where the indices go; at least eight.
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

/// The indices of hits, while there is room for a whole block of them.
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
