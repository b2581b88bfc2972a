//! The sweep: finds the overlapping slots of row pairs.
//!
//! Input: sorted rows and row pairs. Output: pairs of slots with overlapping slabs, or of keys.
//!
//! 1. A row with itself: compare each block of eight objects with the blocks that begin 1, 2, 3, …
//!    slots later (*lags*), until each object ends before its partner begins on the first axis.
//! 2. Two rows: pick the objects of each row that can reach the box of the other row. Then test
//!    blocks of eight of the shorter row's picks against the longer row's picks near them on the
//!    first axis.
//! 3. Remove hits of slots without an object, if kernels can report such hits
//!    ([`retain_live`](Hshg::retain_live)).
//! 4. Where slabs are not exact (`f64`), test the bounds ([`retain_exact`](Hshg::retain_exact)).
//! 5. Record the pairs if requested, convert them to pairs of keys, and filter these.
//!
//! If many tests hit and steps 3 to 5 are not needed, keys are written directly.
//!
//! Cost: O(n × lags per block / 8) per row; blocks and lags are counted for the row-height policy.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::kernel::sweep::{
    self, BetweenCursor, KeyOutput, Picks, RowIndexes, Run, WORDS, WithinCursor,
};
use broadphase_core::{
    Backend, Kernel, Keys, LANES, Lanes, Pair, PairSearch, Scalar, SearchStats, SlabPlanes, pairs,
    specialize,
};

use crate::grid::Hshg;
use crate::grid::storage::row::Row;
use crate::grid::storage::tiers::Tier;

/// A group of row pairs. Each group has a cache of its overlapping slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairGroup {
    /// Row pairs with a dynamic row.
    Moving,
    /// Row pairs in which both rows rest.
    Resting,
}

impl PairGroup {
    pub(crate) const ALL: [Self; 2] = [Self::Moving, Self::Resting];
}

#[derive(Clone, Debug, Default)]
pub(super) struct SweepScratch {
    pub(super) picked: Picks,
    /// For each tier, the number of blocks swept within rows and the number of lags.
    pub(super) work: Vec<[u64; 2]>,
    /// The number of tests between two rows.
    pub(super) tests_between: u64,
    /// The number of hits: pairs of slots that were found to overlap.
    pub(crate) hits: u64,
    /// The pairs of overlapping slots for the cache, if they are recorded.
    pub(super) recorded: Vec<[u32; 2]>,
}

impl SweepScratch {
    /// Prepares the buffers for rows of up to `longest` slots in `tiers` tiers, and resets the
    /// counters. `in_space` is set in three dimensions.
    pub(super) fn prepare(&mut self, longest: usize, tiers: usize, in_space: bool) {
        self.picked.reserve(longest, in_space);
        (self.tests_between, self.hits) = (0, 0);
        self.work.clear();
        self.work.resize(tiers, [0; 2]);
    }

    pub(crate) fn memory_use(&self) -> usize {
        self.picked.memory_use()
            + self.work.capacity() * size_of::<[u64; 2]>()
            + self.recorded.capacity() * size_of::<[u32; 2]>()
    }
}

/// The capacity of a buffer of hits.
pub(crate) const HITS: usize = 1024;

/// The rows on one side of a sweep.
#[derive(Clone, Copy)]
pub(super) struct Side<'a, const D: usize> {
    pub(crate) planes: SlabPlanes<'a, D>,
    pub(crate) rows: &'a [Row<D>],
    pub(crate) tiers: &'a [Tier],
}

/// A sweep: the row pairs, and for each of their sides the grid that has the rows.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a, const D: usize> {
    pub(crate) backend: Backend,
    pub(crate) sides: [Side<'a, D>; 2],
    /// Whether both sides are the same grid.
    pub(super) same_grid: bool,
    pub(crate) row_pairs: &'a [[u32; 2]],
    /// Whether a large share of tests is expected to hit.
    pub(super) hits_often: bool,
    /// The interpolation indices of the static rows, the last rows; only within one grid.
    pub(super) row_index: Option<&'a RowIndexes>,
}

