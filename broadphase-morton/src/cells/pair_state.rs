//! The state of pair finding, kept between searches: cached pairs, and the buffers of jobs.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::Pair;
use broadphase_core::pairs::PairCache;

use super::batched_descent::DescentQueues;
use super::join::JoinCursor;

/// Cached pairs, and scratch buffers of the jobs.
#[derive(Clone, Debug)]
pub(super) struct PairState<const D: usize> {
    /// For the join with each layer, the cached pairs as slots.
    pub(super) caches: [PairCache; 2],
    /// Scratch buffers of parallel jobs, kept between searches.
    pub(super) jobs: Vec<Job<D>>,
    /// The number of object-object tests made by the last search.
    pub(super) tests: u64,
    /// The number of overlaps that these tests found.
    pub(super) hits: u64,
}

/// Scratch buffers of one thread, and the pairs it records.
#[derive(Clone, Debug)]
pub(super) struct JoinScratch<const D: usize> {
    pub(super) join: JoinCursor<D>,
    pub(super) descents: DescentQueues,
    pub(super) hits: Vec<[u32; 2]>,
    /// The number of object-object tests that found an overlap.
    pub(super) hit_count: u64,
    /// The slots of recorded pairs.
    pub(super) recorded: Vec<[u32; 2]>,
}

impl<const D: usize> JoinScratch<D> {
    pub(super) fn new() -> Self {
        Self {
            join: JoinCursor::new(),
            descents: DescentQueues::new(),
            hits: Vec::new(),
            hit_count: 0,
            recorded: Vec::new(),
        }
    }

    /// Returns the numbers of object-object tests and of hits, and resets them.
    pub(super) const fn take_counts(&mut self) -> [u64; 2] {
        let counts = [self.join.tests + self.descents.tests, self.hit_count];
        (self.join.tests, self.descents.tests, self.hit_count) = (0, 0, 0);
        counts
    }

    pub(super) fn memory_use(&self) -> usize {
        self.join.memory_use()
            + self.descents.memory_use()
            + (self.hits.capacity() + self.recorded.capacity()) * size_of::<[u32; 2]>()
    }
}

impl<const D: usize> PairState<D> {
    pub(super) fn new() -> Self {
        let caches = [PairCache::default(), PairCache::default()];
        Self { caches, jobs: Vec::new(), tests: 0, hits: 0 }
    }

    /// Invalidates the cached pairs.
    pub(super) fn invalidate(&mut self) {
        self.caches.iter_mut().for_each(PairCache::invalidate);
    }

    pub(super) fn memory_use(&self) -> usize {
        self.caches.iter().map(PairCache::memory_use).sum::<usize>()
            + self.jobs.capacity() * size_of::<Job<D>>()
            + self.jobs.iter().map(Job::memory_use).sum::<usize>()
    }
}

/// A range of parts or of cached pairs, and the pairs found there.
#[derive(Clone, Debug)]
pub(super) struct Job<const D: usize> {
    pub(super) range: Range<usize>,
    pub(super) scratch: JoinScratch<D>,
    pub(super) found: Vec<Pair>,
}

impl<const D: usize> Job<D> {
    pub(super) fn new() -> Self {
        Self { range: 0..0, scratch: JoinScratch::new(), found: Vec::new() }
    }

    pub(super) fn memory_use(&self) -> usize {
        self.scratch.memory_use() + self.found.capacity() * size_of::<Pair>()
    }
}
