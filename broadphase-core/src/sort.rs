//! Sorts that structures of this workspace share; may change in any release.
//!
//! Items are in [`Columns`]: arrays that are sorted together, such as codes and their slots.

use alloc::vec::Vec;
use core::array::from_fn;
use core::mem::{swap, take};
use core::slice::IterMut;

use bounds_hexprism::LANES;

use crate::tasks;

/// `N` arrays of equal length; item `i` is the `i`-th element of each.
pub type Columns<'a, T, const N: usize> = [&'a mut [T]; N];

/// Number of bits per radix pass; 2^11 counters of 4 bytes fit the level-1 cache.
const DIGIT: u32 = 11;

/// Sorts `from` by a number of each item, stably; `to` is scratch memory of equal length. Returns
/// `true` if the result is in `to`, `false` if it is in `from`.
///
/// 1. Find the bits in which the numbers differ, and divide their range into digits of 11 bits.
/// 2. For each digit, lowest first, unless equal in all items: count the items by the value of the
///    digit, and copy each to the part of the other columns that belongs to its value.
///
/// Step 2 is parallel if there are more than `least` items per thread. O(n) time.
///
/// ```
/// use broadphase_core::sort;
///
/// let (mut codes, mut slots) = ([30, 10, 20], [0, 1, 2]);
/// let (mut other_codes, mut other_slots) = ([0; 3], [0; 3]);
/// let to = [&mut other_codes[..], &mut other_slots];
/// if sort::radix_sort([&mut codes[..], &mut slots], to, 1000, |&[code, _]| code) {
///     slots = other_slots;
/// }
/// assert_eq!(slots, [1, 2, 0]);
/// ```
#[inline(always)]
pub fn radix_sort<'a, T: Copy + Send + Sync, const N: usize>(
    mut from: Columns<'a, T, N>,
    mut to: Columns<'a, T, N>,
    least: usize,
    number: impl Fn(&[T; N]) -> u32 + Sync,
) -> bool {
    let mut numbers = items(shared(&from)).map(|item| number(&item));
    let Some(first) = numbers.next() else { return false };
    let differing = numbers.fold(0, |bits, number| bits | number ^ first);
    let (begin, end) = (differing.trailing_zeros(), u32::BITS - differing.leading_zeros());
    let ranges = tasks::even_ranges(from[0].len(), least);
    let mut swapped = false;
    for shift in (begin..end).step_by(DIGIT as usize) {
        let digit = |number: u32| ((number & differing) >> shift) as usize % (1 << DIGIT);
        let max_digit = digit(u32::MAX);
        if max_digit == 0 {
            continue;
        }
        let bucket = |item: &[T; N]| digit(number(item));
        let to_columns = to.each_mut().map(|column| &mut **column);
        if ranges.len() == 0 {
            counting_pass::<_, N, { 1 << DIGIT }>(shared(&from), to_columns, max_digit + 1, bucket);
        } else {
            let buckets = max_digit + 1;
            let from = shared(&from);
            let parts = ranges.clone().map(|range| from.map(|column| &column[range.clone()]));
            distribute::<_, N, { 1 << DIGIT }>(parts, to_columns, buckets, bucket);
        }
        swap(&mut from, &mut to);
        swapped = !swapped;
    }
    swapped
}

/// Minimum number of keys for [`radix_sort`]; below, a comparison sort is faster.
const RADIX_MIN_KEYS: usize = 2048;
/// Keys in a range up to this factor times their number are sorted by a bit for each key of the
/// range: in 17 to 88 % of the time of a radix sort; with a factor of 8, in 56 to 139 %.
const MAX_RANGE_PER_KEY: usize = 4;

/// Sorts distinct keys on one thread. The scratch memory is the tail of the vector, whose capacity
/// may double.
pub(crate) fn sort_keys(keys: &mut Vec<u32>) {
    let len = keys.len();
    let ends = keys.iter().fold((u32::MAX, 0), |(min, max), &key| (key.min(min), key.max(max)));
    let range = ends.1.saturating_sub(ends.0) as usize;
    if range / MAX_RANGE_PER_KEY < len {
        keys.resize(len + range / BITS + 1, 0);
        let (keys, bits) = keys.split_at_mut(len);
        sort_by_bits(keys, ends.0, bits);
    } else if len < RADIX_MIN_KEYS {
        keys.sort_unstable();
    } else {
        keys.resize(2 * len, 0);
        let (sorted, scratch) = keys.split_at_mut(len);
        if radix_sort([&mut *sorted], [&mut *scratch], usize::MAX, |&[key]| key) {
            sorted.copy_from_slice(scratch);
        }
    }
    keys.truncate(len);
}

