//! `apply_order` permutes arrays in place, for any order.

use broadphase_core::apply_order;

fn assert_applied(order: &[u32]) {
    let mut items: Vec<u32> = (0..order.len() as u32).collect();
    let mut applied = order.to_vec();
    apply_order(&mut applied, &mut items);
    assert_eq!(applied, order, "the order is restored");
    assert_eq!(items, order, "item i is the former item order[i], which is its index");
}

#[test]
fn every_order_of_a_few_items() {
    fn each_order(len: u32, order: &mut Vec<u32>) {
        if order.len() == len as usize {
            return assert_applied(order);
        }
        for index in 0..len {
            if !order.contains(&index) {
                order.push(index);
                each_order(len, order);
                order.pop();
            }
        }
    }
    (0..7).for_each(|len| each_order(len, &mut Vec::new()));
}

/// The orders consist of long cycles: following one from each of its items would take quadratic
/// time.
#[test]
fn long_cycles_take_linear_time() {
    const LEN: u32 = 1 << 20;
    for by in [1, LEN - 1, LEN / 2 + 1, 12_345] {
        assert_applied(&(0..LEN).map(|n| (n + by) % LEN).collect::<Vec<_>>());
    }
}

#[test]
fn nothing_is_allocated() {
    let mut order: Vec<u32> = (0..1_000).map(|n| n * 7 % 1_000).collect();
    let mut items: Vec<u64> = (0..1_000).collect();
    let taken = allocation_counter::measure(|| apply_order(&mut order, &mut items));
    assert_eq!(taken.count_total, 0);
    assert!(items.into_iter().eq(order.into_iter().map(u64::from)));
}
