//! Pairs of keys, and their canonical order; pairs noted while nothing changes.

mod meetings;
mod parallel;

use alloc::vec::Vec;

use bounds_hexprism::Backend;

use crate::kernel::AppendKeys;
use crate::tasks;

pub use meetings::Meetings;

/// Two keys, the smaller one first.
///
/// A plain array, so pairs compare, sort and copy as they are. The canonical order is the order
/// of arrays: ascending by the first key, then by the second.
pub type Pair = [u32; 2];

/// The pair of two keys.
#[inline(always)]
#[must_use]
pub const fn pair(a: u32, b: u32) -> Pair {
    if a < b { [a, b] } else { [b, a] }
}

/// Appends the keys of pairs of places, `keys` being those of all places.
///
/// ```
/// let mut pairs = vec![[1, 2]];
/// let backend = broadphase_core::Backend::detect();
/// broadphase_core::pairs::append_keys(backend, &mut pairs, &[[0, 2], [2, 1]], &[9, 5, 7]);
/// assert_eq!(pairs, [[1, 2], [7, 9], [5, 7]]);
/// ```
///
/// # Panics
/// If there are fewer places.
#[inline]
pub fn append_keys(backend: Backend, pairs: &mut Vec<Pair>, places: &[[u32; 2]], keys: &[u32]) {
    backend.dispatch(AppendKeys { pairs, places, keys });
}

/// Bits sorted in one pass: 2048 counters fit the nearest cache.
const DIGIT: u32 = 11;
/// Below this a comparison sort is faster.
const FEW: usize = 256;
/// So many pairs are worth another thread.
const LEAST: usize = 16_384;

/// Sorts pairs into canonical order.
///
/// Radix passes over the first key, least digit first, then the short runs of equal first keys
/// by comparison: about linear. The scratch memory is the tail of the vector, whose capacity may
/// double; later calls of the same size allocate nothing. With feature `rayon` and more than one
/// thread many pairs are divided among them, by their highest digit; that takes a little memory.
///
/// ```
/// let mut pairs = vec![[2, 5], [0, 9], [2, 3]];
/// broadphase_core::pairs::sort(&mut pairs);
/// assert_eq!(pairs, [[0, 9], [2, 3], [2, 5]]);
/// ```
pub fn sort(pairs: &mut Vec<Pair>) {
    if pairs.is_sorted() {
        return;
    }
    let len = pairs.len();
    if len < FEW {
        pairs.sort_unstable();
        return;
    }
    let stretches = tasks::even(len, LEAST);
    pairs.resize(2 * len, [0; 2]);
    let (sorted, scratch) = pairs.split_at_mut(len);
    if stretches.is_empty() {
        let bits = sorted.iter().fold(0, |bits, pair| bits | pair[0]);
        if radix(sorted, scratch, u32::BITS - bits.leading_zeros(), DIGIT) {
            sorted.copy_from_slice(scratch);
        }
        sort_runs(sorted);
    } else {
        parallel::sort(sorted, scratch, &stretches);
    }
    pairs.truncate(len);
}

/// Sorts by so many low bits of the first key, a digit at a time; yields whether the result is in
/// `to`, and not in `from`.
#[inline(always)]
fn radix<'a>(mut from: &'a mut [Pair], mut to: &'a mut [Pair], bits: u32, digit: u32) -> bool {
    let mut swapped = false;
    for shift in (0..bits).step_by(digit.max(1) as usize) {
        if scatter(from, to, shift, digit) {
            core::mem::swap(&mut from, &mut to);
            swapped = !swapped;
        }
    }
    swapped
}

/// Sorts runs of equal first keys by the second one.
fn sort_runs(pairs: &mut [Pair]) {
    for run in pairs.chunk_by_mut(|a, b| a[0] == b[0]) {
        run.sort_unstable();
    }
}

/// One stable pass by the digit of so many bits at `shift`; `false`, and nothing done, if all have
/// the same.
#[inline(always)]
fn scatter(from: &[Pair], to: &mut [Pair], shift: u32, bits: u32) -> bool {
    let digit = |pair: &Pair| (pair[0] >> shift) as usize % (1 << bits) % (1 << DIGIT);
    let mut ends = [0u32; 1 << DIGIT];
    for pair in from {
        ends[digit(pair)] += 1;
    }
    if ends[digit(&from[0])] as usize == from.len() {
        return false;
    }
    let mut begin = 0;
    for end in &mut ends[..1 << bits] {
        begin += *end;
        *end = begin - *end;
    }
    for pair in from {
        let place = &mut ends[digit(pair)];
        to[*place as usize] = *pair;
        *place += 1;
    }
    true
}
