//! The pairs of what may move: with each other, and with what is static.
//!
//! Who meets is recording once nothing has pairs_stale between two pair_state, and from then on only handed out
//! until something changes. With a skin it is recording always, and looked at again exactly.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use broadphase_core::pairs::Meetings;
use broadphase_core::{Pair, Scalar, instances};

use super::batched_descent::{self, BATCH, DescentQueues, ResumeDescents};
use super::geometry::Geometry;
use super::join::{self, HITS_LEN, JoinCursor, JoinTrees};
use super::layer::{Layer, VACANT};
use super::layer_store::{MOVING, STATIC};
use super::pair_ids::PairIds;
use super::parallel::Job;

/// With so many times as many static objects as others, groups of those reach over too many.
const SPARSE_RATIO: usize = 8;

/// What pair_state need, and what they have found.
#[derive(Clone, Debug)]
pub(super) struct PairState<const D: usize> {
    /// The slots of those who meet in the join with each layer.
    pub(super) caches: [Meetings; 2],
    /// What threads have in hand; between pair_state, only its memory.
    pub(super) jobs: Vec<Job<D>>,
    /// How often two objects were tested against each other for the last pairs.
    pub(super) tests: u64,
}

/// What one thread needs for a join, and what it recorded.
#[derive(Clone, Debug)]
pub(super) struct JoinScratch<const D: usize> {
    join: JoinCursor<D>,
    descents: DescentQueues,
    hits: Vec<[u32; 2]>,
    /// The slots of those who candidates, if that is wanted.
    pub(super) candidates: Vec<[u32; 2]>,
}

