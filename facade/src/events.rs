//! Events: which pairs began and which ended.
//!
//! Input: two strictly ascending lists of pairs, of the step before and of now, and the slots with
//! another object than at the step before. Output: the pairs that are only in the second list
//! (began) and only in the first (ended). A pair in both lists with a replaced slot ended and
//! began.
//!
//! 1. Cut both lists at the same pairs, found by binary search, into one part per task.
//! 2. Compare blocks of 8 pairs. Equal blocks are skipped: most pairs persist.
//! 3. If two blocks differ, skip equal pairs at the front, then merge a few pairs without branches,
//!    which would be mispredicted: always write one pair to each output, and advance each output by
//!    0 or 1.
//! 4. Append the rest of the longer list, and the outputs of all parts in order.
//!
//! The cuts change no output: both lists of a part have all pairs between two cuts. Linear in both
//! lists.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::{Pair, tasks};

/// Number of pairs compared at a time.
const BLOCK: usize = 8;
/// Number of pairs merged after a difference.
const MERGED: usize = 2;
/// Number of pairs by which an output grows at least.
const MIN_GROWTH: usize = 256;
/// Minimum number of pairs of the longer list per thread.
const MIN_PAIRS_PER_TASK: usize = 16_384;

#[derive(Clone, Debug, Default)]
pub(crate) struct SlotSet {
    bits: Vec<u64>,
}

impl SlotSet {
    /// Replaces the contents by `slots`, all of them below `capacity`.
    pub(crate) fn set_all(&mut self, slots: impl Iterator<Item = u32>, capacity: usize) {
        self.bits.clear();
        for slot in slots {
            if self.bits.is_empty() {
                self.bits.resize(capacity.div_ceil(64), 0);
            }
            self.bits[slot as usize / 64] |= 1 << (slot % 64);
        }
    }

    #[inline(always)]
    fn contains(&self, slot: u32) -> bool {
        self.bits.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0)
    }
}

/// A part of the two lists, as ranges of indices, and the events in it.
#[derive(Clone, Debug, Default)]
struct Part {
    before: Range<usize>,
    now: Range<usize>,
    began: Vec<Pair>,
    ended: Vec<Pair>,
}

/// Compares lists of pairs, with reused buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    /// The slots that hold another object than at the step before.
    replaced: SlotSet,
    parts: Vec<Part>,
}

impl Comparison {
    pub(crate) fn memory_use(&self) -> usize {
        let pairs = |part: &Part| part.began.capacity() + part.ended.capacity();
        self.replaced.bits.capacity() * size_of::<u64>()
            + self.parts.capacity() * size_of::<Part>()
            + self.parts.iter().map(pairs).sum::<usize>() * size_of::<Pair>()
    }

    /// Sets the slots, of `slots` slots, that hold another object than at the step before.
    pub(crate) fn set_replaced(&mut self, replaced: impl Iterator<Item = u32>, slots: usize) {
        self.replaced.set_all(replaced, slots);
    }

    /// Writes the pairs that are only in `now` to `began`, and those only in `before` to `ended`,
    /// both ascending. A pair in both lists with a replaced slot is written to both. Both lists
    /// must be strictly ascending. Runs on the threads of the current pool.
    pub(crate) fn compare(
        &mut self,
        before: &[Pair],
        now: &[Pair],
        began: &mut Vec<Pair>,
        ended: &mut Vec<Pair>,
    ) {
        self.compare_parts(before, now, MIN_PAIRS_PER_TASK, began, ended);
    }

    /// Implements [`compare`](Self::compare), with at least about `least` pairs per part.
    fn compare_parts(
        &mut self,
        before: &[Pair],
        now: &[Pair],
        least: usize,
        began: &mut Vec<Pair>,
        ended: &mut Vec<Pair>,
    ) {
        let Self { replaced, parts } = self;
        let longer = if before.len() > now.len() { before } else { now };
        let ranges = tasks::even(longer.len(), least);
        if ranges.is_empty() {
            return compare_part([before, now], replaced, began, ended);
        }
        if parts.len() < ranges.len() {
            parts.resize_with(ranges.len(), Part::default);
        }
        let parts = &mut parts[..ranges.len()];
        let (mut i, mut j) = (0, 0);
        for (part, range) in parts.iter_mut().zip(&ranges) {
            // `cut` is the first pair of the longer list after `range`, if any. In both lists, the
            // part ends before the first pair that is not less than `cut`.
            let end = |list: &[Pair]| match longer.get(range.end) {
                Some(cut) => list.partition_point(|pair| pair < cut),
                None => list.len(),
            };
            (part.before, part.now) = (i..end(before), j..end(now));
            (i, j) = (part.before.end, part.now.end);
        }
        tasks::each(parts, |part| {
            let lists = [&before[part.before.clone()], &now[part.now.clone()]];
            compare_part(lists, replaced, &mut part.began, &mut part.ended);
        });
        began.clear();
        ended.clear();
        for part in parts {
            began.extend_from_slice(&part.began);
            ended.extend_from_slice(&part.ended);
        }
    }
}

fn compare_part(
    lists: [&[Pair]; 2],
    replaced: &SlotSet,
    began: &mut Vec<Pair>,
    ended: &mut Vec<Pair>,
) {
    if replaced.bits.is_empty() {
        compare_where(lists, |_| false, began, ended);
    } else {
        let replaced = |&[a, b]: &Pair| replaced.contains(a) | replaced.contains(b);
        compare_where(lists, replaced, began, ended);
    }
}

