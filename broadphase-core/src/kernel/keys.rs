//! The keys of those who met, for the places they are in.

use alloc::vec::Vec;

use bounds_hexprism::{Kernel, LANES, Lanes};

use crate::pairs::Pair;

/// Appends the keys of pairs of places to a list, in the order of these.
///
/// # Panics
/// If there are not as many places as that.
pub(crate) struct AppendKeys<'a> {
    pub(crate) pairs: &'a mut Vec<Pair>,
    pub(crate) places: &'a [[u32; 2]],
    /// The keys of all places.
    pub(crate) keys: &'a [u32],
}

impl Kernel for AppendKeys<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        append(lanes, self.places, self.keys, self.pairs);
    }
}

/// Appends the keys of pairs of places to a list, in the order of these.
///
/// # Panics
/// If there are not as many places as that.
#[inline(always)]
pub(super) fn append<L: Lanes>(lanes: L, places: &[[u32; 2]], keys: &[u32], pairs: &mut Vec<Pair>) {
    pairs.reserve(places.len());
    // Where lanes are read one by one, they are no faster.
    let (eights, rest) =
        if lanes.has_fast_gather() { places.as_chunks() } else { (&[][..], places) };
    for eight in eights {
        let (a, b) = lanes.unzip(eight);
        let (a, b) = lanes.min_max_unsigned(lanes.gather(keys, a), lanes.gather(keys, b));
        push_eight(lanes, pairs, &lanes.zip(a, b));
    }
    // Of known length, so that nobody asks for room again.
    pairs.extend(rest.iter().map(|pair| in_order(keys, pair.map(|place| place as usize))));
}

/// Appends the keys of pairs of places, those in the halves of a word, the first in the lower one.
///
/// # Panics
/// If there are not as many places as that.
#[inline(always)]
pub(super) fn append_words<L: Lanes>(lanes: L, words: &[i32], keys: &[u32], pairs: &mut Vec<Pair>) {
    pairs.reserve(words.len());
    let (eights, rest) = if lanes.has_fast_gather() { words.as_chunks() } else { (&[][..], words) };
    let low = lanes.splat(0xffff);
    for eight in eights {
        let words = lanes.load(eight);
        let (a, b) = (lanes.and(words, low), lanes.shr_logical(words, 16));
        let (a, b) = lanes.min_max_unsigned(lanes.gather(keys, a), lanes.gather(keys, b));
        let (first, last) = lanes.interleave(a, b);
        let numbers = [lanes.store(first), lanes.store(last)];
        let mut eight = [[0; 2]; LANES];
        for (pair, numbers) in eight.iter_mut().zip(numbers.as_flattened().as_chunks().0) {
            let [a, b]: [i32; 2] = *numbers;
            *pair = [a.cast_unsigned(), b.cast_unsigned()];
        }
        push_eight(lanes, pairs, &eight);
    }
    pairs.extend(rest.iter().map(|word| {
        let word = word.cast_unsigned() as usize;
        in_order(keys, [word & 0xffff, word >> 16])
    }));
}

/// So many pairs behind the last one memory is asked for. Pairs come in bursts, and each begins where
/// processors do not yet see that memory is written in order: without this, sweeps of crowds that
/// make more pairs than the nearer caches hold took an eighth longer.
const AHEAD: usize = 1024;

/// Appends eight pairs, for which there is room.
#[inline(always)]
fn push_eight<L: Lanes>(lanes: L, pairs: &mut Vec<Pair>, eight: &[Pair; LANES]) {
    lanes.prefetch(pairs, pairs.len() + AHEAD);
    pairs.extend_from_slice(eight);
}

/// The keys of two places, the smaller one first. Nobody can guess which that is: so no branch
/// depends on it.
#[inline(always)]
fn in_order(keys: &[u32], [a, b]: [usize; 2]) -> Pair {
    let (a, b) = (keys[a], keys[b]);
    [a.min(b), a.max(b)]
}
