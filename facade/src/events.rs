//! Events: which pairs began and which ended.
//!
//! Input: two strictly ascending lists of pairs, those of the step before and the current ones.
//! Output: the pairs that are only in the second list (began) and only in the first (ended).
//!
//! 1. Compare blocks of 8 pairs. Equal blocks are skipped: most pairs persist.
//! 2. Otherwise merge 8 pairs without branches: always write one pair to each output, and advance
//!    each output by 0 or 1. Branches that depend on the pairs would be mispredicted.
//! 3. Append the rest of the longer list to its output.
//!
//! Cost: linear in the lengths of both lists.

use alloc::vec::Vec;

use broadphase_core::Pair;

/// Number of pairs compared or merged at a time.
const BLOCK: usize = 8;

#[inline]
const fn sort_key([a, b]: Pair) -> u64 {
    (a as u64) << 32 | b as u64
}

/// Writes the pairs that are only in `now` to `began`, and those only in `before` to `ended`, both
/// ascending, replacing previous contents. A pair in both lists for which `replaced` returns true
/// ended and began: one of its slots holds another object.
///
/// Both lists must be strictly ascending.
pub(crate) fn compare(
    before: &[Pair],
    now: &[Pair],
    replaced: Option<&dyn Fn(Pair) -> bool>,
    began: &mut Vec<Pair>,
    ended: &mut Vec<Pair>,
) {
    // Maximum length plus one slot for the writes that are not kept.
    began.resize(now.len() + 1, [0; 2]);
    ended.resize(before.len() + 1, [0; 2]);
    let (mut i, mut j, mut new, mut gone) = (0, 0, 0, 0);
    while i < before.len() && j < now.len() {
        if replaced.is_none()
            && let (Some(a), Some(b)) = (before[i..].first_chunk(), now[j..].first_chunk())
            && a as &[Pair; BLOCK] == b
        {
            i += BLOCK;
            j += BLOCK;
            continue;
        }
        for _ in 0..BLOCK {
            let (Some(&x), Some(&y)) = (before.get(i), now.get(j)) else { break };
            let again = replaced.is_some_and(|replaced| x == y && replaced(x));
            let (x_first, y_first) = (sort_key(x) < sort_key(y), sort_key(y) < sort_key(x));
            ended[gone] = x;
            began[new] = y;
            gone += usize::from(x_first | again);
            new += usize::from(y_first | again);
            i += usize::from(!y_first);
            j += usize::from(!x_first);
        }
    }
    ended.truncate(gone);
    ended.extend_from_slice(&before[i..]);
    began.truncate(new);
    began.extend_from_slice(&now[j..]);
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec;
    use alloc::vec::Vec;

    use broadphase_core::Pair;
    use proptest::prelude::*;

    use super::compare;

    fn pairs() -> impl Strategy<Value = BTreeSet<Pair>> {
        let pair = (0..6u32, 0..12u32).prop_map(|(a, b)| [a, a + 1 + b]);
        prop::collection::btree_set(pair, 0..60)
    }

    proptest! {
        #[test]
        fn differences_began_or_ended(before in pairs(), now in pairs(), reused in 0..8u32) {
            let lists = [&before, &now].map(|set| set.iter().copied().collect::<Vec<Pair>>());
            let (mut began, mut ended) = (vec![[9; 2]], vec![[9; 2]; 99]);
            compare(&lists[0], &lists[1], None, &mut began, &mut ended);
            prop_assert!(began.iter().eq(now.difference(&before)));
            prop_assert!(ended.iter().eq(before.difference(&now)));

            let replaced = |pair: Pair| pair.contains(&reused);
            compare(&lists[0], &lists[1], Some(&replaced), &mut began, &mut ended);
            let differs = |pair: &Pair, other: &BTreeSet<Pair>| {
                !other.contains(pair) || replaced(*pair)
            };
            prop_assert!(began.iter().eq(now.iter().filter(|pair| differs(pair, &before))));
            prop_assert!(ended.iter().eq(before.iter().filter(|pair| differs(pair, &now))));
        }
    }
}
