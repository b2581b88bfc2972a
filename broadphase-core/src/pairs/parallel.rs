//! The canonical sort on several threads: into bins by the top digit, then bin by bin.
//!
//! ```text
//!   pairs      │ stretch 0    │ stretch 1    │ stretch 2    │       each thread takes stretches
//!                 ╲   ╲  ╲_______╱_╱__│____________╱ …
//!   scratch    │ bin 0        │ bin 1 │ bin 2               │       and writes to its own part
//!              │ 0  │ 1  │ 2  │0│1│2 │  0  │ 1 │ 2          │       of each bin
//! ```
//!
//! The order of all pairs is total, so it does not matter how they were divided.

use alloc::vec::Vec;
use core::ops::Range;

use super::{DIGIT, FEW, Pair, radix, sort_runs};
use crate::tasks;

/// So many pairs in a bin stay in a near cache.
const BIN: usize = 1024;
/// Log2 of how many bins there are at most.
const MOST: u32 = 8;

/// Which bin a pair goes to.
#[derive(Clone, Copy)]
struct Bins {
    first: u64,
    shift: u32,
    count: usize,
}

impl Bins {
    /// For so many pairs between two.
    fn new(len: usize, [first, last]: [u64; 2]) -> Self {
        let bits = (len / BIN).max(2).ilog2().min(MOST);
        let shift = (u64::BITS - (last - first).leading_zeros()).saturating_sub(bits);
        Self { first, shift, count: 1 << bits }
    }

    #[inline(always)]
    const fn of(&self, pair: &Pair) -> usize {
        ((number(pair) - self.first) >> self.shift) as usize
    }
}

/// A pair as a number; the order is the same.
#[inline(always)]
const fn number([a, b]: &Pair) -> u64 {
    (*a as u64) << 32 | *b as u64
}

/// A stretch of the pairs, on its way into bins.
struct Stretch<'a> {
    from: &'a [Pair],
    /// Its first and last pair.
    ends: [u64; 2],
    /// How many of its pairs go to each bin.
    counts: [usize; 1 << MOST],
    /// What is free of its part of each bin.
    to: Vec<core::slice::IterMut<'a, Pair>>,
}

/// Sorts pairs, which are divided into stretches; the scratch memory is as large.
pub(super) fn sort(pairs: &mut [Pair], scratch: &mut [Pair], stretches: &[Range<usize>]) {
    let counts = scatter(pairs, scratch, stretches);
    let mut bins = Vec::with_capacity(counts.len());
    let (mut pairs, mut scratch) = (pairs, scratch);
    for len in counts {
        let (bin, rest) = core::mem::take(&mut pairs).split_at_mut(len);
        let (from, others) = core::mem::take(&mut scratch).split_at_mut(len);
        (pairs, scratch) = (rest, others);
        if len > 0 {
            bins.push((bin, from));
        }
    }
    tasks::each(&mut bins, |(bin, from)| sort_bin(from, bin));
}

/// Puts pairs into bins, one behind the other; yields how many are in each.
fn scatter(pairs: &[Pair], scratch: &mut [Pair], stretches: &[Range<usize>]) -> Vec<usize> {
    let begin = |stretch: &Range<usize>| Stretch {
        from: &pairs[stretch.clone()],
        ends: [u64::MAX, 0],
        counts: [0; 1 << MOST],
        to: Vec::new(),
    };
    let mut parts: Vec<Stretch<'_>> = stretches.iter().map(begin).collect();
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
            part.counts[bins.of(pair)] += 1;
        }
    });
    let mut counts = Vec::with_capacity(bins.count);
    let mut left = scratch;
    for bin in 0..bins.count {
        let before = left.len();
        for part in &mut parts {
            let (own, rest) = core::mem::take(&mut left).split_at_mut(part.counts[bin]);
            part.to.push(own.iter_mut());
            left = rest;
        }
        counts.push(before - left.len());
    }
    tasks::each(&mut parts, |part| {
        for pair in part.from {
            let place = part.to[bins.of(pair)].next();
            *place.expect("as many as were counted") = *pair;
        }
    });
    counts
}

/// Sorts the pairs of a bin, and puts them where they belong.
fn sort_bin(from: &mut [Pair], to: &mut [Pair]) {
    if from.len() < FEW {
        to.copy_from_slice(from);
        to.sort_unstable();
        return;
    }
    // They have the higher digits in common, most of the time.
    let any = from[0][0];
    let bits = u32::BITS - from.iter().fold(0, |bits, pair| bits | (pair[0] ^ any)).leading_zeros();
    let digit = bits.div_ceil(bits.div_ceil(DIGIT).max(1));
    if !radix(from, to, bits, digit) {
        to.copy_from_slice(from);
    }
    sort_runs(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_ascend_and_there_are_enough() {
        for ends in [[0, 0], [0, 1], [5, 300], [0, u64::MAX], [u64::MAX - 1, u64::MAX]] {
            for len in [0, 1, 5000, 1 << 20, 1 << 30] {
                let bins = Bins::new(len, ends);
                let of = |number: u64| bins.of(&[(number >> 32) as u32, number as u32]);
                assert_eq!(of(ends[0]), 0);
                assert!(of(ends[1]) < bins.count && bins.count <= 1 << MOST);
                assert!(ends[1] - ends[0] < bins.count as u64 || of(ends[1]) >= bins.count / 2);
            }
        }
    }
}
