//! Output of hits: bits are written correctly, for any number of them, and keys are sorted. Pairs of
//! hits are tested with the sweeps that write them.

use broadphase_core::kernel::hits::{SPARE, WRITES_IF_OFTEN, WRITES_IF_RARE, write};
use broadphase_core::kernel::rank::Sort;
use broadphase_core::{Backend, LANES};

/// Checks the hits written for a word in which only the lowest `BITS` bits may be set.
fn bits_are_hits<const BITS: usize>(word: u64) {
    let bits = (0..BITS).filter(|&bit| word >> bit & 1 == 1);
    let expected: Vec<usize> = [7, 7].into_iter().chain(bits).collect();
    let mut hits = vec![7; expected.len() + SPARE];
    for write in [write::<WRITES_IF_RARE, BITS, usize>, write::<WRITES_IF_OFTEN, BITS, usize>] {
        let filled = write(word, &mut hits, 2, |bit| bit);
        assert_eq!(hits[..filled], expected, "{word:#b}");
        hits[2..].fill(9);
    }
}

fn words() -> impl Iterator<Item = u32> {
    let runs = (0..32).map(|bits| (1u32 << bits) - 1);
    let spread = (1..2000u32).map(|n| n.wrapping_mul(0x9E37_79B9).rotate_left(n));
    let sparse = (0..32u32).flat_map(|a| (0..32).map(move |b| 1 << a | 1 << b));
    runs.chain(spread).chain(sparse).chain([u32::MAX, 1 << 31])
}

#[test]
fn every_bit_is_written_lowest_first() {
    for word in words() {
        bits_are_hits::<LANES>(u64::from(word) & 0xff);
        bits_are_hits::<32>(word.into());
        bits_are_hits::<64>(u64::from(word) << 32 | u64::from(word.reverse_bits()));
    }
}

#[test]
#[should_panic(expected = "room to spare")]
fn too_little_room_panics() {
    write::<WRITES_IF_OFTEN, 32, _>(1, &mut [0; WRITES_IF_OFTEN], 1, |bit| bit);
}

#[test]
fn any_number_of_keys_is_sorted_on_every_backend() {
    // The lengths cover all three ways of sorting: by rank, by comparison and by digits.
    for len in (0..200u32).chain([2047, 2048, 2049, 10_000]) {
        // Odd factors map distinct numbers to distinct numbers.
        let keys: Vec<u32> = (0..len).map(|n| (n + 3 * len).wrapping_mul(2_654_435_761)).collect();
        let mut expected = keys.clone();
        expected.sort_unstable();
        for backend in Backend::available() {
            let mut sorted = keys.clone();
            backend.dispatch(Sort(&mut sorted));
            assert_eq!(sorted, expected, "{len} keys on {backend}");
        }
    }
}
