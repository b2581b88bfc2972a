//! Pairs on a torus: those of the wrapped structure, and those across a seam only.
//!
//! The wrapped structure finds the pairs of stored boxes, that overlap or are within a distance.
//! [`Torus::pairs_across`] finds the others; two boxes overlap if their distance is 0.

use alloc::vec::Vec;

use bounds_hexprism::{Flow, Scalar};

use super::Torus;
use super::seams::Seams;
use crate::pairs::Pair;
use crate::{Entry, Motion, SpatialIndex};

impl<I: SpatialIndex<S, D>, S: Scalar, const D: usize> Torus<I, S, D> {
    /// Visits every pair that overlaps only across a seam.
    pub(super) fn visit_pairs_across<R: Flow>(
        &self,
        mut visit: impl FnMut(Entry<'_, S, D, I::Data>, Entry<'_, S, D, I::Data>) -> R,
    ) -> R {
        let mut across = Vec::new();
        self.find_accepted_across(S::ZERO, |_, _| true, &mut across);
        for [a, b] in across {
            if let (Some(a), Some(b)) = (self.inner.get(a), self.inner.get(b)) {
                let flow = visit(a, b);
                if flow.stops() {
                    return flow;
                }
            }
        }
        R::CONTINUE
    }

    /// Adds the pairs that are within the distance only across a seam, if `accept` accepts them, to
    /// pairs in canonical order.
    pub(super) fn merge_pairs_across(
        &mut self,
        distance: S,
        accept: impl Fn(&I::Data, &I::Data) -> bool,
        out: &mut Vec<Pair>,
    ) {
        let mut across = core::mem::take(&mut self.across);
        self.find_accepted_across(distance, accept, &mut across);
        merge(out, &across);
        self.across = across;
    }

    /// Replaces the contents of `out` with the pairs that are within the distance only across a seam
    /// and that `accept` accepts, without those of two static objects, in canonical order.
    fn find_accepted_across(
        &self,
        distance: S,
        accept: impl Fn(&I::Data, &I::Data) -> bool,
        out: &mut Vec<Pair>,
    ) {
        let inner = &self.inner;
        let look_up = |key: u32| {
            let is_static = inner.motion(key) == Some(Motion::Static);
            inner.get(key).map(|entry| (entry.data, is_static))
        };
        let accept = |one: &Option<_>, other: &Option<_>| match (*one, *other) {
            (Some((_, true)), Some((_, true))) => false,
            (Some((one, _)), Some((other, _))) => accept(one, other),
            _ => false,
        };
        self.pairs_across(Seams::new(&self.world, distance), false, look_up, accept, out);
    }
}

/// Inserts pairs into a list; both are in canonical order.
fn merge(out: &mut Vec<Pair>, added: &[Pair]) {
    /// Number of pairs moved at once.
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
