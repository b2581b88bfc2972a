//! Methods with closures for every structure.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Flow, Scalar};

use crate::pairs::{self, Pair, PairSearch};
use crate::{
    Entry, IndexError, IndexObject, Lists, Maintenance, Near, Neighbors, Path, Region, Search,
    SpatialIndex, Target, Walk, WalkBatch, provided, query,
};

/// Methods of every [`SpatialIndex`] that take closures, or convert their arguments.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, BruteForce, SpatialIndexExt};
///
/// let mut world: BruteForce = BruteForce::new();
/// world.extend((0..9).map(|key| (key, Aabb::of_ball([key as f32 * 4.0, 0.0], 1.0))))?;
/// world.update(|key, bounds| *bounds = bounds.translated([0.0, key as f32 % 2.0]))?;
/// let mut found = Vec::new();
/// world.query([4.0, 2.0], &mut found);
/// assert_eq!(found, [1]);
/// # Ok::<(), hexphase::IndexError>(())
/// ```
pub trait SpatialIndexExt<S: Scalar, const D: usize>: SpatialIndex<S, D> {
    /// Inserts a dynamic object.
    ///
    /// # Errors
    /// As [`SpatialIndex::insert_many`].
    fn insert(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        self.insert_many(&[IndexObject::new(key, bounds)])
    }

    /// Inserts objects, in blocks. A key with bounds is a dynamic object.
    ///
    /// # Errors
    /// If an insertion fails; the objects before it stay inserted.
    fn extend(
        &mut self,
        objects: impl IntoIterator<Item = impl Into<IndexObject<S, D>>>,
    ) -> Result<(), IndexError> {
        provided::extend(self, objects.into_iter().map(Into::into))
    }

    /// Removes an object; returns whether there was one.
    fn remove(&mut self, key: u32) -> bool {
        self.remove_many(&[key]).is_ok()
    }

