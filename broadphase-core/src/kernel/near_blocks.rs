//! Blocks of sorted runs around a group of objects, for [`near`](super::near).
//!
//! The two functions of this module mostly do a fixed amount of work, because run lengths are
//! unpredictable: with loops over each run, collecting candidates took 43 instead of 32 ns an
//! object (1M points, 29 neighbors each).

use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{LANES, Lanes};

/// Number of integer keys compared at once; also the padding of the integer keys.
pub(crate) const COUNTED: usize = 3 * LANES;

/// Blocks of the runs around a group, to be scanned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scans {
    /// First object of each block, and number of objects from there to the end of its run.
    pub(crate) blocks: Vec<[u32; 2]>,
    pub(crate) len: usize,
}

/// Number of blocks written at once; most runs have fewer.
const BLOCKS_AT_ONCE: usize = 4;

impl Scans {
    /// Appends the blocks from `begin` to `end`: writes several, and advances by the real number.
    #[inline(always)]
    pub(crate) fn push(&mut self, begin: usize, end: usize) {
        let (mut at, mut left) = (begin as u32, (end - begin) as u32);
        loop {
            if self.blocks.len() < self.len + BLOCKS_AT_ONCE {
                self.blocks.resize(2 * self.len + 64, [0; 2]);
            }
            let to: &mut [[u32; 2]; BLOCKS_AT_ONCE] =
                self.blocks[self.len..].first_chunk_mut().expect("room");
            for (block, to) in (0..).zip(to) {
                *to = [at + block * LANES as u32, left.wrapping_sub(block * LANES as u32)];
            }
            let blocks = (left as usize).div_ceil(LANES);
            if blocks <= BLOCKS_AT_ONCE {
                self.len += blocks;
                return;
            }
            self.len += BLOCKS_AT_ONCE;
            at += (BLOCKS_AT_ONCE * LANES) as u32;
            left -= (BLOCKS_AT_ONCE * LANES) as u32;
        }
    }
}

/// Returns how many keys of an ascending run are below a limit, or equal to it if `INCLUSIVE` is
/// set. The run is padded by [`COUNTED`] arbitrary entries.
#[inline(always)]
pub(crate) fn count_until<L: Lanes, const INCLUSIVE: bool>(
    lanes: L,
    order: &[i32],
    run: Range<usize>,
    limit: i32,
) -> usize {
    let limit = lanes.splat(limit);
    let mut at = run.start;
    // Mostly fewer than 24 keys are counted, so the loop ends at once.
    while at < run.end {
        let keys: &[[i32; LANES]; COUNTED / LANES] =
            order[at..].as_chunks().0.first_chunk().expect("padding");
        let mut counted = 0;
        for (block, keys) in keys.iter().enumerate() {
            let keys = lanes.load(keys);
            let mask = if INCLUSIVE {
                !lanes.movemask(lanes.gt(keys, limit)).0
            } else {
                lanes.movemask(lanes.gt(limit, keys)).0
            };
            counted |= u32::from(mask) << (block * LANES);
        }
        let count = (counted.trailing_ones() as usize).min(run.end - at);
        at += count;
        if count < COUNTED {
            break;
        }
    }
    at - run.start
}
