//! The object-safe trait of all structures. There is one virtual call per public call or per batch
//! of objects, never one per pair.

#[cfg(feature = "hshg")]
mod batches;
mod erased;
mod insertions;
#[cfg(feature = "hshg")]
mod near;
mod object_batch;

use alloc::boxed::Box;
use alloc::vec::Vec;
#[cfg(feature = "hshg")]
use core::any::Any;
use core::ops::ControlFlow;

use broadphase_core::{
    Aabb, Backend, DataAddress, Entry, IndexError, Lists, Motion, Neighbors, Pair, Path, Region,
    Scalar, SearchStats, SpatialIndex, Target,
};

use crate::Handle;
use crate::engine::VisitPairs;
use crate::filter_pairs::FilterPairs;
use crate::filters::{Agreement, Filters};
use crate::world::LevelStats;
pub(crate) use erased::ErasedIndex;
pub(crate) use insertions::{Insertion, Insertions};
#[cfg(feature = "hshg")]
pub(crate) use near::{visit_between, write_all};
pub(crate) use object_batch::{ChangeFn, ObjectBatch, ParChangeFn, address_to_prefetch};

/// The data that a structure stores with each object of a world: the number of its filter and the
/// generation of its handle.
///
/// To use a structure of your own in a world, implement [`SpatialIndex`] with `Data = Proxy`.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, BruteForce, Options, Proxy};
///
/// let own = BruteForce::<f32, 2, Proxy>::new();
/// let mut world: BroadPhase<f32, 2, u8> = BroadPhase::with_index(own, Options::new());
/// world.insert(Aabb::point([0.0, 0.0]), 1)?;
/// assert_eq!(world.choice().algorithm, None);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Proxy {
    pub(crate) filter: u32,
    pub(crate) generation: u32,
}

impl Proxy {
    /// Returns the handle of the object that has this proxy and key.
    #[inline]
    pub(crate) const fn handle(self, key: u32) -> Handle {
        Handle::new(key, self.generation)
    }
}

/// An object as stored in a structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Body<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) proxy: Proxy,
    pub(crate) motion: Motion,
}

#[cfg(feature = "hshg")]
fn grid_backend<S: Scalar, const D: usize>(grid: &Grid<S, D>) -> Backend {
    SpatialIndex::backend(grid).unwrap_or_default()
}

#[cfg(feature = "hshg")]
type Grid<S, const D: usize> = broadphase_hshg::Hshg<S, D, Proxy>;

