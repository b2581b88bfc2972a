//! Canonical sort on several threads: distribute pairs into bins by their highest digits, then sort
//! each bin.
//!
//! 1. Divide the pairs into ranges, one task each; find the smallest and largest pair.
//! 2. Choose a power of two of bins of equal width between them; count the pairs of each range in
//!    each bin.
//! 3. Lay out the bins in the scratch memory, in each a part for every range; tasks copy their
//!    pairs to their parts.
//! 4. Sort bins independently, from the scratch memory into their final place.
//!
//! ```text
//!   pairs      │ range 0      │ range 1      │ range 2      │       each task takes one range
//!                 ╲   ╲  ╲_______╱_╱__│____________╱ …
//!   scratch    │ bin 0        │ bin 1 │ bin 2               │       and writes to its own part
//!              │ 0  │ 1  │ 2  │0│1│2 │  0  │ 1 │ 2          │       of each bin
//! ```
//!
//! The order of pairs is total, so the result does not depend on the division.

use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::Range;

use super::{DIGIT, Pair, RADIX_MIN_LEN, radix_sort, sort_runs};
use crate::tasks;

/// Target number of pairs per bin: 8 KB, which stay in a near cache.
const PAIRS_PER_BIN: usize = 1024;
/// Log2 of the maximum number of bins.
const MAX_BINS_LOG2: u32 = 8;
/// Maximum number of bins.
const MAX_BINS: usize = 1 << MAX_BINS_LOG2;

/// Mapping of pairs to bins of equal width.
#[derive(Clone, Copy)]
struct Bins {
    first: u64,
    shift: u32,
    count: usize,
}

impl Bins {
    /// Creates the mapping for `len` pairs whose numbers are between `first` and `last`.
    fn new(len: usize, [first, last]: [u64; 2]) -> Self {
        let bits = (len / PAIRS_PER_BIN).max(2).ilog2().min(MAX_BINS_LOG2);
        let shift = (u64::BITS - (last - first).leading_zeros()).saturating_sub(bits);
        Self { first, shift, count: 1 << bits }
    }

    #[inline(always)]
    const fn index(&self, pair: &Pair) -> usize {
        ((number(pair) - self.first) >> self.shift) as usize
    }
}

/// Returns the pair as one number of the same order.
#[inline(always)]
const fn number([a, b]: &Pair) -> u64 {
    (*a as u64) << 32 | *b as u64
}

/// State of one range of pairs while it is distributed into bins.
struct BinRange<'a> {
    from: &'a [Pair],
    /// Numbers of the smallest and largest pair of the range.
    ends: [u64; 2],
    /// Number of pairs of the range per bin.
    counts: [usize; MAX_BINS],
    /// Unwritten rest of the range's part of each bin.
    to: [core::slice::IterMut<'a, Pair>; MAX_BINS],
}

/// Sorts pairs that are divided into ranges; `scratch` is as long as `pairs`.
pub(super) fn sort(
    pairs: &mut [Pair],
    scratch: &mut [Pair],
    ranges: impl Iterator<Item = Range<usize>>,
) {
    let counts = distribute(pairs, scratch, ranges);
    let mut bins: [(&mut [Pair], &mut [Pair]); MAX_BINS] = from_fn(|_| Default::default());
    let (mut pairs, mut scratch, mut used) = (pairs, scratch, 0);
    for len in counts.into_iter().filter(|&len| len > 0) {
        let (bin, rest) = core::mem::take(&mut pairs).split_at_mut(len);
        let (from, others) = core::mem::take(&mut scratch).split_at_mut(len);
        (pairs, scratch) = (rest, others);
        bins[used] = (bin, from);
        used += 1;
    }
    tasks::each(&mut bins[..used], |(bin, from)| sort_bin(from, bin));
}

/// Distributes the pairs into bins, stored back to back in `scratch`; returns the size of each.
fn distribute(
    pairs: &[Pair],
    scratch: &mut [Pair],
    ranges: impl Iterator<Item = Range<usize>>,
) -> [usize; MAX_BINS] {
    let begin = |range: Range<usize>| BinRange {
        from: &pairs[range],
        ends: [u64::MAX, 0],
        counts: [0; MAX_BINS],
        to: from_fn(|_| Default::default()),
    };
    let mut parts: Vec<BinRange<'_>> = ranges.map(begin).collect();
    tasks::each(&mut parts, |part| {
        for pair in part.from {
            let number = number(pair);
            part.ends = [part.ends[0].min(number), part.ends[1].max(number)];
        }
    });
    let ends = parts.iter().map(|part| part.ends);
    let ends = ends.fold([u64::MAX, 0], |all, one| [all[0].min(one[0]), all[1].max(one[1])]);
    let bins = Bins::new(pairs.len(), ends);
    tasks::each(&mut parts, |part| {
        for pair in part.from {
            part.counts[bins.index(pair)] += 1;
        }
    });
    let mut counts = [0; MAX_BINS];
    let mut left = scratch;
    for (bin, count) in counts.iter_mut().enumerate().take(bins.count) {
        let before = left.len();
        for part in &mut parts {
            let (own, rest) = core::mem::take(&mut left).split_at_mut(part.counts[bin]);
            part.to[bin] = own.iter_mut();
            left = rest;
        }
        *count = before - left.len();
    }
    tasks::each(&mut parts, |part| {
        for pair in part.from {
            let place = part.to[bins.index(pair)].next();
            *place.expect("the counted number of pairs") = *pair;
        }
    });
    counts
}

/// Sorts the pairs of a bin from `from` into `to`.
fn sort_bin(from: &mut [Pair], to: &mut [Pair]) {
    if from.len() < RADIX_MIN_LEN {
        to.copy_from_slice(from);
        to.sort_unstable();
        return;
    }
    // Sort only by the low bits that differ: pairs of a bin mostly agree in the high ones.
    let any = from[0][0];
    let bits = u32::BITS - from.iter().fold(0, |bits, pair| bits | (pair[0] ^ any)).leading_zeros();
    let digit = bits.div_ceil(bits.div_ceil(DIGIT).max(1));
    if !radix_sort(from, to, bits, digit) {
        to.copy_from_slice(from);
    }
    sort_runs(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_ascend_and_are_used() {
        for ends in [[0, 0], [0, 1], [5, 300], [0, u64::MAX], [u64::MAX - 1, u64::MAX]] {
            for len in [0, 1, 5000, 1 << 20, 1 << 30] {
                let bins = Bins::new(len, ends);
                let of = |number: u64| bins.index(&[(number >> 32) as u32, number as u32]);
                assert_eq!(of(ends[0]), 0);
                assert!(of(ends[1]) < bins.count && bins.count <= 1 << MAX_BINS_LOG2);
                assert!(ends[1] - ends[0] < bins.count as u64 || of(ends[1]) >= bins.count / 2);
            }
        }
    }
}
