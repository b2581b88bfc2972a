//! Walks on several threads: each has some rows, side by side in the store, and a part of the
//! store with nothing but these.
//!
//! What a walker does to its rows depends on no other row, and what it writes in its log is taken
//! over in one order, that of the rows: so all is in the end as if one had walked.

use alloc::vec::Vec;

use broadphase_core::{IndexError, Scalar, tasks};

use super::Hshg;
use super::chunk::Chunk;
use super::part::{Part, front};
use super::row::{KINDS, Row, sort_as_stored};
use super::store::Body;
use super::visit::Visit;
use super::walk::Worst;
use super::walker::{Moves, Plan, UpdateSink, Walk, Walker};

/// So many places are worth another thread.
const LEAST: usize = 8192;

/// What one thread walks over, and what is to be done once all have walked.
#[derive(Clone, Debug)]
pub(super) struct Log<S, const D: usize, T> {
    /// Rows, with their indices.
    rows: Vec<(u32, Row<D>)>,
    /// Keys, and where they are now.
    moved: Vec<(u32, usize)>,
    removed: Vec<u32>,
    /// Objects that wait for another row.
    away: Vec<Body<S, D, T>>,
    /// Where the objects that left a row end among these, and that row.
    ends: Vec<(u32, usize)>,
    moves: Moves<S, D>,
    worst: Worst,
    outgrown: bool,
    left: Option<u8>,
}

impl<S, const D: usize, T> Default for Log<S, D, T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            moved: Vec::new(),
            removed: Vec::new(),
            away: Vec::new(),
            ends: Vec::new(),
            moves: Moves::default(),
            worst: Worst::default(),
            outgrown: false,
            left: None,
        }
    }
}

impl<S, const D: usize, T> Log<S, D, T> {
    pub(super) const fn memory_use(&self) -> usize {
        self.rows.capacity() * size_of::<(u32, Row<D>)>()
            + self.moved.capacity() * size_of::<(u32, usize)>()
            + self.removed.capacity() * size_of::<u32>()
            + self.away.capacity() * size_of::<Body<S, D, T>>()
            + self.ends.capacity() * size_of::<(u32, usize)>()
            + self.moves.memory_use()
    }

    /// Forgets all but the memory.
    fn clear(&mut self) {
        self.rows.clear();
        self.moved.clear();
        self.removed.clear();
        self.away.clear();
        self.ends.clear();
        (self.worst, self.outgrown, self.left) = (Worst::default(), false, None);
    }
}

