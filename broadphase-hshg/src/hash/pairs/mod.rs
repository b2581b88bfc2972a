//! Finds all pairs of a spatial hash.
//!
//! 1. *Optimize*: sort the storage, if due.
//! 2. *Cells*: test the entries of each active cell against each other ([`gather`], [`kernels`]).
//! 3. *Oversized*: test every object against the oversized objects. If all of these are static,
//!    test only movers.
//! 4. *Filter and emit*: drop pairs of two static objects. If key bounds are rounded (`f64`), test
//!    the exact bounds. Then pass the pair to the visitor.
//!
//! Step 2 runs over a list of active cells, step 3 over a list of slots ([`Stage`]). For several
//! threads the list is cut into ranges of about equal work, one [`Job`] for each. Results are
//! concatenated in order, independent of the number of threads.
//!
//! Cost: linear in the entries of active cells, plus the tests within them, eight at a time; in a
//! crowded cell with few movers, the number of movers times the number of entries.
//!
//! Rejected: storing each object in one cell only, and sweeping rows of cells. Compared with the
//! present design and cells of twice the recommended side, ticks took 5 to 44 % less time, but
//! twice as much time where sizes differ (`tail:10000`). Ticks of `Hshg` took a half to a tenth of
//! the time of the rejected design.

pub(crate) mod gather;
pub(crate) mod kernels;

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use broadphase_core::kernel::within::Cursor;
use broadphase_core::motions::Motions;
use broadphase_core::objects::Objects;
use broadphase_core::{
    Backend, Entry, Flow, Keys, LANES, Pair, Scalar, SlabVec, SpatialIndex, instances, tasks,
};

use crate::hash::SpatialHash;
use crate::hash::cells::{Cells, Record};
use gather::Gathered;
use kernels::{GroupCursor, PairsInGroups, PairsWithOversized, pairs_in_groups};

/// Minimum amount of work for each job: entries of cells, or tests of an object against eight
/// oversized objects.
const MIN_OBJECTS_PER_JOB: usize = 8192;

/// The capacity of the buffer in which hits are collected before they are filtered and visited.
const HIT_BUFFER_LEN: usize = 512;

/// The two steps of a search for pairs that threads share, in order.
#[derive(Clone, Copy)]
enum Stage {
    /// Tests the active cells.
    Cells,
    /// Tests objects against oversized objects.
    Oversized,
}

/// A range of active cells or slots that one thread searches, and the pairs it finds there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job<const D: usize> {
    range: Range<usize>,
    gathered: Gathered<D>,
    found: Vec<Pair>,
}

impl<const D: usize> Job<D> {
    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.gathered.memory_use() + self.found.capacity() * size_of::<Pair>()
    }
}

/// The data shared by all jobs, read-only.
struct SearchContext<'a, S, const D: usize, T> {
    objects: &'a Objects<S, D, T>,
    cells: &'a Cells<D>,
    /// The slots to test against oversized objects; `None` for all slots.
    movers: Option<&'a [u32]>,
    backend: Backend,
}

