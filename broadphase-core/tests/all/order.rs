//! `apply_order` permutes arrays in place, for any order.

use broadphase_core::apply_order;
use proptest::prelude::*;

/// Reference for `apply_order`, by copying.
fn in_order(old: &[u32], items: &[String]) -> Vec<String> {
    old.iter().map(|&index| items[index as usize].clone()).collect()
}

fn assert_applied(old: &[u32], len: usize) {
    let before: Vec<String> = (0..len).map(|n| n.to_string()).collect();
    let (mut items, mut order) = (before.clone(), old.to_vec());
    apply_order(&mut order, &mut items);
    assert_eq!(order, old, "the order is restored");
    assert_eq!(items[..old.len()], in_order(old, &before), "{old:?}");
    let (mut before, mut after) = (before, items);
    before.sort();
    after.sort();
    assert_eq!(before, after, "no item is lost");
}

/// Strategy: distinct indices below `len`.
fn injections() -> impl Strategy<Value = (Vec<u32>, usize)> {
    (0u32..200).prop_flat_map(|len| {
        let all: Vec<u32> = (0..len).collect();
        let some = (Just(all).prop_shuffle(), 0..=len as usize).prop_map(|(mut all, count)| {
            all.truncate(count);
            all
        });
        (some, Just(len as usize))
    })
}

proptest! {
    #[test]
    fn items_are_permuted((old, len) in injections()) {
        assert_applied(&old, len);
    }

    #[test]
    fn an_invalid_order_changes_nothing(
        (mut old, len) in injections(),
        place in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        kind in 0..3,
    ) {
        prop_assume!(old.len() > 1);
        let (place, other) = (place.index(old.len()), other.index(old.len()));
        let wrong = match kind {
            0 => len as u32 + other as u32,
            1 => u32::MAX - other as u32,
            _ => old[other],
        };
        // An index that occurs twice is detected only if it is below the length of the order.
        prop_assume!(kind < 2 || place != other && (wrong as usize) < old.len());
        old[place] = wrong;
        let before: Vec<usize> = (0..len).collect();
        let (mut order, mut items) = (old.clone(), before.clone());
        let applied = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            apply_order(&mut order, &mut items);
        }));
        prop_assert!(applied.is_err());
        prop_assert_eq!(items, before);
        prop_assert_eq!(order, old);
    }
}

#[test]
fn every_order_of_a_few_items() {
    for len in 0..7u32 {
        for count in 0..=len {
            each_injection(count as usize, len, &mut Vec::new());
        }
    }
}

fn each_injection(count: usize, len: u32, old: &mut Vec<u32>) {
    if old.len() == count {
        return assert_applied(old, len as usize);
    }
    for index in 0..len {
        if !old.contains(&index) {
            old.push(index);
            each_injection(count, len, old);
            old.pop();
        }
    }
}

/// The orders consist of one long chain or cycle: following it from each of its items would take
/// quadratic time.
#[test]
fn long_cycles_take_linear_time() {
    const LEN: u32 = 1 << 20;
    let rotated = |by: u32| (0..LEN).map(move |n| (n + by) % LEN);
    let orders = [rotated(1), rotated(LEN - 1), rotated(LEN / 2 + 1), rotated(12_345)];
    for order in orders {
        let mut old: Vec<u32> = order.collect();
        let mut items: Vec<u32> = (0..LEN).collect();
        apply_order(&mut old, &mut items);
        assert_eq!(items, old);
    }
    // One chain through all indices, which ends at the item past the end of `old`.
    let mut old: Vec<u32> = (1..=LEN).collect();
    let mut items: Vec<u32> = (0..=LEN).collect();
    apply_order(&mut old, &mut items);
    assert_eq!(items[..LEN as usize], old);
    assert_eq!(items[LEN as usize], 0);
}

#[test]
fn nothing_is_allocated() {
    let mut old: Vec<u32> = (0..1_000).map(|n| n * 7 % 1_000).collect();
    let mut items: Vec<u64> = (0..1_000).collect();
    let taken = allocation_counter::measure(|| apply_order(&mut old, &mut items));
    assert_eq!(taken.count_total, 0);
    assert!(items.into_iter().eq(old.into_iter().map(u64::from)));
}
