//! The trait that every structure implements, including structures of the caller.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Backend, Flow, Scalar};

use crate::{Entry, IndexError, Lists, Motion, Neighbors, Path, Region, SearchStats, Target};
use crate::{Pair, pairs, provided, query};

/// A set of objects with bounds: finds overlapping pairs and runs spatial queries.
///
/// Objects are identified by `u32` keys that the caller chooses. Small, dense keys are best.
/// Touching bounds overlap, and two static objects of one structure are never a pair ([`Motion`]).
///
/// **Order.** Buffers are filled in canonical order, and their contents depend only on the current
/// keys, bounds, motion classes and data: not on earlier calls, the backend or the structure.
/// Exceptions, whose order depends on the storage and is unspecified: methods named `_unordered`,
/// [`order`](Self::order), and the walks [`retain`](Self::retain), [`update`](Self::update) and
/// [`update_dynamic`](Self::update_dynamic).
///
/// **Errors.** If a method returns an error, the structure is unchanged, except after the walks and
/// [`extend`](Self::extend), whose docs state which changes are kept.
///
/// **Panics in closures.** If the caller's closure panics during a walk,
/// [`par_update`](Self::par_update) included, changes to objects already visited are kept, on all
/// threads. The object being visited may have changed data but keeps its bounds; objects not yet
/// visited are unchanged. After a panic in a closure of any method the structure is valid and
/// returns correct results; the contents of a buffer that the method was writing are unspecified.
///
/// **Implementing.** Fourteen methods are required. The others have correct default
/// implementations, to be replaced where a structure has a faster way.
pub trait SpatialIndex<S: Scalar, const D: usize>: Clone + Send + Sync {
    /// Data stored with each object.
    type Data: Copy + Send + Sync + 'static;

