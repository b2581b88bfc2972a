//! Pairs of keys, their canonical order, and the cache of candidate pairs.

mod pair_cache;
mod pair_search;
mod parallel;
mod radix;
mod within;

use alloc::vec::Vec;

use bounds_hexprism::Backend;

use crate::kernel::AppendKeys;
use crate::tasks;
use radix::RadixSort;

#[doc(hidden)]
pub use pair_cache::PairCache;
#[doc(hidden)]
pub use pair_search::accepted;
pub use pair_search::{PairFilter, PairSearch};
#[doc(hidden)]
pub use within::{find_between, find_by_queries};

/// Two keys, the smaller one first.
///
/// A plain array, so pairs compare, sort and copy as arrays. Canonical order is theirs: ascending
/// by the first key, then by the second.
pub type Pair = [u32; 2];

/// Returns the pair of two keys.
#[inline(always)]
#[must_use]
pub const fn pair(a: u32, b: u32) -> Pair {
    if a < b { [a, b] } else { [b, a] }
}

/// Appends the pair of keys of each pair of slots; `keys` has the keys by slot.
///
/// # Panics
/// If a slot is not below `keys.len()`.
#[doc(hidden)]
#[inline]
pub fn append_keys(backend: Backend, pairs: &mut Vec<Pair>, places: &[[u32; 2]], keys: &[u32]) {
    backend.dispatch(AppendKeys { pairs, places, keys });
}

/// Minimum number of pairs for a radix sort; below, a comparison sort is faster.
const RADIX_MIN_LEN: usize = 256;
/// Minimum number of pairs per thread of a sort.
const MIN_PAIRS_PER_THREAD: usize = 16_384;

/// Sorts pairs into canonical order, in about linear time.
///
/// 1. Return if the pairs are sorted already; use a comparison sort for fewer than 256 pairs.
/// 2. Distribute the pairs into parts that fit a near cache, by the highest bits of the first key.
/// 3. Sort each part by digits, and insert the few pairs that are still out of order.
///
/// The scratch memory is the tail of the vector, whose capacity may grow by half, or double if keys
/// differ in many bits. With feature `rayon` and more than one thread, many pairs are distributed
/// into bins by their highest digits, and the bins are sorted in parallel; this doubles the
/// capacity, and allocates 1.6 KB per range of pairs, 4 ranges per thread.
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
    if len < RADIX_MIN_LEN {
        pairs.sort_unstable();
        return;
    }
    let ranges = tasks::even_ranges(len, MIN_PAIRS_PER_THREAD);
    if ranges.len() == 0 {
        let sort = RadixSort::new(pairs);
        pairs.resize(len + sort.scratch_len(len), [0; 2]);
        let (pairs, scratch) = pairs.split_at_mut(len);
        sort.sort(pairs, scratch);
    } else {
        pairs.resize(2 * len, [0; 2]);
        let (pairs, scratch) = pairs.split_at_mut(len);
        parallel::sort(pairs, scratch, ranges);
    }
    pairs.truncate(len);
}

/// Replaces the contents of `out` with the pairs of several lists in canonical order, in about
/// linear time. The lists are then empty and retain their memory.
///
/// With feature `rayon` and more than one thread, many pairs are distributed from the lists into
/// bins in `out`, which are sorted in parallel, with the lists as scratch memory. This saves two
/// copies of all pairs. It allocates 1.6 KB per list, and a list that is shorter than a bin may
/// grow. Otherwise the lists are concatenated and sorted by [`sort`].
///
/// ```
/// let (mut a, mut b, mut out) = (vec![[2, 5], [0, 9]], vec![[2, 3]], vec![]);
/// broadphase_core::pairs::sort_lists(&mut [&mut a, &mut b], &mut out);
/// assert_eq!(out, [[0, 9], [2, 3], [2, 5]]);
/// ```
#[doc(hidden)]
pub fn sort_lists(lists: &mut [&mut Vec<Pair>], out: &mut Vec<Pair>) {
    let len = lists.iter().map(|list| list.len()).sum();
    if tasks::even_ranges(len, MIN_PAIRS_PER_THREAD).len() == 0 {
        out.clear();
        lists.iter().for_each(|list| out.extend_from_slice(list));
        sort(out);
    } else {
        out.resize(len, [0; 2]);
        parallel::sort_lists(lists, out);
    }
    lists.iter_mut().for_each(|list| list.clear());
}

/// Replaces the contents of `out` with several lists, one after the other, on the threads of the
/// current pool.
///
/// ```
/// let (mut a, mut b, mut out) = (vec![[2, 5], [0, 9]], vec![[2, 3]], vec![[7, 8]]);
/// broadphase_core::pairs::concatenate(&[&mut a, &mut b], &mut out);
/// assert_eq!(out, [[2, 5], [0, 9], [2, 3]]);
/// ```
#[doc(hidden)]
pub fn concatenate(lists: &[&mut Vec<Pair>], out: &mut Vec<Pair>) {
    out.resize(lists.iter().map(|list| list.len()).sum(), [0; 2]);
    let mut rest = &mut out[..];
    let mut parts: Vec<(&mut [Pair], &[Pair])> = Vec::with_capacity(lists.len());
    for list in lists {
        let to = rest.split_off_mut(..list.len()).expect("there is room for all lists");
        parts.push((to, list));
    }
    tasks::each(&mut parts, |(to, list)| to.copy_from_slice(list));
}
