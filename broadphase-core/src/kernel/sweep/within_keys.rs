//! Pairs within one run, output as keys. Where tests often hit, each hit is one 32-bit word until
//! its keys are read: half the memory to write, and sweeps take 20 % less time.

use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{LANES, Lanes, SlabPlanes};

use super::ROOM;
use super::within::{HitSink, LAGS, Round, WithinCursor, rounds, within};
use crate::kernel::{hits, keys};
use crate::pairs::Pair;

/// Output of pairs of keys.
#[derive(Debug)]
pub struct KeyOutput<'a> {
    /// `keys[i]` is the key of the volume at index `i` of the planes.
    pub keys: &'a [u32],
    /// Buffer for hits not yet converted to keys: at least [`ROOM`] entries; [`WORDS`] are enough.
    pub words: &'a mut [i32],
    pub found: &'a mut Vec<Pair>,
}

/// Recommended size of the word buffer: fits the level-1 cache with the swept planes.
pub const WORDS: usize = 512;

/// Maximum distance of a round's first partner from the base: up to it, both indices of a hit, as
/// distances from the base, fit in 16 bits.
const MAX_DISTANCE: usize = (1 << 16) - LAGS - LANES;

impl KeyOutput<'_> {
    /// Appends the keys of pairs of indices.
    #[inline(always)]
    pub fn append<L: Lanes>(&mut self, lanes: L, places: &[[u32; 2]]) {
        keys::append(lanes, places, self.keys, self.found);
    }
}

/// Appends the keys of all pairs within a run where tests often hit; returns the number of lags
/// tested. Overwrites `hits`.
///
/// # Panics
/// If `hits` or the word buffer has less than [`ROOM`] entries.
#[inline(always)]
pub fn within_keys<L: Lanes, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    run: Range<usize>,
    hits: &mut [[u32; 2]],
    output: &mut KeyOutput<'_>,
) -> u64 {
    assert!(hits.len().min(output.words.len()) >= ROOM, "room for the hits of one round");
    let mut cursor = WithinCursor::default();
    let mut done = false;
    while !done {
        if !hits::packs::<L>() || cursor.done >= MAX_DISTANCE {
            let filled;
            (filled, done) = within(lanes, true, planes, run.clone(), &mut cursor, hits, 0);
            output.append(lanes, &hits[..filled]);
            continue;
        }
        let base = run.start + cursor.base;
        let KeyOutput { keys, words, found } = output;
        let mut near = Words { words, base };
        let len;
        (len, done) = rounds(lanes, planes, run.clone(), &mut cursor, &mut near, 0);
        keys::append_words(lanes, &words[..len], &keys[base..], found);
    }
    cursor.lags
}

/// Hit buffer of words: distances of both indices from `base`, the first in the lower half.
struct Words<'a> {
    words: &'a mut [i32],
    base: usize,
}

impl<L: Lanes> HitSink<L> for Words<'_> {
    #[inline(always)]
    fn has_room(&self, filled: usize, first: usize) -> bool {
        filled + ROOM <= self.words.len() && first <= self.base + MAX_DISTANCE
    }

    #[inline(always)]
    fn write(&mut self, lanes: L, apart: [L::M; LAGS], round: Round, filled: usize) -> usize {
        let word = ((round.first - self.base) << 16 | (round.at - self.base)) as i32;
        hits::write_words(lanes, apart, word, self.words, filled)
    }
}
