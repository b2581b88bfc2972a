//! The pairs of what may move: with each other, and with what is static.
//!
//! Who meets is noted once nothing has changed between two joins, and from then on only handed out
//! until something changes. With a skin it is noted always, and looked at again exactly.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use broadphase_core::pairs::Meetings;
use broadphase_core::{Pair, Scalar, instances};

use super::geometry::Geometry;
use super::join::{self, HITS, Join, JoinTrees};
use super::layer::{GONE, Layer};
use super::lookup::{self, LookUp, Lookup, TOGETHER};
use super::names::Names;
use super::places::{BUSY, STILL};
use super::shares::Share;

/// With so many times as many static objects as others, groups of those reach over too many.
const SPARSE: usize = 8;

/// What joins need, and what they have found.
#[derive(Clone, Debug)]
pub(super) struct Joins<const D: usize> {
    /// The slots of those who meet in the join with each layer.
    pub(super) meetings: [Meetings; 2],
    /// What threads have in hand; between joins, only its memory.
    pub(super) shares: Vec<Share<D>>,
    /// How often two objects were tested against each other for the last pairs.
    pub(super) tests: u64,
}

/// What one thread needs for a join, and what it notes.
#[derive(Clone, Debug)]
pub(super) struct Broom<const D: usize> {
    join: Join<D>,
    lookup: Lookup,
    hits: Vec<[u32; 2]>,
    /// The slots of those who met, if that is wanted.
    pub(super) met: Vec<[u32; 2]>,
}

impl<const D: usize> Broom<D> {
    pub(super) fn new() -> Self {
        Self { join: Join::new(), lookup: Lookup::new(), hits: Vec::new(), met: Vec::new() }
    }

    /// How often it has tested two objects, from now on 0.
    pub(super) const fn take_tests(&mut self) -> u64 {
        let tests = self.join.tests + self.lookup.tests;
        (self.join.tests, self.lookup.tests) = (0, 0);
        tests
    }

    pub(super) fn memory_use(&self) -> usize {
        self.join.memory_use()
            + self.lookup.memory_use()
            + (self.hits.capacity() + self.met.capacity()) * size_of::<[u32; 2]>()
    }
}

impl<const D: usize> Joins<D> {
    pub(super) fn new() -> Self {
        let meetings = [Meetings::default(), Meetings::default()];
        Self { meetings, shares: Vec::new(), tests: 0 }
    }

    /// Forgets who meets, since objects have changed.
    pub(super) fn forget(&mut self) {
        self.meetings.iter_mut().for_each(Meetings::forget);
    }

    pub(super) fn memory_use(&self) -> usize {
        self.meetings.iter().map(Meetings::memory_use).sum::<usize>()
            + self.shares.capacity() * size_of::<Share<D>>()
            + self.shares.iter().map(Share::memory_use).sum::<usize>()
    }
}

/// Receives the slots of many pairs; breaks if the caller wants no more.
pub(super) type Visit<'a> = dyn FnMut(&[[u32; 2]]) -> ControlFlow<()> + 'a;

instances! {
    /// Visits the slots of all pairs, many at a time, on one thread.
    pub(super) fn sweep<S, D>(
        geometry: Geometry<'_, S, D>,
        joins: &mut Joins<D>,
        visit: &mut Visit<'_>,
    ) {
        for other in [BUSY, STILL] {
            if geometry.sweep_layer(joins, other, visit).is_break() {
                return;
            }
        }
    }
}