/// Receives found objects until it returns `Break`.
pub(crate) type VisitFn<'a, S, const D: usize> =
    dyn FnMut(Entry<'_, S, D, Proxy>) -> ControlFlow<()> + 'a;

/// Receives found objects, each with its fraction along the path or its squared distance, until it
/// returns `Break`.
pub(crate) type VisitAtFn<'a, S, const D: usize, R> =
    dyn FnMut(Entry<'_, S, D, Proxy>, R) -> ControlFlow<()> + 'a;

/// Returns whether a query of a batch accepts an object, given by slot and proxy; called from
/// several threads at once.
pub(crate) type AcceptFn<'a> = dyn Fn(u32, Proxy) -> bool + Sync + 'a;

/// For each query of a batch, slots with the fraction along the path or the squared distance.
pub(crate) type HitLists<R> = Lists<(u32, R)>;

/// The operations of [`SpatialIndex`] that a world needs, as an object-safe trait.
pub(crate) trait Structure<S: Scalar, const D: usize>: Send + Sync {
    fn insert(&mut self, key: u32, body: Body<S, D>) -> Result<(), IndexError>;
    /// Inserts many objects: all of them or none.
    fn insert_many(&mut self, objects: &[Insertion<S, D>]) -> Result<(), IndexError>;
    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError>;
    fn remove(&mut self, key: u32) -> Option<Proxy>;
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError>;
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError>;
    fn motion(&self, key: u32) -> Option<Motion>;
    fn entry(&self, key: u32) -> Option<Entry<'_, S, D, Proxy>>;
    /// Writes `[min, max]` of the object with key `keys[i]` to `out[i]`. The items of missing
    /// objects stay unchanged.
    fn bounds_of(&self, keys: &[u32], out: &mut [[[S; D]; 2]]);
    fn proxy_mut(&mut self, key: u32) -> Option<&mut Proxy>;
    fn len(&self) -> usize;
    fn clear(&mut self);
    /// Updates all objects. Data at `users`, by slot, may be prefetched for `change`.
    fn update(
        &mut self,
        users: DataAddress,
        change: &mut ChangeFn<'_, S, D>,
    ) -> Result<(), IndexError>;
    fn update_dynamic(
        &mut self,
        users: DataAddress,
        change: &mut ChangeFn<'_, S, D>,
    ) -> Result<(), IndexError>;
    fn par_update(
        &mut self,
        users: DataAddress,
        change: &ParChangeFn<'_, S, D>,
    ) -> Result<(), IndexError>;
    fn order(&self) -> Box<dyn ExactSizeIterator<Item = u32> + '_>;
    fn pairs(&mut self, out: &mut Vec<Pair>);
    fn pairs_where(
        &mut self,
        accept: &(dyn Fn(&Proxy, &Proxy) -> bool + Sync),
        out: &mut Vec<Pair>,
    );
    fn pairs_within(
        &mut self,
        distance: S,
        accept: &(dyn Fn(&Proxy, &Proxy) -> bool + Sync),
        out: &mut Vec<Pair>,
    );
    fn filtered_pairs(&mut self, filters: &Filters, out: &mut Vec<Pair>);
    fn visit_pairs_within(
        &mut self,
        distance: S,
        filters: &FilterPairs<'_>,
        visit: &mut VisitPairs<'_>,
    );
    /// Returns the structure as a hierarchical grid, if it is one.
    #[cfg(feature = "hshg")]
    fn grid(&mut self) -> Option<&mut Grid<S, D>>;
    fn query(&self, region: Region<S, D>, visit: &mut VisitFn<'_, S, D>);
    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists);
    fn cast(&self, path: Path<S, D>, visit: &mut VisitAtFn<'_, S, D, S::Real>);
    fn cast_many(
        &self,
        paths: &[Path<S, D>],
        most: usize,
        accept: &AcceptFn<'_>,
        out: &mut HitLists<S::Real>,
    );
    fn nearest(&self, target: Target<S, D>, visit: &mut VisitAtFn<'_, S, D, S::Real>);
    fn nearest_many(
        &self,
        targets: &[Target<S, D>],
        most: usize,
        accept: &AcceptFn<'_>,
        out: &mut HitLists<S::Real>,
    );
    fn neighbors(&self, distance: S, out: &mut Neighbors);
    fn nearest_to_each(&self, count: usize, out: &mut Neighbors);
    fn pending(&self) -> usize;
    fn spacing(&self) -> Option<f64>;
    fn set_backend(&mut self, backend: Backend);
    fn backend(&self) -> Option<Backend>;
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError>;
    fn shrink_to_fit(&mut self);
    fn memory_use(&self) -> usize;
    fn cells(&self, visit: &mut dyn FnMut(u32, Aabb<S, D>));
    fn levels(&self) -> Vec<LevelStats>;
    fn search_stats(&self) -> Option<SearchStats>;
    fn optimize(&mut self);
    fn boxed_clone(&self) -> Box<dyn Structure<S, D>>;
    fn assert_well_formed(&self);
}

impl<S: Scalar, const D: usize> dyn Structure<S, D> + '_ {
    /// Returns an object, or `None` if there is no object with this key.
    pub(crate) fn get(&self, key: u32) -> Option<Body<S, D>> {
        let entry = self.entry(key)?;
        let motion = self.motion(key).unwrap_or_default();
        Some(Body { bounds: entry.bounds, proxy: *entry.data, motion })
    }

    /// Calls `visit` for all objects in storage order.
    pub(crate) fn each(&self, mut visit: impl FnMut(u32, Body<S, D>)) {
        for key in self.order() {
            if let Some(body) = self.get(key) {
                visit(key, body);
            }
        }
    }
}

impl<S: Scalar, const D: usize, I> Structure<S, D> for I
where
    I: SpatialIndex<S, D, Data = Proxy> + 'static,
{
    fn insert(&mut self, key: u32, body: Body<S, D>) -> Result<(), IndexError> {
        self.insert_with(key, body.bounds, body.proxy, body.motion)
    }

    fn insert_many(&mut self, objects: &[Insertion<S, D>]) -> Result<(), IndexError> {
        SpatialIndex::insert_many(self, objects)
    }

    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        SpatialIndex::set_bounds(self, key, bounds)
    }

    fn remove(&mut self, key: u32) -> Option<Proxy> {
        SpatialIndex::remove(self, key)
    }

    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        SpatialIndex::remove_many(self, keys)
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        SpatialIndex::set_motion(self, key, motion)
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        SpatialIndex::motion(self, key)
    }

    fn entry(&self, key: u32) -> Option<Entry<'_, S, D, Proxy>> {
        SpatialIndex::get(self, key)
    }

    fn bounds_of(&self, keys: &[u32], out: &mut [[[S; D]; 2]]) {
        SpatialIndex::bounds_of(self, keys, out);
    }

    fn proxy_mut(&mut self, key: u32) -> Option<&mut Proxy> {
        self.data_mut(key)
    }

    fn len(&self) -> usize {
        SpatialIndex::len(self)
    }

    fn clear(&mut self) {
        SpatialIndex::clear(self);
    }

    fn update(
        &mut self,
        users: DataAddress,
        change: &mut ChangeFn<'_, S, D>,
    ) -> Result<(), IndexError> {
        #[cfg(feature = "hshg")]
        if let Some(grid) = self.grid() {
            let (on, mut room) = (grid_backend(grid), batches::BatchBuffers::new());
            return grid.update_batches(|batch| {
                batches::change((on, users), batch, &mut room, change);
            });
        }
        let _ = users;
        SpatialIndex::update(self, |key, proxy, bounds| {
            ObjectBatch::one(key, proxy, bounds, &mut *change);
        })
    }

    fn update_dynamic(
        &mut self,
        users: DataAddress,
        change: &mut ChangeFn<'_, S, D>,
    ) -> Result<(), IndexError> {
        #[cfg(feature = "hshg")]
        if let Some(grid) = self.grid() {
            let (on, mut room) = (grid_backend(grid), batches::BatchBuffers::new());
            return grid.update_dynamic_batches(|batch| {
                batches::change((on, users), batch, &mut room, change);
            });
        }
        let _ = users;
        SpatialIndex::update_dynamic(self, |key, proxy, bounds| {
            ObjectBatch::one(key, proxy, bounds, &mut *change);
        })
    }

    fn par_update(
        &mut self,
        users: DataAddress,
        change: &ParChangeFn<'_, S, D>,
    ) -> Result<(), IndexError> {
        #[cfg(feature = "hshg")]
        if let Some(grid) = self.grid() {
            let on = grid_backend(grid);
            return grid.par_update_batches(|batch| {
                let change = &mut |movers: &mut ObjectBatch<'_, S, D>| change(movers);
                let mut room = batches::BatchBuffers::new();
                batches::change((on, users), batch, &mut room, change);
            });
        }
        let _ = users;
        SpatialIndex::par_update(self, |key, proxy, bounds| {
            ObjectBatch::one(key, proxy, bounds, change);
        })
    }

    fn order(&self) -> Box<dyn ExactSizeIterator<Item = u32> + '_> {
        Box::new(SpatialIndex::order(self))
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        SpatialIndex::pairs(self, out);
    }

    fn pairs_where(
        &mut self,
        accept: &(dyn Fn(&Proxy, &Proxy) -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        SpatialIndex::pairs_where(self, accept, out);
    }

    fn pairs_within(
        &mut self,
        distance: S,
        accept: &(dyn Fn(&Proxy, &Proxy) -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        SpatialIndex::pairs_within(self, distance, accept, out);
    }

    fn filtered_pairs(&mut self, filters: &Filters, out: &mut Vec<Pair>) {
        match filters.agreement() {
            Agreement::All => SpatialIndex::pairs(self, out),
            Agreement::None => {
                out.clear();
                SpatialIndex::optimize(self);
            }
            Agreement::Some => {
                SpatialIndex::pairs_where(self, |a, b| filters.accept(a.filter, b.filter), out);
            }
        }
    }

    fn visit_pairs_within(
        &mut self,
        distance: S,
        filters: &FilterPairs<'_>,
        visit: &mut VisitPairs<'_>,
    ) {
        #[cfg(feature = "hshg")]
        if let Some(grid) = self.grid() {
            return near::visit_within(grid, distance, filters, visit);
        }
        let mut found = Vec::new();
        let accept = |a: &Proxy, b: &Proxy| filters.accept(a.filter, b.filter);
        SpatialIndex::pairs_within(self, distance, accept, &mut found);
        let handle = |slot: u32| SpatialIndex::get(self, slot).map(|entry| entry.data.handle(slot));
        let pairs = found.iter().filter_map(|&[a, b]| Some([handle(a)?, handle(b)?]));
        let _ = visit(&pairs.collect::<Vec<_>>());
    }

    #[cfg(feature = "hshg")]
    fn grid(&mut self) -> Option<&mut Grid<S, D>> {
        (self as &mut dyn Any).downcast_mut()
    }

    fn query(&self, region: Region<S, D>, visit: &mut VisitFn<'_, S, D>) {
        let _ = self.query_unordered(region, visit);
    }

    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists) {
        SpatialIndex::query_many(self, regions, out);
    }

    fn cast(&self, path: Path<S, D>, visit: &mut VisitAtFn<'_, S, D, S::Real>) {
        let _ = SpatialIndex::cast(self, path, visit);
    }

    fn cast_many(
        &self,
        paths: &[Path<S, D>],
        most: usize,
        accept: &AcceptFn<'_>,
        out: &mut HitLists<S::Real>,
    ) {
        SpatialIndex::cast_many(self, paths, most, |entry| accept(entry.key, *entry.data), out);
    }

    fn nearest(&self, target: Target<S, D>, visit: &mut VisitAtFn<'_, S, D, S::Real>) {
        let _ = SpatialIndex::nearest(self, target, visit);
    }

    fn nearest_many(
        &self,
        targets: &[Target<S, D>],
        most: usize,
        accept: &AcceptFn<'_>,
        out: &mut HitLists<S::Real>,
    ) {
        SpatialIndex::nearest_many(
            self,
            targets,
            most,
            |entry| accept(entry.key, *entry.data),
            out,
        );
    }

    fn neighbors(&self, distance: S, out: &mut Neighbors) {
        SpatialIndex::neighbors(self, distance, out);
    }

    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        SpatialIndex::nearest_to_each(self, count, out);
    }

    fn pending(&self) -> usize {
        SpatialIndex::pending(self)
    }

    fn spacing(&self) -> Option<f64> {
        SpatialIndex::spacing(self)
    }

    fn set_backend(&mut self, backend: Backend) {
        SpatialIndex::set_backend(self, backend);
    }

    fn backend(&self) -> Option<Backend> {
        SpatialIndex::backend(self)
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        SpatialIndex::try_reserve(self, additional)
    }

    fn shrink_to_fit(&mut self) {
        SpatialIndex::shrink_to_fit(self);
    }

    fn memory_use(&self) -> usize {
        SpatialIndex::memory_use(self)
    }

    fn cells(&self, visit: &mut dyn FnMut(u32, Aabb<S, D>)) {
        SpatialIndex::cells(self, visit);
    }

    fn levels(&self) -> Vec<LevelStats> {
        crate::engine::levels::<S, D>(self)
    }

    fn search_stats(&self) -> Option<SearchStats> {
        SpatialIndex::search_stats(self)
    }

    fn optimize(&mut self) {
        SpatialIndex::optimize(self);
    }

    fn boxed_clone(&self) -> Box<dyn Structure<S, D>> {
        Box::new(self.clone())
    }

    fn assert_well_formed(&self) {
        SpatialIndex::assert_well_formed(self);
    }
}
