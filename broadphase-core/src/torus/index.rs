//! [`SpatialIndex`] of a torus: forwards to the wrapped structure, after moving boxes home.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Backend, Flow, Scalar};

use super::images::Images;
use super::seams::Seams;
use super::{Torus, cast, move_home, nearest};
use crate::pairs::{self, Pair};
use crate::{
    Entry, IndexError, Motion, Neighbors, Path, Region, SearchStats, SpatialIndex, Target, query,
    tasks,
};

impl<I: SpatialIndex<S, D>, S: Scalar, const D: usize> SpatialIndex<S, D> for Torus<I, S, D> {
    type Data = I::Data;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: I::Data,
    ) -> Result<(), IndexError> {
        let mut bounds = bounds.into();
        move_home(&self.world, &mut self.far, &mut bounds);
        self.inner.insert(key, bounds, data)
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        let mut bounds = bounds.into();
        move_home(&self.world, &mut self.far, &mut bounds);
        self.inner.set_bounds(key, bounds)
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.inner.set_motion(key, motion)
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        self.inner.motion(key)
    }

    fn remove(&mut self, key: u32) -> Option<I::Data> {
        self.inner.remove(key)
    }

    fn get(&self, key: u32) -> Option<Entry<'_, S, D, I::Data>> {
        self.inner.get(key)
    }

    fn data_mut(&mut self, key: u32) -> Option<&mut I::Data> {
        self.inner.data_mut(key)
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn clear(&mut self) {
        self.inner.clear();
        self.far = [S::ZERO; D];
    }

    /// Passes the stored bounds to the closure. If the closure changes them, moves the new bounds
    /// home.
    fn retain(
        &mut self,
        mut keep: impl FnMut(u32, &mut I::Data, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        let Self { inner, world, far, .. } = self;
        inner.retain(|key, data, bounds| {
            let old = *bounds;
            let kept = keep(key, data, bounds);
            if *bounds != old {
                move_home(world, far, bounds);
            }
            kept
        })
    }

    /// Passes the stored bounds to the closure. If the closure changes them, moves the new bounds
    /// home.
    fn update(
        &mut self,
        mut change: impl FnMut(u32, &mut I::Data, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        let Self { inner, world, far, .. } = self;
        inner.update(|key, data, bounds| {
            let old = *bounds;
            change(key, data, bounds);
            if *bounds != old {
                move_home(world, far, bounds);
            }
        })
    }

    /// Passes the stored bounds to the closure. If the closure changes them, moves the new bounds
    /// home.
    fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut I::Data, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        let Self { inner, world, far, .. } = self;
        inner.update_dynamic(|key, data, bounds| {
            let old = *bounds;
            change(key, data, bounds);
            if *bounds != old {
                move_home(world, far, bounds);
            }
        })
    }

    /// Passes the stored bounds to the closure. If the closure changes them, moves the new bounds
    /// home.
    #[cfg(all(feature = "rayon", target_has_atomic = "64"))]
    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut I::Data, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        let Self { inner, world, far, .. } = self;
        let farthest = super::SharedMax::new(far);
        inner.par_update(|key, data, bounds| {
            let old = *bounds;
            change(key, data, bounds);
            if *bounds != old {
                farthest.move_home(world, bounds);
            }
        })
    }

    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        self.inner.remove_many(keys)
    }

    fn insert_with(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: I::Data,
        motion: Motion,
    ) -> Result<(), IndexError> {
        let mut bounds = bounds.into();
        move_home(&self.world, &mut self.far, &mut bounds);
        self.inner.insert_with(key, bounds, data, motion)
    }

    fn extend<B: Into<Aabb<S, D>>>(
        &mut self,
        objects: impl IntoIterator<Item = (u32, B, I::Data)>,
    ) -> Result<(), IndexError> {
        let Self { inner, world, far, .. } = self;
        inner.extend(objects.into_iter().map(|(key, bounds, data)| {
            let mut bounds = bounds.into();
            move_home(world, far, &mut bounds);
            (key, bounds, data)
        }))
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.inner.order()
    }

    /// Visits the cells of the wrapped structure, which may extend beyond a seam.
    fn cells<R: Flow>(&self, visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        self.inner.cells(visit)
    }

    fn search_stats(&self) -> Option<SearchStats> {
        self.inner.search_stats()
    }

    fn memory_use(&self) -> usize {
        self.inner.memory_use() + self.across.capacity() * size_of::<Pair>()
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, I::Data>, Entry<'_, S, D, I::Data>) -> R,
    ) -> R {
        let flow = self.inner.pairs_unordered(&mut visit);
        if flow.stops() { flow } else { self.visit_pairs_across(visit) }
    }

    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        self.inner.pairs_unordered_into(out);
        self.visit_pairs_across(|a, b| out.push([a.key, b.key]));
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.inner.pairs(out);
        self.merge_pairs_across(S::ZERO, |_, _| true, out);
    }

    fn pairs_where(
        &mut self,
        accept: impl Fn(&I::Data, &I::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        self.inner.pairs_where(&accept, out);
        self.merge_pairs_across(S::ZERO, accept, out);
    }

    fn pairs_within(
        &mut self,
        distance: S,
        accept: impl Fn(&I::Data, &I::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        // The distance of nearest images is at most that of stored boxes.
        self.inner.pairs_within(distance, &accept, out);
        self.merge_pairs_across(distance, accept, out);
    }

    /// Interprets the boxes of `other` in this periodic world, whether `other` is periodic or not.
    fn pairs_with_within<O: SpatialIndex<S, D>>(
        &mut self,
        other: &mut O,
        distance: S,
        accept: impl Fn(&I::Data, &O::Data) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.optimize();
        let (torus, other) = (&*self, &*other);
        out.clear();
        tasks::find(other.order(), out, |key, out| {
            let Some(theirs) = other.get(key) else { return };
            torus.query_unordered(Region::around(theirs.bounds, distance), |own| {
                if accept(own.data, theirs.data) {
                    out.push([own.key, key]);
                }
            });
        });
        pairs::sort(out);
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, I::Data>) -> R,
    ) -> R {
        let Some(region) = region.into().normalized() else { return R::CONTINUE };
        let Some(home) = self.world.reduce(region.bounds()) else { return R::CONTINUE };
        let region = Region::around(home, region.radius());
        if Images::new(&self.world, &region.reach(), &self.far).is_single() {
            return self.inner.query_unordered(region, visit);
        }
        self.candidates(&region.reach(), |entry| {
            if self.world.within(&region, &entry.bounds) { visit(entry) } else { R::CONTINUE }
        })
    }

    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
    ) -> R {
        cast::cast(self, &path, visit)
    }

    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
    ) -> R {
        nearest::nearest(self, target.into(), visit)
    }

    fn pending(&self) -> usize {
        self.inner.pending()
    }

    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        let Some(seams) = Seams::new(&self.world, radius).if_short() else {
            return query::neighbors(self, radius, out);
        };
        self.inner.neighbors(radius, out);
        out.insert_pairs(&self.near_across(seams));
    }

    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        nearest::nearest_to_each(self, count, out);
    }

    fn spacing(&self) -> Option<f64> {
        self.inner.spacing()
    }

    fn set_backend(&mut self, backend: Backend) {
        self.inner.set_backend(backend);
    }

    fn backend(&self) -> Option<Backend> {
        self.inner.backend()
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.inner.try_reserve(additional)
    }

    fn shrink_to_fit(&mut self) {
        self.inner.shrink_to_fit();
        self.across = Vec::new();
    }

    fn optimize(&mut self) {
        self.inner.optimize();
    }

    fn assert_well_formed(&self) {
        self.inner.assert_well_formed();
        for entry in self.inner.order().filter_map(|key| self.inner.get(key)) {
            let home = self.world.reduce(entry.bounds);
            assert_eq!(home, Some(entry.bounds), "stored bounds are home");
            for axis in (0..D).filter(|&axis| self.world.side(axis).is_some()) {
                assert!(entry.bounds.max[axis] <= self.far[axis], "`far` bounds all ends");
            }
        }
    }
}
