//! Pairs on a torus: those of the wrapped structure, and those across a seam only.
//!
//! The wrapped structure finds the pairs of stored boxes, [`Torus::pairs_across`] the others. Two
//! boxes overlap if their distance is 0.

use alloc::vec::Vec;

use bounds_hexprism::Scalar;

use super::Torus;
use super::seams::Seams;
use crate::Motion;
use crate::pairs::{Pair, PairSearch, sort};

impl<S: Scalar, const D: usize> Torus<S, D> {
    /// Implements [`SpatialIndex::find_pairs`](crate::SpatialIndex::find_pairs). All pairs are
    /// sorted at once: merging those across seams into a sorted list takes longer.
    pub(super) fn find_all_pairs(&mut self, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        // The distance of nearest images is at most that of stored boxes.
        self.inner.find_pairs(&PairSearch { sorted: false, ..*search }, out);
        let mut across = core::mem::take(&mut self.across);
        let distance = search.distance.unwrap_or(S::ZERO);
        self.pairs_across(Seams::new(&self.world, distance), &mut across);
        sort(&mut across);
        across.dedup();
        if self.has_statics {
            let is_static = |key: u32| {
                self.inner.get(key).is_some_and(|object| object.motion == Motion::Static)
            };
            across.retain(|&[a, b]| !(is_static(a) && is_static(b)));
        }
        search.keep_accepted(&mut across, 0);
        out.extend_from_slice(&across);
        self.across = across;
        if search.sorted {
            sort(out);
        }
    }
}
