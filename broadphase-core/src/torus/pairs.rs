//! Pairs on a torus: the pairs of the wrapped structure, and pairs that overlap only across a seam.
//!
//! 1. The wrapped structure finds the pairs of stored boxes.
//! 2. A query beyond each seam collects the objects that cross it.
//! 3. For each of these objects, queries at its images find the objects that overlap it; if both
//!    objects of a pair cross a seam, only the object with the smaller key reports the pair.
//!
//! Pairs within a distance are found likewise ([`Torus::find_pairs_within`]): the objects of step 2
//! are those within the distance of a seam.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Flow, Scalar};

use super::Torus;
use super::images::rounding_margin;
use super::world::World;
use crate::pairs::{self, Pair};
use crate::{Entry, Motion, Region, SpatialIndex, tasks};

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

    /// Implements [`pairs_within`](SpatialIndex::pairs_within).
    ///
    /// 1. The wrapped structure finds the pairs of stored boxes within the distance. The distance
    ///    of nearest images is at most that of stored boxes.
    /// 2. Queries at the seams collect the objects within the distance of a seam. Every pair that
    ///    is within the distance only across a seam has such an object.
    /// 3. One query per object of step 2 finds its pairs.
    ///
    /// If all objects may be within the distance of a seam: one query per object.
    pub(super) fn find_pairs_within(
        &mut self,
        distance: S,
        accept: impl Fn(&I::Data, &I::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        let Some(seams) = Seams::new(&self.world, distance) else {
            return pairs::within(self, distance, accept, out);
        };
        self.inner.pairs_within(distance, &accept, out);
        let inside = out.len();
        let mut near = core::mem::take(&mut self.crossing);
        near.clear();
        for area in (0..D).flat_map(|axis| seams.areas(axis)).flatten() {
            self.inner.query_unordered(area, |entry| near.push(entry.key));
        }
        near.sort_unstable();
        near.dedup();
        let torus = &*self;
        tasks::find(near.iter().copied(), out, |key, out| {
            let Some(own) = torus.inner.get(key) else { return };
            let region = Region::around(own.bounds, distance);
            let is_static = |key: u32| torus.inner.motion(key) == Some(Motion::Static);
            let own_is_static = is_static(key);
            torus.candidates(&region.reach(), 0, |other| {
                let is_others = other.key <= key && seams.is_near(&other.bounds);
                let is_new = !is_others
                    && torus.world.within(&region, &other.bounds)
                    && !region.overlaps(&other.bounds);
                if is_new
                    && !(own_is_static && is_static(other.key))
                    && accept_in_order(&accept, &own, &other)
                {
                    out.push([key.min(other.key), key.max(other.key)]);
                }
            });
        });
        self.crossing = near;
        if out.len() > inside {
            pairs::sort(out);
        }
    }
}

/// Returns whether a pair is accepted, with the object of the smaller key first.
#[inline]
fn accept_in_order<S: Scalar, const D: usize, T>(
    accept: &impl Fn(&T, &T) -> bool,
    own: &Entry<'_, S, D, T>,
    other: &Entry<'_, S, D, T>,
) -> bool {
    if own.key < other.key { accept(own.data, other.data) } else { accept(other.data, own.data) }
}

/// The seams of a world, and a distance from them.
struct Seams<S, const D: usize> {
    /// On each axis that wraps: a home box is near a seam if it begins at or below the first
    /// number, or ends at or above the second.
    limits: [Option<[S; 2]>; D],
}

impl<S: Scalar, const D: usize> Seams<S, D> {
    /// Returns the seams with a distance, enlarged by more than all rounding errors. `None` if the
    /// distance is invalid, or so large that all objects may be near a seam.
    fn new(world: &World<S, D>, distance: S) -> Option<Self> {
        let mut limits = [None; D];
        for (axis, limits) in limits.iter_mut().enumerate() {
            let Some(side) = world.side(axis) else { continue };
            // The margin is larger than the rounding errors of the ends of images and of gaps.
            let margin = rounding_margin(side);
            let ends = [distance.plus(margin), side.minus(distance).minus(margin)];
            let some_are_far = S::ZERO <= distance && ends[0] < ends[1];
            if !some_are_far {
                return None;
            }
            *limits = Some(ends);
        }
        Some(Self { limits })
    }

    /// Returns the areas of an axis that overlap all objects near its seam, and no others.
    fn areas(&self, axis: usize) -> [Option<Aabb<S, D>>; 2] {
        let Some([low, high]) = self.limits[axis] else { return [None; 2] };
        let mut areas = [Aabb { min: [S::MIN; D], max: [S::MAX; D] }; 2];
        areas[0].max[axis] = low;
        areas[1].min[axis] = high;
        areas.map(Some)
    }

    /// Returns whether a home box is near a seam.
    fn is_near(&self, bounds: &Aabb<S, D>) -> bool {
        (0..D).any(|axis| {
            self.limits[axis]
                .is_some_and(|[low, high]| bounds.min[axis] <= low || bounds.max[axis] >= high)
        })
    }
}
