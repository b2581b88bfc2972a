//! Pairs within one run as keys, and not as places that somebody has to look up: where tests often
//! hit, a hit is one word until it gets its keys. That is half as much to write, and a sweep takes a
//! fifth less time.

use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{LANES, Lanes, SlabPlanes};

use super::ROOM;
use super::within::{LAGS, Round, WithinCursor, Write, rounds, within};
use crate::kernel::{hits, keys};
use crate::pairs::Pair;

/// Where the keys of pairs go.
#[derive(Debug)]
pub struct Names<'a> {
    /// The keys of all places.
    pub keys: &'a [u32],
    /// Room for hits that have no keys yet: at least [`ROOM`], and [`WORDS`] are enough.
    pub words: &'a mut [i32],
    /// The pairs.
    pub found: &'a mut Vec<Pair>,
}

/// So many words at a time fit the nearest cache beside what is swept.
pub const WORDS: usize = 512;

/// So far from a place may others begin whose distances from it fit half a word.
const FAR: usize = (1 << 16) - LAGS - LANES;

impl Names<'_> {
    /// Appends the keys of pairs of places.
    #[inline(always)]
    pub fn append<L: Lanes>(&mut self, lanes: L, places: &[[u32; 2]]) {
        keys::append(lanes, places, self.keys, self.found);
    }
}

/// Appends the keys of all pairs within a run where tests often hit; yields how many lags of blocks
/// were tested. What is in `hits` is lost.
///
/// # Panics
/// If there is no [`ROOM`] for hits, or for words.
#[inline(always)]
pub fn within_named<L: Lanes, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    run: Range<usize>,
    hits: &mut [[u32; 2]],
    names: &mut Names<'_>,
) -> u64 {
    assert!(hits.len().min(names.words.len()) >= ROOM, "room for the hits of a round");
    let mut cursor = WithinCursor::default();
    let mut done = false;
    while !done {
        if !hits::packs::<L>() || cursor.done >= FAR {
            let filled;
            (filled, done) = within::<true, _, _>(lanes, planes, run.clone(), &mut cursor, hits, 0);
            names.append(lanes, &hits[..filled]);
            continue;
        }
        let base = run.start + cursor.base;
        let Names { keys, words, found } = names;
        let mut near = Words { words, base };
        let len;
        (len, done) = rounds(lanes, planes, run.clone(), &mut cursor, &mut near, 0);
        keys::append_words(lanes, &words[..len], &keys[base..], found);
    }
    cursor.lags
}

/// Room for hits as words: how far both places are from `base`, the first in the lower half.
struct Words<'a> {
    words: &'a mut [i32],
    base: usize,
}

impl<L: Lanes> Write<L> for Words<'_> {
    #[inline(always)]
    fn goes_on(&self, filled: usize, first: usize) -> bool {
        filled + ROOM <= self.words.len() && first <= self.base + FAR
    }

    #[inline(always)]
    fn write(&mut self, lanes: L, apart: [L::M; LAGS], round: Round, filled: usize) -> usize {
        let word = ((round.first - self.base) << 16 | (round.at - self.base)) as i32;
        hits::write_words(lanes, apart, word, self.words, filled)
    }
}
