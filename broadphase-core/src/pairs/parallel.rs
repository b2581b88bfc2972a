//! Canonical sort on several threads: distribute pairs into bins by their highest digits, then sort
//! each bin.
//!
//! 1. Divide the pairs into ranges, one task each; find the smallest and largest pair, as numbers.
//! 2. Divide the interval between them into bins of equal width, a power of two of them.
//! 3. Distribute the pairs into bins in the scratch memory (`sort.rs`).
//! 4. Sort bins independently, from the scratch memory into their final place.
//!
//! The order of pairs is total, so the result does not depend on the division.

use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::Range;

use super::{Pair, RADIX_MIN_LEN, RadixSort};
use crate::sort::distribute;
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

/// Returns a pair as one number; numbers ascend as pairs do.
#[inline(always)]
const fn number([a, b]: &Pair) -> u64 {
    (*a as u64) << 32 | *b as u64
}

/// Sorts pairs, which are divided into ranges, in place; `scratch` is as long as `pairs`.
pub(super) fn sort(
    pairs: &mut [Pair],
    scratch: &mut [Pair],
    ranges: impl Iterator<Item = Range<usize>> + Clone,
) {
    let bins = find_bins(pairs, ranges.clone());
    let counts: [usize; MAX_BINS] =
        distribute([pairs], [&mut *scratch], ranges, bins.count, |[pair]| bins.index(pair));
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

/// Returns the mapping of pairs to bins, from the smallest and largest pair of all ranges.
fn find_bins(pairs: &[Pair], ranges: impl Iterator<Item = Range<usize>>) -> Bins {
    let begin = |range: Range<usize>| (&pairs[range], [u64::MAX, 0]);
    let mut parts: Vec<_> = ranges.map(begin).collect();
    tasks::each(&mut parts, |(pairs, ends)| {
        for pair in *pairs {
            let number = number(pair);
            *ends = [ends[0].min(number), ends[1].max(number)];
        }
    });
    let ends = parts.iter().map(|part| part.1);
    let ends = ends.fold([u64::MAX, 0], |all, one| [all[0].min(one[0]), all[1].max(one[1])]);
    Bins::new(pairs.len(), ends)
}

/// Copies the pairs of a bin from `from` to `to` and sorts them there; `from` is then scratch
/// memory.
fn sort_bin(from: &mut [Pair], to: &mut [Pair]) {
    to.copy_from_slice(from);
    if to.len() < RADIX_MIN_LEN {
        to.sort_unstable();
    } else {
        RadixSort::new(to).sort(to, from);
    }
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
