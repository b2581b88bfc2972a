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

use broadphase_core::{FirstError, IndexError, Scalar, WalkBatch, tasks};

use crate::grid::Hshg;
use crate::grid::storage::row::{Class, Row, sort_as_stored};
use crate::grid::storage::store::Body;
use crate::grid::update::batch::Change;
use crate::grid::update::chunk::Chunk;
use crate::grid::update::store_slice::StoreSlice;
use crate::grid::update::update_sink::UpdateSink;
use crate::grid::update::walker::{WalkContext, Walker};

/// The caller's closure, which changes the objects of a batch, possibly on several threads at once.
type ParallelChange<'a, S, const D: usize> = dyn Fn(&mut WalkBatch<'_, S, D>) + Sync + 'a;

/// The minimum number of slots per thread.
const MIN_SLOTS_PER_TASK: usize = 8192;

/// The rows of one thread, and the changes to apply after all threads have finished.
#[derive(Clone, Debug)]
pub(in crate::grid) struct UpdateLog<S, const D: usize> {
    /// Copies of the thread's rows, with their indices in `Hshg::rows`. The walk changes the
    /// copies.
    rows: Vec<(u32, Row<D>)>,
    /// Keys of moved objects with their new slots.
    moved: Vec<(u32, usize)>,
    removed: Vec<u32>,
    /// Objects that left their rows.
    leaving: Vec<Body<S, D>>,
    /// For each row, its index and the end of its objects in `leaving`.
    leaving_ends: Vec<(u32, usize)>,
    first_error: FirstError,
}

impl<S, const D: usize> Default for UpdateLog<S, D> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            moved: Vec::new(),
            removed: Vec::new(),
            leaving: Vec::new(),
            leaving_ends: Vec::new(),
            first_error: FirstError::default(),
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
    }

    /// Clears the log without freeing memory.
    fn clear(&mut self) {
        self.rows.clear();
        self.moved.clear();
        self.removed.clear();
        self.leaving.clear();
        self.leaving_ends.clear();
        self.first_error = FirstError::default();
    }
}

/// The rows of one thread, and a walker with the part of the store that has their slots.
struct Job<'a, S, const D: usize> {
    walker: Walker<'a, S, D>,
    rows: &'a mut Vec<(u32, Row<D>)>,
    leaving_ends: &'a mut Vec<(u32, usize)>,
}

impl<S: Scalar, const D: usize> Job<'_, S, D> {
    /// Walks over the rows.
    fn walk_rows(&mut self, change: &mut Change<'_, S, D>) {
        let mut chunk = Chunk::new();
        for (index, row) in &mut *self.rows {
            self.walker.walk_row(row, &mut chunk, change);
            self.leaving_ends.push((*index, self.walker.leaving.len()));
        }
    }
}

/// Panic guard: applies the logs and sorts all rows if a caller's closure unwinds. Disarmed with
/// `mem::forget`.
struct UnwindGuard<'a, S: Scalar, const D: usize> {
    grid: &'a mut Hshg<S, D>,
    logs: Vec<UpdateLog<S, D>>,
    walkers: usize,
}

