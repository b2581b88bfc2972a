//! Output of hits: bits are written correctly, for any number of them.

use broadphase_core::kernel::hits::{
    MakePairs, SPARE, WRITES_IF_OFTEN, WRITES_IF_RARE, write, write_pairs, write_pairs_of,
    write_places,
};
use broadphase_core::{Backend, HitMask, Kernel, LANES, Lanes};

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

/// Words with every number of bits, adjacent and spread.
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

/// Kernel: writes, after one existing entry, the pairs of eight numbers with `N` others whose bits
/// are set in both words. Does so for rare and for frequent hits; returns both new numbers of
/// entries.
struct Pairs<'a, const N: usize>([u64; 2], &'a mut [[u32; 2]]);

impl<const N: usize> Kernel for Pairs<'_, N> {
    type Output = [usize; 2];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [usize; 2] {
        let Self([word, valid], hits) = self;
        let mut apart = [lanes.gt(lanes.splat(0), lanes.splat(0)); N];
        for (which, apart) in apart.iter_mut().enumerate() {
            let mut misses = [0; LANES];
            for (lane, miss) in misses.iter_mut().enumerate() {
                *miss = i32::from(word >> (which * LANES + lane) & 1 == 0);
            }
            *apart = lanes.gt(lanes.load(&misses), lanes.splat(0));
        }
        let (rare, often) = hits.split_at_mut(hits.len() / 2);
        [
            write_pairs::<N, _>(lanes, false, apart, valid, rare, 1, &Numbered),
            write_pairs::<N, _>(lanes, true, apart, valid, often, 1, &Numbered),
        ]
    }
}

/// Eight numbers from 10 on, and others from 20 on.
struct Numbered;

impl<L: Lanes> MakePairs<L> for Numbered {
    #[inline(always)]
    fn pair(&self, bit: usize) -> [u32; 2] {
        [10 + (bit % LANES) as u32, 20 + (bit / LANES) as u32]
    }

    #[inline(always)]
    fn pairs(&self, lanes: L, hit: HitMask, which: usize) -> (L::I, L::I) {
        let own = lanes.load(&[10, 11, 12, 13, 14, 15, 16, 17]);
        (lanes.compress_for_zip(own, hit), lanes.splat(20 + which as i32))
    }
}

fn check_pairs<const N: usize>() {
    let tests = N * LANES;
    let words: Vec<u64> =
        words().map(|word| u64::from(word) << 32 | u64::from(word.rotate_left(7))).collect();
    for backend in Backend::available() {
        let all = words.iter().map(|&word| (word, u64::MAX));
        let some = words.iter().map(|&word| (word, word.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        for (word, valid) in all.chain(some) {
            let pairs = (0..tests as u32).filter(|bit| (word & valid) >> bit & 1 == 1);
            let pairs = pairs.map(|bit| [10 + bit % 8, 20 + bit / 8]);
            let expected: Vec<[u32; 2]> = [[7, 7]].into_iter().chain(pairs).collect();
            let room = 1 + tests + SPARE;
            let mut hits = vec![[7, 7]; 2 * room];
            let filled = backend.dispatch(Pairs::<N>([word, valid], &mut hits));
            for (begin, filled) in [0, room].into_iter().zip(filled) {
                assert_eq!(hits[begin..begin + filled], expected, "{word:#b}, {N} on {backend}");
            }
        }
    }
}

#[test]
fn pairs_of_set_bits_are_written_either_way() {
    check_pairs::<1>();
    check_pairs::<4>();
    check_pairs::<5>();
    check_pairs::<6>();
    check_pairs::<8>();
}

/// Kernel: writes the pairs of index 9 with each of the indices 10 to 17 whose bit in the mask is
/// set, in three ways: by `write_places`, and by `write_pairs_of` for rare and for frequent hits.
struct OfEight(HitMask);

impl Kernel for OfEight {
    type Output = [Vec<[u32; 2]>; 3];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let mut places = [7; 2 + LANES + SPARE];
        let filled = write_places(lanes, self.0, 10, &mut places, 2);
        let (mut rare, mut often) = ([[7; 2]; 2 + LANES + SPARE], [[7; 2]; 2 + LANES + SPARE]);
        let of_rare = write_pairs_of(lanes, false, 9, self.0, 10, &mut rare, 2);
        let of_often = write_pairs_of(lanes, true, 9, self.0, 10, &mut often, 2);
        let places = places[2..filled].iter().map(|&place| [9, place]).collect();
        [places, rare[2..of_rare].to_vec(), often[2..of_often].to_vec()]
    }
}

#[test]
fn indices_that_hit_are_written() {
    for backend in Backend::available() {
        for hit in (0..=255).map(HitMask) {
            let expected: Vec<[u32; 2]> =
                hit.into_iter().map(|lane| [9, 10 + lane as u32]).collect();
            for found in backend.dispatch(OfEight(hit)) {
                assert_eq!(found, expected, "{hit:?} on {backend}");
            }
        }
    }
}