    /// Inserts an object; its motion class is [`Motion::Dynamic`].
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, the key is in use, or allocation fails.
    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: Self::Data,
    ) -> Result<(), IndexError>;

    /// Replaces the bounds of an object.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the key is unknown.
    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError>;

    /// Sets the object's motion class. It persists when the bounds change and is dropped on
    /// removal.
    ///
    /// # Errors
    /// If the key is unknown or allocation fails.
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError>;

    /// Returns the object's motion class, `None` if the key is unknown.
    fn motion(&self, key: u32) -> Option<Motion>;

    /// Removes an object and returns its data, `None` if the key is unknown.
    fn remove(&mut self, key: u32) -> Option<Self::Data>;

    /// Returns the object with this key, `None` if the key is unknown.
    fn get(&self, key: u32) -> Option<Entry<'_, S, D, Self::Data>>;

    /// Writes `[min, max]` of the object with key `keys[i]` to `out[i]`; skips unknown keys.
    fn bounds_of(&self, keys: &[u32], out: &mut [[[S; D]; 2]]) {
        provided::bounds_of(self, keys, out);
    }

    /// Returns the object's data for modification, `None` if the key is unknown.
    fn data_mut(&mut self, key: u32) -> Option<&mut Self::Data>;

    /// Returns the number of objects.
    fn len(&self) -> usize;

    /// Removes all objects without freeing memory.
    fn clear(&mut self);

    /// Visits all objects in storage order. `keep` may change data and bounds, and returns `false`
    /// to remove the object.
    ///
    /// # Errors
    /// If `keep` sets invalid bounds: that object keeps its old bounds, the walk continues, and the
    /// error names the smallest such key.
    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut Self::Data, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError>;

    /// Returns the keys of all objects in storage order.
    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_;

    /// Returns the number of bytes allocated, whether in use or not.
    fn memory_use(&self) -> usize;

    /// Visits every overlapping pair once, the object with the smaller key first, until the visitor
    /// stops. Two static objects are not a pair.
    fn pairs_unordered<R: Flow>(
        &mut self,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>, Entry<'_, S, D, Self::Data>) -> R,
    ) -> R;

    /// Visits every object that overlaps a box, a point or a ball once, until the visitor stops.
    ///
    /// The region may be infinite. An inverted or NaN region overlaps nothing.
    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>) -> R,
    ) -> R;

    /// Returns whether there are no objects.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces the contents of `out` with all overlapping pairs, in any order.
    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        out.clear();
        self.pairs_unordered(|a, b| out.push([a.key, b.key]));
    }

    /// Replaces the contents of `out` with all overlapping pairs, in canonical order. Costs as much
    /// as [`pairs_unordered_into`](Self::pairs_unordered_into) and [`pairs::sort`].
    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.pairs_unordered_into(out);
        pairs::sort(out);
    }

    /// Replaces the contents of `out` with the overlapping pairs that `accept` accepts, in
    /// canonical order.
    ///
    /// `accept` receives the data of the smaller key first. It is called once for each overlapping
    /// pair, in any order, possibly on several threads at once.
    fn pairs_where(
        &mut self,
        accept: impl Fn(&Self::Data, &Self::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        provided::pairs_where(self, accept, out);
    }

    /// Replaces the contents of `out` with the overlapping pairs `[own key, other's key]`,
    /// ascending, of objects in this structure with objects in `other`. Motion classes are ignored:
    /// two static objects of different structures are a pair. The default implementation is
    /// [`pairs_with_within`](Self::pairs_with_within) at distance 0.
    fn pairs_with<O: SpatialIndex<S, D>>(
        &mut self,
        other: &mut O,
        accept: impl Fn(&Self::Data, &O::Data) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.pairs_with_within(other, S::ZERO, accept, out);
    }

    /// Finds the pairs of [`pairs_with`](Self::pairs_with) for objects at most `distance` apart.
    /// Distances are measured as in [`pairs_within`](Self::pairs_within). The default
    /// implementation calls [`optimize`](Self::optimize) of `other`, then queries `other` once per
    /// object of this structure.
    fn pairs_with_within<O: SpatialIndex<S, D>>(
        &mut self,
        other: &mut O,
        distance: S,
        accept: impl Fn(&Self::Data, &O::Data) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        pairs::with_within(self, other, distance, accept, out);
    }

    /// Replaces the contents of `out` with the pairs of objects at most `distance` apart that
    /// `accept` accepts, in canonical order. Two static objects are not a pair.
    ///
    /// Distances are between bounds and tested exactly, as in [`Region::around`] and
    /// [`Target::within`]: distance 0 finds the overlapping pairs, infinity all pairs, a negative
    /// or NaN distance no pairs. The default implementation calls [`optimize`](Self::optimize),
    /// then runs one query per object.
    ///
    /// ```
    /// use hexphase::{Aabb, BruteForce, SpatialIndex};
    /// let mut world: BruteForce = BruteForce::new();
    /// world.extend((0..3).map(|key| (key, Aabb::point([3.0, 4.0].map(|x| x * key as f32)), ())))?;
    /// let mut pairs = Vec::new();
    /// world.pairs_within(5.0, |(), ()| true, &mut pairs);
    /// assert_eq!(pairs, [[0, 1], [1, 2]]);
    /// # extern crate broadphase_core as hexphase; Ok::<(), hexphase::IndexError>(())
    /// ```
    fn pairs_within(
        &mut self,
        distance: S,
        accept: impl Fn(&Self::Data, &Self::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        pairs::within(self, distance, accept, out);
    }

    /// Replaces the contents of `out` with the keys of all objects that overlap a box, a point or a
    /// ball, ascending. The region may be infinite; an inverted or NaN region overlaps nothing.
    fn query(&self, region: impl Into<Region<S, D>>, out: &mut Vec<u32>) {
        provided::query(self, region.into(), out);
    }

    /// Runs [`query`](Self::query) for many regions; list `i` of `out` belongs to `regions[i]`. The
    /// default implementation runs the queries in spatial order, which saves cache misses.
    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists) {
        query::query_many(self, regions, out);
    }

    /// Visits every object that a path touches, front to back, until the visitor stops: ascending
    /// by the fraction of the path at first contact, then by key.
    ///
    /// A path with a NaN or infinite number touches nothing. The default implementation divides the
    /// path into segments, queries one after the other and ends with the segment in which the
    /// visitor stops; it allocates memory for the hits of a segment.
    ///
    /// ```
    /// use hexphase::{Aabb, BruteForce, Path, SpatialIndex};
    /// use std::ops::ControlFlow;
    /// let mut world: BruteForce = BruteForce::new();
    /// world.extend((0..9).map(|key| (key, Aabb::of_ball([key as f32 * 4.0, 0.0], 1.0), ())))?;
    /// let path = Path::segment([0.0, 0.5], [32.0, 0.5]);
    /// let first = world.cast(path, |entry, fraction| ControlFlow::Break((entry.key, fraction)));
    /// assert_eq!(first, ControlFlow::Break((0, 0.0)));
    /// # extern crate broadphase_core as hexphase; Ok::<(), hexphase::IndexError>(())
    /// ```
    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>, S::Real) -> R,
    ) -> R {
        query::cast(self, &path, visit)
    }

    /// Runs [`cast`](Self::cast) for many paths. List `i` of `out` has the keys and fractions of
    /// the first `most` objects on `paths[i]` for which `accept` returns `true`. `accept` is called
    /// in any order, possibly on several threads at once. The default implementation runs the casts
    /// in spatial order.
    fn cast_many(
        &self,
        paths: &[Path<S, D>],
        most: usize,
        accept: impl Fn(Entry<'_, S, D, Self::Data>) -> bool + Sync,
        out: &mut Lists<(u32, S::Real)>,
    ) {
        query::cast_many(self, paths, most, accept, out);
    }

    /// Visits the objects from the nearest to the farthest, until the visitor stops: ascending by
    /// distance from a point or box, then by key. The visitor receives squared distances.
    ///
    /// Objects are in order even if the squares overflow to infinity or underflow to 0: squares of
    /// scaled distances are compared then. Distances with equal rounded squares count as equal.
    /// If the target has a NaN or infinite number, no object is visited. The default implementation
    /// searches in growing shells around the target and ends with the shell in which the visitor
    /// stops; it allocates memory for the hits of a shell. See [`Target::within`] for limits.
    ///
    /// ```
    /// use hexphase::{Aabb, BruteForce, SpatialIndex, Target};
    /// let mut world: BruteForce = BruteForce::new();
    /// world.extend((0..9).map(|key| (key, Aabb::point([key as f32, 1.0]), ())))?;
    /// let mut found = Vec::new();
    /// world.nearest(Target::point([5.0, 0.0]).within(2.0), |entry, at| found.push((entry.key, at)));
    /// assert_eq!(found, [(5, 1.0), (4, 2.0), (6, 2.0)]);
    /// # extern crate broadphase_core as hexphase; Ok::<(), hexphase::IndexError>(())
    /// ```
    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>, S::Real) -> R,
    ) -> R {
        query::nearest(self, target.into(), visit)
    }

    /// Runs [`nearest`](Self::nearest) for many targets. List `i` of `out` has the keys and squared
    /// distances of the `most` objects nearest to `targets[i]` for which `accept` returns `true`.
    /// `accept` and the order of searches are as in [`cast_many`](Self::cast_many).
    fn nearest_many(
        &self,
        targets: &[Target<S, D>],
        most: usize,
        accept: impl Fn(Entry<'_, S, D, Self::Data>) -> bool + Sync,
        out: &mut Lists<(u32, S::Real)>,
    ) {
        query::nearest_many(self, targets, most, accept, out);
    }

    /// Writes for each object the keys of all other objects within a radius, ascending. Distances
    /// are between bounds, as in [`Region::around`]. Motion classes are ignored. The default runs
    /// one query per object. Other structures sweep strips or rows, in about 100 bytes per object.
    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        query::neighbors(self, radius, out);
    }

    /// Writes for each object the keys of the `count` nearest other objects, or of all others if
    /// there are fewer, ascending by distance, then by key. The default runs one search per object.
    /// Other structures search parts of a k-d tree, in about 100 bytes per object.
    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        query::nearest_to_each(self, count, out);
    }

    /// Returns the number of objects that each query tests one by one, because they were inserted or
    /// changed since the last maintenance. If it is large, call [`optimize`](Self::optimize) first.
    fn pending(&self) -> usize {
        0
    }

    /// Returns the typical distance between adjacent objects, `None` if unknown. Searches derive
    /// their first step from it; results do not depend on it.
    fn spacing(&self) -> Option<f64> {
        None
    }

    /// Visits the occupied cells of the structure, for debug drawing, until the visitor stops. The
    /// visitor receives the level and the bounds of a cell; cells are visited level by level. The
    /// level is 0 if all cells have one size.
    ///
    /// Cells depend on the structure and its settings and are no part of the stable results. The
    /// default implementation visits none. Takes time and memory linear in the number of objects.
    fn cells<R: Flow>(&self, visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        let _ = visit;
        R::CONTINUE
    }

    /// Visits all objects in storage order; `change` may change data and bounds.
    ///
    /// # Errors
    /// If `change` sets invalid bounds: that object keeps its old bounds, the walk continues, and
    /// the error names the smallest such key.
    fn update(
        &mut self,
        change: impl FnMut(u32, &mut Self::Data, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        provided::update(self, change)
    }

    /// Visits all objects; `change` may change data and bounds, and is called in any order,
    /// possibly on several threads at once.
    ///
    /// The result, including the storage order, is that of [`update`](Self::update) for any number
    /// of threads. The default implementation is `update`.
    ///
    /// # Errors
    /// In the same cases as [`update`](Self::update).
    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut Self::Data, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        self.update(change)
    }

    /// Visits all [`Motion::Dynamic`] objects in storage order; `change` may change data and
    /// bounds. The default implementation first collects their keys, which allocates.
    ///
    /// # Errors
    /// In the same cases as [`update`](Self::update).
    fn update_dynamic(
        &mut self,
        change: impl FnMut(u32, &mut Self::Data, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        provided::update_dynamic(self, change)
    }

    /// Replaces the bounds of many objects. If a key is repeated, its last bounds are kept.
    ///
    /// # Errors
    /// If any bounds are NaN, infinite or inverted, or any key is unknown: the error of
    /// [`set_bounds`](Self::set_bounds) for the first invalid change.
    fn set_bounds_many(&mut self, changes: &[(u32, Aabb<S, D>)]) -> Result<(), IndexError> {
        provided::set_bounds_many(self, changes)
    }

    /// Inserts many objects.
    ///
    /// # Errors
    /// If [`insert`](Self::insert) fails for an object; the objects before it are kept.
    fn extend<B: Into<Aabb<S, D>>>(
        &mut self,
        objects: impl IntoIterator<Item = (u32, B, Self::Data)>,
    ) -> Result<(), IndexError> {
        provided::extend(self, objects.into_iter())
    }

    /// Inserts an object with a motion class.
    ///
    /// # Errors
    /// In the same cases as [`insert`](Self::insert).
    fn insert_with(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: Self::Data,
        motion: Motion,
    ) -> Result<(), IndexError> {
        provided::insert_with(self, key, bounds.into(), data, motion)
    }

    /// Inserts many objects, given as key, bounds, data and motion class: all of them or none.
    ///
    /// # Errors
    /// If [`insert`](Self::insert) would fail for an object. A repeated key counts as in use.
    fn insert_many(
        &mut self,
        objects: &[(u32, Aabb<S, D>, Self::Data, Motion)],
    ) -> Result<(), IndexError> {
        self.try_reserve(objects.len())?;
        provided::insert_each(self, objects)
    }

    /// Removes many objects: all of them or none. A key may be repeated.
    ///
    /// # Errors
    /// [`IndexError::UnknownKey`] for the first unknown key.
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        provided::remove_many(self, keys)
    }

    /// Sets the SIMD backend of the kernels; results do not depend on it.
    fn set_backend(&mut self, _: Backend) {}

    /// Returns the SIMD backend of the kernels; `None` if the structure has no kernels.
    fn backend(&self) -> Option<Backend> {
        None
    }

    /// Returns the numbers of tests and hits of the last search for pairs; `None` if it made no
    /// tests or they are not counted. Every backend and number of threads gives equal numbers.
    fn search_stats(&self) -> Option<SearchStats> {
        None
    }

    /// Reserves memory for `additional` more objects with consecutive keys.
    ///
    /// # Errors
    /// If allocation fails.
    fn try_reserve(&mut self, _additional: usize) -> Result<(), IndexError> {
        Ok(())
    }

    /// Frees unused memory, if the structure can.
    fn shrink_to_fit(&mut self) {}

    /// Runs now the maintenance that the next [`pairs`](Self::pairs) would begin with.
    fn optimize(&mut self) {}

    /// Checks every invariant of the structure; for tests.
    ///
    /// # Panics
    /// If an invariant is violated.
    fn assert_well_formed(&self) {}
}
