//! Pairs within one run: eight neighbours against the eight that come a few places later.
//!
//! The distance is a *lag*; four lags are tested at a time, until none of the partners begins
//! before its partner ends: no table, and no branch that depends on what the tests say.

use core::hint::select_unpredictable;
use core::ops::Range;

use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes};

use super::ROOM;
use crate::kernel::hits;

/// Lags tested before anything is decided.
const LAGS: usize = 4;

/// Where a walk over the pairs of a run has come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithinCursor {
    /// The block.
    base: usize,
    /// How many lags are done.
    lags: usize,
    /// How often four lags of a block were tested so far.
    pub rounds: u64,
}

impl WithinCursor {
    /// How many blocks were tested so far against one other.
    #[must_use]
    pub const fn blocks(&self) -> u64 {
        self.rounds * LAGS as u64
    }
}

/// The places on one plane that eight volumes meet in four lags.
type Window = [i32; LANES + LAGS];

#[inline(always)]
fn window(plane: &[i32], at: usize) -> &Window {
    plane[at..].first_chunk().expect("padding behind every run")
}

#[inline(always)]
fn lag<L: Lanes>(lanes: L, window: &Window, lag: usize) -> L::I {
    lanes.load(window[lag..].first_chunk().expect("fewer lags than there are places"))
}

// Tried: many blocks that take turns, so that none waits for the one before it (equal); which tests
// hit noted for eight rounds and pairs written after that (a third slower); pairs from a table of
// steps, in words of 64 bits (a third slower, with fewer instructions).
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
    mut filled: usize,
) -> (usize, bool) {
    let WithinCursor { mut base, mut lags, mut rounds } = *cursor;
    let planes = planes.of_one_length();
    let len = run.len();
    while base < len {
        if filled + ROOM > hits.len() {
            *cursor = WithinCursor { base, lags, rounds };
            return (filled, false);
        }
        let at = run.start + base;
        let first = at + lags + 1;
        let reach = lanes.load_at(planes.max[0], at);
        let mut apart = [lanes.gt(reach, reach); LAGS];
        let begins = window(planes.min[0], first);
        for (k, apart) in apart.iter_mut().enumerate() {
            *apart = lanes.gt(lag(lanes, begins, k), reach);
        }
        let last_later = lanes.bits(apart[LAGS - 1]) == HitMask::ALL;
        let mut axis = 1;
        while axis < K {
            let (min, max) = (planes.min[axis], planes.max[axis]);
            let (own_min, own_max) = (lanes.load_at(min, at), lanes.load_at(max, at));
            let (mins, maxs) = (window(min, first), window(max, first));
            for (k, apart) in apart.iter_mut().enumerate() {
                let above = lanes.gt(lag(lanes, mins, k), own_max);
                let below = lanes.gt(own_min, lag(lanes, maxs, k));
                *apart = lanes.either(*apart, lanes.either(above, below));
            }
            axis += 1;
        }
        let pair = |bit| {
            let lane = bit % LANES;
            [(at + lane) as u32, (first + lane + bit / LANES) as u32]
        };
        let pairs = |hit, which| {
            let own = lanes.numbers_to_zip(hit);
            let other = lanes.splat((first + which) as i32);
            (lanes.add(own, lanes.splat(at as i32)), lanes.add(own, other))
        };
        filled = hits::write_pairs::<OFTEN, _>(lanes, apart, u32::MAX, hits, filled, pair, pairs);
        rounds += 1;
        lags += LAGS;
        // Nobody can guess it: so no branch depends on it.
        let done = last_later | (base + lags >= len);
        base += select_unpredictable(done, LANES, 0);
        lags = select_unpredictable(done, 0, lags);
    }
    *cursor = WithinCursor { rounds, ..WithinCursor::default() };
    (filled, true)
}
