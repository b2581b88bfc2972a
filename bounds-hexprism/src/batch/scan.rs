//! Scans a batch with one query, and writes the blocks with hits to a buffer.
//!
//! The first stage compares a few planes, the second stage the others, only for blocks in which a
//! volume passed the first. Lower ends are inverted, so every plane rejects an end below that of
//! the query. The scans of all volume types are compiled once, in this crate: one for each number
//! of planes in the first stage.

use core::ops::Range;

use simd_lanes::{Backend, HitMask, Kernel, LANES, Lanes};

use crate::kernel::query::{BlockTest, GROUP, skip_rejected};

/// Largest number of planes in the first stage.
pub(super) const MAX_FIRST: usize = 4;

/// Maximum number of blocks with hits per call.
const CAPACITY: usize = 32;

/// The blocks with hits, each with its number.
pub(super) type HitBlocks = [(u32, HitMask); CAPACITY];

pub(super) const NO_HITS: HitBlocks = [(0, HitMask::NONE); CAPACITY];

/// A plane and the end of the query on it.
#[derive(Clone, Copy, Default)]
pub(super) struct PlaneTest<'a> {
    pub(super) blocks: &'a [[i32; LANES]],
    pub(super) end: i32,
}

/// Scans blocks until all are scanned or the buffer is full. The first `first` tests are the first
/// stage. Returns the number of blocks with hits and the block to continue from.
pub(super) fn scan(
    backend: Backend,
    first: usize,
    tests: &[PlaneTest<'_>],
    blocks: Range<usize>,
    found: &mut HitBlocks,
) -> (usize, usize) {
    match first {
        1 => backend.dispatch(Scan::<1> { tests, blocks, found }),
        2 => backend.dispatch(Scan::<2> { tests, blocks, found }),
        3 => backend.dispatch(Scan::<3> { tests, blocks, found }),
        _ => backend.dispatch(Scan::<MAX_FIRST> { tests, blocks, found }),
    }
}

/// Kernel of [`scan`], with `FIRST` planes in the first stage.
struct Scan<'a, const FIRST: usize> {
    tests: &'a [PlaneTest<'a>],
    blocks: Range<usize>,
    found: &'a mut HitBlocks,
}

impl<const FIRST: usize> Kernel for Scan<'_, FIRST> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (usize, usize) {
        let Self { tests, blocks: Range { start: mut block, end }, found } = self;
        let (first, second) = tests.split_at(FIRST);
        let mut stage = FirstStage { planes: [&[][..]; FIRST], ends: [lanes.splat(0); FIRST] };
        for (plane, test) in first.iter().enumerate() {
            stage.planes[plane] = &test.blocks[..end];
            stage.ends[plane] = lanes.splat(test.end);
        }
        let mut filled = 0;
        while block < end {
            block = skip_rejected(lanes, &stage, block, end);
            let last = end.min(block + GROUP);
            while block < last {
                if filled == CAPACITY {
                    return (filled, block);
                }
                // Compute the masks again: storing or packing them takes 35 % longer if volumes are
                // in cache.
                let mut apart = stage.apart(lanes, block);
                if lanes.movemask(apart) != HitMask::ALL {
                    for test in second {
                        let ends = lanes.load(&test.blocks[block]);
                        apart = lanes.mask_or(apart, lanes.gt(lanes.splat(test.end), ends));
                    }
                    found[filled] = (block as u32, !lanes.movemask(apart));
                    filled += usize::from(!found[filled].1.is_empty());
                }
                block += 1;
            }
        }
        (filled, block)
    }
}

struct FirstStage<'a, L: Lanes, const FIRST: usize> {
    planes: [&'a [[i32; LANES]]; FIRST],
    ends: [L::I; FIRST],
}

impl<L: Lanes, const FIRST: usize> BlockTest<L> for FirstStage<'_, L, FIRST> {
    #[inline(always)]
    fn apart(&self, lanes: L, block: usize) -> L::M {
        let mut apart = lanes.gt(lanes.splat(0), lanes.splat(0));
        let mut plane = 0;
        while plane < FIRST {
            let ends = lanes.load(&self.planes[plane][block]);
            apart = lanes.mask_or(apart, lanes.gt(self.ends[plane], ends));
            plane += 1;
        }
        apart
    }
}
