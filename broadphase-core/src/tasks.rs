//! Work for several threads: how it is divided, and all that knows of rayon.
//!
//! With feature `rayon` work is done by the threads of the current pool: `pool.install(..)` says
//! which and how many they are. Without it, with one thread, or where there is too little to do, a
//! list is not divided at all, and callers do as they would without threads.
//!
//! ```
//! use broadphase_core::tasks;
//!
//! let numbers: Vec<u64> = (0..100_000).collect();
//! let stretches = tasks::even(numbers.len(), 10_000);
//! let mut tasks: Vec<_> = stretches.into_iter().map(|stretch| (stretch, 0)).collect();
//! if tasks.is_empty() {
//!     tasks.push((0..numbers.len(), 0));
//! }
//! tasks::each(&mut tasks, |(stretch, sum)| *sum = numbers[stretch.clone()].iter().sum());
//! assert_eq!(tasks.iter().map(|task| task.1).sum::<u64>(), 4_999_950_000);
//! ```

use alloc::vec::Vec;
use core::ops::Range;

/// So many questions to a structure are worth another thread.
pub(crate) const QUESTIONS: usize = 128;
/// So many stretches for each thread, so that those who are done early can help.
const FOR_EACH_THREAD: usize = 4;

/// How many threads the current pool has; 1 without feature `rayon`.
#[must_use]
pub fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}

/// Cuts a list of so many items into stretches of about equal length, none much shorter than
/// `least`; none at all if one thread should do it all.
#[must_use]
pub fn even(len: usize, least: usize) -> Vec<Range<usize>> {
    let count = count(len, least);
    (0..count).map(|part| len * part / count..len * (part + 1) / count).collect()
}

/// Cuts a list of items with these weights into stretches of about equal weight, none much
/// lighter than `least`; none at all if one thread should do it all.
#[must_use]
pub fn weighed(weights: impl Iterator<Item = usize> + Clone, least: usize) -> Vec<Range<usize>> {
    if cfg!(not(feature = "rayon")) {
        return Vec::new();
    }
    let total: usize = weights.clone().sum();
    let count = count(total, least);
    if count == 0 {
        return Vec::new();
    }
    let mut stretches: Vec<Range<usize>> = Vec::with_capacity(count);
    let (mut begin, mut end, mut done, mut shares) = (0, 0, 0, 0);
    for weight in weights {
        (end, done) = (end + 1, done + weight as u64);
        // An item that has the shares of several stretches is the last of one.
        let reached = done * count as u64 / total as u64;
        if reached > shares {
            stretches.push(begin..end);
            (begin, shares) = (end, reached);
        }
    }
    if let Some(last) = stretches.last_mut() {
        last.end = end;
    }
    if stretches.len() > 1 { stretches } else { Vec::new() }
}

/// How many stretches make sense for so much work; 0 if it should not be divided.
fn count(work: usize, least: usize) -> usize {
    // Who asks for threads starts them, so nobody asks in vain.
    if cfg!(not(feature = "rayon")) || work < 2 * least.max(1) {
        return 0;
    }
    match threads() {
        1 => 0,
        threads => (threads * FOR_EACH_THREAD).min(work / least.max(1)),
    }
}

/// Does every task once, on any of the threads; without feature `rayon` one after the other.
pub fn each<T: Send>(tasks: &mut [T], run: impl Fn(&mut T) + Sync) {
    if let [task] = tasks {
        return run(task);
    }
    #[cfg(feature = "rayon")]
    {
        let run = &run;
        let mut jobs: Vec<Job<'_>> = Vec::with_capacity(tasks.len());
        for task in tasks {
            jobs.push(alloc::boxed::Box::new(move || run(task)));
        }
        at_once(&mut jobs);
    }
    #[cfg(not(feature = "rayon"))]
    tasks.iter_mut().for_each(run);
}

#[cfg(feature = "rayon")]
type Job<'a> = alloc::boxed::Box<dyn FnMut() + Send + 'a>;

/// All that rayon is asked for, so that it is compiled once, and not for each kind of task.
#[cfg(feature = "rayon")]
fn at_once(jobs: &mut [Job<'_>]) {
    use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
    jobs.par_iter_mut().with_max_len(1).for_each(|job| job());
}

/// The stretches of [`even`], each with something of its own.
pub(crate) fn parts<T: Default>(len: usize, least: usize) -> Vec<(Range<usize>, T)> {
    even(len, least).into_iter().map(|stretch| (stretch, T::default())).collect()
}

/// Appends what `find` finds for each item, in their order; each is about one question to a
/// structure.
pub(crate) fn find<I: Copy + Sync, T: Copy + Send>(
    items: impl ExactSizeIterator<Item = I>,
    out: &mut Vec<T>,
    find: impl Fn(I, &mut Vec<T>) + Sync,
) {
    let mut parts: Vec<(Range<usize>, Vec<T>)> = parts(items.len(), QUESTIONS);
    if parts.is_empty() {
        for item in items {
            find(item, out);
        }
        return;
    }
    let items: Vec<I> = items.collect();
    each(&mut parts, |(stretch, found)| {
        for &item in &items[stretch.clone()] {
            find(item, found);
        }
    });
    for (_, found) in &parts {
        out.extend_from_slice(found);
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use super::{FOR_EACH_THREAD, QUESTIONS, each, even, find, threads, weighed};

    fn with_threads<R: Send>(count: usize, run: impl FnOnce() -> R + Send) -> R {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads");
        pool.install(run)
    }

    #[test]
    fn a_list_is_cut_for_as_many_threads_as_there_are() {
        for count in 1..=4 {
            with_threads(count, || {
                assert_eq!(threads(), count);
                let stretches = even(1000, 10);
                assert_eq!(stretches.len(), if count == 1 { 0 } else { count * FOR_EACH_THREAD });
                assert!(
                    stretches.iter().flat_map(Clone::clone).eq(0..stretches.len().min(1) * 1000)
                );
                assert!(even(19, 10).is_empty(), "too little for two");
            });
        }
    }

    #[test]
    fn heavy_items_are_stretches_of_their_own() {
        with_threads(2, || {
            for heavy in 0..40usize {
                let weights = (0..40).map(|item| if item == heavy { 1000 } else { 5 });
                let stretches = weighed(weights, 10);
                assert!(stretches.iter().flat_map(Clone::clone).eq(0..40), "{stretches:?}");
                assert!((2..=8).contains(&stretches.len()), "{stretches:?}");
            }
            let stretches = weighed((0..40).map(|_| 5), 10);
            assert!(stretches.iter().all(|stretch| stretch.len() == 5), "{stretches:?}");
            assert!(weighed([0, 0, 90, 0].into_iter(), 10).is_empty());
            assert!(weighed(core::iter::empty(), 10).is_empty());
        });
    }

    #[test]
    fn what_is_found_is_in_the_order_of_items() {
        for count in 1..=3 {
            let mut found = alloc::vec![7];
            with_threads(count, || {
                assert_eq!(even(1000, QUESTIONS).is_empty(), count == 1);
                find(0..1000, &mut found, |item, found| found.extend(0..item % 3));
            });
            assert_eq!(found[0], 7, "what was there stays");
            assert!(found[1..].iter().copied().eq((0..1000).flat_map(|item| 0..item % 3)));
        }
    }

    #[test]
    fn every_task_is_done_once() {
        with_threads(3, || {
            let mut tasks: Vec<u32> = (0..100).collect();
            each(&mut tasks, |task| *task += 1);
            assert!(tasks.into_iter().eq(1..101));
        });
    }
}
