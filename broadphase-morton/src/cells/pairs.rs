//! Finds all pairs: the moving layer joined with itself, then with the static layer.
//!
//! 1. If nothing has changed since the last search, return the cached pairs.
//! 2. Otherwise join the layers in parts. A part is a group of 64 objects (`join.rs`), or, if the
//!    static layer is much larger, a batch of single descents (`batched_descent.rs`).
//! 3. Remove invalid candidates: with a vacant position, with padding, or of two static objects.
//! 4. If key bounds are not exact (`f64`), test the bounds.
//!
//! The first search after a change records nothing. A second search of the unchanged objects
//! records its pairs in the cache, and later ones read them.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::{Keys, Pair, PairSearch, Scalar, pairs};

use super::SortedObjects;
use super::batched_descent::{self, BATCH, ResumeDescents};
use super::join::{self, HITS_LEN, JoinTrees};
use super::layer::{Layer, VACANT};
use super::layer_store::{MOVING, STATIC};
use super::pair_ids::PairIds;
use super::pair_state::JoinScratch;

/// If the static layer has more than this number of objects per moving object, each moving object
/// descends alone: a group of moving objects would overlap too many static objects.
const SPARSE_RATIO: usize = 8;

/// Receives the slots of many pairs.
pub(super) type VisitPairs<'a> = dyn FnMut(&[[u32; 2]]) + 'a;

impl<S: Scalar, const D: usize> SortedObjects<S, D> {
    /// Returns whether the join with a layer uses one descent per moving object.
    pub(super) fn is_sparse(&self, other: usize) -> bool {
        let [moving, other_layer] = [&self.store.layers[MOVING], &self.store.layers[other]];
        other == STATIC && other_layer.slots.len() > SPARSE_RATIO * moving.slots.len()
    }

    /// Returns the number of parts into which the join with a layer is divided.
    pub(super) fn part_count(&self, other: usize) -> usize {
        let moving = &self.store.layers[MOVING];
        match moving.tree.heights.get(2) {
            _ if self.is_sparse(other) => moving.slots.len().div_ceil(BATCH),
            Some(groups) => groups.len,
            None => 0,
        }
    }

    /// Visits the pairs of some parts, and records them if `recording`.
    pub(super) fn join_parts(
        &self,
        other: usize,
        parts: Range<usize>,
        scratch: &mut JoinScratch<D>,
        recording: bool,
        visit: &mut VisitPairs<'_>,
    ) {
        let mut recorded = core::mem::take(&mut scratch.recorded);
        let all_candidates_valid = self.all_candidates_valid(other);
        self.run_join(other, parts, scratch, None, &mut |candidates| {
            let candidates =
                if all_candidates_valid { candidates } else { self.remove_invalid(candidates) };
            let pairs = self.retain_exact(candidates);
            if recording {
                recorded.extend_from_slice(pairs);
            }
            visit(pairs);
        });
        scratch.recorded = recorded;
    }

    /// Appends the accepted pairs of some parts. Requires [`can_emit_keys`](Self::can_emit_keys).
    pub(super) fn append_pairs_of_parts(
        &self,
        other: usize,
        parts: Range<usize>,
        scratch: &mut JoinScratch<D>,
        search: &PairSearch<'_, S>,
        found: &mut Vec<Pair>,
    ) {
        self.run_join(other, parts, scratch, Some(self.objects.keys()), &mut |pairs| {
            let from = found.len();
            found.extend_from_slice(pairs);
            search.keep_accepted(found, from);
        });
    }

    /// Visits the ids of all candidates of some parts: keys if `keys` is given, else slots.
    fn run_join(
        &self,
        other: usize,
        parts: Range<usize>,
        scratch: &mut JoinScratch<D>,
        keys: Option<&[u32]>,
        visit: &mut dyn FnMut(&mut [[u32; 2]]),
    ) {
        let JoinScratch { join, descents, hits, hit_count, .. } = scratch;
        if hits.is_empty() {
            *hits = alloc::vec![[0; 2]; HITS_LEN];
        }
        let layers = [&self.store.layers[MOVING], &self.store.layers[other]];
        let trees = layers.map(|layer| &layer.tree);
        let ids = layers.map(|layer| PairIds { slots: &layer.slots, keys });
        let is_sparse = self.is_sparse(other);
        if is_sparse {
            let end = layers[0].slots.len().min(parts.end * BATCH);
            descents.begin(parts.start * BATCH..end, trees[1].heights.len());
        } else {
            join.begin(parts);
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
                return;
            }
            *hit_count += filled as u64;
            visit(&mut hits[..filled]);
        }
    }

    /// Returns whether all candidates of the join with a layer are valid.
    fn all_candidates_valid(&self, other: usize) -> bool {
        let layers = [&self.store.layers[MOVING], &self.store.layers[other]];
        // Objects that span the whole range of integer keys also overlap padding, so candidates may
        // include padding.
        let may_yield_invalid =
            |layer: &Layer<D>| layer.vacant > 0 || layer.tree.spans_everything();
        // If static objects are in the moving layer, a candidate may consist of two static objects.
        let (statics, sorted) =
            (self.objects.motions().statics(), self.store.layers[STATIC].live());
        (statics < 2 || statics == sorted) && !layers.into_iter().any(may_yield_invalid)
    }

    /// Returns whether the join with a layer may write keys directly, without a test of candidates.
    pub(super) fn can_emit_keys(&self, other: usize) -> bool {
        S::EXACT_KEYS && self.all_candidates_valid(other)
    }

    /// Removes candidates with a vacant position or padding and candidates of two static objects.
    /// Returns the others.
    fn remove_invalid<'a>(&self, hits: &'a mut [[u32; 2]]) -> &'a mut [[u32; 2]] {
        let motions = self.objects.motions();
        let mut kept = 0;
        for index in 0..hits.len() {
            let [a, b] = hits[index];
            hits[kept] = [a, b];
            // `VACANT` is the largest id, so it is second in its pair.
            kept += usize::from(b != VACANT && !motions.keep_apart(a as usize, b as usize));
        }
        &mut hits[..kept]
    }

    /// Removes candidates whose bounds do not overlap, unless key bounds are exact. Returns the
    /// others.
    fn retain_exact<'a>(&self, hits: &'a mut [[u32; 2]]) -> &'a [[u32; 2]] {
        if S::EXACT_KEYS {
            return hits;
        }
        let bounds = self.objects.bounds();
        let overlap = |a: u32, b: u32| bounds[a as usize].overlaps(&bounds[b as usize]);
        let kept = pairs::accepted(hits, overlap);
        &hits[..kept]
    }
}