/// Compares two lists. A pair in both lists for which `replaced` returns true ended and began.
#[inline(always)]
fn compare_where(
    [before, now]: [&[Pair]; 2],
    replaced: impl Fn(&Pair) -> bool,
    began: &mut Vec<Pair>,
    ended: &mut Vec<Pair>,
) {
    let (mut i, mut j, mut new, mut gone) = (0, 0, 0, 0);
    while i < before.len() && j < now.len() {
        if let (Some(a), Some(b)) = (before[i..].first_chunk(), now[j..].first_chunk()) {
            let equal = leading_equal(a, b, &replaced);
            i += equal;
            j += equal;
            if equal == BLOCK {
                continue;
            }
        }
        grow(began, new + MERGED);
        grow(ended, gone + MERGED);
        for _ in 0..MERGED {
            let (Some(&x), Some(&y)) = (before.get(i), now.get(j)) else { break };
            let again = replaced(&x);
            let (x_first, y_first) = (sort_key(x) < sort_key(y), sort_key(y) < sort_key(x));
            ended[gone] = x;
            began[new] = y;
            gone += usize::from(x_first | (again & !y_first));
            new += usize::from(y_first | (again & !x_first));
            i += usize::from(!y_first);
            j += usize::from(!x_first);
        }
    }
    ended.truncate(gone);
    ended.extend_from_slice(&before[i..]);
    began.truncate(new);
    began.extend_from_slice(&now[j..]);
}

/// Returns the number of pairs before the first that differs or for which `replaced` returns true.
#[inline(always)]
fn leading_equal(a: &[Pair; BLOCK], b: &[Pair; BLOCK], replaced: &impl Fn(&Pair) -> bool) -> usize {
    let differs = |at: usize| sort_key(a[at]) ^ sort_key(b[at]) | u64::from(replaced(&a[at]));
    if (0..BLOCK).fold(0, |all, at| all | differs(at)) == 0 {
        return BLOCK;
    }
    // Branch-free, because the position of the difference is unpredictable.
    let (mut equal, mut count) = (true, 0);
    for at in 0..BLOCK {
        equal &= differs(at) == 0;
        count += usize::from(equal);
    }
    count
}

/// Extends an output to at least `len`, by more than necessary, to extend it rarely.
#[inline(always)]
fn grow(output: &mut Vec<Pair>, len: usize) {
    if output.len() < len {
        output.resize(len + MIN_GROWTH, [0; 2]);
    }
}

#[inline(always)]
const fn sort_key([a, b]: Pair) -> u64 {
    (a as u64) << 32 | b as u64
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec;
    use alloc::vec::Vec;

    use broadphase_core::Pair;
    use proptest::prelude::*;
    use rayon::ThreadPoolBuilder;

    use super::Comparison;

    /// Generates pairs with several first keys, or with one only.
    fn pairs() -> impl Strategy<Value = BTreeSet<Pair>> {
        let pair =
            |first: core::ops::Range<u32>| (first, 0..40u32).prop_map(|(a, b)| [a, a + 1 + b]);
        prop_oneof![
            prop::collection::btree_set(pair(0..6), 0..60),
            prop::collection::btree_set(pair(3..4), 0..40),
        ]
    }

    /// Compares two lists on `threads` threads, which get at least about `least` pairs each.
    fn check(
        [before, now]: [&BTreeSet<Pair>; 2],
        replaced: &[u32],
        (threads, least): (usize, usize),
    ) {
        let [first, second] = [before, now].map(|set| set.iter().copied().collect::<Vec<Pair>>());
        let (mut began, mut ended) = (vec![[9; 2]], vec![[9; 2]; 99]);
        let mut comparison = Comparison::default();
        comparison.set_replaced(replaced.iter().copied(), 100);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            comparison.compare_parts(&first, &second, least, &mut began, &mut ended);
        });
        if cfg!(all(test, feature = "rayon")) && threads > 1 {
            assert_eq!(comparison.parts.len() > 1, first.len().max(second.len()) >= 2 * least);
        }
        let differs = |pair: &&Pair, other: &BTreeSet<Pair>| {
            !other.contains(*pair) || pair.iter().any(|slot| replaced.contains(slot))
        };
        assert!(began.iter().eq(now.iter().filter(|pair| differs(pair, before))), "{began:?}");
        assert!(ended.iter().eq(before.iter().filter(|pair| differs(pair, now))), "{ended:?}");
    }

    proptest! {
        #[test]
        fn differences_began_or_ended(
            before in pairs(),
            now in pairs(),
            added in prop::collection::btree_set(0..6u32, 0..3),
            replaced in prop::collection::vec(0..50u32, 0..3),
            threads in prop::sample::select(vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32]),
            least in 1..20usize,
        ) {
            check([&before, &now], &[], (threads, least));
            check([&before, &now], &replaced, (threads, least));
            // Nearly equal lists.
            let mut near = before.clone();
            near.extend(added.iter().map(|&a| [a, 60]));
            near.pop_first();
            check([&before, &near], &[], (threads, least));
            check([&near, &before], &replaced, (threads, least));
        }
    }
}
