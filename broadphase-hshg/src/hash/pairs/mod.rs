//! Finds all pairs of a spatial hash.
//!
//! 1. *Optimize*: sort the storage, if due.
//! 2. *Gather*: copy the objects of each bin with a mover, and the objects near it ([`gather`]).
//! 3. *Test* them against each other ([`kernels`]), then the exact bounds if key bounds are rounded
//!    (`f64`). Append the keys of accepted pairs.
//!
//! The pages of bins are cut into ranges of equal length, one [`PairTask`] for each thread. Results are
//! concatenated in order, independent of the number of threads.
//!
//! Cost: linear in the objects, plus the tests of each mover against the objects in and near its
//! bin; crowded bins are swept along one axis.

pub(crate) mod gather;
pub(crate) mod kernels;

use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

use broadphase_core::objects::Objects;
use broadphase_core::{
    Backend, Keys, LANES, Pair, PairSearch, Scalar, SearchStats, instances, pairs, tasks,
};

use crate::hash::SpatialHash;
use crate::hash::bins::Bins;
use gather::Gathered;
use kernels::{GroupCursor, PairsInGroups, pairs_in_groups};

/// Minimum number of objects for each job, if all pages are full.
const MIN_OBJECTS_PER_JOB: usize = 8192;

/// The capacity of the buffer of hits.
const HIT_BUFFER_LEN: usize = 512;

/// A range of pages that one thread searches, and the pairs it finds there.
#[derive(Clone, Debug)]
pub(crate) struct PairTask<const D: usize> {
    range: Range<usize>,
    gathered: Gathered<D>,
    found: Vec<Pair>,
    stats: SearchStats,
}

impl<const D: usize> PairTask<D> {
    fn new() -> Self {
        let (gathered, found) = (Gathered::new(), Vec::new());
        Self { range: 0..0, gathered, found, stats: SearchStats { tests: 0, hits: 0 } }
    }

    pub(crate) fn memory_use(&self) -> usize {
        self.gathered.memory_use() + self.found.capacity() * size_of::<Pair>()
    }

    /// Finds the pairs of bins whose first page is in the range.
    fn run<S: Scalar>(
        &mut self,
        objects: &Objects<S, D>,
        bins: &Bins<D>,
        search: &PairSearch<'_, S>,
        backend: Backend,
    ) {
        let Self { range, gathered, found, stats } = self;
        *stats = SearchStats::default();
        found.clear();
        let (keys, bounds) = (objects.keys(), objects.bounds());
        let any_static = objects.motions().statics() > 0;
        let mut hits = [[0; 2]; HIT_BUFFER_LEN];
        let mut next_page = range.start;
        while next_page < range.end {
            gathered.gather::<S>(bins, any_static, &mut next_page, range.end, backend);
            let mut cursor = GroupCursor::default();
            while cursor.group < gathered.groups.len() {
                let kernel = PairsInGroups { gathered, cursor: &mut cursor, hits: &mut hits };
                let filled = pairs_in_groups(backend, kernel);
                stats.hits += filled as u64;
                let mut kept = filled;
                if !S::EXACT_KEYS {
                    let overlap = |a: u32, b: u32| bounds[a as usize].overlaps(&bounds[b as usize]);
                    kept = pairs::accepted(&mut hits[..filled], overlap);
                }
                let from = found.len();
                pairs::append_keys(backend, found, &hits[..kept], keys);
                search.keep_accepted(found, from);
            }
            stats.tests += cursor.tests;
        }
    }
}

instances! {
    /// Writes the overlapping pairs. Sorts the storage before, if due.
    pub(crate) fn find_pairs<S, D>(
        hash: &mut SpatialHash<S, D>,
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        hash.sort_if_worthwhile();
        let SpatialHash { objects, bins, jobs, backend, .. } = hash;
        let pages = bins.pages().0.len();
        let (ranges, whole) = (tasks::even(pages, MIN_OBJECTS_PER_JOB / LANES), 0..pages);
        let ranges = if ranges.is_empty() { slice::from_ref(&whole) } else { &ranges };
        jobs.resize_with(ranges.len().max(jobs.len()), PairTask::new);
        let jobs = &mut jobs[..ranges.len()];
        for (job, range) in jobs.iter_mut().zip(ranges) {
            job.range = range.clone();
        }
        // Lend `out` to the first job: its results then need no copy.
        core::mem::swap(&mut jobs[0].found, out);
        let (objects, bins) = (&*objects, &*bins);
        tasks::each(jobs, |job| job.run(objects, bins, search, *backend));
        core::mem::swap(&mut jobs[0].found, out);
        let mut stats = SearchStats::default();
        for (number, job) in jobs.iter().enumerate() {
            if number > 0 {
                out.extend_from_slice(&job.found);
            }
            stats.tests += job.stats.tests;
            stats.hits += job.stats.hits;
        }
        hash.last_search = stats;
        if search.sorted {
            pairs::sort(out);
        }
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, SpatialIndexExt};

    use super::SpatialHash;

    #[test]
    fn several_jobs_are_used_if_there_are_threads_and_work() {
        let jobs = |threads| {
            let mut world: SpatialHash<f32, 2> = SpatialHash::new(2.0);
            for key in 0..40_000 {
                let at = [(key % 200) as f32, (key / 200) as f32];
                world.insert(key, Aabb::of_ball(at, 0.6)).expect("a free key");
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| {
                world.pairs(&mut Vec::new());
                world.jobs.len()
            })
        };
        assert_eq!(jobs(1), 1);
        assert!(jobs(2) > 1);
    }
}