impl<const D: usize> Sweep<'_, D> {
    /// Calls `emit` with the overlapping slots of all row pairs, up to [`HITS`] per call. Adds the
    /// number of tests between two rows to `tests_between`.
    pub(crate) fn each(
        &self,
        picked: &mut Picks,
        work: &mut [[u64; 2]],
        tests_between: &mut u64,
        mut emit: impl FnMut(&mut [[u32; 2]]),
    ) {
        let (mut hits, mut cursor) = ([[0; 2]; HITS], RowPairCursor::default());
        while cursor.index < self.row_pairs.len() {
            let filled = self.advance(picked, work, &mut cursor, &mut hits, None);
            *tests_between += core::mem::take(&mut cursor.between.tests);
            emit(&mut hits[..filled]);
        }
    }

    /// Sweeps row pairs from `cursor` on until the end or, unless keys are written directly, a full
    /// buffer. Returns the number of pairs of slots in the buffer.
    fn advance(
        &self,
        picked: &mut Picks,
        work: &mut [[u64; 2]],
        cursor: &mut RowPairCursor,
        hits: &mut [[u32; 2]],
        key_output: Option<KeyOutput<'_>>,
    ) -> usize {
        let sweep = *self;
        self.backend.dispatch(SweepRowPairs { sweep, key_output, picked, work, cursor, hits })
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct RowPairCursor {
    index: usize,
    within: WithinCursor,
    between: BetweenCursor,
}

/// A kernel that sweeps row pairs from `cursor` on, until the end or a full buffer. Returns the
/// number of pairs of slots written.
struct SweepRowPairs<'a, const D: usize> {
    sweep: Sweep<'a, D>,
    /// The list to which keys are written directly, if set (only within one grid), instead of
    /// slots.
    key_output: Option<KeyOutput<'a>>,
    picked: &'a mut Picks,
    work: &'a mut [[u64; 2]],
    cursor: &'a mut RowPairCursor,
    hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for SweepRowPairs<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let often = self.sweep.hits_often;
        specialize!(often, L, self.sweep(lanes, often))
    }
}

impl<const D: usize> SweepRowPairs<'_, D> {
    /// Sweeps the row pairs. `often` is as in [`hits::write_pairs`].
    ///
    /// [`hits::write_pairs`]: broadphase_core::kernel::hits::write_pairs
    #[inline(always)]
    fn sweep<L: Lanes>(self, lanes: L, often: bool) -> usize {
        let Sweep { sides, same_grid, row_pairs, row_index, .. } = self.sweep;
        let Self { mut key_output, picked, work, cursor, hits, .. } = self;
        let mut filled = 0;
        while let Some(&[a, b]) = row_pairs.get(cursor.index) {
            let pair = [&sides[0].rows[a as usize], &sides[1].rows[b as usize]];
            let done;
            if same_grid && a == b {
                let (planes, run) = (&sides[0].planes, pair[0].slots());
                let within = &mut cursor.within;
                if let (true, Some(key_output)) = (often, &mut key_output) {
                    within.lags = sweep::within_keys(lanes, planes, run, hits, key_output);
                    done = true;
                } else {
                    (filled, done) = sweep::within(lanes, often, planes, run, within, hits, filled);
                }
                if done {
                    let tier = sides[0].tiers.partition_point(|tier| tier.number < pair[0].id.tier);
                    let [blocks, lags] = &mut work[tier];
                    *blocks += pair[0].len.div_ceil(8) as u64;
                    *lags += core::mem::take(&mut within.lags);
                }
            } else {
                let flip = pair[0].len > pair[1].len;
                let [one, other] = [usize::from(flip), usize::from(!flip)];
                let run = |at: usize| {
                    let Row { bounds, .. } = *pair[at];
                    let row_index = row_index.and_then(|row_index| {
                        let unindexed = sides[at].rows.len() - row_index.len();
                        ([a, b][at] as usize).checked_sub(unindexed).map(|row| row_index.get(row))
                    });
                    Run { planes: sides[at].planes, places: pair[at].slots(), bounds, row_index }
                };
                let class = |tier: &Tier| tier.number < pair[other].id.tier;
                let tiers = sides[other].tiers;
                let tier = &tiers[tiers.partition_point(class)];
                (filled, done) = sweep::between(
                    lanes,
                    often,
                    &run(one),
                    &run(other),
                    tier.reach,
                    picked,
                    &mut cursor.between,
                    flip,
                    hits,
                    filled,
                );
            }
            if let Some(key_output) = &mut key_output {
                key_output.append(lanes, &hits[..filled]);
                filled = 0;
            } else if !done {
                return filled;
            }
            cursor.index += usize::from(done);
        }
        filled
    }
}

