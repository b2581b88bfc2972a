//! All pairs of a spatial hash, in three stages: rows or cells, then what is oversized. Each stage
//! is a list that one thread goes through, or several, a stretch each.

pub(crate) mod gather;
pub(crate) mod kernels;
pub(crate) mod rows;

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use broadphase_core::kernel::sweep::{Picks, Reach};
use broadphase_core::kernel::within::Cursor;
use broadphase_core::motions::Motions;
use broadphase_core::objects::Objects;
use broadphase_core::{
    Backend, Entry, Flow, LANES, Pair, Scalar, SlabVec, SpatialIndex, instances, tasks,
};

use crate::hash::SpatialHash;
use crate::hash::cells::{Cells, Place};
use crate::hash::map::CellMap;
use gather::{Gathered, Work};
use kernels::{GroupCursor, PairsInGroups, PairsWithLarge, pairs_in_groups};
use rows::{JobCursor, PairsInRows, Rows, fill_rows, reach};

/// So many objects to be swept, or blocks to be tested, are worth another thread.
const LEAST: usize = 8192;

/// How many hits are looked at in one go.
const HITS: usize = 512;

/// What is gone through.
#[derive(Clone, Copy)]
enum Stage {
    /// The rows, if objects are in rows.
    Rows,
    /// The cells in which something moves, if they are not.
    Cells,
    /// All objects that may meet what is oversized.
    Large,
}

/// What a thread needs besides the objects, and what it counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hands<const D: usize> {
    gathered: Gathered<D>,
    picked: Picks,
    work: Work,
}

/// A stretch of a stage, and what is found there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Share<const D: usize> {
    stretch: Range<usize>,
    hands: Hands<D>,
    found: Vec<Pair>,
}

impl<const D: usize> Hands<D> {
    /// The bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.gathered.memory_use() + self.picked.memory_use()
    }

    /// Makes them ready for rows of up to so many objects.
    fn prepare(&mut self, longest: usize) {
        self.picked.reserve(longest, false);
        self.work = Work::default();
    }
}

impl<const D: usize> Share<D> {
    /// The bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.hands.memory_use() + self.found.capacity() * size_of::<Pair>()
    }
}

/// All that is only looked at.
struct Sweep<'a, S, const D: usize, T, M> {
    objects: &'a Objects<S, D, T>,
    cells: &'a Cells<D, M>,
    rows: &'a Rows<D>,
    in_rows: bool,
    /// The slots of those that may meet what is oversized, if these are not all.
    restless: Option<&'a [u32]>,
    /// How far those in rows reach.
    reach: Reach,
    backend: Backend,
}

