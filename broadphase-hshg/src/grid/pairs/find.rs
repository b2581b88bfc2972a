//! Finds all pairs, on one thread or several.
//!
//! For each group of row pairs:
//!
//! 1. If no object of the group has changed since its pairs were cached, replay the cached pairs.
//! 2. Otherwise sweep the active row pairs, and test moving objects against their static neighbors.
//!
//! If there is enough work, each kind is split into ranges of about equal cost, one list each. The
//! lists of all kinds are concatenated in the order of the ranges, or sorted together into canonical
//! order, over the last contents of the result: only new elements of a list have to be zeroed, which
//! one thread does. The result, including its order, does not depend on the number of threads.

use alloc::vec::Vec;
use core::mem::take;
use core::ops::Range;

use broadphase_core::{Pair, PairSearch, Scalar, instances, pairs, tasks};

use crate::grid::Hshg;
use crate::grid::pairs::sweep::{PairGroup, SweepScratch};

/// The minimum number of slots to sweep, or of cached pairs, per thread.
const MIN_SLOTS_PER_TASK: usize = 8192;
/// The cost per slot of sweeping a row with itself, relative to sweeping two rows, where most slots
/// are skipped.
const CROSS_DISCOUNT: usize = 4;

/// The work of one thread: a range of row pairs or cached pairs, and the pairs found in it.
#[derive(Clone, Debug, Default)]
pub(super) struct PairTask {
    range: Range<usize>,
    scratch: SweepScratch,
    found: Vec<Pair>,
}

impl PairTask {
    pub(crate) fn memory_use(&self) -> usize {
        self.scratch.memory_use() + self.found.capacity() * size_of::<Pair>()
    }
}

/// The kind of work of a job, and the items of which it processes a range.
#[derive(Clone, Copy)]
enum Work {
    /// Replays the pairs of the last search.
    Replay,
    /// Sweeps row pairs.
    Sweep,
    /// Tests moving objects against their cached static neighbors.
    StaticCache,
}

#[derive(Clone, Copy)]
struct Task {
    group: PairGroup,
    work: Work,
    /// Whether pairs of overlapping slots are recorded.
    record: bool,
}

