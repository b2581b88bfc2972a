//! Sorts eight short lists of keys at once: a sorting network in which each lane holds one list.
//!
//! ```text
//!   rows        a0 a1 a2 …  b0 b1 b2 …      eight lists, one behind the other
//!   columns     a0 b0 c0 …  a1 b1 c1 …      transposed: each comparison of the network compares
//!                                           two columns, that is, two keys of every list
//! ```
//!
//! 1. Transpose blocks of eight times eight keys, and sort the eight columns of each block in
//!    registers, by a network of 19 comparisons.
//! 2. Merge the blocks by Batcher's odd-even merge sort.
//! 3. Transpose back.
//!
//! Branch-free in the keys. Takes O(n log² n) comparisons for lists of up to n keys, of which eight
//! run at once: 5 ns a list of 30 keys, where counting smaller keys ([`rank`](super::rank)) took
//! 34 ns (AVX2).

use bounds_hexprism::{LANES, Lanes};

/// Maximum number of keys in a list.
pub(super) const MAX_LEN: usize = 256;

/// Scratch memory: the keys of eight lists, transposed.
pub(super) type Columns = [[i32; LANES]; MAX_LEN];

/// Comparisons of a network that sorts eight numbers; the second number becomes the larger one.
const EIGHT: [[usize; 2]; 19] = [
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [2, 4],
    [3, 5],
    [1, 4],
    [3, 6],
    [1, 2],
    [3, 4],
    [5, 6],
];

/// Sorts eight lists: list `i` consists of the first `lens[i]` keys of the row that begins at
/// `i * stride` of `rows`. Each row must have room for the longest list, rounded up to blocks of
/// eight; the keys behind a list are overwritten.
#[inline(always)]
pub(super) fn sort<L: Lanes>(
    lanes: L,
    rows: &mut [i32],
    stride: usize,
    lens: &[usize; LANES],
    columns: &mut Columns,
) {
    let mut longest = 0;
    for &len in lens {
        longest = if len > longest { len } else { longest };
    }
    let blocks = longest.div_ceil(LANES);
    let (last, mut index) = (lanes.splat(i32::MAX), lanes.load(&[0, 1, 2, 3, 4, 5, 6, 7]));
    for block in 0..blocks {
        let mut keys = [last; LANES];
        for (list, keys) in keys.iter_mut().enumerate() {
            let row = lanes.load_at(rows, list * stride + block * LANES);
            let is_used = lanes.gt(lanes.splat(lens[list] as i32), index);
            *keys = lanes.select(is_used, row, last);
        }
        index = lanes.add(index, lanes.splat(LANES as i32));
        keys = transpose(lanes, keys);
        for [low, high] in EIGHT {
            let (a, b) = (keys[low], keys[high]);
            (keys[low], keys[high]) = (lanes.min(a, b), lanes.max(a, b));
        }
        for (place, keys) in keys.into_iter().enumerate() {
            columns[block * LANES + place] = lanes.store(keys);
        }
    }
    merge(lanes, &mut columns[..blocks * LANES]);
    for block in 0..blocks {
        let mut keys = [last; LANES];
        for (place, keys) in keys.iter_mut().enumerate() {
            *keys = lanes.load(&columns[block * LANES + place]);
        }
        for (list, keys) in transpose(lanes, keys).into_iter().enumerate() {
            lanes.store_at(keys, rows, list * stride + block * LANES);
        }
    }
}

/// Transposes eight times eight numbers: three perfect shuffles of all 64.
#[inline(always)]
fn transpose<L: Lanes>(lanes: L, mut block: [L::I; LANES]) -> [L::I; LANES] {
    let mut round = 0;
    while round < 3 {
        let from = block;
        let mut half = 0;
        while half < LANES / 2 {
            let (low, high) = lanes.interleave(from[half], from[half + LANES / 2]);
            (block[2 * half], block[2 * half + 1]) = (low, high);
            half += 1;
        }
        round += 1;
    }
    block
}

/// Merges sorted blocks of eight columns: the rest of Batcher's odd-even merge sort, which works
/// for any number of columns.
#[inline(always)]
fn merge<L: Lanes>(lanes: L, columns: &mut [[i32; LANES]]) {
    // Runs of `sorted` columns are sorted.
    let mut sorted = LANES;
    while sorted < columns.len() {
        let mut distance = sorted;
        while distance > 0 {
            let mut begin = distance % sorted;
            while begin + distance < columns.len() {
                // Pairs of columns in two different runs of the result are not compared.
                if (begin + distance) % (2 * sorted) != 0 {
                    let (low, high) = columns[begin..].split_at_mut(distance);
                    for (low, high) in low.iter_mut().zip(high) {
                        let (a, b) = (lanes.load(low), lanes.load(high));
                        (*low, *high) =
                            (lanes.store(lanes.min(a, b)), lanes.store(lanes.max(a, b)));
                    }
                }
                begin += 2 * distance;
            }
            distance /= 2;
        }
        sorted *= 2;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use bounds_hexprism::{Backend, Kernel};

    use super::*;

    struct Sort<'a>(&'a mut [i32], usize, [usize; LANES]);

    impl Kernel for Sort<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) {
            sort(lanes, self.0, self.1, &self.2, &mut [[0; LANES]; MAX_LEN]);
        }
    }

    #[test]
    fn lists_of_every_length_are_sorted() {
        let mut random = 1u32;
        for backend in Backend::available() {
            for longest in 0..=MAX_LEN {
                let stride = MAX_LEN + 3;
                let mut rows: Vec<i32> = Vec::new();
                for _ in 0..LANES * stride {
                    random = random.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                    // Few different numbers in some rounds.
                    rows.push((random >> (longest % 3 * 14)) as i32 - (1 << 30));
                }
                let mut lens = [longest; LANES];
                for (list, len) in lens.iter_mut().enumerate() {
                    *len = longest.saturating_sub(list * list);
                }
                let mut expected: Vec<Vec<i32>> = Vec::new();
                for (row, &len) in rows.chunks(stride).zip(&lens) {
                    expected.push(row[..len].to_vec());
                    expected.last_mut().expect("a list").sort_unstable();
                }
                backend.dispatch(Sort(&mut rows, stride, lens));
                for ((row, &len), expected) in rows.chunks(stride).zip(&lens).zip(expected) {
                    assert_eq!(row[..len], expected, "{longest} keys on {backend}");
                }
            }
        }
    }
}
