//! Codes against interleaving bit by bit.

use broadphase_morton::Code;
use proptest::prelude::*;

/// The definition: bit `b` of axis `a` is bit `D b + a` of the code.
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
        // The parent has the low bits of every coordinate cleared.
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
