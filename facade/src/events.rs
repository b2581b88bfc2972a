//! What began and what ended: two ascending lists of pairs compared.

use alloc::vec::Vec;

use broadphase_core::Pair;

/// So many pairs are compared at once where nothing changes.
const BLOCK: usize = 8;

#[inline]
const fn number([a, b]: Pair) -> u64 {
    (a as u64) << 32 | b as u64
}

/// Writes what is only in `now` into `began`, and what is only in `before` into `ended`, both
/// ascending, in place of what they held. A pair in both that is `replaced` ended and began.
///
/// All lists ascend and have no pair twice. Pairs that stay are passed over in blocks, others are
/// merged without a branch that depends on them.
pub(crate) fn compare(
    before: &[Pair],
    now: &[Pair],
    replaced: Option<&dyn Fn(Pair) -> bool>,
    began: &mut Vec<Pair>,
    ended: &mut Vec<Pair>,
) {
    // Room for the most there can be, and for what is written and not kept.
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
            let (x_first, y_first) = (number(x) < number(y), number(y) < number(x));
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
        fn what_differs_began_or_ended(before in pairs(), now in pairs(), reused in 0..8u32) {
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