/// The number of bits in a number of a bitmap.
const BITS: usize = u32::BITS as usize;

/// Sorts distinct keys from `min` on, given a bit for each number up to the largest, all 0.
fn sort_by_bits(keys: &mut [u32], min: u32, bits: &mut [u32]) {
    for key in &*keys {
        let at = (key - min) as usize;
        bits[at / BITS] |= 1 << (at % BITS);
    }
    let mut sorted = keys.iter_mut();
    for (&bits, begin) in bits.iter().zip((min..).step_by(BITS)) {
        let mut rest = bits;
        while rest != 0
            && let Some(key) = sorted.next()
        {
            *key = begin + rest.trailing_zeros();
            rest &= rest - 1;
        }
    }
}

/// Copies items to `to`, ascending by bucket (`buckets`, at most `COUNTERS`). Stable.
#[inline(always)]
pub fn counting_pass<T: Copy, const N: usize, const COUNTERS: usize>(
    from: [&[T]; N],
    mut to: Columns<'_, T, N>,
    buckets: usize,
    bucket: impl Fn(&[T; N]) -> usize,
) {
    let mut ends = [0u32; COUNTERS];
    for item in items(from) {
        ends[bucket(&item)] += 1;
    }
    counts_to_begins(&mut ends[..buckets]);
    for item in items(from) {
        let place = &mut ends[bucket(&item)];
        put(&mut to, *place as usize, item);
        *place += 1;
    }
}

/// Replaces each count by the sum of the counts before it.
#[inline(always)]
pub(crate) fn counts_to_begins(counts: &mut [u32]) {
    let mut begin = 0;
    for count in counts {
        begin += *count;
        *count = begin - *count;
    }
}

/// Sorts nearly sorted items by insertion, and first tests whole blocks, which are mostly in order.
/// Returns `false`, with the items in any order, unless fewer than `max_moves` moves suffice.
#[inline(always)]
#[must_use]
pub fn insertion_sort<T: Copy + Ord>(items: &mut [T], max_moves: usize) -> bool {
    let mut moves = max_moves;
    for begin in (1..items.len()).step_by(LANES) {
        let end = items.len().min(begin + LANES);
        if let Some(block) = items[begin - 1..].first_chunk::<{ LANES + 1 }>() {
            let mut descents = false;
            for at in 0..LANES {
                descents |= block[at] > block[at + 1];
            }
            if !descents {
                continue;
            }
        }
        for at in begin..end {
            let (item, mut place) = (items[at], at);
            while place > 0 && items[place - 1] > item && moves > 0 {
                items[place] = items[place - 1];
                (place, moves) = (place - 1, moves - 1);
            }
            items[place] = item;
        }
    }
    moves > 0
}

