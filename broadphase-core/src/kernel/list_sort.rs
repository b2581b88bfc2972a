//! Sorts eight short lists of keys at once: a sorting network in which each lane holds one list.
//!
//! ```text
//!   rows        a0 a1 a2 …  b0 b1 b2 …      eight lists, one behind the other
//!   columns     a0 b0 c0 …  a1 b1 c1 …      transposed: each comparison of the network compares
//!                                           two columns, that is, two keys of every list
//! ```
//!
//! 1. Transpose blocks of eight times eight keys, and sort the eight columns of each block in
//!    registers by a network of 19 comparisons.
//! 2. Merge sorted runs of columns two by two (bitonic merge): compare the first column of one run
//!    with the last of the other, the second with the last but one, and so on; then columns at half
//!    of that distance, at a quarter, down to neighbors. Distances below eight stay within a block,
//!    in registers. Columns behind the last one count as infinite.
//! 3. Transpose back, after the last comparisons.
//!
//! Branch-free in the keys. O(n log² n) comparisons for lists of up to n keys, eight lists at once.

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

/// Last comparisons of a merge, at distances four, two and one.
const HALVES: [[usize; 2]; 12] = [
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
];

/// Sorts eight lists: list `i` is the first `lens[i]` keys of the row that begins at `i * stride`.
/// Each row must have room for the longest list, rounded up to blocks of eight; keys behind a list
/// are overwritten.
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
        keys = lanes.transpose(keys);
        compare(lanes, &mut keys, &EIGHT);
        for (place, keys) in keys.into_iter().enumerate() {
            columns[block * LANES + place] = lanes.store(keys);
        }
    }
    let columns = &mut columns[..blocks * LANES];
    merge(lanes, columns);
    for (block, columns) in columns.as_chunks().0.iter().enumerate() {
        let mut keys = load(lanes, columns);
        if blocks > 1 {
            compare(lanes, &mut keys, &HALVES);
        }
        for (list, keys) in lanes.transpose(keys).into_iter().enumerate() {
            lanes.store_at(keys, rows, list * stride + block * LANES);
        }
    }
}

#[inline(always)]
fn compare<L: Lanes, const N: usize>(
    lanes: L,
    keys: &mut [L::I; LANES],
    comparisons: &[[usize; 2]; N],
) {
    for &[low, high] in comparisons {
        let (a, b) = (keys[low], keys[high]);
        (keys[low], keys[high]) = (lanes.min(a, b), lanes.max(a, b));
    }
}

#[inline(always)]
fn load<L: Lanes>(lanes: L, columns: &[[i32; LANES]; LANES]) -> [L::I; LANES] {
    let mut keys = [lanes.splat(0); LANES];
    for (keys, column) in keys.iter_mut().zip(columns) {
        *keys = lanes.load(column);
    }
    keys
}

#[inline(always)]
fn compare_columns<L: Lanes>(lanes: L, low: &mut [i32; LANES], high: &mut [i32; LANES]) {
    let (a, b) = (lanes.load(low), lanes.load(high));
    (*low, *high) = (lanes.store(lanes.min(a, b)), lanes.store(lanes.max(a, b)));
}

/// Merges sorted blocks of eight columns, without the comparisons in [`HALVES`] of the last merge.
#[inline(always)]
fn merge<L: Lanes>(lanes: L, columns: &mut [[i32; LANES]]) {
    // Runs of `sorted` columns are sorted.
    let mut sorted = LANES;
    while sorted < columns.len() {
        for pair in columns.chunks_mut(2 * sorted) {
            let (low, high) = pair.split_at_mut(sorted.min(pair.len()));
            for (low, high) in low.iter_mut().rev().zip(high) {
                compare_columns(lanes, low, high);
            }
        }
        let mut distance = sorted / 2;
        while distance >= LANES {
            for pair in columns.chunks_mut(2 * distance) {
                let (low, high) = pair.split_at_mut(distance.min(pair.len()));
                for (low, high) in low.iter_mut().zip(high) {
                    compare_columns(lanes, low, high);
                }
            }
            distance /= 2;
        }
        sorted *= 2;
        if sorted < columns.len() {
            for block in columns.as_chunks_mut().0 {
                let mut keys = load(lanes, block);
                compare(lanes, &mut keys, &HALVES);
                for (column, keys) in block.iter_mut().zip(keys) {
                    *column = lanes.store(keys);
                }
            }
        }
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
                    rows.push((random >> (longest % 3 * 14)).wrapping_sub(1 << 9) as i32);
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
