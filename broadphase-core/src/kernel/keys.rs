//! Conversion of pairs of indices into pairs of keys.

use alloc::vec::Vec;

use bounds_hexprism::{Kernel, LANES, Lanes};

use crate::pairs::Pair;

/// Kernel: converts pairs of indices to pairs of keys, the smaller key first, and appends them to
/// `pairs` in order.
///
/// # Panics
/// If an index is not below `keys.len()`.
pub(crate) struct AppendKeys<'a> {
    pub(crate) pairs: &'a mut Vec<Pair>,
    pub(crate) places: &'a [[u32; 2]],
    pub(crate) keys: &'a [u32],
}

impl Kernel for AppendKeys<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        append(lanes, self.places, self.keys, self.pairs);
    }
}

/// Converts pairs of indices to pairs of keys, the smaller first, and appends them in order.
///
/// # Panics
/// If an index is not below `keys.len()`.
#[inline(always)]
pub(super) fn append<L: Lanes>(lanes: L, places: &[[u32; 2]], keys: &[u32], pairs: &mut Vec<Pair>) {
    pairs.reserve(places.len());
    // Without a fast gather instruction, eight pairs at a time are no faster than one by one.
    let (eights, rest) =
        if lanes.has_fast_gather() { places.as_chunks() } else { (&[][..], places) };
    for eight in eights {
        let (a, b) = lanes.unzip(eight);
        let (a, b) = lanes.min_max_unsigned(lanes.gather(keys, a), lanes.gather(keys, b));
        push_eight(lanes, pairs, &lanes.zip(a, b));
    }
    // The iterator has a known length, so it does not check the capacity per pair.
    pairs.extend(rest.iter().map(|pair| in_order(keys, pair.map(|place| place as usize))));
}

/// Works like [`append`] for pairs of indices in `words`: the first index is the lower half of a
/// word, the second the upper half.
///
/// # Panics
/// If an index is not below `keys.len()`.
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

/// Distance, in pairs, between the write position and the prefetched memory. Pairs come in bursts,
/// whose start the hardware prefetcher misses: without this prefetch, sweeps whose pairs exceed the
/// nearer caches took 12 % longer.
const PREFETCH_PAIRS: usize = 1024;

/// Appends eight pairs, for which capacity has been reserved.
#[inline(always)]
fn push_eight<L: Lanes>(lanes: L, pairs: &mut Vec<Pair>, eight: &[Pair; LANES]) {
    lanes.prefetch(pairs, pairs.len() + PREFETCH_PAIRS);
    pairs.extend_from_slice(eight);
}

/// Returns the keys of two indices, the smaller first. Branch-free: their order is unpredictable.
#[inline(always)]
fn in_order(keys: &[u32], [a, b]: [usize; 2]) -> Pair {
    let (a, b) = (keys[a], keys[b]);
    [a.min(b), a.max(b)]
}
