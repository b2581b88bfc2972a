//! Pairs within one run: eight neighbours against the eight that come a few places later.
//!
//! The distance is a *lag*; some lags are tested at a time, until none of the partners begins
//! before its partner ends: no table, and no branch that depends on what the tests say.

use core::hint::select_unpredictable;
use core::ops::Range;

use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes};

use super::ROOM;
use crate::kernel::hits;

/// Lags tested before anything is decided, where tests rarely hit. Five, seven or eight: slower;
/// with four, pairs of discs took an eighth longer.
pub(super) const LAGS: usize = 6;
/// The same where they often do. Eight: a tenth slower.
const LAGS_OFTEN: usize = 4;

/// Where a walk over the pairs of a run has come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithinCursor {
    /// The block.
    base: usize,
    /// How many of its lags are done.
    done: usize,
    /// How many lags of blocks were tested so far.
    pub lags: u64,
}

/// Eight and so many places more on one plane: what eight volumes meet in so many lags.
#[derive(Clone, Copy)]
struct Window<'a, const N: usize>(&'a [i32]);

impl<'a, const N: usize> Window<'a, N> {
    #[inline(always)]
    fn new(plane: &'a [i32], at: usize) -> Self {
        Self(&plane[at..][..N + LANES])
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
    if OFTEN {
        by_lags::<true, LAGS_OFTEN, _, _>(lanes, planes, run, cursor, hits, filled)
    } else {
        by_lags::<false, LAGS, _, _>(lanes, planes, run, cursor, hits, filled)
    }
}

/// So many lags at a time.
// Tried: many blocks that take turns, so that none waits for the one before it (equal); which tests
// hit noted for eight rounds and pairs written after that (a third slower); pairs from a table of
// steps, in words of 64 bits (a third slower, with fewer instructions).
#[inline(always)]
fn by_lags<const OFTEN: bool, const N: usize, L: Lanes, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    run: Range<usize>,
    cursor: &mut WithinCursor,
    hits: &mut [[u32; 2]],
    mut filled: usize,
) -> (usize, bool) {
    let WithinCursor { mut base, mut done, lags: mut tested } = *cursor;
    let planes = planes.of_one_length();
    let len = run.len();
    while base < len {
        if filled + ROOM > hits.len() {
            *cursor = WithinCursor { base, done, lags: tested };
            return (filled, false);
        }
        let at = run.start + base;
        let first = at + done + 1;
        let reach = lanes.load_at(planes.max[0], at);
        let mut apart = [lanes.gt(reach, reach); N];
        let begins = Window::<N>::new(planes.min[0], first);
        for (k, apart) in apart.iter_mut().enumerate() {
            *apart = lanes.gt(begins.lag(lanes, k), reach);
        }
        let last_later = lanes.bits(apart[N - 1]) == HitMask::ALL;
        let mut axis = 1;
        while axis < K {
            let (min, max) = (planes.min[axis], planes.max[axis]);
            let (own_min, own_max) = (lanes.load_at(min, at), lanes.load_at(max, at));
            let (mins, maxs) = (Window::<N>::new(min, first), Window::<N>::new(max, first));
            for (k, apart) in apart.iter_mut().enumerate() {
                let above = lanes.gt(mins.lag(lanes, k), own_max);
                let below = lanes.gt(own_min, maxs.lag(lanes, k));
                *apart = lanes.either(*apart, lanes.either(above, below));
            }
            axis += 1;
        }
        let pair = |bit: usize| {
            let lane = bit % LANES;
            [(at + lane) as u32, (first + lane + bit / LANES) as u32]
        };
        if OFTEN {
            let pairs = |hit, which| {
                let own = lanes.numbers_to_zip(hit);
                let other = lanes.splat((first + which) as i32);
                (lanes.add(own, lanes.splat(at as i32)), lanes.add(own, other))
            };
            let four = four(&apart, 0);
            filled =
                hits::write_pairs::<OFTEN, _>(lanes, four, u32::MAX, hits, filled, pair, pairs);
        } else {
            let low = u64::from(!lanes.bits_of_four(four(&apart, 0)));
            let high = u64::from(!lanes.bits_of_four(four(&apart, 4)));
            let word = (low | high << 32) & ((1 << (LAGS * LANES)) - 1);
            filled = hits::write::<{ hits::FEW }, 64, _>(word, hits, filled, pair);
        }
        tested += N as u64;
        done += N;
        // Nobody can guess it: so no branch depends on it.
        let ends = last_later | (base + done >= len);
        base += select_unpredictable(ends, LANES, 0);
        done = select_unpredictable(ends, 0, done);
    }
    *cursor = WithinCursor { lags: tested, ..WithinCursor::default() };
    (filled, true)
}

/// Four masks from one on; the last again where there are no more.
#[inline(always)]
fn four<M: Copy, const N: usize>(masks: &[M; N], from: usize) -> [M; 4] {
    core::array::from_fn(|k| masks[(from + k).min(N - 1)])
}
