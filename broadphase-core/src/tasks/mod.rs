//! Parallel loops: division of work among threads. The only module that uses rayon.
//!
//! With feature `rayon` the threads of the current pool do the work; the caller chooses the pool
//! with `pool.install(..)`. Otherwise, or with too little work, [`even`] and [`weighed`] return no
//! ranges, and callers run serial code.

#[cfg(all(feature = "rayon", feature = "scenes"))]
pub mod record;

use alloc::vec::Vec;
use core::ops::Range;

/// Minimum number of queries per thread.
pub(crate) const MIN_QUERIES_PER_THREAD: usize = 128;
/// Number of ranges per thread: a thread that finishes early takes another range.
const RANGES_PER_THREAD: usize = 4;

/// Whether work can be divided at all.
const DIVIDES: bool = cfg!(feature = "rayon");

/// Returns the number of threads of the current pool; 1 without feature `rayon`.
#[must_use]
pub fn threads() -> usize {
    #[cfg(all(feature = "rayon", feature = "scenes"))]
    if let Some(threads) = record::threads() {
        return threads;
    }
    #[cfg(feature = "rayon")]
    if DIVIDES {
        return rayon::current_num_threads();
    }
    1
}

/// Returns whether [`even`] divides a range of this length.
#[must_use]
pub fn divides(len: usize, least: usize) -> bool {
    range_count(len, least) > 0
}

/// Divides `0..len` into ranges of about equal length, none much shorter than `least`; returns none
/// if one thread should do the work.
#[must_use]
pub fn even(len: usize, least: usize) -> Vec<Range<usize>> {
    even_ranges(len, least).collect()
}

/// Returns the ranges of [`even`] without a list.
pub(crate) fn even_ranges(
    len: usize,
    least: usize,
) -> impl ExactSizeIterator<Item = Range<usize>> + Clone {
    let count = range_count(len, least);
    (0..count).map(move |part| len * part / count..len * (part + 1) / count)
}

/// Divides items with these weights into ranges of about equal weight, none much lighter than
/// `least`; returns none if one thread should do the work.
#[must_use]
pub fn weighed(weights: impl Iterator<Item = usize> + Clone, least: usize) -> Vec<Range<usize>> {
    if !DIVIDES {
        return Vec::new();
    }
    let total: usize = weights.clone().sum();
    let count = range_count(total, least);
    if count == 0 {
        return Vec::new();
    }
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(count);
    let (mut begin, mut end, mut done, mut reached_before) = (0, 0, 0, 0);
    for weight in weights {
        (end, done) = (end + 1, done + weight as u64);
        // An item as heavy as several ranges ends only one range.
        let reached = done * count as u64 / total as u64;
        if reached > reached_before {
            ranges.push(begin..end);
            (begin, reached_before) = (end, reached);
        }
    }
    if let Some(last) = ranges.last_mut() {
        last.end = end;
    }
    if ranges.len() > 1 { ranges } else { Vec::new() }
}

/// Returns the number of ranges for an amount of work; 0 if it should not be divided.
fn range_count(work: usize, least: usize) -> usize {
    // Check the work first, because `threads()` starts the pool.
    if !DIVIDES || work / 2 < least.max(1) {
        return 0;
    }
    match threads() {
        1 => 0,
        threads => (threads * RANGES_PER_THREAD).min(work / least.max(1)),
    }
}

/// Runs every task once, on any of the threads; without feature `rayon` one after the other.
///
/// Each thread takes the next task when it has finished one. Allocates nothing itself; rayon may.
#[cfg_attr(feature = "scenes", track_caller)]
pub fn each<T: Send>(tasks: &mut [T], run: impl Fn(&mut T) + Sync) {
    #[cfg(feature = "rayon")]
    if tasks.len() > 1 {
        #[cfg(feature = "scenes")]
        if record::each(tasks, &run) {
            return;
        }
        let threads = tasks.len().min(threads());
        let rest = std::sync::Mutex::new(tasks.iter_mut());
        let next = || rest.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
        return on_threads(threads, &|| {
            while let Some(task) = next() {
                run(task);
            }
        });
    }
    tasks.iter_mut().for_each(run);
}

/// Calls `work` on several threads at the same time, `threads` times in all. Not generic: rayon's
/// code is compiled once and not per type of task.
#[cfg(feature = "rayon")]
fn on_threads(threads: usize, work: &(dyn Fn() + Sync)) {
    match threads / 2 {
        0 => work(),
        half => {
            rayon::join(|| on_threads(threads - half, work), || on_threads(half, work));
        }
    }
}

