//! Pairs on a torus: the pairs of the wrapped structure, and pairs that overlap only across a seam.
//!
//! The wrapped structure finds the pairs of stored boxes, and [`overlaps_across`] the others.
//!
//! [`overlaps_across`]: Torus::overlaps_across
//!
//! Pairs within a distance that is far below the sides are found likewise
//! ([`Torus::find_pairs_within`]): [`Seams`] finds the pairs across seams.

use alloc::vec::Vec;

use bounds_hexprism::{Flow, Scalar};

use super::Torus;
use super::seams::Seams;
use crate::pairs::{self, Pair};
use crate::{Entry, Motion, SpatialIndex, tasks};

impl<I: SpatialIndex<S, D>, S: Scalar, const D: usize> Torus<I, S, D> {
    /// Visits every pair that overlaps only across a seam.
    pub(super) fn seam_pairs<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, I::Data>, Entry<'_, S, D, I::Data>) -> R,
    ) -> R {
        let mut across = core::mem::take(&mut self.across);
        self.overlaps_across(&mut across);
        let mut flow = R::CONTINUE;
        for pair in &across {
            if let Some([a, b]) = self.members(pair) {
                flow = visit(a, b);
                if flow.stops() {
                    break;
                }
            }
        }
        self.across = across;
        flow
    }

    /// Adds the pairs that overlap only across a seam, if `accept` accepts them, to pairs in
    /// canonical order.
    pub(super) fn merge_seam_pairs(
        &mut self,
        accept: impl Fn(&I::Data, &I::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        let mut across = core::mem::take(&mut self.across);
        self.overlaps_across(&mut across);
        across.retain(|pair| self.members(pair).is_some_and(|[a, b]| accept(a.data, b.data)));
        merge(out, &across);
        self.across = across;
    }

    /// Returns the objects of a pair, unless both are static.
    fn members(&self, pair: &Pair) -> Option<[Entry<'_, S, D, I::Data>; 2]> {
        let is_static = |key: u32| self.inner.motion(key) == Some(Motion::Static);
        if is_static(pair[0]) && is_static(pair[1]) {
            return None;
        }
        Some([self.inner.get(pair[0])?, self.inner.get(pair[1])?])
    }

    /// Implements [`pairs_within`](SpatialIndex::pairs_within): finds the pairs of stored boxes
    /// within the distance, and those within the distance only across a seam. Runs one query per
    /// object if the distance is not far below a side.
    pub(super) fn find_pairs_within(
        &mut self,
        distance: S,
        accept: impl Fn(&I::Data, &I::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        let Some(seams) = Seams::new(&self.world, distance) else {
            return pairs::within(self, distance, accept, out);
        };
        // The distance of nearest images is at most that of stored boxes.
        self.inner.pairs_within(distance, &accept, out);
        let mut across = core::mem::take(&mut self.across);
        across.clear();
        let found = self.pairs_across(seams, false);
        let inner = &self.inner;
        let is_static = |key: u32| inner.motion(key) == Some(Motion::Static);
        let objects: Vec<&[Pair]> = found.chunk_by(|a, b| a[0] == b[0]).collect();
        tasks::find(objects.iter().copied(), &mut across, |pairs, across| {
            let own = pairs[0][0];
            let Some(one) = inner.get(own) else { return };
            let own_is_static = is_static(own);
            across.extend(pairs.iter().copied().filter(|&[_, key]| {
                !(own_is_static && is_static(key))
                    && inner.get(key).is_some_and(|other| accept(one.data, other.data))
            }));
        });
        merge(out, &across);
        self.across = across;
    }
}

/// Inserts pairs into a list; both are in canonical order.
fn merge(out: &mut Vec<Pair>, added: &[Pair]) {
    let mut from = out.len();
    out.resize(from + added.len(), [0; 2]);
    let mut to = out.len();
    for &pair in added.iter().rev() {
        while from > 0 && out[from - 1] > pair {
            (from, to) = (from - 1, to - 1);
            out[to] = out[from];
        }
        to -= 1;
        out[to] = pair;
    }
}
