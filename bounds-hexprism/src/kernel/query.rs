//! Scans a collection with one query volume, and writes the indices of hits to a buffer.
//!
//! 1. Test groups of `GROUP` blocks and combine the masks: one branch rejects nearly all groups.
//! 2. In a group with hits, test each block again and write the indices of its hits.

use simd_lanes::{HitMask, Kernel, LANES, Lanes};

use super::overlap::Spread;
use crate::{SlabPlanes, Slabs};

/// Number of blocks whose masks are combined before one branch.
pub(crate) const GROUP: usize = 4;

/// Kernel: scans from `block` on until the end or until `hits` has no room for another block.
/// Returns the number of indices written, which are ascending.
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
        let (mut filled, count) = (0, self.len.div_ceil(LANES));
        let spread = Spread::new(lanes, self.query);
        let mut test = WholeTest { spread, min: [&[]; K], max: [&[]; K] };
        let mut axis = 0;
        while axis < K {
            test.min[axis] = &self.planes.min[axis].as_chunks().0[..count];
            test.max[axis] = &self.planes.max[axis].as_chunks().0[..count];
            axis += 1;
        }
        while *self.block < count {
            *self.block = skip_rejected(lanes, &test, *self.block, count);
            let last = count.min(*self.block + GROUP);
            while *self.block < last {
                if filled + LANES > self.hits.len() {
                    return filled;
                }
                let at = *self.block * LANES;
                let hits = !lanes.movemask(test.apart(lanes, *self.block));
                for lane in hits & HitMask::first(self.len - at) {
                    self.hits[filled] = (at + lane) as u32;
                    filled += 1;
                }
                *self.block += 1;
            }
        }
        filled
    }
}

/// A test of blocks of volumes against a query.
pub(crate) trait BlockTest<L: Lanes> {
    /// Returns the lanes of a block whose volumes do not pass the test.
    fn apart(&self, lanes: L, block: usize) -> L::M;
}

struct WholeTest<'a, L: Lanes, const K: usize> {
    spread: Spread<L, K>,
    min: [&'a [[i32; LANES]]; K],
    max: [&'a [[i32; LANES]]; K],
}

impl<L: Lanes, const K: usize> BlockTest<L> for WholeTest<'_, L, K> {
    #[inline(always)]
    fn apart(&self, lanes: L, block: usize) -> L::M {
        let mut apart = lanes.gt(lanes.splat(0), lanes.splat(0));
        let mut axis = 0;
        while axis < K {
            let min = lanes.load(&self.min[axis][block]);
            let max = lanes.load(&self.max[axis][block]);
            apart = lanes.mask_or(apart, self.spread.apart_on(lanes, min, max, axis));
            axis += 1;
        }
        apart
    }
}

/// Returns the first block of a group with hits, or one of the last blocks before `end`, which do
/// not fill a group.
#[inline(always)]
pub(crate) fn skip_rejected<L: Lanes, T: BlockTest<L>>(
    lanes: L,
    test: &T,
    mut block: usize,
    end: usize,
) -> usize {
    while block + GROUP <= end {
        let mut apart = test.apart(lanes, block);
        let mut next = 1;
        while next < GROUP {
            apart = lanes.mask_and(apart, test.apart(lanes, block + next));
            next += 1;
        }
        if lanes.movemask(apart) != HitMask::ALL {
            break;
        }
        block += GROUP;
    }
    block
}