/// All rows in the hands of callers one of whom may panic; if nobody forgets this, that has
/// happened.
struct Interrupted<'a, S: Scalar, const D: usize, T: Copy + Send + Sync> {
    hshg: &'a mut Hshg<S, D, T>,
    logs: Vec<Log<S, D, T>>,
    walkers: usize,
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync> Drop for Interrupted<'_, S, D, T> {
    #[cold]
    fn drop(&mut self) {
        let Self { hshg, logs, walkers } = self;
        for log in &mut logs[..*walkers] {
            // Those that left a row which was not walked over to its end.
            log.ends.push((u32::MAX, log.away.len()));
        }
        hshg.take_over(&logs[..*walkers], &mut Worst::default());
        hshg.take_back(hshg.rows.len());
    }
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync> Hshg<S, D, T> {
    /// Walks over all objects on all threads.
    pub(super) fn walk_at_once(
        &mut self,
        visit: impl Visit<S, D, T> + Copy + Send + Sync,
    ) -> Result<(), IndexError> {
        let mut logs = core::mem::take(&mut self.logs);
        let walkers = self.divide(&mut logs);
        if walkers == 0 {
            self.logs = logs;
            return self.walk(KINDS, &mut { visit });
        }
        let mut worst = Worst::default();
        self.walk_pending(KINDS, &mut { visit }, &mut worst);
        let mut interrupted = Interrupted { hshg: self, logs, walkers };
        let Interrupted { hshg, logs, .. } = &mut interrupted;
        hshg.walk_apart(&mut logs[..walkers], visit);
        let logs = core::mem::take(logs);
        core::mem::forget(interrupted);
        self.take_over(&logs[..walkers], &mut worst);
        self.logs = logs;
        self.refresh();
        worst.result()
    }

    /// Gives each walker rows that are side by side; yields how many walkers there are, 0 if one
    /// thread should walk alone.
    fn divide(&self, logs: &mut Vec<Log<S, D, T>>) -> usize {
        // On a line of integers only the slots tell holes from objects.
        if (S::INTEGER && D == 1) || tasks::even(self.len, LEAST).is_empty() {
            return 0;
        }
        let mut rows: Vec<u32> =
            (0..).zip(&self.rows).filter(|(_, row)| row.len > 0).map(|(index, _)| index).collect();
        sort_as_stored(&mut rows, &self.rows);
        let row = |index: u32| (index, self.rows[index as usize]);
        let stretches = tasks::weighed(rows.iter().map(|&index| row(index).1.len), LEAST);
        if logs.len() < stretches.len() {
            logs.resize_with(stretches.len(), Log::default);
        }
        for (log, stretch) in logs.iter_mut().zip(&stretches) {
            log.clear();
            log.rows.extend(rows[stretch.clone()].iter().map(|&index| row(index)));
        }
        stretches.len()
    }

    /// Walks over the rows that are in the logs.
    fn walk_apart(
        &mut self,
        logs: &mut [Log<S, D, T>],
        visit: impl Visit<S, D, T> + Copy + Send + Sync,
    ) {
        let within_skin = self.walks_within_skin();
        if !within_skin {
            self.touch_rows(self.rows.len());
        }
        let plan = Plan {
            tiers: &self.tiers,
            sizes: self.sizes,
            margins: self.margins,
            backend: self.backend,
        };
        let mut rest = Part::new(&mut self.store.places);
        let (mut data, mut cut) = (&mut self.store.data[..], 0);
        let mut all = Vec::with_capacity(logs.len());
        for log in logs.iter_mut() {
            let Log { rows, moved, removed, away, ends, moves, worst, outgrown, left } = log;
            let end = rows.last().map_or(0, |(_, row)| row.begin + row.room);
            let sink = UpdateSink::Logged { moved, removed };
            let walker = Walker::new(rest.cut(end), plan, sink, moves, worst);
            let walk = Walk { walker, data: front(&mut data, end - cut), away };
            all.push((walk, rows, ends, outgrown, left));
            cut = end;
        }
        tasks::each(&mut all, |(walk, rows, ends, outgrown, left)| {
            let mut chunk = Chunk::new();
            let mut visit = visit;
            for (index, row) in rows.iter_mut() {
                **outgrown |= if within_skin {
                    walk.walk_within_skin(row, &mut chunk, &mut visit)
                } else {
                    walk.walk_row(row, &mut chunk, &mut visit)
                };
                if !within_skin {
                    ends.push((*index, walk.away.len()));
                }
            }
            **left = walk.walker.left;
        });
        if within_skin && all.iter().any(|(_, _, _, outgrown, _)| **outgrown) {
            tasks::each(&mut all, |(walk, rows, ends, outgrown, _)| {
                let mut chunk = Chunk::new();
                for (index, row) in rows.iter_mut() {
                    walk.put_in_order(row, &mut chunk);
                    ends.push((*index, walk.away.len()));
                }
                **outgrown = true;
            });
        }
    }

    /// Takes over what walkers noted.
    fn take_over(&mut self, logs: &[Log<S, D, T>], worst: &mut Worst) {
        let outgrown = logs.iter().any(|log| log.outgrown);
        if self.walks_within_skin() {
            let left = logs.iter().filter_map(|log| log.left).max();
            self.touch_after_skin(self.rows.len(), outgrown, left);
        } else {
            self.wear.renewed(outgrown);
        }
        let mut groups = Vec::new();
        for log in logs {
            worst.merge(&log.worst);
            for &(index, row) in &log.rows {
                self.rows[index as usize] = row;
            }
            for &(key, place) in &log.moved {
                self.slots.relocate(key, place);
            }
            for &key in &log.removed {
                self.slots.remove(key);
            }
            self.len -= log.removed.len();
            self.holes += log.removed.len() + log.away.len();
            let mut begin = 0;
            for &(index, end) in &log.ends {
                if begin < end {
                    groups.push((index, &log.away[begin..end]));
                }
                begin = end;
            }
        }
        groups.sort_unstable_by_key(|&(index, _)| index);
        for &body in groups.into_iter().flat_map(|(_, group)| group) {
            self.await_row(body);
        }
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Scalar, SpatialIndex};

    use super::{Hshg, Worst};

    /// How many logs there are after a walk by so many threads.
    fn logs<S: Scalar, const D: usize>(count: u32, threads: usize) -> usize {
        let mut world: Hshg<S, D, u32> = Hshg::new();
        for key in 0..count {
            let at = [key % 200, key / 200, 0].map(|x| S::from_f64(f64::from(x)));
            let at = core::array::from_fn(|axis| at[axis]);
            world.insert(key, Aabb::point(at), 0).expect("a free key");
        }
        world.optimize();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let walked = world.par_update(|key, sum, _| *sum += key);
            walked.expect("bounds stay");
        });
        assert!((0..count).all(|key| world.get(key).is_some_and(|entry| *entry.data == key)));
        world.assert_well_formed();
        world.logs.len()
    }

    #[test]
    fn several_walk_where_there_are_threads_and_work() {
        assert_eq!(logs::<f32, 2>(50_000, 1), 0);
        assert_eq!(logs::<f32, 2>(5000, 2), 0);
        assert!(logs::<f32, 2>(50_000, 2) > 2);
        assert!(logs::<i32, 3>(50_000, 3) > 2);
        assert_eq!(logs::<i32, 1>(50_000, 2), 0, "slots must tell what is there");
    }

    #[test]
    fn those_that_leave_wait_in_the_order_of_rows() {
        let mut alone: Hshg<f32, 2, u32> = Hshg::new();
        // The later a row was made, the lower it is: so rows are not stored in their order.
        for key in 0..40_000 {
            let at = [(key % 100) as f32, -((key / 100) as f32)];
            alone.insert(key, Aabb::of_ball(at, 0.5), key).expect("a free key");
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
        let mut worst = Worst::default();
        alone.walk_rows(alone.rows.len(), &mut { keep }, &mut worst);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        pool.expect("threads").install(|| {
            let mut logs = Vec::new();
            assert!(several.divide(&mut logs) > 2);
            several.walk_apart(&mut logs, keep);
            several.take_over(&logs, &mut worst);
        });
        let waiting = |world: &Hshg<f32, 2, u32>| -> Vec<u32> {
            world.pending.iter().map(|body| body.key).collect()
        };
        assert!(waiting(&alone).len() > 3000);
        assert_eq!(waiting(&several), waiting(&alone));
        several.assert_well_formed();
    }
}
