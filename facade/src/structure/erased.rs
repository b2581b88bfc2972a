//! Type erasure: a boxed structure that implements [`SpatialIndex`], so that all structures share
//! one [`Torus`] type in worlds that wrap.
//!
//! [`Torus`]: broadphase_core::Torus

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{
    Aabb, Backend, DataAddress, Entry, Flow, IndexError, Motion, Neighbors, Pair, Region, Scalar,
    SearchStats, SpatialIndex, Target,
};

use super::{Body, Insertion, ObjectBatch, Proxy, Structure};

/// A structure of any type.
pub(crate) struct ErasedIndex<S: Scalar, const D: usize>(pub(crate) Box<dyn Structure<S, D>>);

impl<S: Scalar, const D: usize> Clone for ErasedIndex<S, D> {
    fn clone(&self) -> Self {
        Self(self.0.boxed_clone())
    }
}

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for ErasedIndex<S, D> {
    type Data = Proxy;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        proxy: Proxy,
    ) -> Result<(), IndexError> {
        self.insert_with(key, bounds, proxy, Motion::Dynamic)
    }

    fn insert_with(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        proxy: Proxy,
        motion: Motion,
    ) -> Result<(), IndexError> {
        self.0.insert(key, Body { bounds: bounds.into(), proxy, motion })
    }

    fn insert_many(&mut self, objects: &[Insertion<S, D>]) -> Result<(), IndexError> {
        self.0.insert_many(objects)
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        self.0.set_bounds(key, bounds.into())
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.0.set_motion(key, motion)
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        self.0.motion(key)
    }

    fn remove(&mut self, key: u32) -> Option<Proxy> {
        self.0.remove(key)
    }

    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        self.0.remove_many(keys)
    }

    fn get(&self, key: u32) -> Option<Entry<'_, S, D, Proxy>> {
        self.0.entry(key)
    }

    fn data_mut(&mut self, key: u32) -> Option<&mut Proxy> {
        self.0.proxy_mut(key)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    /// Updates all objects, then removes those for which `keep` returned `false`, one by one.
    /// Worlds remove no objects during an update.
    fn retain(
        &mut self,
        mut keep: impl FnMut(u32, &mut Proxy, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        let mut removed = Vec::new();
        let walked = SpatialIndex::update(self, |key, proxy, bounds| {
            if !keep(key, proxy, bounds) {
                removed.push(key);
            }
        });
        for key in removed {
            self.0.remove(key);
        }
        walked
    }

    fn update(
        &mut self,
        mut change: impl FnMut(u32, &mut Proxy, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.0.update(DataAddress::NONE, &mut |movers: &mut ObjectBatch<'_, S, D>| {
            movers.each(&mut change);
        })
    }

    fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut Proxy, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.0.update_dynamic(DataAddress::NONE, &mut |movers: &mut ObjectBatch<'_, S, D>| {
            movers.each(&mut change);
        })
    }

    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut Proxy, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        self.0.par_update(DataAddress::NONE, &|movers: &mut ObjectBatch<'_, S, D>| {
            movers.each(&change);
        })
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.0.order()
    }

    fn memory_use(&self) -> usize {
        self.0.memory_use()
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, Proxy>, Entry<'_, S, D, Proxy>) -> R,
    ) -> R {
        let mut pairs = Vec::new();
        self.0.pairs(&mut pairs);
        for [a, b] in pairs {
            if let (Some(a), Some(b)) = (self.0.entry(a), self.0.entry(b)) {
                let answer = visit(a, b);
                if answer.stops() {
                    return answer;
                }
            }
        }
        R::CONTINUE
    }

    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        self.0.pairs(out);
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.0.pairs(out);
    }

    fn pairs_where(&mut self, accept: impl Fn(&Proxy, &Proxy) -> bool + Sync, out: &mut Vec<Pair>) {
        self.0.pairs_where(&accept, out);
    }

    fn pairs_within(
        &mut self,
        distance: S,
        accept: impl Fn(&Proxy, &Proxy) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        self.0.pairs_within(distance, &accept, out);
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, Proxy>) -> R,
    ) -> R {
        let mut last = R::CONTINUE;
        self.0.query(region.into(), &mut |entry| {
            let answer = visit(entry);
            let stops = answer.stops();
            last = answer;
            if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        last
    }

    fn pending(&self) -> usize {
        self.0.pending()
    }

    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, Proxy>, S::Real) -> R,
    ) -> R {
        let mut last = R::CONTINUE;
        self.0.nearest(target.into(), &mut |entry, square| {
            let answer = visit(entry, square);
            let stops = answer.stops();
            last = answer;
            if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        last
    }

    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        self.0.neighbors(radius, out);
    }

    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        self.0.nearest_to_each(count, out);
    }

    fn spacing(&self) -> Option<f64> {
        self.0.spacing()
    }

    fn cells<R: Flow>(&self, mut visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        let mut last = R::CONTINUE;
        self.0.cells(&mut |level, cell| {
            if !last.stops() {
                last = visit(level, cell);
            }
        });
        last
    }

    fn set_backend(&mut self, backend: Backend) {
        self.0.set_backend(backend);
    }

    fn backend(&self) -> Option<Backend> {
        self.0.backend()
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.0.try_reserve(additional)
    }

    fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
    }

    fn search_stats(&self) -> Option<SearchStats> {
        self.0.search_stats()
    }

    fn optimize(&mut self) {
        self.0.optimize();
    }

    fn assert_well_formed(&self) {
        self.0.assert_well_formed();
    }
}
