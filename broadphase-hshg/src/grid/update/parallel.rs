//! Walks on several threads.
//!
//! 1. Split the rows, in storage order, into groups of about equal size. Each group is one
//!    contiguous part of the store.
//! 2. Each thread runs a [`Walker`] over its group. Changes outside of the group, such as in the
//!    key-to-slot map, are written to a log.
//! 3. Apply the logs on one thread. Objects that left their rows are appended in row order.
//!
//! A walker depends on its own rows only, so the result equals that of a serial walk, for any
//! number of threads.

use alloc::vec::Vec;

use broadphase_core::{IndexError, Scalar, instances, tasks};

use crate::grid::data::{MoveData, Payload};
use crate::grid::storage::row::{Class, Row, rows_up_to, sort_as_stored};
use crate::grid::storage::store::Body;
use crate::grid::update::chunk::Chunk;
use crate::grid::update::outcome::WalkOutcome;
use crate::grid::update::store_slice::{StoreSlice, split_front};
use crate::grid::update::update_sink::UpdateSink;
use crate::grid::update::visit::{Visit, VisitObjects, Visitor};
use crate::grid::update::walker::{WalkContext, Walker};
use crate::grid::{Core, Hshg};

/// The minimum number of slots per thread.
const MIN_SLOTS_PER_TASK: usize = 8192;

/// The rows of one thread, and the changes to apply after all threads have finished.
#[derive(Clone, Debug)]
pub(in crate::grid) struct UpdateLog<S, const D: usize> {
    /// Copies of the thread's rows, with their indices in `Core::rows`. The walk changes the
    /// copies.
    rows: Vec<(u32, Row<D>)>,
    /// Keys of moved objects with their new slots.
    moved: Vec<(u32, usize)>,
    removed: Vec<u32>,
    /// Objects that left their rows.
    leaving: Vec<Body<S, D>>,
    /// For each row, its index and the end of its objects in `leaving`.
    leaving_ends: Vec<(u32, usize)>,
    /// Scratch buffer of the thread's walker: the moves `[from, to]` between slots of the chunk
    /// that is being sorted, to be applied to the data of the objects.
    moves: Vec<[u32; 2]>,
    outcome: WalkOutcome,
}

impl<S, const D: usize> Default for UpdateLog<S, D> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            moved: Vec::new(),
            removed: Vec::new(),
            leaving: Vec::new(),
            leaving_ends: Vec::new(),
            moves: Vec::new(),
            outcome: WalkOutcome::default(),
        }
    }
}

impl<S, const D: usize> UpdateLog<S, D> {
    pub(in crate::grid) const fn memory_use(&self) -> usize {
        self.rows.capacity() * size_of::<(u32, Row<D>)>()
            + self.moved.capacity() * size_of::<(u32, usize)>()
            + self.removed.capacity() * size_of::<u32>()
            + self.leaving.capacity() * size_of::<Body<S, D>>()
            + self.leaving_ends.capacity() * size_of::<(u32, usize)>()
            + self.moves.capacity() * size_of::<[u32; 2]>()
    }

    /// Clears the log without freeing memory.
    fn clear(&mut self) {
        self.rows.clear();
        self.moved.clear();
        self.removed.clear();
        self.leaving.clear();
        self.leaving_ends.clear();
        self.outcome = WalkOutcome::default();
    }
}

/// The rows of one thread, and a walker with the part of the store that has their slots.
struct Job<'a, S, const D: usize> {
    walker: Walker<'a, S, D>,
    rows: &'a mut Vec<(u32, Row<D>)>,
    leaving_ends: &'a mut Vec<(u32, usize)>,
}

/// A grid and the logs of the threads that walk over it.
struct WalkSplit<'a, S, const D: usize> {
    core: &'a mut Core<S, D>,
    logs: &'a mut [UpdateLog<S, D>],
}

/// Panic guard: applies the logs and sorts all rows if a caller's closure unwinds. Disarmed with
/// `mem::forget`.
struct UnwindGuard<'a, S: Scalar, const D: usize, T: Copy> {
    core: &'a mut Core<S, D>,
    data: &'a mut Payload<T>,
    logs: Vec<UpdateLog<S, D>>,
    walkers: usize,
}