/// Tests hit *often* if there are more than this many hits per four lags on average.
const MIN_HITS_PER_FOUR_LAGS: u64 = 3;

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns the rows of this grid as one side of a sweep.
    pub(super) fn side(&self) -> Side<'_, D> {
        Side { planes: self.store.planes(), rows: &self.rows, tiers: &self.tiers }
    }

    /// Returns a sweep over a range of the active row pairs.
    fn sweep_of(&self, row_pairs: Range<usize>) -> Sweep<'_, D> {
        Sweep {
            backend: self.backend,
            sides: [self.side(); 2],
            same_grid: true,
            row_pairs: &self.row_pairs.active[row_pairs],
            hits_often: self.row_pairs.hits_often,
            row_index: Some(&self.row_pairs.row_index),
        }
    }

    /// Sweeps a range of the active row pairs and appends the keys of accepted pairs to `found`;
    /// records hits on request.
    pub(super) fn sweep_row_pairs(
        &self,
        row_pairs: Range<usize>,
        scratch: &mut SweepScratch,
        record: bool,
        search: &PairSearch<'_, S>,
        found: &mut Vec<Pair>,
    ) {
        let SweepScratch { picked, work, tests_between, hits: all, recorded } = scratch;
        self.sweep_of(row_pairs).each(picked, work, tests_between, |hits| {
            *all += hits.len() as u64;
            self.emit_hits(hits, record.then_some(&mut *recorded), search, found);
        });
    }

    /// Returns whether the sweep writes keys directly, because tests hit often, and no hit must be
    /// recorded or tested further.
    pub(super) fn writes_keys_directly(&self, record: bool) -> bool {
        self.row_pairs.hits_often && !record && S::EXACT_KEYS && !self.may_hit_holes()
    }

    /// Sweeps a range of the active row pairs and appends the keys of overlapping objects.
    pub(super) fn sweep_to_keys(
        &self,
        row_pairs: Range<usize>,
        scratch: &mut SweepScratch,
        found: &mut Vec<Pair>,
    ) {
        let before = found.len();
        let mut words = [0; WORDS];
        let key_output =
            KeyOutput { keys: &self.store.keys, words: &mut words, found: &mut *found };
        let SweepScratch { picked, work, tests_between, hits, .. } = scratch;
        let (mut buffer, mut cursor) = ([[0; 2]; HITS], RowPairCursor::default());
        let sweep = self.sweep_of(row_pairs);
        sweep.advance(picked, work, &mut cursor, &mut buffer, Some(key_output));
        *tests_between += cursor.between.tests;
        *hits += (found.len() - before) as u64;
    }

    /// Tests hits, records them if requested, and appends the keys of accepted pairs to `found`.
    pub(super) fn emit_hits(
        &self,
        hits: &mut [[u32; 2]],
        recorded: Option<&mut Vec<[u32; 2]>>,
        search: &PairSearch<'_, S>,
        found: &mut Vec<Pair>,
    ) {
        let pairs = self.retain_exact(self, self.retain_live(self, hits));
        if let Some(recorded) = recorded {
            recorded.extend_from_slice(pairs);
        }
        self.push_keys(pairs, search, found);
    }

    /// Appends the keys of pairs of slots to `found`, and removes the refused pairs.
    pub(super) fn push_keys(
        &self,
        hits: &[[u32; 2]],
        search: &PairSearch<'_, S>,
        found: &mut Vec<Pair>,
    ) {
        let from = found.len();
        pairs::append_keys(self.backend, found, hits, &self.store.keys);
        search.keep_accepted(found, from);
    }

    /// Returns whether kernels can report that holes or free slots overlap objects.
    const fn may_hit_holes(&self) -> bool {
        S::INTEGER || (D == 1 && self.holes > 0)
    }

    /// Removes hits of slots without an object. The first slots belong to this grid, the second to
    /// `other`.
    pub(super) fn retain_live<'a>(
        &self,
        other: &Self,
        hits: &'a mut [[u32; 2]],
    ) -> &'a mut [[u32; 2]] {
        if !(self.may_hit_holes() || other.may_hit_holes()) {
            return hits;
        }
        retain(hits, |a, b| self.is_live(a) && other.is_live(b))
    }

    /// Removes hits whose exact bounds do not overlap. Slots are as in
    /// [`retain_live`](Self::retain_live).
    pub(super) fn retain_exact<'a>(
        &self,
        other: &Self,
        hits: &'a mut [[u32; 2]],
    ) -> &'a [[u32; 2]] {
        if S::EXACT_KEYS {
            return hits;
        }
        // Rejected: prefetching the bounds, which is not faster.
        let (ours, theirs) = (&self.store.exact[..], &other.store.exact[..]);
        retain(hits, |a, b| ours[a].overlaps(&theirs[b]))
    }

    /// Returns the numbers of tests and hits of the last search for pairs, without cached ones.
    pub(crate) fn search_stats(&self) -> Option<SearchStats> {
        let SweepScratch { work, tests_between, hits, .. } = &self.row_pairs.scratch;
        let lags: u64 = work.iter().map(|&[_, lags]| lags).sum();
        let tests = lags * LANES as u64 + tests_between;
        (tests > 0).then_some(SearchStats { tests, hits: *hits })
    }

    /// Updates the sweep statistics of all tiers, and `hits_often`, after a complete search.
    pub(super) fn record_sweep(&mut self) {
        let SweepScratch { work, hits, .. } = &self.row_pairs.scratch;
        let lags: u64 = work.iter().map(|&[_, lags]| lags).sum();
        if lags > 0 {
            self.row_pairs.hits_often = 4 * *hits > MIN_HITS_PER_FOUR_LAGS * lags;
        }
        for (tier, &[blocks, lags]) in self.tiers.iter_mut().zip(&self.row_pairs.scratch.work) {
            tier.sweep_stats.record(blocks, lags);
        }
    }
}