impl<S: Scalar, const D: usize, T: Copy, M: CellMap<D>> Sweep<'_, S, D, T, M> {
    /// How many items a stage has.
    fn len(&self, stage: Stage) -> usize {
        match stage {
            Stage::Rows if self.in_rows => self.rows.jobs(),
            Stage::Cells if !self.in_rows => self.cells.table.active(),
            Stage::Large if self.cells.oversized() > 0 => self.tested(),
            _ => 0,
        }
    }

    /// How many objects are tested against what is oversized.
    fn tested(&self) -> usize {
        self.restless.map_or(self.objects.len(), <[u32]>::len)
    }

    /// What there is to do for each thread; nothing if one does it all.
    fn stretches(&self, stage: Stage) -> Vec<Range<usize>> {
        let len = self.len(stage);
        match stage {
            Stage::Rows => tasks::weighed((0..len).map(|job| self.rows.weight(job)), LEAST),
            Stage::Cells => {
                let weight = |number| self.cells.table.cell(number).count as usize + 1;
                tasks::weighed((0..len).map(weight), LEAST)
            }
            Stage::Large => {
                let blocks = self.cells.oversized().div_ceil(LANES).max(1);
                tasks::even(len, LEAST / blocks)
            }
        }
    }

    /// Visits the pairs of a stretch of a stage.
    #[inline(always)]
    fn visit<R: Flow>(
        &self,
        stage: Stage,
        stretch: Range<usize>,
        hands: &mut Hands<D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        let mut last = R::CONTINUE;
        let mut confirm = |met: &[[u32; 2]]| {
            for &[a, b] in met {
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
            Stage::Rows => {
                let Self { rows, reach, .. } = *self;
                let sweep = RowSweep { rows, jobs: stretch, reach, motions, backend };
                visit_rows(sweep, hands, &mut confirm)
            }
            Stage::Cells => self.visit_cells(stretch, hands, &mut confirm),
            Stage::Large => {
                let Cells { places, large, large_slots, .. } = self.cells;
                let rows = self.restless;
                visit_large(
                    LargeSweep { places, rows, stretch, large, large_slots, motions, backend },
                    &mut confirm,
                )
            }
        };
        last
    }

    /// Visits the pairs within a stretch of the cells.
    fn visit_cells(
        &self,
        stretch: Range<usize>,
        hands: &mut Hands<D>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let Hands { gathered, work, .. } = hands;
        let mut hits = [[0; 2]; HITS];
        let mut next = stretch.start;
        while next < stretch.end {
            gathered.gather(self.cells, &mut next, stretch.end, work);
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

/// Receives the slots of many pairs; breaks if the caller wants no more.
type Visit<'a> = dyn FnMut(&[[u32; 2]]) -> ControlFlow<()> + 'a;

/// A stretch of the jobs of rows.
struct RowSweep<'a, const D: usize> {
    rows: &'a Rows<D>,
    jobs: Range<usize>,
    reach: Reach,
    motions: &'a Motions,
    backend: Backend,
}

/// A stretch of the objects that may meet what is oversized.
struct LargeSweep<'a, const D: usize> {
    places: &'a [Place<D>],
    /// The slots of these objects, if they are not all in turn.
    rows: Option<&'a [u32]>,
    stretch: Range<usize>,
    large: &'a SlabVec<D>,
    large_slots: &'a [u32],
    motions: &'a Motions,
    backend: Backend,
}

instances! {
    /// Visits the pairs within rows, and between them.
    fn visit_rows<D>(
        sweep: RowSweep<'_, D>,
        hands: &mut Hands<D>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let RowSweep { rows, jobs, reach, motions, backend } = sweep;
        let Hands { picked, work, .. } = hands;
        let mut hits = [[0; 2]; HITS];
        let mut cursor = JobCursor::new(jobs);
        while !cursor.is_end() {
            let (picked, at, found) = (&mut *picked, &mut cursor, &mut hits[..]);
            let kernel = PairsInRows { rows, picked, reach, cursor: at, hits: found };
            let filled = backend.dispatch(kernel);
            let mut met = 0;
            for index in 0..filled {
                let Some([a, b]) = rows.slots(hits[index]) else { continue };
                hits[met] = [a, b];
                met += usize::from(!motions.keep_apart(a as usize, b as usize));
            }
            visit(&hits[..met])?;
        }
        work.blocks += cursor.blocks();
        ControlFlow::Continue(())
    }

    /// Visits the pairs of objects with what is oversized.
    fn visit_large<D>(sweep: LargeSweep<'_, D>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let LargeSweep { places, rows, stretch, large, large_slots, motions, backend } = sweep;
        let mut hits = [[0; 2]; HITS];
        let mut cursor = Cursor { row: stretch.start, ..Cursor::default() };
        while cursor.row < stretch.end {
            let (end, at, found) = (stretch.end, &mut cursor, &mut hits[..]);
            let kernel = PairsWithLarge { places, rows, end, large, cursor: at, hits: found };
            let filled = backend.dispatch(kernel);
            let mut met = 0;
            for index in 0..filled {
                let [slot, large] = hits[index];
                let other = large_slots[large as usize];
                hits[met] = [slot, other];
                // Two oversized objects meet twice here, and each meets itself.
                let again = places[slot as usize].is_oversized() && slot <= other;
                met += usize::from(!again && !motions.keep_apart(slot as usize, other as usize));
            }
            visit(&hits[..met])?;
        }
        ControlFlow::Continue(())
    }
}

impl<S, const D: usize, T, M> SpatialHash<S, D, T, M>
where
    S: Scalar,
    T: Copy + Send + Sync + 'static,
    M: CellMap<D>,
{
    /// Visits all pairs on one thread.
    pub(crate) fn sweep<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        self.sweep_by(|sweep, stage, hands, _| {
            sweep.visit(stage, 0..sweep.len(stage), hands, &mut visit)
        })
    }

    /// Writes all pairs that `accept` accepts.
    pub(crate) fn collect(
        &mut self,
        accept: &(impl Fn(&T, &T) -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        self.sweep_by(|sweep, stage, hands, shares| {
            let take = |stretch: Range<usize>, hands: &mut Hands<D>, found: &mut Vec<Pair>| {
                sweep.visit(stage, stretch, hands, &mut |a, b| {
                    if accept(a.data, b.data) {
                        found.push([a.key, b.key]);
                    }
                });
            };
            let stretches = sweep.stretches(stage);
            if stretches.is_empty() {
                take(0..sweep.len(stage), hands, out);
                return;
            }
            if shares.len() < stretches.len() {
                shares.resize_with(stretches.len(), Share::default);
            }
            let shares = &mut shares[..stretches.len()];
            for (share, stretch) in shares.iter_mut().zip(stretches) {
                share.stretch = stretch;
                share.hands.prepare(sweep.rows.longest());
                share.found.clear();
            }
            tasks::each(shares, |Share { stretch, hands, found }| {
                take(stretch.clone(), hands, found);
            });
            for share in shares {
                out.extend_from_slice(&share.found);
                hands.work += share.hands.work;
            }
        });
    }

    /// Goes through the stages, if `go` does not stop, and notes how much there was to do.
    #[inline(always)]
    fn sweep_by<R: Flow>(
        &mut self,
        mut go: impl FnMut(&Sweep<'_, S, D, T, M>, Stage, &mut Hands<D>, &mut Vec<Share<D>>) -> R,
    ) -> R {
        self.optimize();
        let Self { objects, cells, hands, shares, rows, restless, cell, backend, tuning, .. } =
            self;
        let mut work = Work::default();
        let in_rows = cells.are_in_rows() && fill_rows(rows, &cells.places, &mut work);
        hands.prepare(rows.longest());
        hands.work = work;
        // Where no oversized object moves, those that do not move either need not meet them.
        let some_rest = cells.large_moving == 0 && objects.motions().statics() > 1;
        restless.clear();
        if some_rest && cells.oversized() > 0 {
            restless
                .extend((0..).zip(&cells.places).filter(|(_, p)| !p.stays).map(|(slot, _)| slot));
        }
        let restless = some_rest.then_some(&restless[..]);
        let (reach, backend) = (reach(cell.to_f64(), S::INTEGER), *backend);
        let sweep = Sweep { objects, cells, rows, in_rows, restless, reach, backend };
        for stage in [Stage::Rows, Stage::Cells, Stage::Large] {
            let answer = go(&sweep, stage, hands, shares);
            if answer.stops() {
                return answer;
            }
        }
        hands.work.blocks +=
            sweep.tested() as u64 * (cells.oversized() as u64).div_ceil(LANES as u64);
        tuning.note(&hands.work);
        R::CONTINUE
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, SpatialIndex};

    use super::SpatialHash;
    use crate::Placement;

    #[test]
    fn every_stage_is_shared_out_where_there_are_threads_and_work() {
        let shares = |placement, giants: u32, threads| {
            let mut world: SpatialHash<f32, 2> = SpatialHash::new(2.0).with_placement(placement);
            for key in 0..40_000 {
                let at = [(key % 200) as f32, (key / 200) as f32];
                let radius = if key < giants { 50.0 } else { 0.6 };
                world.insert(key, Aabb::of_ball(at, radius), ()).expect("a free key");
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| {
                world.pairs(&mut Vec::new());
                world.shares.len()
            })
        };
        for placement in [Placement::EveryCell, Placement::FirstCell] {
            assert_eq!(shares(placement, 0, 1), 0);
            assert!(shares(placement, 0, 2) > 1, "{placement:?}");
            // More for what is oversized than for the rest.
            assert!(shares(placement, 30, 4) > shares(placement, 0, 4), "{placement:?}");
        }
    }
}
