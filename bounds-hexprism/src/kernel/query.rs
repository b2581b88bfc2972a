//! One volume against all of a collection, the hits into a buffer.

use simd_lanes::{HitMask, Kernel, LANES, Lanes};

use super::overlap::Spread;
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
        let query = Spread::new(lanes, self.query);
        let mut filled = 0;
        let mut at = *self.block * LANES;
        while at < self.len && filled + LANES <= self.hits.len() {
            let hits = query.overlaps(lanes, &self.planes, at) & HitMask::first(self.len - at);
            for lane in hits {
                self.hits[filled] = (at + lane) as u32;
                filled += 1;
            }
            at += LANES;
        }
        *self.block = at / LANES;
        filled
    }
}