/// Task of [`distribute`]: copies one part of the items.
struct DistributeTask<'a, T, const N: usize, const BUCKETS: usize> {
    from: [&'a [T]; N],
    /// The number of items in each bucket.
    counts: [usize; BUCKETS],
    /// The entries of `to` that the task has still to write, by column and bucket.
    to: [[IterMut<'a, T>; N]; BUCKETS],
}

/// Copies the items of all parts to `to`, ascending by bucket, one task per part. Returns the
/// number of items in each bucket. Stable, so the result does not depend on the parts. Allocates
/// one list.
///
/// ```text
///   parts      │ part 0       │ part 1       │ part 2       │       each task takes one part
///                 ╲   ╲  ╲_______╱_╱__│____________╱ …
///   to         │ bucket 0     │ 1     │ bucket 2            │       and writes to its own part
///              │ 0  │ 1  │ 2  │0│1│2 │  0  │ 1 │ 2          │       of each bucket
/// ```
pub(crate) fn distribute<'a, T: Copy + Send + Sync, const N: usize, const BUCKETS: usize>(
    parts: impl Iterator<Item = [&'a [T]; N]>,
    mut to: Columns<'a, T, N>,
    buckets: usize,
    bucket: impl Fn(&[T; N]) -> usize + Sync,
) -> [usize; BUCKETS] {
    let begin = |from| DistributeTask {
        from,
        counts: [0; BUCKETS],
        to: from_fn(|_| from_fn(|_| IterMut::default())),
    };
    let mut jobs: Vec<DistributeTask<'_, T, N, BUCKETS>> = parts.map(begin).collect();
    tasks::each(&mut jobs, |job| {
        for item in items(job.from) {
            job.counts[bucket(&item)] += 1;
        }
    });
    let mut totals = [0; BUCKETS];
    for (bucket, total) in totals.iter_mut().enumerate().take(buckets) {
        for job in &mut jobs {
            job.to[bucket] = to.each_mut().map(|column| {
                let (own, rest) = take(column).split_at_mut(job.counts[bucket]);
                *column = rest;
                own.iter_mut()
            });
            *total += job.counts[bucket];
        }
    }
    tasks::each(&mut jobs, |job| {
        for item in items(job.from) {
            let part = &mut job.to[bucket(&item)];
            for (column, value) in part.iter_mut().zip(item) {
                *column.next().expect("the part has the counted length") = value;
            }
        }
    });
    totals
}

/// Sorts items that are nearly sorted by `key`: drops the items that are out of order, sorts them,
/// and merges them back. The first `sorted` items must be in order. If more than `most` items are
/// out of order, returns `false`, with all items in any order.
///
/// An item smaller than its predecessor is dropped; but if it is not smaller than the item before
/// that, the predecessor is dropped instead. `dropped` is scratch memory. O(n + m log m) time for m
/// dropped items. Items with equal keys stay in order, except dropped ones. Source: Emil
/// Ernerfeldt, "Drop-Merge sort".
///
/// ```
/// use broadphase_core::sort;
///
/// let mut numbers = [1, 2, 9, 4, 5, 3, 6];
/// assert!(sort::drop_merge([&mut numbers], 0, 2, &mut Vec::new(), |&[number]| number));
/// assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 9]);
/// ```
#[inline]
pub fn drop_merge<T: Copy, K: Ord, const N: usize>(
    mut columns: Columns<'_, T, N>,
    sorted: usize,
    most: usize,
    dropped: &mut Vec<[T; N]>,
    key: impl Fn(&[T; N]) -> K,
) -> bool {
    let len = columns[0].len();
    let get = |columns: &Columns<'_, T, N>, index: usize| columns.each_ref().map(|all| all[index]);
    dropped.clear();
    let mut kept = sorted;
    for index in sorted..len {
        let item = get(&columns, index);
        if kept == 0 || key(&get(&columns, kept - 1)) <= key(&item) {
            put(&mut columns, kept, item);
            kept += 1;
            continue;
        }
        if dropped.len() == most {
            // The gap before this item has as many entries as items were dropped.
            for (gap, &item) in (kept..index).zip(&*dropped) {
                put(&mut columns, gap, item);
            }
            return false;
        }
        // Either this item is too small for its position, or the item before it is too large.
        if kept >= 2 && key(&get(&columns, kept - 2)) <= key(&item) {
            dropped.push(get(&columns, kept - 1));
            put(&mut columns, kept - 1, item);
        } else {
            dropped.push(item);
        }
    }
    dropped.sort_unstable_by_key(&key);
    // The merge runs from the end, where dropped items have left space.
    let mut end = len;
    while let Some(&item) = dropped.last() {
        end -= 1;
        if kept > 0 && key(&get(&columns, kept - 1)) > key(&item) {
            kept -= 1;
            let last = get(&columns, kept);
            put(&mut columns, end, last);
        } else {
            put(&mut columns, end, item);
            dropped.pop();
        }
    }
    true
}

#[inline(always)]
fn shared<'a, T, const N: usize>(columns: &'a Columns<'_, T, N>) -> [&'a [T]; N] {
    columns.each_ref().map(|column| &**column)
}

#[inline(always)]
fn items<T: Copy, const N: usize>(columns: [&[T]; N]) -> impl Iterator<Item = [T; N]> {
    let len = columns[0].len();
    // Equal slice lengths let the compiler remove bounds checks.
    let columns = columns.map(|column| &column[..len]);
    (0..len).map(move |index| columns.map(|column| column[index]))
}

/// Overwrites an item.
#[inline(always)]
fn put<T, const N: usize>(columns: &mut Columns<'_, T, N>, index: usize, item: [T; N]) {
    for (column, value) in columns.iter_mut().zip(item) {
        column[index] = value;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{distribute, drop_merge, radix_sort, sort_keys};

    fn codes(len: u32) -> Vec<u32> {
        (0..len).map(|n| n.wrapping_mul(0x9E37_79B9).rotate_left(n % 32) >> 3).collect()
    }

    #[test]
    fn radix_sort_is_stable() {
        // Mask of the bits that may differ between codes, and bits set in all codes.
        let bits = [(u32::MAX, 0), (0xFF, 1 << 9), (0xFF00_0000, 5), (0x8000_0001, 2), (0, 7)];
        for (mask, common) in bits {
            let code = |code: u32| (code << 3 & mask) | common;
            let mut codes: Vec<u32> = codes(5000).into_iter().map(code).collect();
            let mut slots: Vec<u32> = (0..5000).collect();
            let mut expected: Vec<_> = codes.iter().copied().zip(0..).collect();
            expected.sort_by_key(|&(code, _): &(u32, u32)| code);
            let (mut a, mut b) = (codes.clone(), slots.clone());
            let to = [&mut a[..], &mut b];
            let swapped = radix_sort([&mut codes, &mut slots], to, 5000, |&[code, _]| code);
            let sorted = if swapped { a.into_iter().zip(b) } else { codes.into_iter().zip(slots) };
            assert!(sorted.eq(expected), "{mask:x}");
        }
        assert!(!radix_sort([&mut [0; 0]], [&mut []], 1, |&[code]| code));
    }

    #[test]
    fn distinct_keys_are_sorted_in_any_range() {
        for len in [1, 2, 31, 32, 33, 1000, 2047, 2048, 5000] {
            for step in [1, 3, 4, 5, 9, 100_000] {
                for min in [0, 5, u32::MAX - len * step] {
                    let expected: Vec<u32> = (0..len).map(|n| min + n * step).collect();
                    let mut keys = expected.clone();
                    (1..len).for_each(|n| keys.swap(n as usize, (n * 7919 % (n + 1)) as usize));
                    sort_keys(&mut keys);
                    assert!(keys == expected, "{len} {step} {min}");
                }
            }
        }
        let mut none = Vec::new();
        sort_keys(&mut none);
        assert!(none.is_empty());
    }

    #[test]
    fn distribute_is_stable_for_any_parts() {
        let (codes, slots) = (codes(5000), (0..5000).collect::<Vec<u32>>());
        let bucket = |&[code, _]: &[u32; 2]| (code >> 11) as usize % 100;
        let mut expected: Vec<[u32; 2]> = codes.iter().zip(&slots).map(|(&a, &b)| [a, b]).collect();
        expected.sort_by_key(bucket);
        for len in [1, 999, 5000] {
            let parts = codes.chunks(len).zip(slots.chunks(len)).map(|(a, b)| [a, b]);
            let (mut a, mut b) = (alloc::vec![0; 5000], alloc::vec![0; 5000]);
            let to = [&mut a[..], &mut b];
            let counts = distribute::<_, 2, 128>(parts, to, 100, bucket);
            assert!(a.into_iter().zip(b).map(|(a, b)| [a, b]).eq(expected.iter().copied()));
            let count = |at| expected.iter().filter(|item| bucket(item) == at).count();
            assert!(counts.into_iter().eq((0..128).map(count)));
        }
    }

    #[test]
    fn drop_merge_orders_nearly_sorted_and_unsorted_items() {
        let mut random = laws::random::Random::new(7);
        let mut numbers: Vec<u32> = (0..300).collect();
        for round in 0..200 {
            // The rounds range from hardly any item out of order to no order at all.
            for number in &mut numbers {
                if random.below(200) < round {
                    *number = random.below(1024);
                }
            }
            let mut expected = numbers.clone();
            expected.sort_unstable();
            let prefix = numbers.iter().zip(&numbers[1..]).take_while(|(a, b)| a <= b).count();
            for (sorted, most) in [(0, usize::MAX), (prefix, usize::MAX), (0, 20), (prefix, 0)] {
                let (mut items, mut places) = (numbers.clone(), Vec::from_iter(0..300));
                let columns = [&mut items[..], &mut places];
                let done = drop_merge(columns, sorted, most, &mut Vec::new(), |&[key, _]| key);
                assert!(done || most < usize::MAX, "round {round}");
                let moved = items.iter().zip(&places);
                assert!(moved.clone().all(|(&item, &place)| numbers[place as usize] == item));
                if !done {
                    items.sort_unstable();
                }
                assert_eq!(items, expected, "round {round}");
            }
        }
        for most in [0, 1, 2] {
            let mut two_misplaced = [1, 2, 9, 4, 5, 3, 6];
            let done = drop_merge([&mut two_misplaced], 0, most, &mut Vec::new(), |&[key]| key);
            assert_eq!(done, most == 2);
        }
    }
}