impl<S: Scalar, const D: usize> Drop for UnwindGuard<'_, S, D> {
    #[cold]
    fn drop(&mut self) {
        let logs = &mut self.logs[..self.walkers];
        for log in &mut *logs {
            // Objects that left the interrupted row, which has no entry yet.
            log.leaving_ends.push((u32::MAX, log.leaving.len()));
        }
        self.grid.apply_logs(logs, &mut FirstError::default());
        self.grid.restore_order(self.grid.rows.len());
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Walks over all objects on all threads of the current pool, then refreshes.
    pub(in crate::grid) fn walk_in_parallel(
        &mut self,
        change: &ParallelChange<'_, S, D>,
    ) -> Result<(), IndexError> {
        let mut logs = core::mem::take(&mut self.logs);
        let walkers = self.split_rows(&mut logs);
        if walkers == 0 {
            self.logs = logs;
            return self.walk_serially(Class::Static, &mut { change });
        }
        let mut first_error = FirstError::default();
        self.walk_pending(Class::Static, &mut { change }, &mut first_error);
        let mut guard = UnwindGuard { grid: self, logs, walkers };
        guard.grid.walk_jobs(&mut guard.logs[..walkers], change);
        let logs = core::mem::take(&mut guard.logs);
        core::mem::forget(guard);
        self.apply_logs(&logs[..walkers], &mut first_error);
        self.logs = logs;
        self.refresh();
        first_error.result()
    }

    /// Distributes all rows among logs, contiguous in the store. Returns the number of logs, or 0
    /// if a serial walk is better.
    fn split_rows(&self, logs: &mut Vec<UpdateLog<S, D>>) -> usize {
        // With one-dimensional integer bounds, holes are recognised only by the key-to-slot map,
        // which walkers on several threads do not have.
        if (S::INTEGER && D == 1) || tasks::even(self.len, MIN_SLOTS_PER_TASK).is_empty() {
            return 0;
        }
        let rows = (0..).zip(&self.rows).filter(|(_, row)| row.len > 0);
        let mut rows: Vec<u32> = rows.map(|(index, _)| index).collect();
        sort_as_stored(&mut rows, &self.rows);
        let row = |index: u32| (index, self.rows[index as usize]);
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

    /// Returns one job for each log: the rows of the log and the part of the store with their
    /// slots.
    fn jobs<'a>(&'a mut self, logs: &'a mut [UpdateLog<S, D>]) -> Vec<Job<'a, S, D>> {
        let context = WalkContext { tiers: &self.tiers, sizes: self.sizes, backend: self.backend };
        let mut rest = StoreSlice::new(&mut self.store);
        let mut jobs = Vec::with_capacity(logs.len());
        for log in logs {
            let UpdateLog { rows, moved, removed, leaving, leaving_ends, first_error } = log;
            let end = rows.last().map_or(0, |(_, row)| row.begin + row.room);
            let sink = UpdateSink::Logged { moved, removed };
            let store = rest.split_before(end);
            let walker = Walker::new(store, context, sink, leaving, first_error);
            jobs.push(Job { walker, rows, leaving_ends });
        }
        jobs
    }

    /// Walks over the rows in the logs, with one job per log.
    fn walk_jobs(&mut self, logs: &mut [UpdateLog<S, D>], change: &ParallelChange<'_, S, D>) {
        let mut jobs = self.jobs(logs);
        tasks::each(&mut jobs, |job| job.walk_rows(&mut { change }));
    }

    /// Applies the logs of all walkers.
    fn apply_logs(&mut self, logs: &[UpdateLog<S, D>], first_error: &mut FirstError) {
        logs.iter().for_each(|log| first_error.merge(log.first_error));
        self.invalidate_rows(self.rows.len());
        let mut groups = Vec::new();
        for log in logs {
            for &(index, row) in &log.rows {
                self.rows[index as usize] = row;
            }
            for &(key, slot) in &log.moved {
                self.slots.relocate(key, slot);
            }
            for &key in &log.removed {
                self.slots.remove(key);
            }
            self.len -= log.removed.len();
            self.holes += log.removed.len() + log.leaving.len();
            let mut begin = 0;
            for &(index, end) in &log.leaving_ends {
                if begin < end {
                    groups.push((index, &log.leaving[begin..end]));
                }
                begin = end;
            }
        }
        groups.sort_unstable_by_key(|&(index, _)| index);
        for &body in groups.into_iter().flat_map(|(_, bodies)| bodies) {
            self.push_pending(body);
        }
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use broadphase_core::{Aabb, FirstError, Scalar, SpatialIndex, SpatialIndexExt, WalkBatch};

    use crate::grid::Hshg;

    /// Returns the number of logs after a walk on `threads` threads.
    fn logs<S: Scalar, const D: usize>(count: u32, threads: usize) -> usize {
        let mut world: Hshg<S, D> = Hshg::new();
        for key in 0..count {
            let at = [key % 200, key / 200, 0].map(|x| S::from_f64(f64::from(x)));
            let at = core::array::from_fn(|axis| at[axis]);
            world.insert(key, Aabb::point(at)).expect("the key is unused");
        }
        world.optimize();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let sum = AtomicU64::new(0);
        pool.expect("the thread pool starts").install(|| {
            let walked = world.par_update(|key, _| _ = sum.fetch_add(key.into(), Relaxed));
            walked.expect("bounds are unchanged");
        });
        assert_eq!(sum.into_inner(), (0..u64::from(count)).sum(), "each object is visited once");
        world.assert_well_formed();
        world.logs.len()
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
        let mut alone: Hshg<f32, 2> = Hshg::new();
        // Objects inserted later are lower on the second axis, so the storage order differs from
        // the row order.
        for key in 0..40_000 {
            let at = [(key % 100) as f32, -((key / 100) as f32)];
            alone.insert(key, Aabb::of_ball(at, 0.5)).expect("the key is unused");
            if key % 5000 == 0 {
                alone.optimize();
            }
        }
        alone.optimize();
        let mut several = alone.clone();
        let change = |batch: &mut WalkBatch<'_, f32, 2>| {
            batch.each(|key, bounds| {
                let far = if key.is_multiple_of(7) { 40.0 } else { 0.0 };
                *bounds = bounds.translated([0.0, far]);
            });
        };
        let mut first_error = FirstError::default();
        alone.walk_rows(alone.rows.len(), &mut { change }, &mut first_error);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        pool.expect("the thread pool starts").install(|| {
            let mut logs = Vec::new();
            assert!(several.split_rows(&mut logs) > 2);
            several.walk_jobs(&mut logs, &change);
            several.apply_logs(&logs, &mut first_error);
        });
        let waiting = |world: &Hshg<f32, 2>| -> Vec<u32> {
            world.pending.iter().map(|body| body.key).collect()
        };
        assert!(waiting(&alone).len() > 3000);
        assert_eq!(waiting(&several), waiting(&alone));
        several.assert_well_formed();
    }
}
