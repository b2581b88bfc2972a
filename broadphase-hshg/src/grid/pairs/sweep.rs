//! The pairs of all rows: each within itself, and with every row near it.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use broadphase_core::kernel::sweep::{
    self, BetweenCursor, Guides, Names, Picks, Run, WORDS, WithinCursor,
};
use broadphase_core::{Backend, Kernel, Lanes, Pair, Scalar, SlabPlanes, instances};

use crate::grid::Core;
use crate::grid::pairs::row_pairs::QUIET;
use crate::grid::pairs::sink::{PairSink, PairVisitor};
use crate::grid::storage::row::Row;
use crate::grid::storage::tiers::Tier;

/// What a sweep needs besides the rows, and what it notes.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct Broom {
    pub(in crate::grid) picked: Picks,
    /// How many blocks were swept within rows, and at how many lags, for each tier.
    pub(in crate::grid) work: Vec<[u64; 2]>,
    /// How many pairs of places were hits.
    pub(in crate::grid) hits: u64,
    /// Which places met, if that is wanted.
    pub(in crate::grid) met: Vec<[u32; 2]>,
}

impl Broom {
    /// Makes it ready for rows of up to so many places, in so many tiers.
    pub(in crate::grid) fn prepare(&mut self, longest: usize, tiers: usize, in_space: bool) {
        self.picked.reserve(longest, in_space);
        self.hits = 0;
        self.work.clear();
        self.work.resize(tiers, [0; 2]);
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        self.picked.memory_use()
            + self.work.capacity() * size_of::<[u64; 2]>()
            + self.met.capacity() * size_of::<[u32; 2]>()
    }
}

/// How many hits are looked at in one go.
pub(in crate::grid) const HITS: usize = 1024;

/// Where the walk over all joins has come to.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::grid) struct JoinCursor {
    pub(in crate::grid) join: usize,
    /// The join to stop before.
    pub(in crate::grid) end: usize,
    pub(in crate::grid) within: WithinCursor,
    pub(in crate::grid) between: BetweenCursor,
}

