//! Parallel pair finding.
//!
//! 1. Split the active row pairs (or the cached pairs) into ranges of about equal cost.
//! 2. Each thread sweeps one range into its own list.
//! 3. Concatenate the lists in the order of the ranges.
//!
//! The result, including its order, is the same for any number of threads.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::{Pair, Scalar, instances, tasks};

use crate::grid::Core;
use crate::grid::pairs::sink::{PairFilter, PairSink};
use crate::grid::pairs::sweep::{MOVING, RESTING, SweepScratch};

/// The minimum number of slots to sweep, or of cached pairs, per thread.
const MIN_SLOTS_PER_TASK: usize = 8192;
/// The cost of a slot in a row swept with itself, relative to a slot in a pair of two rows, where
/// most slots are skipped.
const CROSS_DISCOUNT: usize = 4;

/// A range of row pairs or cached pairs, and the pairs found there.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct Job {
    range: Range<usize>,
    scratch: SweepScratch,
    found: Vec<Pair>,
}

impl Job {
    pub(in crate::grid) fn memory_use(&self) -> usize {
        self.scratch.memory_use() + self.found.capacity() * size_of::<Pair>()
    }
}

/// The kind of work on a range.
#[derive(Clone, Copy)]
enum Work {
    /// Replays the pairs of the last sweep.
    Replay,
    /// Sweeps row pairs.
    Sweep,
    /// Sweeps row pairs and writes keys directly.
    SweepToKeys,
    /// Tests moving objects against their cached static neighbors.
    StaticCache,
}