impl<const D: usize> JoinScratch<D> {
    pub(super) fn new() -> Self {
        Self {
            join: JoinCursor::new(),
            descents: DescentQueues::new(),
            hits: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// How often it has tested two objects, from now on 0.
    pub(super) const fn take_tests(&mut self) -> u64 {
        let tests = self.join.tests + self.descents.tests;
        (self.join.tests, self.descents.tests) = (0, 0);
        tests
    }

    pub(super) fn memory_use(&self) -> usize {
        self.join.memory_use()
            + self.descents.memory_use()
            + (self.hits.capacity() + self.candidates.capacity()) * size_of::<[u32; 2]>()
    }
}

impl<const D: usize> PairState<D> {
    pub(super) fn new() -> Self {
        let caches = [Meetings::default(), Meetings::default()];
        Self { caches, jobs: Vec::new(), tests: 0 }
    }

    /// Forgets who meets, since objects have pairs_stale.
    pub(super) fn invalidate(&mut self) {
        self.caches.iter_mut().for_each(Meetings::forget);
    }

    pub(super) fn memory_use(&self) -> usize {
        self.caches.iter().map(Meetings::memory_use).sum::<usize>()
            + self.jobs.capacity() * size_of::<Job<D>>()
            + self.jobs.iter().map(Job::memory_use).sum::<usize>()
    }
}

/// Receives the slots of many pairs; breaks if the caller wants no more.
pub(super) type Visit<'a> = dyn FnMut(&[[u32; 2]]) -> ControlFlow<()> + 'a;

instances! {
    /// Visits the slots of all pairs, many at a time, on one thread.
    pub(super) fn visit_pairs<S, D>(
        geometry: Geometry<'_, S, D>,
        pair_state: &mut PairState<D>,
        visit: &mut Visit<'_>,
    ) {
        for other in [MOVING, STATIC] {
            if geometry.visit_layer_pairs(pair_state, other, visit).is_break() {
                return;
            }
        }
    }
}

impl<S: Scalar, const D: usize> Geometry<'_, S, D> {
    /// Visits the pairs of what may move with a layer, on one thread.
    fn visit_layer_pairs(
        &self,
        pair_state: &mut PairState<D>,
        other: usize,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        if let Some(known) = pair_state.caches[other].known() {
            return self.replay_cached(known, visit);
        }
        let recording = self.begin_recording(pair_state, other);
        let mut job = pair_state.jobs.pop().unwrap_or_else(Job::new);
        let scratch = &mut job.scratch;
        core::mem::swap(&mut scratch.candidates, &mut pair_state.caches[other].list);
        let answer = self.join_parts(other, 0..self.part_count(other), scratch, recording, visit);
        core::mem::swap(&mut scratch.candidates, &mut pair_state.caches[other].list);
        pair_state.tests += scratch.take_tests();
        pair_state.jobs.push(job);
        if answer.is_continue() {
            pair_state.caches[other].end(recording);
        }
        answer
    }

    /// Whether it is worth while to note who meets; what was recording is forgotten.
    pub(super) fn begin_recording(&self, pair_state: &mut PairState<D>, other: usize) -> bool {
        pair_state.caches[other].begin(self.margin > S::ZERO)
    }

    /// Visits those who were recording.
    pub(super) fn replay_cached(
        &self,
        list: &[[u32; 2]],
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        if self.is_exact() {
            return visit(list);
        }
        let mut hits = [[0; 2]; 512];
        for list in list.chunks(hits.len()) {
            hits[..list.len()].copy_from_slice(list);
            visit(self.retain_exact(&mut hits[..list.len()]))?;
        }
        ControlFlow::Continue(())
    }

    /// Whether groups of objects would reach over too much of a layer.
    pub(super) fn is_sparse(&self, other: usize) -> bool {
        let [moving, other_layer] = [&self.store.layers[MOVING], &self.store.layers[other]];
        other == STATIC && other_layer.slots.len() > SPARSE_RATIO * moving.slots.len()
    }

    /// In how many part_count the pairs with a layer are found.
    pub(super) fn part_count(&self, other: usize) -> usize {
        let moving = &self.store.layers[MOVING];
        match moving.tree.heights.get(2) {
            _ if self.is_sparse(other) => moving.slots.len().div_ceil(BATCH),
            Some(groups) => groups.len,
            None => 0,
        }
    }

    /// Visits the pairs of some part_count, and recorded who meets if that is wanted.
    pub(super) fn join_parts(
        &self,
        other: usize,
        part_count: Range<usize>,
        scratch: &mut JoinScratch<D>,
        recording: bool,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let mut recorded = core::mem::take(&mut scratch.candidates);
        let needs_no_filter = self.needs_no_filter(other);
        let answer = self.run_join(other, part_count, scratch, None, &mut |candidates| {
            let candidates =
                if needs_no_filter { candidates } else { self.remove_invalid(candidates) };
            if recording {
                recorded.extend_from_slice(candidates);
            }
            visit(self.retain_exact(candidates))
        });
        scratch.candidates = recorded;
        answer
    }

    /// Appends the keys of the pairs of some part_count, where
    /// [they are enough](Self::can_emit_keys).
    pub(super) fn append_keys_of_parts(
        &self,
        other: usize,
        part_count: Range<usize>,
        scratch: &mut JoinScratch<D>,
        found: &mut Vec<Pair>,
    ) {
        let _ = self.run_join(other, part_count, scratch, Some(self.keys), &mut |pairs| {
            found.extend_from_slice(pairs);
            ControlFlow::Continue(())
        });
    }

    /// Visits the ids of all that meet in some part_count: their keys if there is a list of these, else
    /// their slots.
    fn run_join(
        &self,
        other: usize,
        part_count: Range<usize>,
        scratch: &mut JoinScratch<D>,
        keys: Option<&[u32]>,
        visit: &mut dyn FnMut(&mut [[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let JoinScratch { join, descents, hits, .. } = scratch;
        if hits.is_empty() {
            *hits = alloc::vec![[0; 2]; HITS_LEN];
        }
        let layers = [&self.store.layers[MOVING], &self.store.layers[other]];
        let trees = layers.map(|layer| &layer.tree);
        let ids = layers.map(|layer| PairIds { slots: &layer.slots, keys });
        let is_sparse = self.is_sparse(other);
        if is_sparse {
            let end = layers[0].slots.len().min(part_count.end * BATCH);
            descents.begin(part_count.start * BATCH..end, trees[1].heights.len());
        } else {
            join.begin(part_count);
        }
        loop {
            let filled = if is_sparse {
                batched_descent::resume(
                    self.backend,
                    ResumeDescents { trees, ids, queues: descents, hits },
                )
            } else {
                let is_self = other == MOVING;
                join::resume(self.backend, JoinTrees { trees, ids, is_self, cursor: join, hits })
            };
            if filled == 0 {
                return ControlFlow::Continue(());
            }
            visit(&mut hits[..filled])?;
        }
    }

    /// Whether all that meet in a join with a layer are pairs.
    fn needs_no_filter(&self, other: usize) -> bool {
        let layers = [&self.store.layers[MOVING], &self.store.layers[other]];
        // Padding seems to overlap what spans everything.
        let may_yield_invalid =
            |layer: &Layer<D>| layer.vacant > 0 || layer.tree.spans_everything();
        // Few static objects may be among those that move.
        let (statics, sorted) = (self.motions.statics(), self.store.layers[STATIC].live());
        (statics < 2 || statics == sorted) && !layers.into_iter().any(may_yield_invalid)
    }

    /// Whether those who meet in a join with a layer may be called by their keys at once.
    pub(super) fn can_emit_keys(&self, other: usize) -> bool {
        self.is_exact() && self.needs_no_filter(other)
    }

    /// Of those who meet those that may be pairs.
    fn remove_invalid<'a>(&self, hits: &'a mut [[u32; 2]]) -> &'a mut [[u32; 2]] {
        let motions = self.motions;
        let mut candidates = 0;
        for index in 0..hits.len() {
            let [a, b] = hits[index];
            hits[candidates] = [a, b];
            // The larger one is nobody if any of them is.
            candidates += usize::from(b != VACANT && !motions.keep_apart(a as usize, b as usize));
        }
        &mut hits[..candidates]
    }

    /// Whether volumes that meet are bounds that overlap.
    fn is_exact(&self) -> bool {
        S::EXACT_KEYS && self.margin == S::ZERO
    }

    /// Of those that may be pairs those whose bounds overlap.
    fn retain_exact<'a>(&self, hits: &'a mut [[u32; 2]]) -> &'a [[u32; 2]] {
        if self.is_exact() {
            return hits;
        }
        let bounds = self.bounds;
        // Hard to guess: so no branch depends on it.
        let mut candidates = 0;
        for index in 0..hits.len() {
            let [a, b] = hits[index];
            hits[candidates] = [a, b];
            candidates += usize::from(bounds[a as usize].overlaps(&bounds[b as usize]));
        }
        &hits[..candidates]
    }
}