impl<S: Scalar, const D: usize, T: Copy> Drop for UnwindGuard<'_, S, D, T> {
    #[cold]
    fn drop(&mut self) {
        restore_order(self.core, &mut self.logs[..self.walkers], self.data);
    }
}

instances! {
    /// Distributes the rows of the motion classes up to `last` among logs, contiguous in the store.
    /// Returns the number of logs, or 0 if a serial walk is better.
    fn split_rows<S, D>(core: &Core<S, D>, last: Class, logs: &mut Vec<UpdateLog<S, D>>) -> usize {
        // With one-dimensional integer bounds, holes are recognised only by the key-to-slot map,
        // which walkers on several threads do not have.
        if (S::INTEGER && D == 1) || tasks::even(core.len, MIN_SLOTS_PER_TASK).is_empty() {
            return 0;
        }
        let rows = &core.rows[..rows_up_to(&core.rows, last)];
        let mut rows: Vec<u32> =
            (0..).zip(rows).filter(|(_, row)| row.len > 0).map(|(index, _)| index).collect();
        sort_as_stored(&mut rows, &core.rows);
        let row = |index: u32| (index, core.rows[index as usize]);
        let ranges = tasks::weighed(rows.iter().map(|&index| row(index).1.len), MIN_SLOTS_PER_TASK);
        if logs.len() < ranges.len() {
            logs.resize_with(ranges.len(), UpdateLog::default);
        }
        for (log, range) in logs.iter_mut().zip(&ranges) {
            log.clear();
            log.rows.extend(rows[range.clone()].iter().map(|&index| row(index)));
        }
        ranges.len()
    }

    /// Implements [`Core::walk_pending`].
    fn walk_pending<S, D>(
        core: &mut Core<S, D>,
        last: Class,
        visit: &mut dyn VisitObjects<S, D>,
        outcome: &mut WalkOutcome,
    ) {
        core.walk_pending(last, visit, &mut outcome.first_error);
    }

    /// Returns one job for each log: the rows of the log and the part of the store with their
    /// slots.
    fn jobs<S, D>(split: WalkSplit<'_, S, D>) -> Vec<Job<'_, S, D>> {
        let WalkSplit { core, logs } = split;
        let context = WalkContext {
            tiers: &core.tiers,
            sizes: core.sizes,
            margins: core.margins,
            backend: core.backend,
            within_margins: core.walks_within_margins(),
        };
        let mut rest = StoreSlice::new(&mut core.store);
        let mut jobs = Vec::with_capacity(logs.len());
        for log in logs {
            let UpdateLog { rows, moved, removed, leaving, leaving_ends, moves, outcome } = log;
            let end = rows.last().map_or(0, |(_, row)| row.begin + row.room);
            let sink = UpdateSink::Logged { moved, removed };
            let walker =
                Walker::new(rest.split_before(end), context, sink, moves, leaving, outcome);
            jobs.push(Job { walker, rows, leaving_ends });
        }
        jobs
    }

    /// Walks over the rows of a job.
    fn walk_rows<S, D>(job: &mut Job<'_, S, D>, visit: &mut dyn VisitObjects<S, D>) {
        let Job { walker, rows, leaving_ends } = job;
        let mut chunk = Chunk::new();
        for (index, row) in rows.iter_mut() {
            walker.walk_row(row, &mut chunk, visit);
            leaving_ends.push((*index, walker.leaving.len()));
        }
    }

    /// Computes new slabs for the objects of a job and sorts its rows.
    fn sort_rows<S, D>(job: &mut Job<'_, S, D>, visit: &mut dyn VisitObjects<S, D>) {
        let Job { walker, rows, leaving_ends } = job;
        let mut chunk = Chunk::new();
        for (index, row) in rows.iter_mut() {
            walker.sort_row(row, &mut chunk, visit);
            leaving_ends.push((*index, walker.leaving.len()));
        }
    }

    /// Applies the logs of all walkers.
    fn apply_logs<S, D>(
        core: &mut Core<S, D>,
        last: Class,
        logs: &[UpdateLog<S, D>],
        outcome: &mut WalkOutcome,
        data: &mut dyn MoveData,
    ) {
        logs.iter().for_each(|log| outcome.merge(&log.outcome));
        core.finish_walk(rows_up_to(&core.rows, last), core.walks_within_margins(), outcome);
        let mut groups = Vec::new();
        for (number, log) in logs.iter().enumerate() {
            for &(index, row) in &log.rows {
                core.rows[index as usize] = row;
            }
            for &(key, slot) in &log.moved {
                core.slots.relocate(key, slot);
            }
            for &key in &log.removed {
                core.slots.remove(key);
            }
            core.len -= log.removed.len();
            core.holes += log.removed.len() + log.leaving.len();
            let mut begin = 0;
            for &(index, end) in &log.leaving_ends {
                if begin < end {
                    groups.push((index, number, begin..end));
                }
                begin = end;
            }
        }
        groups.sort_unstable_by_key(|&(index, ..)| index);
        for (_, number, rows_of_group) in groups {
            for &body in &logs[number].leaving[rows_of_group.clone()] {
                core.push_pending(body);
            }
            data.push_logged(number, rows_of_group);
        }
    }

    /// Applies the logs of interrupted walks and sorts all rows.
    fn restore_order<S, D>(
        core: &mut Core<S, D>,
        logs: &mut [UpdateLog<S, D>],
        data: &mut dyn MoveData,
    ) {
        for log in &mut *logs {
            // Objects that left the interrupted row, which has no entry yet.
            log.leaving_ends.push((u32::MAX, log.leaving.len()));
        }
        apply_logs(core, Class::Static, logs, &mut WalkOutcome::default(), data);
        core.restore_order(core.rows.len(), data);
    }
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync> Hshg<S, D, T> {
    /// Walks over the objects of the motion classes up to `last` on all threads of the current
    /// pool.
    pub(in crate::grid) fn walk_parallel(
        &mut self,
        last: Class,
        visit: impl Visit<S, D, T> + Copy + Send + Sync,
    ) -> Result<(), IndexError> {
        let mut logs = core::mem::take(&mut self.core.logs);
        let walkers = split_rows(&self.core, last, &mut logs);
        if walkers == 0 {
            self.core.logs = logs;
            return self.walk(last, visit);
        }
        let mut outcome = WalkOutcome::default();
        let Payload { placed, pending, .. } = &mut self.data;
        let mut visitor = Visitor { data: placed, pending, visit: &mut { visit } };
        walk_pending(&mut self.core, last, &mut visitor, &mut outcome);
        let Self { core, data, .. } = self;
        let mut guard = UnwindGuard { core, data, logs, walkers };
        let UnwindGuard { core, data, logs, .. } = &mut guard;
        walk_jobs(core, data, &mut logs[..walkers], visit);
        let logs = core::mem::take(logs);
        core::mem::forget(guard);
        apply_logs(&mut self.core, last, &logs[..walkers], &mut outcome, &mut self.data);
        self.core.logs = logs;
        self.refresh();
        outcome.first_error.result()
    }
}

/// Walks over the rows in the logs, with one job per log. If an object outgrew its slabs in a walk
/// within margins, this function also computes new slabs for all objects of these rows and sorts
/// the rows.
fn walk_jobs<S: Scalar, const D: usize, T: Copy + Send + Sync>(
    core: &mut Core<S, D>,
    data: &mut Payload<T>,
    logs: &mut [UpdateLog<S, D>],
    visit: impl Visit<S, D, T> + Copy + Send + Sync,
) {
    let Payload { placed, logs: log_data, .. } = data;
    if log_data.len() < logs.len() {
        log_data.resize_with(logs.len(), Vec::new);
    }
    let (mut rest, mut end_of_last) = (&mut placed[..], 0);
    let mut all = Vec::with_capacity(logs.len());
    for (job, pending) in jobs(WalkSplit { core, logs }).into_iter().zip(log_data) {
        pending.clear();
        let end = job.end();
        all.push((job, split_front(&mut rest, end - end_of_last), pending));
        end_of_last = end;
    }
    tasks::each(&mut all, |(job, data, pending)| {
        walk_rows(job, &mut Visitor { data, pending, visit: &mut { visit } });
    });
    let outgrown =
        |walker: &Walker<'_, S, D>| walker.context.within_margins && walker.outcome.outgrown;
    if all.iter().any(|(job, ..)| outgrown(&job.walker)) {
        tasks::each(&mut all, |(job, data, pending)| {
            sort_rows(job, &mut Visitor { data, pending, visit: &mut { visit } });
        });
    }
}

impl<S: Scalar, const D: usize> Job<'_, S, D> {
    /// Returns the end of this job's slots in the store.
    fn end(&self) -> usize {
        self.rows.last().map_or(0, |(_, row)| row.begin + row.room)
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Scalar, SpatialIndex};

    use super::{Class, Payload, WalkOutcome};
    use crate::grid::Hshg;

    /// Returns the number of logs after a walk on `threads` threads.
    fn logs<S: Scalar, const D: usize>(count: u32, threads: usize) -> usize {
        let mut world: Hshg<S, D, u32> = Hshg::new();
        for key in 0..count {
            let at = [key % 200, key / 200, 0].map(|x| S::from_f64(f64::from(x)));
            let at = core::array::from_fn(|axis| at[axis]);
            world.insert(key, Aabb::point(at), 0).expect("the key is unused");
        }
        world.optimize();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("the thread pool starts").install(|| {
            let walked = world.par_update(|key, sum, _| *sum += key);
            walked.expect("bounds are unchanged");
        });
        assert!((0..count).all(|key| world.get(key).is_some_and(|entry| *entry.data == key)));
        world.assert_well_formed();
        world.core.logs.len()
    }

    #[test]
    fn several_walkers_run_when_threads_and_work_suffice() {
        assert_eq!(logs::<f32, 2>(50_000, 1), 0);
        assert_eq!(logs::<f32, 2>(5000, 2), 0);
        assert!(logs::<f32, 2>(50_000, 2) > 2);
        assert!(logs::<i32, 3>(50_000, 3) > 2);
        assert_eq!(logs::<i32, 1>(50_000, 2), 0, "one-dimensional integers are walked serially");
    }

    #[test]
    fn leaving_objects_become_pending_in_row_order() {
        let mut alone: Hshg<f32, 2, u32> = Hshg::new();
        // Objects inserted later are lower on the second axis, so the storage order differs from
        // the row order.
        for key in 0..40_000 {
            let at = [(key % 100) as f32, -((key / 100) as f32)];
            alone.insert(key, Aabb::of_ball(at, 0.5), key).expect("the key is unused");
            if key % 5000 == 0 {
                alone.optimize();
            }
        }
        alone.optimize();
        let mut several = alone.clone();
        let keep = |key: u32, _: &mut u32, bounds: &mut Aabb<f32, 2>| {
            *bounds = bounds.translated([0.0, if key.is_multiple_of(7) { 40.0 } else { 0.0 }]);
            true
        };
        let mut outcome = WalkOutcome::default();
        let Payload { placed, pending, .. } = &mut alone.data;
        let mut visitor = super::Visitor { data: placed, pending, visit: &mut { keep } };
        alone.core.walk_rows(alone.core.rows.len(), &mut visitor, &mut outcome);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        pool.expect("the thread pool starts").install(|| {
            let mut logs = Vec::new();
            assert!(super::split_rows(&several.core, Class::Static, &mut logs) > 2);
            super::walk_jobs(&mut several.core, &mut several.data, &mut logs, keep);
            super::apply_logs(
                &mut several.core,
                Class::Static,
                &logs,
                &mut outcome,
                &mut several.data,
            );
        });
        let waiting = |world: &Hshg<f32, 2, u32>| -> Vec<u32> {
            world.core.pending.iter().map(|body| body.key).collect()
        };
        assert!(waiting(&alone).len() > 3000);
        assert_eq!(waiting(&several), waiting(&alone));
        several.assert_well_formed();
    }
}
