//! Pairs on a torus: those of the structure inside, and those that meet beyond a seam.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Flow, Scalar};

use super::Torus;
use crate::pairs::{self, Pair};
use crate::{Entry, Motion, SpatialIndex, tasks};

impl<I: SpatialIndex<S, D>, S: Scalar, const D: usize> Torus<I, S, D> {
    /// Visits every pair that meets only beyond a seam.
    pub(super) fn seam_pairs<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, I::Data>, Entry<'_, S, D, I::Data>) -> R,
    ) -> R {
        let crossing = self.crossing();
        let mut last = R::CONTINUE;
        for &key in &crossing {
            last = self.seam_pairs_of(key, &mut visit);
            if last.stops() {
                break;
            }
        }
        self.crossing = crossing;
        last
    }

    /// Puts every pair that meets only beyond a seam and that `accept` accepts among others, all of
    /// them in canonical order.
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

    /// Appends every pair that meets only beyond a seam and that `accept` accepts, on all threads.
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

    /// The keys of all objects that pass a seam, each once; to be put back. At least one object of
    /// a pair that meets only beyond a seam is among them.
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

    /// Of an object that passes a seam; if both do, the smaller key has the pair.
    fn seam_pairs_of<R: Flow>(
        &self,
        key: u32,
        visit: &mut impl FnMut(Entry<'_, S, D, I::Data>, Entry<'_, S, D, I::Data>) -> R,
    ) -> R {
        let Some(own) = self.inner.get(key) else { return R::CONTINUE };
        let stays = |key: u32| self.inner.motion(key) == Some(Motion::Static);
        let own_stays = stays(key);
        // Without the first image: what overlaps that is a pair inside.
        self.candidates(&own.bounds, 1, |other| {
            let is_others = other.key <= key && self.world.crosses(&other.bounds);
            if is_others
                || !self.world.overlap(&own.bounds, &other.bounds)
                || (own_stays && stays(other.key))
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
