//! [`DynIndex`]: an object-safe version of `SpatialIndex`. With this trait, laws are compiled once
//! for all structures, and each method of a structure is compiled once for all laws.

use core::ops::ControlFlow;

use crate::Together;
use broadphase_core::{
    Aabb, Backend, Entry, IndexError, Lists, Motion, Neighbors, Pair, Path, Region, Scalar,
    SpatialIndex, Target,
};

/// A found object.
pub(crate) type Found<'a, S, const D: usize> = Entry<'a, S, D, u32>;

/// Visitor of objects; its break value is the number of its calls.
pub(crate) type Visit<'a, S, const D: usize> =
    &'a mut dyn FnMut(Found<'_, S, D>) -> ControlFlow<usize>;

/// Visitor of pairs; its break value is the number of its calls.
pub(crate) type VisitPair<'a, S, const D: usize> =
    &'a mut dyn FnMut(Found<'_, S, D>, Found<'_, S, D>) -> ControlFlow<usize>;

/// Visitor of objects with a distance or fraction; its break value is the number of its calls.
pub(crate) type VisitRanked<'a, S, const D: usize, R> =
    &'a mut dyn FnMut(Found<'_, S, D>, R) -> ControlFlow<usize>;

/// Closure of `update` and `retain`.
pub(crate) type Change<'a, S, const D: usize, R> =
    &'a mut dyn FnMut(u32, &mut u32, &mut Aabb<S, D>) -> R;

/// Closure of `par_update`.
pub(crate) type Shared<'a, S, const D: usize> = &'a (dyn Fn(u32, &mut u32, &mut Aabb<S, D>) + Sync);