instances! {
    /// Implements [`SpatialIndex::find_pairs`](broadphase_core::SpatialIndex::find_pairs).
    pub(crate) fn find_pairs<S, D>(
        grid: &mut Hshg<S, D>,
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        grid.refresh();
        match search.distance {
            Some(distance) if distance != S::ZERO => {
                out.clear();
                grid.find_near(None, distance, search, out);
            }
            _ => grid.find_overlaps(search, out),
        }
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Replaces the contents of `out` with all overlapping pairs. Rows must be up to date.
    pub(crate) fn find_overlaps(&mut self, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        let several = tasks::divides(self.len, MIN_SLOTS_PER_TASK);
        self.row_pairs.kept = several.then_some(0);
        if !several {
            out.clear();
        }
        self.near.age();
        self.update_row_pairs();
        for group in PairGroup::ALL {
            self.find_group(group, search, out);
        }
        self.record_sweep();
        if let Some(kept) = self.row_pairs.kept.take() {
            let jobs = &mut self.row_pairs.jobs[..kept];
            let mut lists: Vec<_> = jobs.iter_mut().map(|job| &mut job.found).collect();
            if search.sorted {
                pairs::sort_lists(&mut lists, out);
            } else {
                pairs::concatenate(&lists, out);
            }
        } else if search.sorted {
            pairs::sort(out);
        }
    }

    /// Finds the pairs of one group. If lists of jobs are kept, writes them there; otherwise appends
    /// them to `out`.
    fn find_group(&mut self, group: PairGroup, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        if self.row_pairs.known(group).is_some() {
            return self.run(Task { group, work: Work::Replay, record: false }, search, out);
        }
        let record = self.row_pairs.cache(group).begin(group == PairGroup::Resting);
        self.run(Task { group, work: Work::Sweep, record }, search, out);
        self.run(Task { group, work: Work::StaticCache, record }, search, out);
        self.row_pairs.cache(group).end(record);
    }

    /// Does a task: on several threads if there is enough work.
    fn run(&mut self, task: Task, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        let Task { group, work, record } = task;
        let (whole, parts) = ([self.work_range(group, work)], self.job_ranges(group, work));
        let on_jobs = !parts.is_empty() || self.row_pairs.kept.is_some();
        if on_jobs && !whole[0].is_empty() {
            let ranges = if parts.is_empty() { &whole } else { &parts[..] };
            return self.run_jobs(task, ranges, search, out);
        }
        let mut scratch = take(&mut self.row_pairs.scratch);
        if record {
            scratch.recorded = take(&mut self.row_pairs.cache(group).list);
        }
        let [range] = whole;
        self.run_range(task, range, &mut scratch, search, out);
        if record {
            self.row_pairs.cache(group).list = take(&mut scratch.recorded);
        }
        self.row_pairs.scratch = scratch;
    }

    /// Returns the range of all items of a kind of work for a group.
    fn work_range(&self, group: PairGroup, work: Work) -> Range<usize> {
        match work {
            Work::Replay => 0..self.row_pairs.known(group).map_or(0, <[_]>::len),
            Work::Sweep => self.row_pairs.range(group),
            Work::StaticCache => 0..self.static_cache.len(group),
        }
    }

    /// Splits the work of a kind for a group into one range per job; none if one thread is enough.
    fn job_ranges(&self, group: PairGroup, work: Work) -> Vec<Range<usize>> {
        let Range { start, end } = self.work_range(group, work);
        let Work::Sweep = work else { return tasks::even(end, MIN_SLOTS_PER_TASK) };
        let len = |row: u32| self.rows[row as usize].len;
        let weights = self.row_pairs.active[start..end]
            .iter()
            .map(|&[a, b]| if a == b { CROSS_DISCOUNT * len(a) } else { len(a) + len(b) });
        let mut ranges = tasks::weighed(weights, CROSS_DISCOUNT * MIN_SLOTS_PER_TASK);
        for range in &mut ranges {
            *range = range.start + start..range.end + start;
        }
        ranges
    }

    /// Does a task on all ranges in parallel. Concatenates the recorded pairs, and the found pairs
    /// unless the lists of jobs are kept.
    fn run_jobs(
        &mut self,
        task: Task,
        ranges: &[Range<usize>],
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        let mut all = take(&mut self.row_pairs.jobs);
        let begin = self.row_pairs.kept.unwrap_or(0);
        let end = begin + ranges.len();
        if all.len() < end {
            all.resize_with(end, PairTask::default);
        }
        let jobs = &mut all[begin..end];
        let (longest_row, tiers) = (self.longest_row(), self.tiers.len());
        for (job, range) in jobs.iter_mut().zip(ranges) {
            job.range = range.clone();
            job.scratch.prepare(longest_row, tiers, D > 2);
            job.scratch.recorded.clear();
            job.found.clear();
        }
        let grid = &*self;
        tasks::each(jobs, |PairTask { range, scratch, found }| {
            grid.run_range(task, range.clone(), scratch, search, found);
        });
        if let Some(kept) = &mut self.row_pairs.kept {
            *kept = end;
        } else {
            jobs.iter().for_each(|job| out.extend_from_slice(&job.found));
        }
        for PairTask { scratch, .. } in &*jobs {
            self.row_pairs.cache(task.group).list.extend_from_slice(&scratch.recorded);
            self.row_pairs.scratch.tests_between += scratch.tests_between;
            self.row_pairs.scratch.hits += scratch.hits;
            for (all, own) in self.row_pairs.scratch.work.iter_mut().zip(&scratch.work) {
                *all = [all[0] + own[0], all[1] + own[1]];
            }
        }
        self.row_pairs.jobs = all;
    }

    /// Does a task on a range of its items, given by their indices.
    fn run_range(
        &self,
        task: Task,
        range: Range<usize>,
        scratch: &mut SweepScratch,
        search: &PairSearch<'_, S>,
        found: &mut Vec<Pair>,
    ) {
        let Task { group, work, record } = task;
        match work {
            Work::Replay => {
                let known = self.row_pairs.known(group).unwrap_or_default();
                self.push_keys(&known[range], search, found);
            }
            Work::Sweep if search.filter.is_none() && self.writes_keys_directly(record) => {
                self.sweep_to_keys(range, scratch, found);
            }
            Work::Sweep => self.sweep_row_pairs(range, scratch, record, search, found),
            Work::StaticCache => {
                let recorded = record.then_some(&mut scratch.recorded);
                self.sweep_static_cache(range, recorded, search, found);
            }
        }
    }
}

#[cfg(feature = "rayon")]
#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Motion, SpatialIndex, SpatialIndexExt};

    use super::Work;
    use crate::grid::Hshg;
    use crate::grid::pairs::sweep::PairGroup;

    /// Runs ticks of a tenth of the objects among static ones on a number of threads, and returns
    /// the pairs of each tick.
    fn ticks(threads: usize) -> Vec<Vec<[u32; 2]>> {
        let mut world: Hshg<f32, 2> = Hshg::new();
        for key in 0..240_000u32 {
            let at = [(key % 600) as f32, (key / 600) as f32];
            world.insert(key, Aabb::of_ball(at, 0.3)).expect("the key is unused");
            if key % 10 != 0 {
                world.set_motion(key, Motion::Static).expect("the key is known");
            }
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("the thread pool starts").install(|| {
            let (mut pairs, mut all) = (Vec::new(), Vec::new());
            for _ in 0..12 {
                let walked = world.update_dynamic(|key, bounds| {
                    *bounds = bounds.translated([0.05, 0.01 * (key % 3) as f32]);
                });
                walked.expect("bounds stay valid");
                world.pairs_unordered(&mut pairs);
                all.push(pairs.clone());
            }
            assert!(world.static_cache.rows() > 0);
            for work in [Work::Sweep, Work::StaticCache] {
                let ranges = world.job_ranges(PairGroup::Moving, work);
                assert_eq!(ranges.is_empty(), threads == 1);
            }
            // Nothing moved: the first call records pairs, the second replays them.
            for _ in 0..2 {
                world.pairs_unordered(&mut pairs);
                all.push(pairs.clone());
            }
            all
        })
    }

    #[test]
    fn sweeps_and_static_cache_are_equal_on_two_threads() {
        let all = ticks(1);
        assert!(all[0].is_empty() && all[11].len() > 10_000 && all[11] == all[13]);
        assert!(all == ticks(2));
    }
}
