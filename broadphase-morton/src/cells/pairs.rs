//! Finds all pairs: the moving layer joined with itself, then with the static layer.
//!
//! 1. Divide the join into parts: groups of 64 objects (`join.rs`), or, if the static layer is much
//!    larger, batches of single descents (`batched_descent.rs`). Threads join parts; results are
//!    appended in the order of the parts, independent of the number of threads.
//! 2. Convert the candidates from positions to slots. Remove those with a vacant position or
//!    padding, those of two static objects, and, for inexact key bounds (`f64`), those whose bounds
//!    do not overlap.
//! 3. Append the keys of the pairs that the caller accepts.

use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

use broadphase_core::{
    Keys, LANES, Pair, PairSearch, Scalar, SearchStats, instances, pairs, tasks,
};

use super::batched_descent::{self, BATCH, DescentQueues, ResumeDescents};
use super::join::{self, HITS_LEN, JoinCursor, JoinTrees};
use super::layer::VACANT;
use super::layer_store::{MOVING, STATIC};
use super::{MortonCells, SortedObjects};

/// With more static objects per moving object than this, each moving object descends alone: a group
/// would overlap too many static objects.
const SPARSE_RATIO: usize = 8;
/// Minimum number of objects to join per thread.
const MIN_OBJECTS_PER_TASK: usize = 8192;
/// Minimum number of single descents per thread.
const MIN_DESCENTS_PER_TASK: usize = 2048;

/// A range of parts that one thread joins, scratch buffers, and the pairs found.
#[derive(Clone, Debug)]
pub(super) struct PairTask<const D: usize> {
    parts: Range<usize>,
    join: JoinCursor<D>,
    descents: DescentQueues,
    hits: Vec<[u32; 2]>,
    found: Vec<Pair>,
    stats: SearchStats,
}

impl<const D: usize> PairTask<D> {
    fn new() -> Self {
        Self {
            parts: 0..0,
            join: JoinCursor::new(),
            descents: DescentQueues::new(),
            hits: Vec::new(),
            found: Vec::new(),
            stats: SearchStats::default(),
        }
    }

    pub(super) fn memory_use(&self) -> usize {
        self.join.memory_use()
            + self.descents.memory_use()
            + self.hits.capacity() * size_of::<[u32; 2]>()
            + self.found.capacity() * size_of::<Pair>()
    }
}

instances! {
    /// Refreshes the layers, then writes the overlapping pairs, independent of the number of
    /// threads.
    pub(super) fn find_pairs<S, D>(
        cells: &mut MortonCells<S, D>,
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        let MortonCells { sorted, jobs: all_jobs, last_search } = cells;
        sorted.refresh();
        *last_search = SearchStats::default();
        out.clear();
        for other in [MOVING, STATIC] {
            let (parts, least) = sorted.parts(other);
            let (ranges, whole) = (tasks::even(parts, least), 0..parts);
            let ranges = if ranges.is_empty() { slice::from_ref(&whole) } else { &ranges };
            all_jobs.resize_with(ranges.len().max(all_jobs.len()), PairTask::new);
            let jobs = &mut all_jobs[..ranges.len()];
            for (job, range) in jobs.iter_mut().zip(ranges) {
                job.parts = range.clone();
                job.found.clear();
            }
            // Lend `out` to the first job: its results then need no copy.
            core::mem::swap(&mut jobs[0].found, out);
            tasks::each(jobs, |job| sorted.join_parts(other, job, search));
            core::mem::swap(&mut jobs[0].found, out);
            for (number, job) in jobs.iter().enumerate() {
                if number > 0 {
                    out.extend_from_slice(&job.found);
                }
                last_search.tests += job.stats.tests;
                last_search.hits += job.stats.hits;
            }
        }
        if search.sorted {
            pairs::sort(out);
        }
    }
}

impl<S: Scalar, const D: usize> SortedObjects<S, D> {
    /// Returns whether the join with a layer uses one descent per moving object.
    fn is_sparse(&self, other: usize) -> bool {
        let [moving, other_layer] = [&self.store.layers[MOVING], &self.store.layers[other]];
        other == STATIC && other_layer.slots.len() > SPARSE_RATIO * moving.slots.len()
    }