/// Filter of the objects that a batch of queries finds.
pub(crate) type AcceptOne<'a, S, const D: usize> = &'a (dyn Fn(Found<'_, S, D>) -> bool + Sync);

/// An object to insert: key, bounds, data, motion class.
pub(crate) type NewObject<S, const D: usize> = (u32, Aabb<S, D>, u32, Motion);

/// Filter of pairs by their data.
pub(crate) type Accept<'a> = &'a (dyn Fn(&u32, &u32) -> bool + Sync);

/// All methods of [`SpatialIndex`], with trait objects in place of closures.
pub(crate) trait DynIndex<S: Scalar, const D: usize>: Send + Sync {
    fn insert(&mut self, key: u32, bounds: Aabb<S, D>, data: u32) -> Result<(), IndexError>;
    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError>;
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError>;
    fn motion(&self, key: u32) -> Option<Motion>;
    fn remove(&mut self, key: u32) -> Option<u32>;
    fn get(&self, key: u32) -> Option<Found<'_, S, D>>;
    fn data_mut(&mut self, key: u32) -> Option<&mut u32>;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn clear(&mut self);
    fn retain(&mut self, keep: Change<'_, S, D, bool>) -> Result<(), IndexError>;
    fn update(&mut self, change: Change<'_, S, D, ()>) -> Result<(), IndexError>;
    fn update_dynamic(&mut self, change: Change<'_, S, D, ()>) -> Result<(), IndexError>;
    fn par_update(&mut self, change: Shared<'_, S, D>) -> Result<(), IndexError>;
    fn set_bounds_many(&mut self, changes: &[(u32, Aabb<S, D>)]) -> Result<(), IndexError>;
    fn insert_many(&mut self, objects: &[NewObject<S, D>]) -> Result<(), IndexError>;
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError>;
    fn extend(
        &mut self,
        objects: &mut dyn Iterator<Item = (u32, Aabb<S, D>, u32)>,
    ) -> Result<(), IndexError>;
    fn order(&self) -> Box<dyn ExactSizeIterator<Item = u32> + '_>;
    fn pairs_unordered(&mut self, visit: VisitPair<'_, S, D>) -> ControlFlow<usize>;
    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>);
    fn pairs(&mut self, out: &mut Vec<Pair>);
    fn pairs_where(&mut self, accept: Accept<'_>, out: &mut Vec<Pair>);
    fn pairs_with(
        &mut self,
        other: &mut Together<S, D>,
        accept: Accept<'_>,
        out: &mut Vec<[u32; 2]>,
    );
    fn pairs_with_within(
        &mut self,
        other: &mut Together<S, D>,
        distance: S,
        accept: Accept<'_>,
        out: &mut Vec<[u32; 2]>,
    );
    fn pairs_within(&mut self, distance: S, accept: Accept<'_>, out: &mut Vec<Pair>);
    fn query_unordered(&self, region: Region<S, D>, visit: Visit<'_, S, D>) -> ControlFlow<usize>;
    fn query(&self, region: Region<S, D>, out: &mut Vec<u32>);
    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists);
    fn cast_many(
        &self,
        paths: &[Path<S, D>],
        most: usize,
        accept: AcceptOne<'_, S, D>,
    ) -> Lists<(u32, S::Real)>;
    fn nearest_many(
        &self,
        targets: &[Target<S, D>],
        most: usize,
        accept: AcceptOne<'_, S, D>,
    ) -> Lists<(u32, S::Real)>;
    fn cast(&self, path: Path<S, D>, visit: VisitRanked<'_, S, D, S::Real>) -> ControlFlow<usize>;
    fn nearest(
        &self,
        target: Target<S, D>,
        visit: VisitRanked<'_, S, D, S::Real>,
    ) -> ControlFlow<usize>;
    fn neighbors(&self, radius: S, out: &mut Neighbors);
    fn nearest_to_each(&self, count: usize, out: &mut Neighbors);
    fn spacing(&self) -> Option<f64>;
    fn set_backend(&mut self, backend: Backend);
    fn backend(&self) -> Option<Backend>;
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError>;
    fn shrink_to_fit(&mut self);
    fn memory_use(&self) -> usize;
    fn optimize(&mut self);
    fn assert_well_formed(&self);
    fn boxed_clone(&self) -> Box<dyn DynIndex<S, D>>;
}

impl<S: Scalar, const D: usize, I> DynIndex<S, D> for I
where
    I: SpatialIndex<S, D, Data = u32> + 'static,
{
    fn insert(&mut self, key: u32, bounds: Aabb<S, D>, data: u32) -> Result<(), IndexError> {
        SpatialIndex::insert(self, key, bounds, data)
    }
    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        SpatialIndex::set_bounds(self, key, bounds)
    }
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        SpatialIndex::set_motion(self, key, motion)
    }
    fn motion(&self, key: u32) -> Option<Motion> {
        SpatialIndex::motion(self, key)
    }
    fn remove(&mut self, key: u32) -> Option<u32> {
        SpatialIndex::remove(self, key)
    }
    fn get(&self, key: u32) -> Option<Found<'_, S, D>> {
        SpatialIndex::get(self, key)
    }
    fn data_mut(&mut self, key: u32) -> Option<&mut u32> {
        SpatialIndex::data_mut(self, key)
    }
    fn len(&self) -> usize {
        SpatialIndex::len(self)
    }
    fn is_empty(&self) -> bool {
        SpatialIndex::is_empty(self)
    }
    fn clear(&mut self) {
        SpatialIndex::clear(self);
    }
    fn retain(&mut self, keep: Change<'_, S, D, bool>) -> Result<(), IndexError> {
        SpatialIndex::retain(self, keep)
    }
    fn update(&mut self, change: Change<'_, S, D, ()>) -> Result<(), IndexError> {
        SpatialIndex::update(self, change)
    }
    fn update_dynamic(&mut self, change: Change<'_, S, D, ()>) -> Result<(), IndexError> {
        SpatialIndex::update_dynamic(self, change)
    }
    fn par_update(&mut self, change: Shared<'_, S, D>) -> Result<(), IndexError> {
        SpatialIndex::par_update(self, change)
    }
    fn set_bounds_many(&mut self, changes: &[(u32, Aabb<S, D>)]) -> Result<(), IndexError> {
        SpatialIndex::set_bounds_many(self, changes)
    }
    fn insert_many(&mut self, objects: &[NewObject<S, D>]) -> Result<(), IndexError> {
        SpatialIndex::insert_many(self, objects)
    }
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        SpatialIndex::remove_many(self, keys)
    }
    fn extend(
        &mut self,
        objects: &mut dyn Iterator<Item = (u32, Aabb<S, D>, u32)>,
    ) -> Result<(), IndexError> {
        SpatialIndex::extend(self, objects)
    }
    fn order(&self) -> Box<dyn ExactSizeIterator<Item = u32> + '_> {
        Box::new(SpatialIndex::order(self))
    }
    fn pairs_unordered(&mut self, visit: VisitPair<'_, S, D>) -> ControlFlow<usize> {
        SpatialIndex::pairs_unordered(self, visit)
    }
    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        SpatialIndex::pairs_unordered_into(self, out);
    }
    fn pairs(&mut self, out: &mut Vec<Pair>) {
        SpatialIndex::pairs(self, out);
    }
    fn pairs_where(&mut self, accept: Accept<'_>, out: &mut Vec<Pair>) {
        SpatialIndex::pairs_where(self, accept, out);
    }
    fn pairs_with(
        &mut self,
        other: &mut Together<S, D>,
        accept: Accept<'_>,
        out: &mut Vec<[u32; 2]>,
    ) {
        SpatialIndex::pairs_with(self, other, accept, out);
    }
    fn pairs_with_within(
        &mut self,
        other: &mut Together<S, D>,
        distance: S,
        accept: Accept<'_>,
        out: &mut Vec<[u32; 2]>,
    ) {
        SpatialIndex::pairs_with_within(self, other, distance, accept, out);
    }
    fn pairs_within(&mut self, distance: S, accept: Accept<'_>, out: &mut Vec<Pair>) {
        SpatialIndex::pairs_within(self, distance, accept, out);
    }
    fn query_unordered(&self, region: Region<S, D>, visit: Visit<'_, S, D>) -> ControlFlow<usize> {
        SpatialIndex::query_unordered(self, region, visit)
    }
    fn query(&self, region: Region<S, D>, out: &mut Vec<u32>) {
        SpatialIndex::query(self, region, out);
    }
    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists) {
        SpatialIndex::query_many(self, regions, out);
    }
    fn cast_many(
        &self,
        paths: &[Path<S, D>],
        most: usize,
        accept: AcceptOne<'_, S, D>,
    ) -> Lists<(u32, S::Real)> {
        let mut out = Lists::default();
        SpatialIndex::cast_many(self, paths, most, accept, &mut out);
        out
    }
    fn nearest_many(
        &self,
        targets: &[Target<S, D>],
        most: usize,
        accept: AcceptOne<'_, S, D>,
    ) -> Lists<(u32, S::Real)> {
        let mut out = Lists::default();
        SpatialIndex::nearest_many(self, targets, most, accept, &mut out);
        out
    }
    fn cast(&self, path: Path<S, D>, visit: VisitRanked<'_, S, D, S::Real>) -> ControlFlow<usize> {
        SpatialIndex::cast(self, path, visit)
    }
    fn nearest(
        &self,
        target: Target<S, D>,
        visit: VisitRanked<'_, S, D, S::Real>,
    ) -> ControlFlow<usize> {
        SpatialIndex::nearest(self, target, visit)
    }
    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        SpatialIndex::neighbors(self, radius, out);
    }
    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        SpatialIndex::nearest_to_each(self, count, out);
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
    fn optimize(&mut self) {
        SpatialIndex::optimize(self);
    }
    fn assert_well_formed(&self) {
        SpatialIndex::assert_well_formed(self);
    }
    fn boxed_clone(&self) -> Box<dyn DynIndex<S, D>> {
        Box::new(self.clone())
    }
}

/// Returns the number of a structure and its backend as text for messages.
pub(crate) fn describe<S: Scalar, const D: usize>(
    number: usize,
    one: &dyn DynIndex<S, D>,
) -> String {
    one.backend()
        .map_or(format!("structure {number}"), |backend| format!("structure {number} on {backend}"))
}
