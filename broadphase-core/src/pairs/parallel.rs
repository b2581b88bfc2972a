//! Canonical sort on several threads: distribute pairs into bins by their highest digits.
//!
//! 1. Divide the pairs into ranges or lists, one task each; find the smallest and largest pair.
//! 2. Divide the interval between them into bins, whose equal width is a power of two.
//! 3. Distribute the pairs into bins: into the scratch memory, or from several lists into one.
//! 4. Sort bins independently: from the scratch memory into their final place, or in place, with
//!    the lists as scratch memory.
//!
//! The order of pairs is total, so the result does not depend on the division.

use alloc::vec::Vec;
use core::array::from_fn;
use core::mem::take;
use core::ops::Range;

use super::{Pair, RADIX_MIN_LEN, RadixSort};
use crate::sort::distribute;
use crate::tasks;

/// Minimum number of pairs per bin: 8 KB.
const MIN_PAIRS_PER_BIN: usize = 1024;
/// Log2 of the maximum number of bins. With 256 bins, pairs in canonical order take 4 % longer
/// (`mixed3:300000`).
const MAX_BINS_LOG2: u32 = 6;
const MAX_BINS: usize = 1 << MAX_BINS_LOG2;

/// The smallest and the largest of several pairs, as numbers.
#[derive(Clone, Copy)]
struct Ends {
    first: u64,
    last: u64,
}

impl Ends {
    const NONE: Self = Self { first: u64::MAX, last: 0 };

    fn of(pairs: &[Pair]) -> Self {
        pairs.iter().fold(Self::NONE, |Self { first, last }, pair| {
            let number = number(pair);
            Self { first: first.min(number), last: last.max(number) }
        })
    }
}

/// Mapping of pairs to bins of equal width.
#[derive(Clone, Copy)]
struct Bins {
    first: u64,
    shift: u32,
    count: usize,
}

impl Bins {
    fn new(len: usize, parts: impl Iterator<Item = Ends>) -> Self {
        let Ends { first, last } = parts.fold(Ends::NONE, |all, part| Ends {
            first: all.first.min(part.first),
            last: all.last.max(part.last),
        });
        let bits = (len / MIN_PAIRS_PER_BIN).max(2).ilog2().min(MAX_BINS_LOG2);
        let shift = (u64::BITS - (last - first).leading_zeros()).saturating_sub(bits);
        Self { first, shift, count: 1 << bits }
    }

    #[inline(always)]
    const fn index(&self, pair: &Pair) -> usize {
        ((number(pair) - self.first) >> self.shift) as usize
    }

    /// Copies the pairs into bins, consecutive in `to`. Returns the number of pairs in each.
    fn distribute<'a>(
        self,
        parts: impl Iterator<Item = &'a [Pair]>,
        to: &'a mut [Pair],
    ) -> [usize; MAX_BINS] {
        distribute(parts.map(|part| [part]), [to], self.count, |[pair]| self.index(pair))
    }
}

/// Returns a pair as one number; numbers ascend as pairs do.
#[inline(always)]
const fn number([a, b]: &Pair) -> u64 {
    (*a as u64) << 32 | *b as u64
}

/// Sorts pairs in ranges in place; `scratch` has the length of `pairs`.
pub(super) fn sort(
    pairs: &mut [Pair],
    scratch: &mut [Pair],
    ranges: impl Iterator<Item = Range<usize>>,
) {
    let begin = |range: Range<usize>| (&pairs[range], Ends::NONE);
    let mut parts: Vec<_> = ranges.map(begin).collect();
    tasks::each(&mut parts, |(pairs, ends)| *ends = Ends::of(pairs));
    let bins = Bins::new(pairs.len(), parts.iter().map(|part| part.1));
    let counts = bins.distribute(parts.iter().map(|part| part.0), scratch);
    let mut bins: [(&mut [Pair], &mut [Pair]); MAX_BINS] = from_fn(|_| Default::default());
    let (mut pairs, mut scratch, mut used) = (pairs, scratch, 0);
    for len in counts.into_iter().filter(|&len| len > 0) {
        bins[used] = (split_front(&mut pairs, len), split_front(&mut scratch, len));
        used += 1;
    }
    tasks::each(&mut bins[..used], |(bin, from)| {
        bin.copy_from_slice(from);
        sort_bin(bin, |_| from);
    });
}

/// A list, and the bins that are sorted with its memory as scratch memory.
struct Group<'a> {
    list: &'a mut Vec<Pair>,
    ends: Ends,
    bins: Range<usize>,
    pairs: &'a mut [Pair],
}

/// Sorts the pairs of all lists into `to`, which is as long as all of them. The lists are then
/// scratch memory, and may grow.
pub(super) fn sort_lists<'a>(lists: &'a mut [&mut Vec<Pair>], to: &'a mut [Pair]) {
    let group = |list: &'a mut &mut Vec<Pair>| {
        let list = &mut **list;
        Group { list, ends: Ends::NONE, bins: 0..0, pairs: &mut [] }
    };
    let mut groups: Vec<Group<'_>> = lists.iter_mut().map(group).collect();
    tasks::each(&mut groups, |group| group.ends = Ends::of(group.list));
    let bins = Bins::new(to.len(), groups.iter().map(|group| group.ends));
    let counts = bins.distribute(groups.iter().map(|group| &group.list[..]), to);
    // Each group gets consecutive bins, with about its share of the remaining pairs.
    let (count, mut rest, mut bin) = (groups.len(), to, 0);
    for (index, group) in groups.iter_mut().enumerate() {
        let share = rest.len().div_ceil(count - index);
        let (begin, mut own) = (bin, 0);
        while own < share {
            own += counts[bin];
            bin += 1;
        }
        group.bins = begin..bin;
        group.pairs = split_front(&mut rest, own);
    }
    tasks::each(&mut groups, |Group { list, bins, pairs, .. }| {
        let mut rest = &mut **pairs;
        for &len in &counts[bins.clone()] {
            sort_bin(split_front(&mut rest, len), |len| {
                if list.len() < len {
                    list.resize(len, [0; 2]);
                }
                list
            });
        }
    });
}

fn split_front<'a>(pairs: &mut &'a mut [Pair], len: usize) -> &'a mut [Pair] {
    let (front, rest) = take(pairs).split_at_mut(len);
    *pairs = rest;
    front
}

/// Sorts a bin. `scratch` returns scratch memory for at least a number of pairs.
fn sort_bin<'a>(pairs: &mut [Pair], scratch: impl FnOnce(usize) -> &'a mut [Pair]) {
    if pairs.len() < RADIX_MIN_LEN {
        pairs.sort_unstable();
    } else {
        let sort = RadixSort::new(pairs);
        let scratch = scratch(sort.scratch_len(pairs.len()));
        sort.sort(pairs, scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_ascend_and_are_used() {
        for ends in [[0, 0], [0, 1], [5, 300], [0, u64::MAX], [u64::MAX - 1, u64::MAX]] {
            for len in [0, 1, 5000, 1 << 20, 1 << 30] {
                let bins = Bins::new(len, [Ends { first: ends[0], last: ends[1] }].into_iter());
                let of = |number: u64| bins.index(&[(number >> 32) as u32, number as u32]);
                assert_eq!(of(ends[0]), 0);
                assert!(of(ends[1]) < bins.count && bins.count <= 1 << MAX_BINS_LOG2);
                assert!(ends[1] - ends[0] < bins.count as u64 || of(ends[1]) >= bins.count / 2);
            }
        }
    }
}