    /// Returns the number of parts of the join with a layer, and the minimum number per thread.
    fn parts(&self, other: usize) -> (usize, usize) {
        let moving = &self.store.layers[MOVING];
        let groups = match moving.tree.heights.get(2) {
            _ if self.store.layers[other].slots.is_empty() => 0,
            _ if self.is_sparse(other) => {
                let batches = moving.slots.len().div_ceil(BATCH);
                return (batches, MIN_DESCENTS_PER_TASK / BATCH);
            }
            Some(groups) => groups.len,
            None => 0,
        };
        (groups, MIN_OBJECTS_PER_TASK / (LANES * LANES))
    }

    /// Appends the accepted pairs of the parts of a job.
    fn join_parts(&self, other: usize, job: &mut PairTask<D>, search: &PairSearch<'_, S>) {
        let PairTask { parts, join, descents, hits, found, stats } = job;
        hits.resize(HITS_LEN, [0; 2]);
        let layers = [&self.store.layers[MOVING], &self.store.layers[other]];
        let trees = layers.map(|layer| &layer.tree);
        let is_sparse = self.is_sparse(other);
        if is_sparse {
            let end = layers[0].slots.len().min(parts.end * BATCH);
            descents.begin(parts.start * BATCH..end, trees[1].heights.len());
        } else {
            join.begin(parts.clone());
        }
        (join.tests, descents.tests, stats.hits) = (0, 0, 0);
        loop {
            let filled = if is_sparse {
                let queues = &mut *descents;
                batched_descent::resume(self.backend, ResumeDescents { trees, queues, hits })
            } else {
                let (is_self, cursor) = (other == MOVING, &mut *join);
                join::resume(self.backend, JoinTrees { trees, is_self, cursor, hits })
            };
            if filled == 0 {
                break;
            }
            stats.hits += filled as u64;
            let valid = self.retain_pairs(other, &mut hits[..filled]);
            let from = found.len();
            pairs::append_keys(self.backend, found, &hits[..valid], self.objects.keys());
            search.keep_accepted(found, from);
        }
        stats.tests = join.tests + descents.tests;
    }

    /// Converts candidates to slots, and moves overlapping pairs to the front. Returns the number
    /// of overlapping pairs.
    fn retain_pairs(&self, other: usize, hits: &mut [[u32; 2]]) -> usize {
        let slots = [MOVING, other].map(|layer| &self.store.layers[layer].slots[..]);
        let (motions, bounds) = (self.objects.motions(), self.objects.bounds());
        let mut kept = 0;
        for index in 0..hits.len() {
            let [a, b] = hits[index];
            // Objects that span all integer keys also overlap padding.
            let slot = |layer: usize, at: u32| slots[layer].get(at as usize).unwrap_or(&VACANT);
            let (a, b) = (*slot(0, a), *slot(1, b));
            hits[kept] = [a, b];
            let mut is_pair =
                a != VACANT && b != VACANT && !motions.keep_apart(a as usize, b as usize);
            if !S::EXACT_KEYS {
                is_pair = is_pair && bounds[a as usize].overlaps(&bounds[b as usize]);
            }
            kept += usize::from(is_pair);
        }
        kept
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, IndexObject, Motion, SpatialIndexExt};

    use crate::MortonCells;

    #[test]
    fn several_jobs_are_used_if_there_are_threads_and_work() {
        let jobs = |count: u32, statics: usize, threads| {
            let mut world: MortonCells<f32, 2> = MortonCells::new();
            let objects = (0..count).map(|key| {
                let at = [(key % 200) as f32, (key / 200) as f32];
                let is_static = (key as usize) < statics;
                let motion = if is_static { Motion::Static } else { Motion::Dynamic };
                IndexObject::new(key, Aabb::of_ball(at, 0.6)).motion(motion)
            });
            world.extend(objects).expect("the keys are free");
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("a thread pool").install(|| {
                world.pairs(&mut Vec::new());
                world.jobs.len()
            })
        };
        assert_eq!(jobs(40_000, 0, 1), 1);
        assert_eq!(jobs(4000, 0, 2), 1);
        assert!(jobs(40_000, 0, 2) > 1, "groups");
        assert!(jobs(60_000, 54_000, 2) > 1, "descents");
    }
}