instances! {
    /// Finds all pairs, or pairs that a filter accepts, in an order independent of the number of
    /// threads. Rows must be up to date.
    pub(in crate::grid) fn find_pairs<S, D>(
        core: &mut Core<S, D>,
        filter: Option<&PairFilter<'_, S, D>>,
        out: &mut Vec<Pair>,
    ) {
        core.find_pairs(filter, out);
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    fn find_pairs(&mut self, filter: Option<&PairFilter<'_, S, D>>, out: &mut Vec<Pair>) {
        out.clear();
        self.update_row_pairs();
        for group in [MOVING, RESTING] {
            let ranges = self.job_ranges(group);
            if ranges.is_empty() {
                // Sinks that append to lists never break.
                let _ = self.sweep_group(group, &mut PairSink::new(filter, out));
            } else {
                self.find_group_parallel(group, &ranges, filter, out);
            }
        }
        self.record_sweep();
    }

    /// Returns the range of each thread, or none if one thread is enough.
    fn job_ranges(&self, group: usize) -> Vec<Range<usize>> {
        if let Some(known) = self.row_pairs.caches[group].known() {
            return tasks::even(known.len(), MIN_SLOTS_PER_TASK);
        }
        let range = self.row_pairs.range(group);
        let begin = range.start;
        let len = |row: u32| self.rows[row as usize].len;
        let weights = self.row_pairs.active[range]
            .iter()
            .map(|&[a, b]| if a == b { CROSS_DISCOUNT * len(a) } else { len(a) + len(b) });
        let mut ranges = tasks::weighed(weights, CROSS_DISCOUNT * MIN_SLOTS_PER_TASK);
        for range in &mut ranges {
            *range = range.start + begin..range.end + begin;
        }
        ranges
    }

    /// Finds the pairs of a group on all threads.
    fn find_group_parallel(
        &mut self,
        group: usize,
        ranges: &[Range<usize>],
        filter: Option<&PairFilter<'_, S, D>>,
        out: &mut Vec<Pair>,
    ) {
        if self.row_pairs.caches[group].known().is_some() {
            return self.run_jobs(group, ranges, Work::Replay, false, filter, out);
        }
        let record = self.begin_recording(group);
        let direct_keys = filter.is_none() && self.writes_keys_directly(record);
        let work = if direct_keys { Work::SweepToKeys } else { Work::Sweep };
        self.run_jobs(group, ranges, work, record, filter, out);
        let cached = self.static_cache.len(group);
        if cached > 0 {
            let mut ranges = tasks::even(cached, MIN_SLOTS_PER_TASK);
            if ranges.is_empty() {
                ranges.push(0..cached);
            }
            self.run_jobs(group, &ranges, Work::StaticCache, record, filter, out);
        }
        self.row_pairs.caches[group].end(record);
    }

    /// Does one kind of work on all ranges in parallel, and concatenates the found and recorded
    /// pairs.
    fn run_jobs(
        &mut self,
        group: usize,
        ranges: &[Range<usize>],
        work: Work,
        record: bool,
        filter: Option<&PairFilter<'_, S, D>>,
        out: &mut Vec<Pair>,
    ) {
        let mut all = core::mem::take(&mut self.row_pairs.jobs);
        if all.len() < ranges.len() {
            all.resize_with(ranges.len(), Job::default);
        }
        let jobs = &mut all[..ranges.len()];
        let (longest_row, tiers) = (self.longest_row(), self.tiers.len());
        for (job, range) in jobs.iter_mut().zip(ranges) {
            job.range = range.clone();
            job.scratch.prepare(longest_row, tiers, D > 2);
            job.scratch.recorded.clear();
            job.found.clear();
        }
        let core = &*self;
        tasks::each(jobs, |Job { range, scratch, found }| {
            let range = range.clone();
            if let Work::SweepToKeys = work {
                return core.sweep_to_keys(range, scratch, found);
            }
            let sink = &mut PairSink::new(filter, found);
            // Sinks that append to lists never break.
            let _ = match work {
                Work::Replay => {
                    let known = core.row_pairs.caches[group].known().unwrap_or_default();
                    core.replay_cached(&known[range], sink)
                }
                Work::StaticCache => {
                    core.sweep_static_cache(range, record.then_some(&mut scratch.recorded), sink)
                }
                Work::Sweep | Work::SweepToKeys => {
                    core.sweep_row_pairs(range, scratch, record, sink)
                }
            };
        });
        for Job { scratch, found, .. } in &*jobs {
            out.extend_from_slice(found);
            self.row_pairs.caches[group].list.extend_from_slice(&scratch.recorded);
            self.row_pairs.scratch.hits += scratch.hits;
            for (all, own) in self.row_pairs.scratch.work.iter_mut().zip(&scratch.work) {
                *all = [all[0] + own[0], all[1] + own[1]];
            }
        }
        self.row_pairs.jobs = all;
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Motion, SpatialIndex, tasks};

    use super::{MOVING, RESTING};
    use crate::grid::Hshg;

    #[test]
    fn row_pairs_are_split_into_jobs_when_threads_and_work_suffice() {
        let jobs = |count: u32, threads| {
            let mut world: Hshg<f32, 2> = Hshg::new();
            for key in 0..count {
                let at = [(key % 200) as f32, (key / 200) as f32];
                world.insert(key, Aabb::of_ball(at, 0.6), ()).expect("the key is unused");
                if key % 2 == 0 {
                    world.set_motion(key, Motion::Sleeping).expect("the key is known");
                }
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("the thread pool starts").install(|| {
                world.pairs(&mut Vec::new());
                let again = world.core.job_ranges(RESTING).len();
                (world.core.row_pairs.jobs.len(), again)
            })
        };
        assert_eq!(jobs(40_000, 1), (0, 0));
        assert_eq!(jobs(4000, 2), (0, 0));
        let (row_pairs, again) = jobs(40_000, 2);
        assert!(
            row_pairs > 4 && again > 1,
            "{row_pairs} jobs of row pairs, {again} of cached pairs"
        );
    }

    #[test]
    fn static_cache_is_equal_on_two_threads() {
        let ticks = |threads| {
            let mut world: Hshg<f32, 2> = Hshg::new();
            for key in 0..240_000u32 {
                let at = [(key % 600) as f32, (key / 600) as f32];
                world.insert(key, Aabb::of_ball(at, 0.3), ()).expect("the key is unused");
                if key % 10 != 0 {
                    world.set_motion(key, Motion::Static).expect("the key is known");
                }
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("the thread pool starts").install(|| {
                let (mut pairs, mut all) = (Vec::new(), Vec::new());
                for _ in 0..12 {
                    let walked = world.update_dynamic(|key, (), bounds| {
                        *bounds = bounds.translated([0.05, 0.01 * (key % 3) as f32]);
                    });
                    walked.expect("bounds stay valid");
                    world.pairs_unordered_into(&mut pairs);
                    all.push(pairs.clone());
                }
                assert!(world.core.static_cache.rows() > 0);
                assert_eq!(world.core.job_ranges(MOVING).is_empty(), threads == 1);
                let cached =
                    tasks::even(world.core.static_cache.len(MOVING), super::MIN_SLOTS_PER_TASK);
                assert_eq!(cached.is_empty(), threads == 1);
                // Nothing moved: the first call records pairs, the second replays them.
                for _ in 0..2 {
                    world.pairs_unordered_into(&mut pairs);
                    all.push(pairs.clone());
                }
                all
            })
        };
        let all = ticks(1);
        assert!(all[0].is_empty() && all[11].len() > 10_000 && all[11] == all[13]);
        assert!(all == ticks(2));
    }
}