/// Moves the hits that a test accepts to the front, in order, and returns them. Branch-free,
/// because the outcome is unpredictable.
#[inline(always)]
pub(crate) fn retain(
    hits: &mut [[u32; 2]],
    accepts: impl Fn(usize, usize) -> bool,
) -> &mut [[u32; 2]] {
    let mut kept = 0;
    for index in 0..hits.len() {
        let [a, b] = hits[index];
        hits[kept] = [a, b];
        kept += usize::from(accepts(a as usize, b as usize));
    }
    &mut hits[..kept]
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Backend, SpatialIndex, SpatialIndexExt};

    use crate::grid::Hshg;

    #[test]
    fn dense_hit_mode_switches_and_finds_equal_pairs() {
        for backend in Backend::available() {
            let mut world: Hshg<f32, 2> = Hshg::new();
            world.set_backend(backend);
            for key in 0..60 {
                world.insert(key, Aabb::point([0.0; 2])).expect("the key is unused");
            }
            let mut pairs = Vec::new();
            for hits_often in [false, true] {
                assert_eq!(world.row_pairs.hits_often, hits_often);
                // Invalidates cached pairs.
                world.update(|_, _| ()).expect("all bounds are valid");
                world.set_bounds(7, Aabb::point([0.0; 2])).expect("the key is known");
                world.pairs(&mut pairs);
                let all = (0..60).flat_map(|a| (a + 1..60).map(move |b| [a, b]));
                assert!(all.eq(pairs.iter().copied()), "on {backend}, often: {hits_often}");
            }
            let apart = |key: u32, bounds: &mut Aabb| {
                *bounds = Aabb::point([key as f32, 0.0]);
            };
            world.update(apart).expect("all bounds are valid");
            world.pairs(&mut pairs);
            assert_eq!((pairs.len(), world.row_pairs.hits_often), (0, false));
        }
    }
}
