//! Pairs within one run, sorted by the low end.
//!
//! 1. Take a block of eight successive volumes.
//! 2. Compare each volume `i` of the block with volume `i + lag`, for six successive lags at a
//!    time.
//! 3. Stop when, at the last lag, all eight partners begin after the end of their volume: no later
//!    one can overlap. Continue with the next block.
//!
//! No branch depends on the test results, except where a block ends.

use core::hint::select_unpredictable;
use core::ops::Range;

use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes};

use super::ROOM;
use crate::kernel::hits::{self, MakePairs};

/// Number of lags tested per round. 5 is equal; 4, 7 and 8 are slower for discs or for crowds.
pub(super) const LAGS: usize = 6;

/// Position in the loop over the pairs of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithinCursor {
    /// Index of the block in the run.
    pub(super) base: usize,
    /// Number of lags of the current block that have been tested.
    pub(super) done: usize,
    /// Total number of lags tested, of all blocks.
    pub lags: u64,
}

/// Part of a plane that is compared with eight volumes in one round.
#[derive(Clone, Copy)]
struct Window<'a>(&'a [i32]);

impl<'a> Window<'a> {
    #[inline(always)]
    fn new(plane: &'a [i32], at: usize) -> Self {
        Self(&plane[at..][..LAGS + LANES])
    }

    #[inline(always)]
    fn lag<L: Lanes>(self, lanes: L, lag: usize) -> L::I {
        lanes.load_at(self.0, lag)
    }
}

/// Continues from `cursor` with the pairs within a run. Writes pairs of indices from `hits[filled]`
/// on until less than [`ROOM`] is left; returns the new number of filled entries, and whether the
/// run has ended. `often` is as in [`hits::write_pairs`].
#[inline(always)]
pub fn within<L: Lanes, const K: usize>(
    lanes: L,
    often: bool,
    planes: &SlabPlanes<'_, K>,
    run: Range<usize>,
    cursor: &mut WithinCursor,
    hits: &mut [[u32; 2]],
    filled: usize,
) -> (usize, bool) {
    rounds(lanes, planes, run, cursor, &mut IndexPairs { hits, often }, filled)
}

/// Output of the hits of a round; methods instead of closures, as in [`MakePairs`].
pub(super) trait HitSink<L: Lanes> {
    /// Returns whether there is room for a round with the first partner at index `first`.
    fn has_room(&self, filled: usize, first: usize) -> bool;

    /// Writes the hits of a round, the tests not `apart`; returns the new number of filled entries.
    fn write(&mut self, lanes: L, apart: [L::M; LAGS], round: Round, filled: usize) -> usize;
}

/// Sink that writes hits to a slice, as pairs of indices. `often` is as in [`hits::write_pairs`].
struct IndexPairs<'a> {
    hits: &'a mut [[u32; 2]],
    often: bool,
}

impl<L: Lanes> HitSink<L> for IndexPairs<'_> {
    #[inline(always)]
    fn has_room(&self, filled: usize, _: usize) -> bool {
        filled + ROOM <= self.hits.len()
    }

    #[inline(always)]
    fn write(&mut self, lanes: L, apart: [L::M; LAGS], round: Round, filled: usize) -> usize {
        hits::write_pairs::<LAGS, _>(lanes, self.often, apart, u64::MAX, self.hits, filled, &round)
    }
}

/// Indices of a block and of the first partner of a round.
#[derive(Clone, Copy)]
pub(super) struct Round {
    pub(super) at: usize,
    pub(super) first: usize,
}

impl<L: Lanes> MakePairs<L> for Round {
    #[inline(always)]
    fn pair(&self, bit: usize) -> [u32; 2] {
        let lane = bit % LANES;
        [(self.at + lane) as u32, (self.first + lane + bit / LANES) as u32]
    }

    #[inline(always)]
    fn pairs(&self, lanes: L, hit: HitMask, which: usize) -> (L::I, L::I) {
        let own = lanes.lane_indices_for_zip(hit);
        let other = lanes.splat((self.first + which) as i32);
        (lanes.add(own, lanes.splat(self.at as i32)), lanes.add(own, other))
    }
}

/// Runs rounds from `cursor` on, each of six lags of one block, while `hits` has room; returns the
/// new number of filled entries, and whether the run has ended.
// A round takes 42 cycles in a crowd: ten are lost to reads and writes across cache lines; in the
// rest the three lane units are busy. Rejected experiments:
// - interleave many blocks, none of which waits for the previous one: equal
// - run the next tests before writing the hits of the last: slower
// - store hit masks of eight rounds and write pairs after that: 33 % slower
// - pairs from a table of steps, or built in 64-bit words: 33 % slower, with fewer instructions
// - hits of two lags in one register (half the stores; fitting is unpredictable): 14 % slower
// - AVX-512 masks: equal, with far fewer instructions
// - 32-bit hits, widened every 200: equal; faster if keys are the output, as in `within_keys.rs`
// - packed keys instead of indices: slower than words; than indices, too, for mixed sizes
// - prefetching the planes: 5 % slower for crowds
#[inline(always)]
pub(super) fn rounds<L: Lanes, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    run: Range<usize>,
    cursor: &mut WithinCursor,
    hits: &mut impl HitSink<L>,
    mut filled: usize,
) -> (usize, bool) {
    let WithinCursor { base, done, lags: mut tested } = *cursor;
    let planes = planes.of_one_length();
    let Range { start, end } = run;
    let mut at = start + base;
    let mut first = at + done + 1;
    while at < end {
        if !hits.has_room(filled, first) {
            *cursor = WithinCursor { base: at - start, done: first - at - 1, lags: tested };
            return (filled, false);
        }
        let reach = lanes.load_at(planes.max[0], at);
        let mut apart = [lanes.gt(reach, reach); LAGS];
        let begins = Window::new(planes.min[0], first);
        for (k, apart) in apart.iter_mut().enumerate() {
            *apart = lanes.gt(begins.lag(lanes, k), reach);
        }
        // The position of the next round is on the critical path: computed first, and branch-free,
        // because it is unpredictable.
        let later = lanes.movemask(apart[LAGS - 1]);
        let all_later = select_unpredictable(first + LAGS > end, 0, HitMask::ALL.0);
        let ends = later.0 >= all_later;
        let next_at = select_unpredictable(ends, at + LANES, at);
        let next_first = select_unpredictable(ends, at + LANES + 1, first + LAGS);
        let mut axis = 1;
        while axis < K {
            let (min, max) = (planes.min[axis], planes.max[axis]);
            let (own_min, own_max) = (lanes.load_at(min, at), lanes.load_at(max, at));
            let (mins, maxs) = (Window::new(min, first), Window::new(max, first));
            for (k, apart) in apart.iter_mut().enumerate() {
                let above = lanes.gt(mins.lag(lanes, k), own_max);
                let below = lanes.gt(own_min, maxs.lag(lanes, k));
                *apart = lanes.mask_or(*apart, lanes.mask_or(above, below));
            }
            axis += 1;
        }
        filled = hits.write(lanes, apart, Round { at, first }, filled);
        tested += LAGS as u64;
        (at, first) = (next_at, next_first);
    }
    *cursor = WithinCursor { lags: tested, ..WithinCursor::default() };
    (filled, true)
}
