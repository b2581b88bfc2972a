//! Pairs within one run: eight neighbours against the eight that come a few places later.
//!
//! The distance is a *lag*; some lags are tested at a time, until none of the partners begins
//! before its partner ends: no table, and no branch that depends on what the tests say.

use core::hint::select_unpredictable;
use core::ops::Range;

use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes};

use super::ROOM;
use crate::kernel::hits::{self, MakePairs};

/// Lags tested before anything is decided. Five are equal; four, seven or eight: slower for discs, or
/// for crowds.
pub(super) const LAGS: usize = 6;

/// Where a walk over the pairs of a run has come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithinCursor {
    /// The block.
    pub(super) base: usize,
    /// How many of its lags are done.
    pub(super) done: usize,
    /// How many lags of blocks were tested so far.
    pub lags: u64,
}

/// Eight and so many places more on one plane: what eight volumes meet in so many lags.
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

/// Goes on from `cursor` with the pairs within a run; yields how many pairs of places are in
/// `hits` then, and whether the run has ended. Stops when there is no [`ROOM`] for more. For
/// `OFTEN` see [`hits::write_pairs`].
#[inline(always)]
pub fn within<const OFTEN: bool, L: Lanes, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    run: Range<usize>,
    cursor: &mut WithinCursor,
    hits: &mut [[u32; 2]],
    filled: usize,
) -> (usize, bool) {
    rounds(lanes, planes, run, cursor, &mut Places::<OFTEN>(hits), filled)
}

/// What becomes of the hits of a round. Methods and no closures, as in [`MakePairs`].
pub(super) trait Write<L: Lanes> {
    /// Whether there is room for another round, if there are so many hits and its first partner is
    /// at that place.
    fn goes_on(&self, filled: usize, first: usize) -> bool;

    /// Writes the hits of a round, those not apart; yields how many hits there are then.
    fn write(&mut self, lanes: L, apart: [L::M; LAGS], round: Round, filled: usize) -> usize;
}

/// Room for pairs of places.
struct Places<'a, const OFTEN: bool>(&'a mut [[u32; 2]]);

impl<const OFTEN: bool, L: Lanes> Write<L> for Places<'_, OFTEN> {
    #[inline(always)]
    fn goes_on(&self, filled: usize, _: usize) -> bool {
        filled + ROOM <= self.0.len()
    }

    #[inline(always)]
    fn write(&mut self, lanes: L, apart: [L::M; LAGS], round: Round, filled: usize) -> usize {
        hits::write_pairs::<OFTEN, LAGS, _>(lanes, apart, u64::MAX, self.0, filled, &round)
    }
}

/// Where a block is, and where the first of its partners.
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

/// Goes on from `cursor` with rounds of some lags of a block, as long as there is room; yields how
/// many hits there are then, and whether the run has ended.
// Of 42 cycles a turn takes in a crowd, five go into reads across cache lines, five into writing;
// the rest keeps the three units busy that work on lanes. Tried: many blocks that take turns, so
// that none waits for the one before it (equal); the next tests before the hits of the last are
// written (slower); which tests hit noted for eight rounds and pairs written after that (a third
// slower); pairs from a table of steps, or made in words of 64 bits (a third slower, with fewer
// instructions); hits of two lags in one register (half the writes; whether they fit it cannot be
// guessed: a seventh slower); masks of AVX-512 (equal, with far fewer); hits of 32 bits, made larger
// every 200 (equal; they pay where keys are wanted, as in `named.rs`); keys packed instead of places
// (slower than such words, and for mixed sizes than places); planes asked for ahead (a twentieth
// slower for crowds).
#[inline(always)]
pub(super) fn rounds<L: Lanes, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    run: Range<usize>,
    cursor: &mut WithinCursor,
    hits: &mut impl Write<L>,
    mut filled: usize,
) -> (usize, bool) {
    let WithinCursor { base, done, lags: mut tested } = *cursor;
    let planes = planes.of_one_length();
    let Range { start, end } = run;
    let mut at = start + base;
    let mut first = at + done + 1;
    while at < end {
        if !hits.goes_on(filled, first) {
            *cursor = WithinCursor { base: at - start, done: first - at - 1, lags: tested };
            return (filled, false);
        }
        let reach = lanes.load_at(planes.max[0], at);
        let mut apart = [lanes.gt(reach, reach); LAGS];
        let begins = Window::new(planes.min[0], first);
        for (k, apart) in apart.iter_mut().enumerate() {
            *apart = lanes.gt(begins.lag(lanes, k), reach);
        }
        // Where it goes on is what everything waits for: so it is found first, in few steps. Nobody
        // can guess it: so no branch depends on it.
        let later = lanes.movemask(apart[LAGS - 1]);
        let enough = select_unpredictable(first + LAGS > end, 0, HitMask::ALL.0);
        let ends = later.0 >= enough;
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