    /// Reserves memory for `additional` more objects with consecutive keys.
    ///
    /// # Errors
    /// If allocation fails.
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.maintain(Maintenance::Reserve(additional))
    }

    /// Frees unused memory, if the structure can.
    fn shrink_to_fit(&mut self) {
        let _ = self.maintain(Maintenance::Shrink);
    }

    /// Does now the work that the next search for pairs would begin with.
    fn optimize(&mut self) {
        let _ = self.maintain(Maintenance::Optimize);
    }

    /// Returns whether there are no objects.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Visits all objects in storage order; `change` may change their bounds.
    ///
    /// # Errors
    /// As [`SpatialIndex::walk`].
    fn update(&mut self, mut change: impl FnMut(u32, &mut Aabb<S, D>)) -> Result<(), IndexError> {
        self.walk(Walk::All(&mut |batch: &mut WalkBatch<'_, S, D>| batch.each(&mut change)))
    }

    /// Visits all dynamic objects in storage order; `change` may change their bounds.
    ///
    /// # Errors
    /// As [`SpatialIndex::walk`].
    fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.walk(Walk::Dynamic(&mut |batch: &mut WalkBatch<'_, S, D>| batch.each(&mut change)))
    }

    /// Visits all objects in any order, possibly on several threads; `change` may change their
    /// bounds. The result is that of [`update`](Self::update).
    ///
    /// # Errors
    /// As [`SpatialIndex::walk`].
    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        self.walk(Walk::Parallel(&|batch: &mut WalkBatch<'_, S, D>| batch.each(&change)))
    }

    /// Visits objects in storage order; `keep` may change bounds, and returns `false` to remove
    /// them.
    ///
    /// # Errors
    /// As [`SpatialIndex::walk`].
    fn retain(
        &mut self,
        mut keep: impl FnMut(u32, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        self.walk(Walk::All(&mut |batch: &mut WalkBatch<'_, S, D>| batch.retain(&mut keep)))
    }

    /// Replaces the contents of `out` with all overlapping pairs, in canonical order.
    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.find_pairs(&PairSearch::OVERLAPS, out);
    }

    /// Replaces the contents of `out` with all overlapping pairs, in any order.
    fn pairs_unordered(&mut self, out: &mut Vec<Pair>) {
        self.find_pairs(&PairSearch { sorted: false, ..PairSearch::OVERLAPS }, out);
    }

    /// Replaces the contents of `out` with the overlapping pairs that `accept` accepts, in order.
    ///
    /// `accept` receives the smaller key first, once for each overlapping pair, in any order,
    /// possibly on several threads.
    fn pairs_where(&mut self, accept: impl Fn(u32, u32) -> bool + Sync, out: &mut Vec<Pair>) {
        let filter = |found: &mut [Pair]| pairs::accepted(found, &accept);
        self.find_pairs(&PairSearch { filter: Some(&filter), ..PairSearch::OVERLAPS }, out);
    }

    /// Replaces the contents of `out` with the pairs of objects at most `distance` apart
    /// ([`PairSearch`]), in canonical order.
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::{Aabb, BruteForce, SpatialIndexExt};
    ///
    /// let mut world: BruteForce = BruteForce::new();
    /// world.extend((0..3).map(|key| (key, Aabb::point([3.0, 4.0].map(|x| x * key as f32)))))?;
    /// let mut pairs = Vec::new();
    /// world.pairs_within(5.0, &mut pairs);
    /// assert_eq!(pairs, [[0, 1], [1, 2]]);
    /// # Ok::<(), hexphase::IndexError>(())
    /// ```
    fn pairs_within(&mut self, distance: S, out: &mut Vec<Pair>) {
        self.find_pairs(&PairSearch { distance: Some(distance), ..PairSearch::OVERLAPS }, out);
    }

    /// Replaces the contents of `out` with the pairs `[own key, other's key]` of objects of this
    /// structure and of `other` at most `distance` apart, ascending. With distance 0 the bounds
    /// overlap. Motion classes are ignored, so two static objects are a pair.
    ///
    /// Calls [`optimize`](Self::optimize) of the structure with more objects, then queries it
    /// once per object of the other. If only one of them is a [`Torus`](crate::Torus), this one is
    /// queried; two of them must have equal sides.
    fn pairs_with<O: SpatialIndex<S, D> + ?Sized>(
        &mut self,
        other: &mut O,
        distance: S,
        out: &mut Vec<[u32; 2]>,
    ) {
        let search = PairSearch { distance: Some(distance), ..PairSearch::OVERLAPS };
        pairs::find_between(self, other, &search, out);
    }

    /// Replaces the contents of `out` with the keys of all objects that overlap a region,
    /// ascending.
    fn query(&self, region: impl Into<Region<S, D>>, out: &mut Vec<u32>) {
        self.find_keys(&region.into(), out);
    }

    /// Visits every object that overlaps a region once, in any order, until the visitor stops.
    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<S, D>) -> R,
    ) -> R {
        until_stopped(self, &Search::Region(region.into()), |entry, _| visit(entry))
    }

    /// Visits the objects that a path touches, front to back, until the visitor stops; see
    /// [`Search::Path`].
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::{Aabb, BruteForce, Path, SpatialIndexExt};
    /// use std::ops::ControlFlow;
    ///
    /// let mut world: BruteForce = BruteForce::new();
    /// world.extend((0..9).map(|key| (key, Aabb::of_ball([key as f32 * 4.0, 0.0], 1.0))))?;
    /// let path = Path::segment([0.0, 0.5], [32.0, 0.5]);
    /// let first = world.cast(path, |entry, fraction| ControlFlow::Break((entry.key, fraction)));
    /// assert_eq!(first, ControlFlow::Break((0, 0.0)));
    /// # Ok::<(), hexphase::IndexError>(())
    /// ```
    fn cast<R: Flow>(&self, path: Path<S, D>, visit: impl FnMut(Entry<S, D>, S::Real) -> R) -> R {
        until_stopped(self, &Search::Path(path), visit)
    }

    /// Visits objects from nearest to farthest, until the visitor stops; see [`Search::Nearest`].
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::{Aabb, BruteForce, SpatialIndexExt, Target};
    ///
    /// let mut world: BruteForce = BruteForce::new();
    /// world.extend((0..9).map(|key| (key, Aabb::point([key as f32, 1.0]))))?;
    /// let mut found = Vec::new();
    /// let target = Target::point([5.0, 0.0]).within(2.0);
    /// world.nearest(target, |entry, square| found.push((entry.key, square)));
    /// assert_eq!(found, [(5, 1.0), (4, 2.0), (6, 2.0)]);
    /// # Ok::<(), hexphase::IndexError>(())
    /// ```
    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        visit: impl FnMut(Entry<S, D>, S::Real) -> R,
    ) -> R {
        until_stopped(self, &Search::Nearest(target.into()), visit)
    }

    /// Runs [`query`](Self::query) for many regions, in spatial order, possibly on several threads.
    /// List `i` of `out` belongs to `regions[i]`.
    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists) {
        query::query_many(self, regions, out);
    }

    /// Runs [`cast`](Self::cast) for many paths, in spatial order. List `i` of `out` has the keys
    /// and fractions of the first `most` objects on `paths[i]` that `accept` accepts, which is
    /// called in any order, possibly on several threads.
    fn cast_many(
        &self,
        paths: &[Path<S, D>],
        most: usize,
        accept: impl Fn(Entry<S, D>) -> bool + Sync,
        out: &mut Lists<(u32, S::Real)>,
    ) {
        let starts: Vec<Region<S, D>> = paths.iter().map(|path| path.start().into()).collect();
        query::search_many(self, &starts, &|at| Search::Path(paths[at]), most, &accept, out);
    }

    /// Runs [`nearest`](Self::nearest) for many targets, as [`cast_many`](Self::cast_many) does.
    /// List `i` of `out` has the keys and squared distances of the `most` objects nearest to
    /// `targets[i]` that `accept` accepts.
    fn nearest_many(
        &self,
        targets: &[Target<S, D>],
        most: usize,
        accept: impl Fn(Entry<S, D>) -> bool + Sync,
        out: &mut Lists<(u32, S::Real)>,
    ) {
        let boxes: Vec<Region<S, D>> =
            targets.iter().map(|target| (*target.bounds()).into()).collect();
        let search = |at: usize| Search::Nearest(targets[at]);
        query::search_many(self, &boxes, &search, most, &accept, out);
    }

    /// Writes for each object the keys of all other objects within a radius, ascending.
    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        self.find_neighbors(Near::Within(radius), out);
    }

    /// Writes for each object the keys of the (up to) `count` nearest other objects, ascending by
    /// distance, then by key.
    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        self.find_neighbors(Near::Nearest(count), out);
    }
}

impl<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized> SpatialIndexExt<S, D> for I {}

/// Visits the objects that a search finds until the visitor stops; returns its last answer.
fn until_stopped<S: Scalar, const D: usize, R: Flow>(
    index: &(impl SpatialIndex<S, D> + ?Sized),
    search: &Search<S, D>,
    mut visit: impl FnMut(Entry<S, D>, S::Real) -> R,
) -> R {
    let mut last = R::CONTINUE;
    let _ = index.visit(search, &mut |entry, number| {
        let answer = visit(entry, number);
        let stops = answer.stops();
        last = answer;
        if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    last
}