impl<S: Scalar, const D: usize, T: Copy> SearchContext<'_, S, D, T> {
    /// Returns the number of active cells or of slots that a stage of the search tests.
    fn len(&self, stage: Stage) -> usize {
        match stage {
            Stage::Cells => self.cells.table.active(),
            Stage::Oversized if self.cells.oversized() > 0 => self.tested_objects(),
            _ => 0,
        }
    }

    /// Returns the number of objects that are tested against oversized objects.
    fn tested_objects(&self) -> usize {
        self.movers.map_or(self.objects.len(), <[u32]>::len)
    }

    /// Cuts the active cells or slots of a stage into one range for each job. Returns no ranges if
    /// one thread is enough.
    fn ranges(&self, stage: Stage) -> Vec<Range<usize>> {
        let len = self.len(stage);
        match stage {
            Stage::Cells => {
                let cells = self.cells.table.cells()[..len].iter();
                tasks::weighed(cells.map(|cell| cell.count as usize + 1), MIN_OBJECTS_PER_JOB)
            }
            Stage::Oversized => {
                let blocks = self.cells.oversized().div_ceil(LANES).max(1);
                tasks::even(len, MIN_OBJECTS_PER_JOB / blocks)
            }
        }
    }

    /// Visits the pairs that a stage finds in a range of its active cells or slots.
    #[inline(always)]
    fn visit<R: Flow>(
        &self,
        stage: Stage,
        range: Range<usize>,
        gathered: &mut Gathered<D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        let mut last = R::CONTINUE;
        let mut emit_exact = |hits: &[[u32; 2]]| {
            for &[a, b] in hits {
                let [a, b] = self.objects.entries(a as usize, b as usize);
                if !(S::EXACT_KEYS || a.bounds.overlaps(&b.bounds)) {
                    continue;
                }
                let answer = visit(a, b);
                if answer.stops() {
                    last = answer;
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        };
        let (motions, backend) = (self.objects.motions(), self.backend);
        let _ = match stage {
            Stage::Cells => self.visit_cells(range, gathered, &mut emit_exact),
            Stage::Oversized => {
                let Cells { records, oversized, oversized_slots, .. } = self.cells;
                let slots = self.movers;
                visit_oversized(
                    OversizedSweep {
                        records,
                        slots,
                        range,
                        oversized,
                        oversized_slots,
                        motions,
                        backend,
                    },
                    &mut emit_exact,
                )
            }
        };
        last
    }

    /// Visits the pairs within a range of active cells.
    fn visit_cells(
        &self,
        range: Range<usize>,
        gathered: &mut Gathered<D>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let mut hits = [[0; 2]; HIT_BUFFER_LEN];
        let mut next = range.start;
        while next < range.end {
            gathered.gather(self.cells, &mut next, range.end);
            let mut cursor = GroupCursor::default();
            while cursor.group < gathered.groups.len() {
                let (cursor, hits) = (&mut cursor, &mut hits);
                let filled =
                    pairs_in_groups(self.backend, PairsInGroups { gathered, cursor, hits });
                visit(&hits[..filled])?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Receives a batch of pairs of slots, and breaks to stop the search.
type Visit<'a> = dyn FnMut(&[[u32; 2]]) -> ControlFlow<()> + 'a;

/// A range of objects to test against oversized objects.
struct OversizedSweep<'a, const D: usize> {
    records: &'a [Record<D>],
    /// The slots to test, to which `range` applies; `None` for all slots in order.
    slots: Option<&'a [u32]>,
    range: Range<usize>,
    oversized: &'a SlabVec<D>,
    oversized_slots: &'a [u32],
    motions: &'a Motions,
    backend: Backend,
}

instances! {
    /// Visits the pairs that consist of an object of the range and an oversized object.
    fn visit_oversized<D>(sweep: OversizedSweep<'_, D>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let OversizedSweep { records, slots, range, oversized, .. } = sweep;
        let OversizedSweep { oversized_slots, motions, backend, .. } = sweep;
        let mut hits = [[0; 2]; HIT_BUFFER_LEN];
        let mut cursor = Cursor { row: range.start, ..Cursor::default() };
        while cursor.row < range.end {
            let (end, at, found) = (range.end, &mut cursor, &mut hits[..]);
            let kernel =
                PairsWithOversized { records, slots, end, oversized, cursor: at, hits: found };
            let filled = backend.dispatch(kernel);
            let mut kept = 0;
            for index in 0..filled {
                let [slot, position] = hits[index];
                let other = oversized_slots[position as usize];
                hits[kept] = [slot, other];
                // A pair of oversized objects is found twice, and each oversized object also
                // overlaps itself.
                let is_duplicate = records[slot as usize].is_oversized() && slot <= other;
                let is_kept = !is_duplicate && !motions.keep_apart(slot as usize, other as usize);
                kept += usize::from(is_kept);
            }
            visit(&hits[..kept])?;
        }
        ControlFlow::Continue(())
    }
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> SpatialHash<S, D, T> {
    /// Visits all pairs on one thread.
    pub(crate) fn visit_pairs<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        self.run_stages(|context, stage, gathered, _| {
            context.visit(stage, 0..context.len(stage), gathered, &mut visit)
        })
    }

    /// Writes all pairs for which `accept` returns `true`, in the order found.
    pub(crate) fn find_pairs(
        &mut self,
        accept: &(impl Fn(&T, &T) -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        self.run_stages(|context, stage, gathered, jobs| {
            let find = |range: Range<usize>, gathered: &mut Gathered<D>, found: &mut Vec<Pair>| {
                context.visit(stage, range, gathered, &mut |a, b| {
                    if accept(a.data, b.data) {
                        found.push([a.key, b.key]);
                    }
                });
            };
            let ranges = context.ranges(stage);
            if ranges.is_empty() {
                find(0..context.len(stage), gathered, out);
                return;
            }
            if jobs.len() < ranges.len() {
                jobs.resize_with(ranges.len(), Job::default);
            }
            let jobs = &mut jobs[..ranges.len()];
            for (job, range) in jobs.iter_mut().zip(ranges) {
                job.range = range;
                job.found.clear();
            }
            tasks::each(jobs, |Job { range, gathered, found }| {
                find(range.clone(), gathered, found);
            });
            for job in jobs {
                out.extend_from_slice(&job.found);
            }
        });
    }

    /// Sorts the storage if due, and then calls `go` for each stage until `go` stops.
    #[inline(always)]
    fn run_stages<R: Flow>(
        &mut self,
        mut go: impl FnMut(&SearchContext<'_, S, D, T>, Stage, &mut Gathered<D>, &mut Vec<Job<D>>) -> R,
    ) -> R {
        self.optimize();
        let Self { objects, cells, gathered, jobs, movers, backend, .. } = self;
        // If all oversized objects are static, other static objects need no test against them.
        let some_rest = cells.oversized_moving == 0 && objects.motions().statics() > 1;
        movers.clear();
        if some_rest && cells.oversized() > 0 {
            movers.extend(
                (0..)
                    .zip(&cells.records)
                    .filter(|(_, record)| !record.is_static)
                    .map(|(slot, _)| slot),
            );
        }
        let movers = some_rest.then_some(&movers[..]);
        let context = SearchContext { objects, cells, movers, backend: *backend };
        for stage in [Stage::Cells, Stage::Oversized] {
            let answer = go(&context, stage, gathered, jobs);
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, SpatialIndex};

    use super::SpatialHash;

    #[test]
    fn every_stage_uses_several_jobs_if_there_are_threads_and_work() {
        let jobs = |giants: u32, threads| {
            let mut world: SpatialHash<f32, 2> = SpatialHash::new(2.0);
            for key in 0..40_000 {
                let at = [(key % 200) as f32, (key / 200) as f32];
                let radius = if key < giants { 50.0 } else { 0.6 };
                world.insert(key, Aabb::of_ball(at, radius), ()).expect("a free key");
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| {
                world.pairs(&mut Vec::new());
                world.jobs.len()
            })
        };
        assert_eq!(jobs(0, 1), 0);
        assert!(jobs(0, 2) > 1);
        // The stage of oversized objects needs more jobs than the stage of cells.
        assert!(jobs(30, 4) > jobs(0, 4));
    }
}
