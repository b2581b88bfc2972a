//! Canonical order, and filters.

use broadphase_core::{Backend, Filter, Pair, pairs};
use proptest::prelude::*;

#[test]
fn bits_in_which_few_keys_differ_are_sorted() {
    // The layout of the sort is assumed from a sample, which misses most of these keys.
    for (len, at) in
        [300, 20_000, 40_000].into_iter().flat_map(|len| (0..9).map(move |at| (len, at)))
    {
        for rare in [[1 << 20, 1 << 21], [7, 1 << 31], [1 << 30, (1 << 30) + 1]] {
            let mut pairs: Vec<Pair> =
                (0..len).map(|n: u32| [n * 7919 % 997, 1000 + n * 31 % 8191]).collect();
            pairs[at * len as usize / 9 + at] = rare;
            let mut expected = pairs.clone();
            expected.sort_unstable();
            pairs::sort(&mut pairs);
            assert!(pairs == expected, "{rare:?} among {len}");
        }
    }
}

#[test]
fn sorting_again_allocates_nothing() {
    let mut buffer: Vec<Pair> = (0..5_000u32).rev().map(|n| [n % 977, n + 1_000]).collect();
    pairs::sort(&mut buffer);
    let capacity = buffer.capacity();
    buffer.reverse();
    pairs::sort(&mut buffer);
    assert!(buffer.is_sorted());
    assert_eq!(buffer.capacity(), capacity);
}

#[test]
fn keys_of_indices_are_appended_in_order_on_every_backend() {
    // Keys below and above 2^31, each first in some pairs and second in others.
    let keys = [7, u32::MAX - 1, 0, 1 << 31, (1 << 31) - 1, u32::MAX, 3];
    for (backend, len) in Backend::available().flat_map(|b| (0..70).map(move |len| (b, len))) {
        let places: Vec<[u32; 2]> =
            (0..len).map(|n| [n % 7, (n % 7 + n / 7 % 6 + 1) % 7]).collect();
        let of = |&[a, b]: &[u32; 2]| pairs::pair(keys[a as usize], keys[b as usize]);
        let expected: Vec<Pair> = [[1, 2]].into_iter().chain(places.iter().map(of)).collect();
        let mut found = vec![[1, 2]];
        pairs::append_keys(backend, &mut found, &places, &keys);
        assert_eq!(found, expected, "{len} pairs on {backend}");
    }
}

const SHIP: u64 = 1;
const ROCK: u64 = 1 << 63;

#[test]
fn filters_decide_by_owner_then_by_group_then_by_masks() {
    let ship = Filter::layers(SHIP).mask(ROCK);
    assert!(ship.accepts(&Filter::layers(ROCK)));
    assert!(!ship.accepts(&Filter::layers(SHIP)));
    assert!(!ship.accepts(&Filter::layers(ROCK).mask(ROCK)));
    let (friend, foe) = (Filter::NONE.group(3), Filter::ALL.group(-3));
    assert!(friend.accepts(&friend), "a positive group is accepted for any masks");
    assert!(!foe.accepts(&foe), "a negative group is never accepted");
    assert!(foe.accepts(&Filter::ALL.group(-4)), "with different groups the masks decide");
    let owned = Filter::ALL.owner(7).group(1);
    assert!(!owned.accepts(&owned));
    assert!(owned.accepts(&Filter::ALL.owner(8).group(1)));
}

proptest! {
    #[test]
    fn acceptance_is_symmetric(
        (a, b) in prop::array::uniform2((0..4u64, 0..4u64, -1..2i32, 0..3u32)).prop_map(|ab| {
            let [a, b] = ab.map(|(layers, mask, group, owner)| Filter { layers, mask, group, owner });
            (a, b)
        }),
    ) {
        prop_assert_eq!(a.accepts(&b), b.accepts(&a));
        prop_assert!(!Filter::NONE.accepts(&a));
    }
}
