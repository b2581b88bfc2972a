//! Pairs on a torus: the pairs of the wrapped structure, and pairs that overlap only across a seam.
//!
//! 1. The wrapped structure finds the pairs of stored boxes.
//! 2. A query beyond each seam collects the objects that cross it.
//! 3. For each of these objects, queries at its images find the objects that overlap it; if both
//!    objects of a pair cross a seam, only the object with the smaller key reports the pair.
//!
//! Pairs within a distance that is far below the sides are found likewise
//! ([`Torus::find_pairs_within`]): [`Seams`] finds the pairs across seams.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Flow, Scalar};

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

    /// Adds the pairs that overlap only across a seam, if `accept` accepts them, to pairs in
    /// canonical order.
    pub(super) fn merge_seam_pairs(
        &mut self,
        accept: impl Fn(&I::Data, &I::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        let mut across = core::mem::take(&mut self.across);
        across.clear();
        self.add_seam_pairs(accept, &mut across);
        pairs::sort(&mut across);
        merge(out, &across);
        self.across = across;
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
        self.candidates_across(&own.bounds, |other| {
            let is_others = other.key <= key && self.world.crosses(&other.bounds);
            // Objects that overlap as stored are pairs of the wrapped structure.
            if is_others
                || own.bounds.overlaps(&other.bounds)
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