/// Goes on from `cursor` until the joins end or the buffer is full; yields how many pairs of
/// places it wrote. Rows are those of one structure, or of two.
pub(in crate::grid) struct PairsOfRows<'a, const D: usize> {
    pub(in crate::grid) planes: [SlabPlanes<'a, D>; 2],
    pub(in crate::grid) rows: [&'a [Row<D>]; 2],
    pub(in crate::grid) tiers: [&'a [Tier]; 2],
    /// Whether both are the same structure.
    pub(in crate::grid) alone: bool,
    pub(in crate::grid) joins: &'a [[u32; 2]],
    /// Whether tests often hit.
    pub(in crate::grid) often: bool,
    /// The guides of the last rows, if they are known; only where both structures are one.
    pub(in crate::grid) guides: Option<&'a Guides>,
    /// Where the keys of all pairs go, so that none are left in the buffer; only where both
    /// structures are one.
    pub(in crate::grid) names: Option<Names<'a>>,
    pub(in crate::grid) picked: &'a mut Picks,
    pub(in crate::grid) work: &'a mut [[u64; 2]],
    pub(in crate::grid) cursor: &'a mut JoinCursor,
    pub(in crate::grid) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for PairsOfRows<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        if self.often { self.sweep::<true, L>(lanes) } else { self.sweep::<false, L>(lanes) }
    }
}

impl<const D: usize> PairsOfRows<'_, D> {
    /// One loop for each way to write hits: a choice in the loop took longer.
    #[inline(always)]
    fn sweep<const OFTEN: bool, L: Lanes>(self, lanes: L) -> usize {
        let Self { planes, rows, tiers, alone, joins, .. } = self;
        let Self { guides, mut names, picked, work, cursor, hits, .. } = self;
        let mut filled = 0;
        while let Some(&[a, b]) = joins[..cursor.end].get(cursor.join) {
            let pair = [&rows[0][a as usize], &rows[1][b as usize]];
            let done;
            if alone && a == b {
                let (planes, run) = (&planes[0], pair[0].places());
                let within = &mut cursor.within;
                if let (true, Some(names)) = (OFTEN, &mut names) {
                    within.lags = sweep::within_named(lanes, planes, run, hits, names);
                    done = true;
                } else {
                    (filled, done) =
                        sweep::within::<OFTEN, _, _>(lanes, planes, run, within, hits, filled);
                }
                if done {
                    let tier = tiers[0].partition_point(|tier| tier.number < pair[0].id.tier);
                    let [blocks, lags] = &mut work[tier];
                    *blocks += pair[0].len.div_ceil(8) as u64;
                    *lags += core::mem::take(&mut within.lags);
                }
            } else {
                let flip = pair[0].len > pair[1].len;
                let [one, other] = [usize::from(flip), usize::from(!flip)];
                let run = |at: usize| {
                    let Row { bounds, .. } = *pair[at];
                    let guide = guides.filter(|_| alone).and_then(|guides| {
                        let unguided = rows[at].len() - guides.len();
                        ([a, b][at] as usize).checked_sub(unguided).map(|row| guides.get(row))
                    });
                    Run { planes: planes[at], places: pair[at].places(), bounds, guide }
                };
                let kind = |tier: &Tier| tier.number < pair[other].id.tier;
                let tier = &tiers[other][tiers[other].partition_point(kind)];
                (filled, done) = sweep::between::<OFTEN, _, _>(
                    lanes,
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
            if let Some(names) = &mut names {
                names.append(lanes, &hits[..filled]);
                filled = 0;
            } else if !done {
                return filled;
            }
            cursor.join += usize::from(done);
        }
        filled
    }
}

/// More hits than so many for four lags of a block are many.
const OFTEN: u64 = 3;

instances! {
    /// [`Core::sweep`], compiled once.
    pub(in crate::grid) fn sweep<S, D>(
        core: &mut Core<S, D>,
        visit: &mut PairVisitor<'_, S, D>,
    ) -> ControlFlow<()> {
        core.sweep(&mut PairSink::Visit(visit))
    }

    /// Runs [`PairsOfRows`].
    pub(in crate::grid) fn sweep_rows<D>(backend: Backend, kernel: PairsOfRows<'_, D>) -> usize {
        backend.dispatch(kernel)
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Visits the places of all pairs, many at a time. The rows are up to date.
    fn sweep(&mut self, sink: &mut PairSink<'_, S, D>) -> ControlFlow<()> {
        self.join();
        for part in [0, QUIET] {
            self.sweep_part(part, sink)?;
        }
        self.weigh();
        ControlFlow::Continue(())
    }

    /// Visits the pairs of the busy joins, or of the quiet ones, on one thread.
    pub(in crate::grid) fn sweep_part(
        &mut self,
        part: usize,
        sink: &mut PairSink<'_, S, D>,
    ) -> ControlFlow<()> {
        if let Some(known) = self.joins.meetings[part].known() {
            return self.meet_again(known, sink);
        }
        let noted = self.begin_notes(part);
        let mut broom = core::mem::take(&mut self.joins.broom);
        broom.met = core::mem::take(&mut self.joins.meetings[part].list);
        let joins = self.joins.range(part);
        let mut answer = ControlFlow::Continue(());
        match sink {
            PairSink::Keys(found) if self.names_at_once(noted) => {
                self.name_joins(joins, &mut broom, found);
            }
            _ => answer = self.sweep_joins(joins, &mut broom, noted, sink),
        }
        if answer.is_continue() {
            let all = 0..self.surroundings.len(part);
            answer = self.meet_around(all, noted.then_some(&mut broom.met), sink);
        }
        self.joins.meetings[part].list = core::mem::take(&mut broom.met);
        self.joins.broom = broom;
        answer?;
        self.joins.meetings[part].end(noted);
        answer
    }

    /// Whether it is worth while to note who meets; what was noted is forgotten.
    pub(in crate::grid) fn begin_notes(&mut self, part: usize) -> bool {
        self.joins.meetings[part].begin(part == QUIET || self.store.skinned)
    }

    /// Visits those who met at the last sweep.
    pub(in crate::grid) fn meet_again(
        &self,
        list: &[[u32; 2]],
        sink: &mut PairSink<'_, S, D>,
    ) -> ControlFlow<()> {
        let mut hits = [[0; 2]; HITS];
        list.chunks(HITS).try_for_each(|list| {
            hits[..list.len()].copy_from_slice(list);
            sink.take(self, self.confirm(&mut hits[..list.len()]))
        })
    }

    /// Sweeps some of the joins, and notes who meets if that is wanted.
    pub(in crate::grid) fn sweep_joins(
        &self,
        joins: Range<usize>,
        broom: &mut Broom,
        noted: bool,
        sink: &mut PairSink<'_, S, D>,
    ) -> ControlFlow<()> {
        let Broom { picked, work, hits: all, met: notes } = broom;
        let mut hits = [[0; 2]; HITS];
        let mut cursor = JoinCursor { join: joins.start, end: joins.end, ..JoinCursor::default() };
        while cursor.join < cursor.end {
            let filled = self.sweep_rows(picked, work, &mut cursor, &mut hits, None);
            *all += filled as u64;
            self.hand_out(&mut hits[..filled], noted.then_some(&mut *notes), sink)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether sweeps may append the keys of all that hits, as none of it has to be looked at again;
    /// where tests rarely hit, it is no faster.
    pub(in crate::grid) fn names_at_once(&self, noted: bool) -> bool {
        self.joins.often && !noted && self.store.is_exact() && !self.has_ghosts()
    }

    /// Sweeps some of the joins, and appends the keys of those who meet.
    pub(in crate::grid) fn name_joins(
        &self,
        joins: Range<usize>,
        broom: &mut Broom,
        found: &mut Vec<Pair>,
    ) {
        let before = found.len();
        let mut words = [0; WORDS];
        let mut cursor = JoinCursor { join: joins.start, end: joins.end, ..JoinCursor::default() };
        let names = Names { keys: &self.store.keys, words: &mut words, found: &mut *found };
        let Broom { picked, work, .. } = &mut *broom;
        self.sweep_rows(picked, work, &mut cursor, &mut [[0; 2]; HITS], Some(names));
        broom.hits += (found.len() - before) as u64;
    }

    /// Goes on from `cursor`: until the buffer is full, or to the end where keys go to a list.
    fn sweep_rows(
        &self,
        picked: &mut Picks,
        work: &mut [[u64; 2]],
        cursor: &mut JoinCursor,
        hits: &mut [[u32; 2]],
        names: Option<Names<'_>>,
    ) -> usize {
        self.backend.dispatch(PairsOfRows {
            planes: [self.store.planes(); 2],
            rows: [&self.rows; 2],
            tiers: [&self.tiers; 2],
            alone: true,
            joins: &self.joins.now,
            often: self.joins.often,
            guides: Some(&self.joins.guides),
            names,
            picked,
            work,
            cursor,
            hits,
        })
    }

    /// Visits pairs of places with overlapping slabs, and notes them if that is wanted.
    pub(in crate::grid) fn hand_out(
        &self,
        hits: &mut [[u32; 2]],
        notes: Option<&mut Vec<[u32; 2]>>,
        sink: &mut PairSink<'_, S, D>,
    ) -> ControlFlow<()> {
        let met = self.without_ghosts(hits);
        if let Some(notes) = notes {
            notes.extend_from_slice(met);
        }
        sink.take(self, self.confirm(met))
    }

    /// Whether free places and holes may seem to overlap something.
    fn has_ghosts(&self) -> bool {
        S::INTEGER || (D == 1 && self.holes > 0)
    }

    /// Of hits those of places with objects.
    fn without_ghosts<'a>(&self, hits: &'a mut [[u32; 2]]) -> &'a mut [[u32; 2]] {
        if !self.has_ghosts() {
            return hits;
        }
        let mut live = 0;
        for index in 0..hits.len() {
            let [a, b] = hits[index];
            hits[live] = [a, b];
            live += usize::from(self.is_live(a as usize) && self.is_live(b as usize));
        }
        &mut hits[..live]
    }

    /// Of hits those whose bounds overlap, not only their slabs.
    fn confirm<'a>(&self, hits: &'a mut [[u32; 2]]) -> &'a [[u32; 2]] {
        if self.store.is_exact() {
            return hits;
        }
        // Hard to guess: so no branch depends on it. To ask for bounds ahead: no faster.
        let mut met = 0;
        for index in 0..hits.len() {
            let [a, b] = hits[index];
            hits[met] = [a, b];
            let bounds = self.store.bounds(a as usize);
            met += usize::from(bounds.overlaps(&self.store.bounds(b as usize)));
        }
        &hits[..met]
    }

    /// Takes note of what sweeps had to do.
    pub(in crate::grid) fn weigh(&mut self) {
        let Broom { work, hits, .. } = &self.joins.broom;
        let lags: u64 = work.iter().map(|&[_, lags]| lags).sum();
        if lags > 0 {
            self.joins.often = 4 * *hits > OFTEN * lags;
        }
        for (tier, &[blocks, lags]) in self.tiers.iter_mut().zip(&self.joins.broom.work) {
            tier.load.weigh(blocks, lags);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Backend, Scalar, SpatialIndex};

    use crate::grid::Hshg;

    #[test]
    fn sweeps_that_often_hit_are_known_and_find_the_same() {
        for backend in Backend::available() {
            let mut world: Hshg<f32, 2> = Hshg::new();
            world.set_backend(backend);
            for key in 0..60 {
                world.insert(key, Aabb::point([0.0; 2]), ()).expect("a free key");
            }
            let mut pairs = Vec::new();
            for often in [false, true] {
                assert_eq!(world.core.joins.often, often);
                // So that they are not those of the last time.
                world.update(|_, (), _| ()).expect("nothing is invalid");
                world.set_bounds(7, Aabb::point([0.0; 2])).expect("it is there");
                world.pairs(&mut pairs);
                let all = (0..60).flat_map(|a| (a + 1..60).map(move |b| [a, b]));
                assert!(all.eq(pairs.iter().copied()), "on {backend}, often: {often}");
            }
            let apart = |key: u32, (): &mut (), bounds: &mut Aabb| {
                *bounds = Aabb::point([key as f32, 0.0]);
            };
            world.update(apart).expect("all are valid");
            world.pairs(&mut pairs);
            assert_eq!((pairs.len(), world.core.joins.often), (0, false));
        }
    }

    /// All pairs of boxes, by the definition.
    fn expected<S: Scalar>(boxes: &[Aabb<S, 3>]) -> Vec<[u32; 2]> {
        let all = (0..boxes.len()).flat_map(|a| (a + 1..boxes.len()).map(move |b| [a, b]));
        let met = all.filter(|&[a, b]| boxes[a].overlaps(&boxes[b]));
        met.map(|pair| pair.map(|index| index as u32)).collect()
    }

    /// Some boxes on each of some lines, from short ones to such that end where numbers do.
    fn on_lines<S: Scalar>(count: usize, ends: [S; 2]) -> Vec<Aabb<S, 3>> {
        let at = |x: usize| S::from_f64(x as f64);
        let mut boxes = Vec::new();
        for index in 0..count {
            let (x, y) = (index / 16 * 4, index % 16 * 7);
            let size = 4 + index % 3 * 4;
            boxes.push(Aabb::new([at(x), at(y), at(0)], [at(x + size), at(y + size), at(size)]));
        }
        for _ in 0..count / 8 {
            boxes.push(Aabb::new([ends[0]; 3], [ends[1]; 3]));
            boxes.push(Aabb::new([at(0), at(3), at(3)], [ends[1]; 3]));
        }
        boxes
    }

    fn crowds_are_swept<S: Scalar>(ends: [S; 2]) {
        for (backend, count) in Backend::available().flat_map(|b| (200..217).map(move |n| (b, n))) {
            let boxes = on_lines(count, ends);
            let mut world: Hshg<S, 3> = Hshg::new();
            world.set_backend(backend);
            let (mut pairs, expected) = (Vec::new(), expected(&boxes));
            for (key, bounds) in (0..).zip(&boxes) {
                if key as usize == count {
                    // Rows as wide as those on lines need them.
                    world.pairs(&mut pairs);
                }
                world.insert(key, *bounds, ()).expect("a free key");
            }
            assert!(world.core.rows.len() > 3);
            for round in 0..3 {
                world.core.joins.often = round > 0;
                // So that they are not those of the last time.
                world.set_bounds(0, boxes[0]).expect("it is there");
                world.pairs(&mut pairs);
                assert_eq!(pairs, expected, "{count} on {backend}, round {round}");
            }
        }
    }

    #[test]
    fn crowds_in_space_are_swept_whatever_they_reach() {
        crowds_are_swept([f32::MIN, f32::MAX]);
        crowds_are_swept([f64::MIN, f64::MAX]);
        crowds_are_swept([i32::MIN, i32::MAX]);
    }
}
