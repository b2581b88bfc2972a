//! Hits are written down as their bits say, whatever their number.

use broadphase_core::kernel::hits::{FEW, SEVERAL, SPARE, write};

/// Words with every number of bits, close together and spread.
fn words() -> impl Iterator<Item = u32> {
    let runs = (0..32).map(|bits| (1u32 << bits) - 1);
    let spread = (1..2000u32).map(|n| n.wrapping_mul(0x9E37_79B9).rotate_left(n));
    let sparse = (0..32u32).flat_map(|a| (0..32).map(move |b| 1 << a | 1 << b));
    runs.chain(spread).chain(sparse).chain([u32::MAX, 1 << 31])
}

#[test]
fn every_bit_is_a_hit_and_the_lowest_comes_first() {
    for word in words() {
        let bits = (0..32).filter(|&bit| word >> bit & 1 == 1);
        let expected: Vec<usize> = [7, 7].into_iter().chain(bits).collect();
        let mut hits = vec![7; expected.len() + SPARE];
        for write in [write::<FEW, usize>, write::<SEVERAL, usize>] {
            let filled = write(word, &mut hits, 2, |bit| bit);
            assert_eq!(hits[..filled], expected, "{word:#b}");
            hits[2..].fill(9);
        }
    }
}

#[test]
#[should_panic(expected = "room to spare")]
fn room_to_spare_is_asked_for() {
    write::<SEVERAL, _>(1, &mut [0; SPARE], 1, |bit| bit);
}
