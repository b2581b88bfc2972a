//! Search for pairs with a limit on the number of pairs that are stored.
//!
//! All pairs are counted while the structure finds them, but stored only until the count reaches
//! the limit, which therefore bounds the memory.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The number of counters. More threads than this share counters.
const SHARDS: usize = 64;
/// The number of pairs that a thread counts before it updates the common count.
const BATCH: u64 = 1024;

/// Counts pairs on all threads, and stops storing pairs beyond a limit.
#[derive(Debug)]
pub(crate) struct PairCounter {
    most: u64,
    /// The sum of all shards, without incomplete batches.
    whole_batches: AtomicU64,
    shards: [Shard; SHARDS],
}

/// A counter in a cache line of its own, mostly used by one thread.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard(AtomicU64);

impl PairCounter {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most: most as u64,
            whole_batches: AtomicU64::new(0),
            shards: core::array::from_fn(|_| Shard::default()),
        }
    }

    /// Counts a pair. Returns whether to store it: `true` for the first `most` pairs and at most
    /// one batch more per shard.
    pub(crate) fn count(&self) -> bool {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        std::thread_local! {
            static SHARD: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SHARDS;
        }
        // Read before this pair completes a batch: it may be the last one within the limit.
        let is_stored = self.whole_batches.load(Ordering::Relaxed) < self.most;
        let count = self.shards[SHARD.with(|&shard| shard)].0.fetch_add(1, Ordering::Relaxed);
        if count % BATCH == BATCH - 1 {
            self.whole_batches.fetch_add(BATCH, Ordering::Relaxed);
        }
        is_stored
    }

    /// Returns the number of pairs counted.
    pub(crate) fn total(&self) -> u64 {
        self.shards.iter().map(|shard| shard.0.load(Ordering::Relaxed)).sum()
    }

    /// Returns whether all pairs were stored: their number is within the limit.
    pub(crate) fn is_complete(&self) -> bool {
        self.total() <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::{BATCH, PairCounter, SHARDS};

    #[test]
    fn threads_count_all_pairs_and_store_about_as_many_as_allowed() {
        const EACH: u64 = 100_000;
        const THREADS: u64 = 4;
        for most in [0, 1, 50_000, THREADS * EACH] {
            let counter = PairCounter::new(most as usize);
            let count = || (0..EACH).filter(|_| counter.count()).count() as u64;
            let stored: u64 = std::thread::scope(|scope| {
                let threads: alloc::vec::Vec<_> =
                    (0..THREADS).map(|_| scope.spawn(count)).collect();
                threads.into_iter().map(|thread| thread.join().expect("a count")).sum()
            });
            assert_eq!(counter.total(), THREADS * EACH);
            assert_eq!(counter.is_complete(), most == THREADS * EACH);
            assert!((most..=most + SHARDS as u64 * BATCH).contains(&stored), "{most}: {stored}");
        }
    }
}
