//! Finds all pairs of a spatial hash.
//!
//! 1. *Optimize*: sort the storage, if due.
//! 2. *Cells*: test the entries of each active cell against each other ([`gather`], [`kernels`]).
//! 3. *Oversized*: test every object against the oversized objects. If all of these are static,
//!    test only movers.
//! 4. *Filter*: drop pairs of two static objects. If key bounds are rounded (`f64`), test the exact
//!    bounds. Append the keys of the pairs that the caller accepts.
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
use core::ops::Range;

use broadphase_core::kernel::within::Cursor;
use broadphase_core::motions::Motions;
use broadphase_core::objects::Objects;
use broadphase_core::{
    Backend, Keys, LANES, Pair, PairSearch, Scalar, SlabVec, instances, pairs, tasks,
};

use crate::hash::SpatialHash;
use crate::hash::cells::{Cells, Record};
use gather::Gathered;
use kernels::{GroupCursor, PairsInGroups, PairsWithOversized, pairs_in_groups};

/// Minimum amount of work for each job: entries of cells, or tests of an object against eight
/// oversized objects.
const MIN_OBJECTS_PER_JOB: usize = 8192;

/// The capacity of the buffer in which hits are collected before they are filtered.
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
struct SearchContext<'a, S, const D: usize> {
    objects: &'a Objects<S, D>,
    cells: &'a Cells<D>,
    /// The slots to test against oversized objects; `None` for all slots.
    movers: Option<&'a [u32]>,
    search: &'a PairSearch<'a, S>,
    backend: Backend,
}

impl<S: Scalar, const D: usize> SearchContext<'_, S, D> {
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

    /// Appends the pairs that a stage finds in a range of its active cells or slots.
    fn find(
        &self,
        stage: Stage,
        range: Range<usize>,
        gathered: &mut Gathered<D>,
        found: &mut Vec<Pair>,
    ) {
        let (keys, bounds) = (self.objects.keys(), self.objects.bounds());
        let mut append = |hits: &mut [[u32; 2]]| {
            let mut kept = hits.len();
            if !S::EXACT_KEYS {
                kept =
                    pairs::accepted(hits, |a, b| bounds[a as usize].overlaps(&bounds[b as usize]));
            }
            let from = found.len();
            pairs::append_keys(self.backend, found, &hits[..kept], keys);
            self.search.keep_accepted(found, from);
        };
        match stage {
            Stage::Cells => self.find_in_cells(range, gathered, &mut append),
            Stage::Oversized => {
                let Cells { records, oversized, oversized_slots, .. } = self.cells;
                let (slots, motions, backend) = (self.movers, self.objects.motions(), self.backend);
                find_with_oversized(
                    OversizedSweep {
                        records,
                        slots,
                        range,
                        oversized,
                        oversized_slots,
                        motions,
                        backend,
                    },
                    &mut append,
                );
            }
        }
    }

    /// Finds the pairs within a range of active cells.
    fn find_in_cells(
        &self,
        range: Range<usize>,
        gathered: &mut Gathered<D>,
        append: &mut Append<'_>,
    ) {
        let mut hits = [[0; 2]; HIT_BUFFER_LEN];
        let mut next = range.start;
        while next < range.end {
            gathered.gather(self.cells, &mut next, range.end);
            let mut cursor = GroupCursor::default();
            while cursor.group < gathered.groups.len() {
                let (cursor, hits) = (&mut cursor, &mut hits);
                let filled =
                    pairs_in_groups(self.backend, PairsInGroups { gathered, cursor, hits });
                append(&mut hits[..filled]);
            }
        }
    }
}

/// Receives a batch of pairs of slots, which it may reorder.
type Append<'a> = dyn FnMut(&mut [[u32; 2]]) + 'a;

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
    /// Finds the pairs that consist of an object of the range and an oversized object.
    fn find_with_oversized<D>(sweep: OversizedSweep<'_, D>, append: &mut Append<'_>) {
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
            append(&mut hits[..kept]);
        }
    }

    /// Writes the overlapping pairs. Sorts the storage before, if due.
    pub(crate) fn find_pairs<S, D>(
        hash: &mut SpatialHash<S, D>,
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        hash.sort_if_worthwhile();
        let SpatialHash { objects, cells, gathered, jobs, movers, backend, .. } = hash;
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
        let context = SearchContext { objects, cells, movers, search, backend: *backend };
        out.clear();
        for stage in [Stage::Cells, Stage::Oversized] {
            let ranges = context.ranges(stage);
            if ranges.is_empty() {
                context.find(stage, 0..context.len(stage), gathered, out);
                continue;
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
                context.find(stage, range.clone(), gathered, found);
            });
            for job in jobs {
                out.extend_from_slice(&job.found);
            }
        }
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
    fn every_stage_uses_several_jobs_if_there_are_threads_and_work() {
        let jobs = |giants: u32, threads| {
            let mut world: SpatialHash<f32, 2> = SpatialHash::new(2.0);
            for key in 0..40_000 {
                let at = [(key % 200) as f32, (key / 200) as f32];
                let radius = if key < giants { 50.0 } else { 0.6 };
                world.insert(key, Aabb::of_ball(at, radius)).expect("a free key");
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
