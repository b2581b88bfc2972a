//! Pairs on a torus: the pairs of the wrapped structure, and pairs that overlap only across a seam.
//!
//! 1. The wrapped structure finds the pairs of stored boxes.
//! 2. A query beyond each seam collects the objects that cross it.
//! 3. For each of these objects, queries at its images find the objects that overlap it; if both
//!    objects of a pair cross a seam, only the object with the smaller key reports the pair.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Flow, Scalar};

use super::Torus;
use crate::pairs::{self, Pair};
use crate::{Entry, Motion, SpatialIndex, tasks};

impl<I: SpatialIndex<S, D>, S: Scalar, const D: usize> Torus<I, S, D> {
    /// Visits every pair that overlaps only across a seam.
    pub(super) fn seam_pairs<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, I::Data>, Entry<'_, S, D, I::Data>) -> R,
    ) -> R {
        let crossing = self.crossing();
        let mut flow = R::CONTINUE;
        for &key in &crossing {
            flow = self.seam_pairs_of(key, &mut visit);
            if flow.stops() {
                break;
            }
        }
        self.crossing = crossing;
        flow
    }

    /// Adds the pairs that overlap only across a seam, if `accept` accepts them, and sorts all
    /// pairs into canonical order.
    pub(super) fn merge_seam_pairs(
        &mut self,
        accept: impl Fn(&I::Data, &I::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        let inside = out.len();
        self.add_seam_pairs(accept, out);
        if out.len() > inside {
            pairs::sort(out);
        }
    }

    /// Appends the pairs that overlap only across a seam, if `accept` accepts them; runs on all
    /// threads.
    pub(super) fn add_seam_pairs(
        &mut self,
        accept: impl Fn(&I::Data, &I::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        let crossing = self.crossing();
        let torus = &*self;
        tasks::find(crossing.iter().copied(), out, |key, out| {
            torus.seam_pairs_of(key, &mut |a: Entry<'_, S, D, I::Data>, b: Entry<'_, S, D, _>| {
                if accept(a.data, b.data) {
                    out.push([a.key, b.key]);
                }
            });
        });
        self.crossing = crossing;
    }

    /// Returns the keys of all objects that cross a seam, each once. Every pair that overlaps only
    /// across a seam has such an object. The list is the scratch buffer `self.crossing`; the caller
    /// puts it back.
    fn crossing(&mut self) -> Vec<u32> {
        let mut crossing = core::mem::take(&mut self.crossing);
        crossing.clear();
        for axis in 0..D {
            let Some(side) = self.world.side(axis).filter(|&side| side <= self.far[axis]) else {
                continue;
            };
            let mut beyond = Aabb { min: [S::MIN; D], max: [S::MAX; D] };
            beyond.min[axis] = side;
            self.inner.query_unordered(beyond, |entry| {
                if !(0..axis).any(|before| self.world.crosses_on(before, &entry.bounds)) {
                    crossing.push(entry.key);
                }
            });
        }
        crossing
    }

    /// Visits the seam pairs of an object that crosses a seam. If both objects of a pair cross, the
    /// pair is visited only for the object with the smaller key.
    fn seam_pairs_of<R: Flow>(
        &self,
        key: u32,
        visit: &mut impl FnMut(Entry<'_, S, D, I::Data>, Entry<'_, S, D, I::Data>) -> R,
    ) -> R {
        let Some(own) = self.inner.get(key) else { return R::CONTINUE };
        let is_static = |key: u32| self.inner.motion(key) == Some(Motion::Static);
        let own_is_static = is_static(key);
        // Start at image 1: overlaps with image 0 are pairs of the wrapped structure.
        self.candidates(&own.bounds, 1, |other| {
            let is_others = other.key <= key && self.world.crosses(&other.bounds);
            if is_others
                || !self.world.overlap(&own.bounds, &other.bounds)
                || (own_is_static && is_static(other.key))
            {
                R::CONTINUE
            } else if key < other.key {
                visit(own, other)
            } else {
                visit(other, own)
            }
        })
    }
}
