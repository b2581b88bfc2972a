//! Finds pairs on several threads.
//!
//! 1. Divide the parts of the join, or the cached pairs, into ranges.
//! 2. Each job searches its range with its own scratch buffers.
//! 3. Append the results in the order of the ranges: the output does not depend on the number of
//!    threads.

use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

use broadphase_core::{LANES, Pair, PairSearch, Scalar, instances, pairs, tasks};

use super::batched_descent::BATCH;
use super::layer_store::{MOVING, STATIC};
use super::pair_state::{Job, PairState};
use super::{MortonCells, SortedObjects};

/// Minimum number of objects to join, or of cached pairs, per thread.
const MIN_OBJECTS_PER_TASK: usize = 8192;
/// Minimum number of single descents per thread.
const MIN_DESCENTS_PER_TASK: usize = 2048;

instances! {
    /// Refreshes the layers, then writes the overlapping pairs, in the same order for any number of
    /// threads.
    pub(super) fn find_pairs<S, D>(
        cells: &mut MortonCells<S, D>,
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        let MortonCells { sorted, pair_state } = cells;
        sorted.refresh();
        if core::mem::take(&mut sorted.store.pairs_stale) {
            pair_state.invalidate();
        }
        (pair_state.tests, pair_state.hits) = (0, 0);
        out.clear();
        for other in [MOVING, STATIC] {
            let ranges = sorted.split_work(pair_state, other);
            let work_len = 0..sorted.work_len(pair_state, other);
            let ranges = if ranges.is_empty() { slice::from_ref(&work_len) } else { &ranges };
            sorted.find_pairs_with(pair_state, other, ranges, search, out);
        }
        if search.sorted {
            pairs::sort(out);
        }
    }
}

impl<S: Scalar, const D: usize> SortedObjects<S, D> {
    /// Returns the number of parts to join, or of cached pairs.
    fn work_len(&self, pair_state: &PairState<D>, other: usize) -> usize {
        pair_state.caches[other].known().map_or_else(|| self.part_count(other), <[_]>::len)
    }

    /// Returns the ranges to search in parallel; empty if one thread should search all.
    fn split_work(&self, pair_state: &PairState<D>, other: usize) -> Vec<Range<usize>> {
        if let Some(known) = pair_state.caches[other].known() {
            tasks::even(known.len(), MIN_OBJECTS_PER_TASK)
        } else if self.is_sparse(other) {
            tasks::even(self.part_count(other), MIN_DESCENTS_PER_TASK / BATCH)
        } else if self.store.layers[other].slots.is_empty() {
            Vec::new()
        } else {
            tasks::even(self.part_count(other), MIN_OBJECTS_PER_TASK / (LANES * LANES))
        }
    }

    /// Finds the pairs with a layer, one job per range.
    fn find_pairs_with(
        &self,
        pair_state: &mut PairState<D>,
        other: usize,
        ranges: &[Range<usize>],
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        let is_known = pair_state.caches[other].known().is_some();
        let recording = !is_known && pair_state.caches[other].begin(false);
        let mut all = core::mem::take(&mut pair_state.jobs);
        let PairState { caches, tests, hits, .. } = pair_state;
        if all.len() < ranges.len() {
            all.resize_with(ranges.len(), Job::new);
        }
        let jobs = &mut all[..ranges.len()];
        for (job, range) in jobs.iter_mut().zip(ranges) {
            job.range = range.clone();
            job.scratch.recorded.clear();
            job.found.clear();
        }
        // Lend `out` to the first job: its results then need no copy.
        core::mem::swap(&mut jobs[0].found, out);
        if recording {
            core::mem::swap(&mut jobs[0].scratch.recorded, &mut caches[other].list);
        }
        let known = caches[other].known();
        let by_keys = known.is_none() && !recording && self.can_emit_keys(other);
        tasks::each(jobs, |Job { range, scratch, found }| {
            if by_keys {
                return self.append_pairs_of_parts(other, range.clone(), scratch, search, found);
            }
            let mut append = |slots: &[[u32; 2]]| {
                let from = found.len();
                pairs::append_keys(self.backend, found, slots, self.objects.keys());
                search.keep_accepted(found, from);
            };
            match known {
                Some(known) => append(&known[range.clone()]),
                None => self.join_parts(other, range.clone(), scratch, recording, &mut append),
            }
        });
        core::mem::swap(&mut jobs[0].found, out);
        if recording {
            core::mem::swap(&mut jobs[0].scratch.recorded, &mut caches[other].list);
        }
        for Job { scratch, found, .. } in jobs {
            out.extend_from_slice(found);
            caches[other].list.extend_from_slice(&scratch.recorded);
            let [tested, hit] = scratch.take_counts();
            *tests += tested;
            *hits += hit;
        }
        if !is_known {
            caches[other].end(recording);
        }
        pair_state.jobs = all;
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Motion, SpatialIndex, SpatialIndexExt};

    use super::{MOVING, STATIC};
    use crate::MortonCells;

    #[test]
    fn work_is_split_only_with_threads_and_enough_work() {
        let jobs = |count: u32, statics: usize, threads| {
            let mut world: MortonCells<f32, 2> = MortonCells::new();
            for key in 0..count {
                let at = [(key % 200) as f32, (key / 200) as f32];
                world.insert(key, Aabb::of_ball(at, 0.6)).expect("key in use");
            }
            for key in (0..count).take(statics) {
                world.set_motion(key, Motion::Static).expect("unknown key");
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("a thread pool").install(|| {
                world.optimize();
                let first = [MOVING, STATIC]
                    .map(|layer| world.sorted.split_work(&world.pair_state, layer).len());
                for _ in 0..2 {
                    world.pairs(&mut Vec::new());
                }
                (
                    first,
                    [MOVING, STATIC]
                        .map(|layer| world.sorted.split_work(&world.pair_state, layer).len()),
                )
            })
        };
        assert_eq!(jobs(40_000, 0, 1), ([0, 0], [0, 0]));
        assert_eq!(jobs(4000, 0, 2), ([0, 0], [0, 0]));
        let (first, again) = jobs(40_000, 0, 2);
        assert!(first[0] > 1 && first[1] == 0, "{first:?} jobs for groups");
        assert!(again[0] > 1 && again[1] == 0, "{again:?} jobs for cached pairs");
        let (first, again) = jobs(60_000, 54_000, 2);
        assert!(first[1] > 1, "{first:?} jobs for descents, then {again:?}");
    }
}