/// Returns the ranges of [`even`], each with an empty value for its results.
pub(crate) fn parts<T: Default>(len: usize, least: usize) -> Vec<(Range<usize>, T)> {
    even_ranges(len, least).map(|range| (range, T::default())).collect()
}

/// Appends to `out` the results of `find` for each item, in item order. A call of `find` should
/// take about as long as one query of a structure.
#[cfg_attr(feature = "scenes", track_caller)]
pub(crate) fn find<I: Copy + Sync, T: Copy + Send>(
    items: impl ExactSizeIterator<Item = I>,
    out: &mut Vec<T>,
    find: impl Fn(I, &mut Vec<T>) + Sync,
) {
    let mut parts: Vec<(Range<usize>, Vec<T>)> = parts(items.len(), MIN_QUERIES_PER_THREAD);
    if parts.is_empty() {
        for item in items {
            find(item, out);
        }
        return;
    }
    let items: Vec<I> = items.collect();
    each(&mut parts, |(range, found)| {
        for &item in &items[range.clone()] {
            find(item, found);
        }
    });
    for (_, found) in &parts {
        out.extend_from_slice(found);
    }
}

#[cfg(feature = "rayon")]
#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use laws::threads::with_threads;

    use super::{
        MIN_QUERIES_PER_THREAD, RANGES_PER_THREAD, divides, each, even, find, threads, weighed,
    };

    #[test]
    fn ranges_are_proportional_to_the_number_of_threads() {
        for count in 1..=4 {
            with_threads(count, || {
                assert_eq!(threads(), count);
                let ranges = even(1000, 10);
                assert_eq!(ranges.len(), if count == 1 { 0 } else { count * RANGES_PER_THREAD });
                assert!(ranges.iter().flat_map(Clone::clone).eq(0..ranges.len().min(1) * 1000));
                assert!(even(19, 10).is_empty(), "too little work for two");
                assert_eq!([divides(1000, 10), divides(19, 10)], [count > 1, false]);
            });
        }
    }

    #[test]
    fn heavy_items_end_their_range() {
        with_threads(2, || {
            for heavy in 0..40usize {
                let weights = (0..40).map(|item| if item == heavy { 1000 } else { 5 });
                let ranges = weighed(weights, 10);
                assert!(ranges.iter().flat_map(Clone::clone).eq(0..40), "{ranges:?}");
                assert!((2..=8).contains(&ranges.len()), "{ranges:?}");
            }
            let ranges = weighed((0..40).map(|_| 5), 10);
            assert!(ranges.iter().all(|range| range.len() == 5), "{ranges:?}");
            assert!(weighed([0, 0, 90, 0].into_iter(), 10).is_empty());
            assert!(weighed(core::iter::empty(), 10).is_empty());
        });
    }

    #[test]
    fn results_are_in_item_order() {
        for count in 1..=3 {
            let mut found = alloc::vec![7];
            with_threads(count, || {
                assert_eq!(even(1000, MIN_QUERIES_PER_THREAD).is_empty(), count == 1);
                find(0..1000, &mut found, |item, found| found.extend(0..item % 3));
            });
            assert_eq!(found[0], 7, "existing items are kept");
            assert!(found[1..].iter().copied().eq((0..1000).flat_map(|item| 0..item % 3)));
        }
    }

    #[cfg(feature = "scenes")]
    #[test]
    fn a_recording_has_the_sections_and_divides_for_its_threads() {
        let count = |threads| {
            let mut out = Vec::new();
            let recording = super::record::record(threads, || {
                find(0..10_000, &mut out, |item, found| found.push(item));
                each(&mut [1, 2], |_| ());
                each(&mut [1], |_| ());
            });
            assert!(out.into_iter().eq(0..10_000));
            recording.sections.iter().map(|section| section.tasks.len()).collect::<Vec<_>>()
        };
        assert_eq!([count(1), count(16)], [alloc::vec![2], alloc::vec![16 * RANGES_PER_THREAD, 2]]);
        assert!(super::record::threads().is_none());
    }

    #[test]
    fn every_task_runs_once() {
        with_threads(3, || {
            let mut tasks: Vec<u32> = (0..100).collect();
            each(&mut tasks, |task| *task += 1);
            assert!(tasks.into_iter().eq(1..101));
        });
    }
}