impl<S: Scalar, const D: usize> Geometry<'_, S, D> {
    /// Visits the pairs of what may move with a layer, on one thread.
    fn sweep_layer(
        &self,
        joins: &mut Joins<D>,
        other: usize,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        if let Some(known) = joins.meetings[other].known() {
            return self.meet_again(known, visit);
        }
        let noted = self.begin_notes(joins, other);
        let mut share = joins.shares.pop().unwrap_or_else(Share::new);
        let broom = &mut share.broom;
        core::mem::swap(&mut broom.met, &mut joins.meetings[other].list);
        let answer = self.sweep_part(other, 0..self.parts(other), broom, noted, visit);
        core::mem::swap(&mut broom.met, &mut joins.meetings[other].list);
        joins.tests += broom.take_tests();
        joins.shares.push(share);
        if answer.is_continue() {
            joins.meetings[other].end(noted);
        }
        answer
    }

    /// Whether it is worth while to note who meets; what was noted is forgotten.
    pub(super) fn begin_notes(&self, joins: &mut Joins<D>, other: usize) -> bool {
        joins.meetings[other].begin(self.margin > S::ZERO)
    }

    /// Visits those who were noted.
    pub(super) fn meet_again(&self, list: &[[u32; 2]], visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.is_exact() {
            return visit(list);
        }
        let mut hits = [[0; 2]; 512];
        for list in list.chunks(hits.len()) {
            hits[..list.len()].copy_from_slice(list);
            visit(self.confirm(&mut hits[..list.len()]))?;
        }
        ControlFlow::Continue(())
    }

    /// Whether groups of objects would reach over too much of a layer.
    pub(super) fn is_sparse(&self, other: usize) -> bool {
        let [busy, other_layer] = [&self.places.layers[BUSY], &self.places.layers[other]];
        other == STILL && other_layer.slots.len() > SPARSE * busy.slots.len()
    }

    /// In how many parts the pairs with a layer are found.
    pub(super) fn parts(&self, other: usize) -> usize {
        let busy = &self.places.layers[BUSY];
        match busy.tree.heights.get(2) {
            _ if self.is_sparse(other) => busy.slots.len().div_ceil(TOGETHER),
            Some(groups) => groups.len,
            None => 0,
        }
    }

    /// Visits the pairs of some parts, and notes who meets if that is wanted.
    pub(super) fn sweep_part(
        &self,
        other: usize,
        parts: Range<usize>,
        broom: &mut Broom<D>,
        noted: bool,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let mut notes = core::mem::take(&mut broom.met);
        let is_plain = self.is_plain(other);
        let answer = self.sweep_named(other, parts, broom, None, &mut |met| {
            let met = if is_plain { met } else { self.without_strangers(met) };
            if noted {
                notes.extend_from_slice(met);
            }
            visit(self.confirm(met))
        });
        broom.met = notes;
        answer
    }

    /// Appends the keys of the pairs of some parts, where
    /// [they are enough](Self::are_keys_enough).
    pub(super) fn sweep_keys(
        &self,
        other: usize,
        parts: Range<usize>,
        broom: &mut Broom<D>,
        found: &mut Vec<Pair>,
    ) {
        let _ = self.sweep_named(other, parts, broom, Some(self.keys), &mut |pairs| {
            found.extend_from_slice(pairs);
            ControlFlow::Continue(())
        });
    }

    /// Visits the names of all that meet in some parts: their keys if there is a list of these, else
    /// their slots.
    fn sweep_named(
        &self,
        other: usize,
        parts: Range<usize>,
        broom: &mut Broom<D>,
        keys: Option<&[u32]>,
        visit: &mut dyn FnMut(&mut [[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Broom { join, lookup, hits, .. } = broom;
        if hits.is_empty() {
            *hits = alloc::vec![[0; 2]; HITS];
        }
        let layers = [&self.places.layers[BUSY], &self.places.layers[other]];
        let trees = layers.map(|layer| &layer.tree);
        let names = layers.map(|layer| Names { slots: &layer.slots, keys });
        let is_sparse = self.is_sparse(other);
        if is_sparse {
            let end = layers[0].slots.len().min(parts.end * TOGETHER);
            lookup.begin(parts.start * TOGETHER..end, trees[1].heights.len());
        } else {
            join.begin(parts);
        }
        loop {
            let filled = if is_sparse {
                lookup::go_on(self.backend, LookUp { trees, names, lookup, hits })
            } else {
                let alone = other == BUSY;
                join::go_on(self.backend, JoinTrees { trees, names, alone, join, hits })
            };
            if filled == 0 {
                return ControlFlow::Continue(());
            }
            visit(&mut hits[..filled])?;
        }
    }

    /// Whether all that meet in a join with a layer are pairs.
    fn is_plain(&self, other: usize) -> bool {
        let layers = [&self.places.layers[BUSY], &self.places.layers[other]];
        // Padding seems to overlap what spans everything.
        let strangers = |layer: &Layer<D>| layer.gone > 0 || layer.tree.spans_everything();
        // Few static objects may be among those that move.
        let (statics, sorted) = (self.motions.statics(), self.places.layers[STILL].live());
        (statics < 2 || statics == sorted) && !layers.into_iter().any(strangers)
    }

    /// Whether those who meet in a join with a layer may be called by their keys at once.
    pub(super) fn are_keys_enough(&self, other: usize) -> bool {
        self.is_exact() && self.is_plain(other)
    }

    /// Of those who meet those that may be pairs.
    fn without_strangers<'a>(&self, hits: &'a mut [[u32; 2]]) -> &'a mut [[u32; 2]] {
        let motions = self.motions;
        let mut met = 0;
        for index in 0..hits.len() {
            let [a, b] = hits[index];
            hits[met] = [a, b];
            // The larger one is nobody if any of them is.
            met += usize::from(b != GONE && !motions.keep_apart(a as usize, b as usize));
        }
        &mut hits[..met]
    }

    /// Whether volumes that meet are bounds that overlap.
    fn is_exact(&self) -> bool {
        S::EXACT_KEYS && self.margin == S::ZERO
    }

    /// Of those that may be pairs those whose bounds overlap.
    fn confirm<'a>(&self, hits: &'a mut [[u32; 2]]) -> &'a [[u32; 2]] {
        if self.is_exact() {
            return hits;
        }
        let bounds = self.bounds;
        // Hard to guess: so no branch depends on it.
        let mut met = 0;
        for index in 0..hits.len() {
            let [a, b] = hits[index];
            hits[met] = [a, b];
            met += usize::from(bounds[a as usize].overlaps(&bounds[b as usize]));
        }
        &hits[..met]
    }
}
