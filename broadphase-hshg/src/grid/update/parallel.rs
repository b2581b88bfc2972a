//! Walks on several threads.
//!
//! 1. Split the rows, in storage order, into contiguous groups of about equal size.
//! 2. Each thread runs a [`Walker`] over its group. Changes outside of the group, such as in the
//!    key-to-slot map, are logged.
//! 3. Apply the logs on one thread. Objects that left their rows are appended in row order.
//!
//! A walker depends on its own rows only: the result equals that of a serial walk.

use alloc::vec::Vec;
use core::mem::take;
use core::ops::Range;

use broadphase_core::{FirstError, Scalar, WalkBatch, tasks};

use crate::grid::Hshg;
use crate::grid::storage::pending::Pending;
use crate::grid::storage::row::{Row, sort_references_as_stored};
use crate::grid::update::chunk::Chunk;
use crate::grid::update::store_slice::{StoreSlice, split_front};
use crate::grid::update::update_sink::UpdateSink;
use crate::grid::update::walker::{WalkContext, Walker};

/// The caller's closure, which changes the objects of a batch on several threads.
pub(super) type ParallelChange<'a, S, const D: usize> =
    dyn Fn(&mut WalkBatch<'_, S, D>) + Sync + 'a;

/// The minimum number of slots per thread.
const MIN_SLOTS_PER_TASK: usize = 8192;

/// The changes of one thread that are applied after all threads; empty between walks.
#[derive(Clone, Debug, Default)]
pub(crate) struct UpdateLog<S, const D: usize> {
    /// Keys of moved objects with their new slots.
    moved: Vec<(u32, usize)>,
    removed: Vec<u32>,
    /// Objects that left their rows.
    leaving: Pending<S, D>,
    /// For each row, its index and the end of its objects in `leaving`. After an interruption,
    /// objects of another row may follow.
    leaving_ends: Vec<(u32, usize)>,
    first_error: FirstError,
}

impl<S: Copy, const D: usize> UpdateLog<S, D> {
    pub(crate) const fn memory_use(&self) -> usize {
        self.moved.capacity() * size_of::<(u32, usize)>()
            + self.removed.capacity() * size_of::<u32>()
            + self.leaving.memory_use()
            + self.leaving_ends.capacity() * size_of::<(u32, usize)>()
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns whether a walk over all objects is done by several threads.
    pub(super) fn walks_in_parallel(&self) -> bool {
        // Holes of one-dimensional integer bounds are recognised only by the key-to-slot map, which
        // parallel walkers do not have.
        let has_map = S::INTEGER && D == 1;
        !has_map && tasks::divides(self.len, MIN_SLOTS_PER_TASK)
    }

    /// Walks over all rows on several threads, and writes the changes outside of rows to logs.
    pub(super) fn walk_jobs(&mut self, change: &ParallelChange<'_, S, D>) {
        let context = WalkContext { tiers: &self.tiers, sizes: self.sizes, backend: self.backend };
        let rows = (0..).zip(&mut self.rows).filter(|(_, row)| row.len > 0);
        let mut rows: Vec<(u32, &mut Row<D>)> = rows.collect();
        sort_references_as_stored(&mut rows);
        let ranges = tasks::weighed(rows.iter().map(|(_, row)| row.len), MIN_SLOTS_PER_TASK);
        // Without ranges, because few objects are in rows, one thread walks over all rows.
        let lens = ranges.iter().map(Range::len);
        let lens: Vec<usize> =
            if ranges.is_empty() { alloc::vec![rows.len()] } else { lens.collect() };
        if self.logs.len() < lens.len() {
            self.logs.resize_with(lens.len(), UpdateLog::default);
        }
        let (mut store, mut rows) = (StoreSlice::new(&mut self.store), &mut rows[..]);
        let mut jobs = Vec::with_capacity(lens.len());
        for (log, len) in self.logs.iter_mut().zip(lens) {
            let UpdateLog { moved, removed, leaving, leaving_ends, first_error } = log;
            let rows = split_front(&mut rows, len);
            let end = rows.last().map_or(0, |(_, row)| row.begin + row.room);
            let sink = UpdateSink::Logged { moved, removed };
            let walker = Walker::new(store.split_before(end), context, sink, leaving, first_error);
            jobs.push((walker, rows, leaving_ends));
        }
        tasks::each(&mut jobs, |(walker, rows, leaving_ends)| {
            let mut chunk = Chunk::new();
            for (index, row) in &mut **rows {
                walker.walk_row(row, &mut chunk, &mut { change });
                leaving_ends.push((*index, walker.leaving.len()));
            }
        });
    }

    /// Applies and clears all logs. Objects of an interrupted row come last.
    pub(super) fn apply_logs(&mut self, first_error: &mut FirstError) {
        let mut logs = take(&mut self.logs);
        let mut groups = Vec::new();
        for UpdateLog { moved, removed, leaving, leaving_ends, first_error: own } in &mut logs {
            first_error.merge(take(own));
            self.len -= removed.len();
            self.holes += removed.len() + leaving.len();
            moved.drain(..).for_each(|(key, slot)| self.slots.relocate(key, slot));
            removed.drain(..).for_each(|key| self.slots.remove(key));
            let (leaving, mut begin) = (&*leaving, 0);
            leaving_ends.push((u32::MAX, leaving.len()));
            for (index, end) in leaving_ends.drain(..) {
                groups.push((index, leaving, begin..end));
                begin = end;
            }
        }
        groups.retain(|(_, _, range)| !range.is_empty());
        groups.sort_unstable_by_key(|&(index, ..)| index);
        for (_, leaving, range) in groups {
            range.for_each(|at| self.push_pending(leaving.get(at)));
        }
        logs.iter_mut().for_each(|log| log.leaving.clear());
        self.logs = logs;
    }
}

#[cfg(feature = "rayon")]
#[cfg(test)]
mod tests {
    use broadphase_core::{Aabb, Scalar, SpatialIndex, SpatialIndexExt};

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
        pool.expect("the thread pool starts").install(|| {
            world.par_update(|_, _| ()).expect("bounds are unchanged");
        });
        world.assert_well_formed();
        world.logs.len()
    }

    #[test]
    fn several_walkers_run_when_threads_and_work_suffice() {
        assert_eq!(logs::<f32, 2>(50_000, 1), 0);
        assert_eq!(logs::<f32, 2>(5000, 2), 0);
        assert!(logs::<f32, 2>(50_000, 2) > 2);
        assert!(logs::<f64, 3>(50_000, 3) > 2);
        assert_eq!(logs::<i32, 1>(50_000, 2), 0, "one-dimensional integers are walked serially");
    }
}
