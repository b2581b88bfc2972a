//! Checks codes against interleaving bit by bit.

use broadphase_morton::Code;
use proptest::prelude::*;

/// Encodes by the definition: bit `b` of axis `a` is bit `D b + a` of the code.
fn by_definition<const D: usize>(cell: [u32; D]) -> u64 {
    let mut code = 0;
    for bit in 0..Code::<D>::BITS {
        for (axis, x) in cell.into_iter().enumerate() {
            code |= u64::from(x >> bit & 1) << (D as u32 * bit + axis as u32);
        }
    }
    code
}

fn laws<const D: usize>() {
    let largest = u32::MAX >> (32 - Code::<D>::BITS);
    let x = prop_oneof![0..=largest, Just(0), Just(largest), 0..9u32];
    let cells = prop::collection::vec(x, D);
    proptest!(ProptestConfig::with_cases(2_000), |(cell in cells, level in 0..40u32)| {
        let cell: [u32; D] = cell.try_into().unwrap();
        let code = Code::encode(cell);
        prop_assert_eq!(code.bits(), by_definition(cell));
        prop_assert_eq!(code.decode(), cell);
        prop_assert_eq!(Code::from_bits(code.bits()), code);
        prop_assert_eq!(Code::<D>::from_bits(u64::MAX).decode(), [largest; D]);
        // The parent's cell has the low bits of every coordinate cleared.
        let corner = cell.map(|x| if level < 32 { x >> level << level } else { 0 });
        prop_assert_eq!(code.parent(level).decode(), corner);
        prop_assert!(code.range(level).contains(&code));
        let [first, last] = [code.range(level).start(), code.range(level).end()]
            .map(|code| u128::from(code.bits()));
        prop_assert_eq!(last - first + 1, 1 << (D as u32 * level.min(Code::<D>::BITS)));
    });
}

#[test]
fn codes_interleave_the_bits_of_coordinates() {
    laws::<1>();
    laws::<2>();
    laws::<3>();
}

#[test]
fn next_in_box_equals_a_linear_search() {
    let all: Vec<Code<2>> = (0..64).map(|n| Code::encode([n % 8, n / 8])).collect();
    for [low, high] in [[[1, 1], [3, 6]], [[0, 5], [7, 5]], [[2, 2], [2, 2]], [[0, 0], [7, 7]]] {
        let inside = |code: &&Code<2>| {
            let [x, y] = code.decode();
            low[0] <= x && x <= high[0] && low[1] <= y && y <= high[1]
        };
        for code in &all {
            let next = all.iter().filter(inside).filter(|next| *next >= code).min();
            assert_eq!(code.next_in_box(low, high).as_ref(), next, "{:?}", code.decode());
        }
        assert_eq!(Code::encode([9, 9]).next_in_box(low, high), None);
        assert_eq!(all[0].next_in_box([1, 0], [0, 0]), None);
    }
    let corner = Code::<3>::encode([0x1f_ffff; 3]);
    assert_eq!(corner.next_in_box([0; 3], [0x1f_ffff; 3]), Some(corner));
}

#[test]
fn children_fill_their_parent() {
    let cell = Code::<3>::encode([9, 20, 7]);
    for level in 1..=21 {
        let children: Vec<_> = cell.children(level).collect();
        assert_eq!(children.len(), 8);
        assert_eq!(children[0], cell.parent(level));
        for pair in children.windows(2) {
            let end = pair[0].range(level - 1).end().bits();
            assert_eq!(end + 1, pair[1].bits(), "a gap between children");
        }
        assert_eq!(children[7].range(level - 1).end(), cell.range(level).end());
    }
    assert_eq!(cell.children(0).count(), 0);
}
