//! Pairs on a torus: those of the wrapped structure, and those across a seam only.
//!
//! The wrapped structure finds the pairs of stored boxes, [`Torus::pairs_across`] the others. Two
//! boxes overlap if their distance is 0.

use alloc::vec::Vec;

use bounds_hexprism::Scalar;

use super::Torus;
use super::seams::Seams;
use crate::Motion;
use crate::pairs::{Pair, PairSearch};

impl<S: Scalar, const D: usize> Torus<S, D> {
    /// Adds the pairs across a seam to those of the wrapped structure.
    pub(super) fn add_pairs_across(&mut self, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        let mut across = core::mem::take(&mut self.across);
        let distance = search.distance.unwrap_or(S::ZERO);
        self.pairs_across(Seams::new(&self.world, distance), &mut across);
        let is_static =
            |key: u32| self.inner.get(key).is_some_and(|object| object.motion == Motion::Static);
        across.retain(|&[a, b]| !(is_static(a) && is_static(b)));
        search.keep_accepted(&mut across, 0);
        if search.sorted {
            merge(out, &across);
        } else {
            out.extend_from_slice(&across);
        }
        self.across = across;
    }
}

/// Inserts pairs into a list; both are in canonical order.
fn merge(out: &mut Vec<Pair>, added: &[Pair]) {
    const BLOCK: usize = 8;
    let mut from = out.len();
    out.resize(from + added.len(), [0; 2]);
    let mut to = out.len();
    for &pair in added.iter().rev() {
        while from >= BLOCK && out[from - BLOCK] > pair {
            (from, to) = (from - BLOCK, to - BLOCK);
            out.copy_within(from..from + BLOCK, to);
        }
        while from > 0 && out[from - 1] > pair {
            (from, to) = (from - 1, to - 1);
            out[to] = out[from];
        }
        to -= 1;
        out[to] = pair;
    }
}
