//! The trait every structure implements, the caller's own included.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Backend, Flow, Scalar};

use crate::pairs::{self, Pair};
use crate::{Entry, IndexError, Lists, Motion, Neighbors, Path, Region, Target};
use crate::{query, tasks};

/// From so many objects on it pays to put all in order before it is asked who meets them.
const MANY: usize = 64;

/// A set of objects, each with bounds, that knows which of them overlap.
///
/// Objects are named by the caller's `u32` keys, as for an array: best dense and small. Touching
/// counts as overlap, and two static objects are never a pair ([`Motion`]). What a method writes
/// into a buffer is in canonical order and depends on the current keys, bounds, motion and data
/// alone: not on the order of earlier calls, the backend, or the structure. Only methods named
/// `_unordered`, with a buffer or without, [`order`](Self::order) and the walks
/// ([`retain`](Self::retain), [`update`](Self::update), [`update_dynamic`](Self::update_dynamic))
/// follow the structure's own storage and promise no order.
///
/// If a caller's closure panics in a walk, [`par_update`](Self::par_update) included, what it did
/// with objects before counts, on all threads. Of the object whose turn it was only the data may
/// have changed; all others are as they were. After that, and after a closure panicked in any other
/// method, all answers are right; a buffer that was being written may hold anything.
///
/// Fourteen methods are required; the others are right as provided, and a structure replaces those
/// it does faster.
pub trait SpatialIndex<S: Scalar, const D: usize>: Clone + Send + Sync {
    /// What is stored with each object.
    type Data: Copy + Send + Sync + 'static;

    /// Adds an object, which is dynamic.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, the key is in use, or the memory is not to be
    /// had. Nothing has changed then.
    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: Self::Data,
    ) -> Result<(), IndexError>;

    /// Moves or resizes an object.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or there is no such object. Nothing has
    /// changed then.
    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError>;

    /// Says how an object moves. It stays so through changes of bounds, and is forgotten when the
    /// object is removed.
    ///
    /// # Errors
    /// If there is no such object, or the memory is not to be had. Nothing has changed then.
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError>;

    /// How an object moves; `None` if there is none.
    fn motion(&self, key: u32) -> Option<Motion>;

    /// Removes an object and hands back what was stored with it; `None` if there is none.
    fn remove(&mut self, key: u32) -> Option<Self::Data>;

    /// The object of that key.
    fn get(&self, key: u32) -> Option<Entry<'_, S, D, Self::Data>>;

    /// What is stored with an object, to be changed.
    fn data_mut(&mut self, key: u32) -> Option<&mut Self::Data>;

    /// How many objects there are.
    fn len(&self) -> usize;

    /// Removes all objects, keeping the memory.
    fn clear(&mut self);

    /// Walks over all objects in storage order; `keep` may change data and bounds, and removes
    /// the object by answering `false`.
    ///
    /// # Errors
    /// Invalid bounds leave that object's bounds as they were and the walk goes on; the error
    /// names the smallest such key.
    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut Self::Data, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError>;

    /// The keys of all objects, as they are stored.
    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_;

    /// The bytes of memory the structure holds, used or not.
    ///
    /// Required, since whatever a provided one could answer would be wrong.
    fn memory_use(&self) -> usize;

    /// Visits every overlapping pair once, the object with the smaller key first, until the
    /// visitor stops. Two static objects are not a pair.
    fn pairs_unordered<R: Flow>(
        &mut self,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>, Entry<'_, S, D, Self::Data>) -> R,
    ) -> R;

    /// Visits every object that overlaps a box, a point or a ball once, until the visitor stops.
    ///
    /// The region may be infinite. One that is inverted or NaN overlaps nothing.
    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>) -> R,
    ) -> R;

    /// Whether there are no objects.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes every overlapping pair into `out`, in any order, in place of what it held.
    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        out.clear();
        self.pairs_unordered(|a, b| out.push([a.key, b.key]));
    }

    /// Writes every overlapping pair into `out`, in canonical order, in place of what it held.
    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.pairs_unordered_into(out);
        pairs::sort(out);
    }

    /// Writes every overlapping pair that `accept` accepts into `out`, in canonical order.
    ///
    /// `accept` sees the data of the smaller key first. It may be called in any order, and on
    /// several threads at once.
    fn pairs_where(
        &mut self,
        accept: impl Fn(&Self::Data, &Self::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        self.pairs_unordered(|a, b| {
            if accept(a.data, b.data) {
                out.push([a.key, b.key]);
            }
        });
        pairs::sort(out);
    }

    /// Writes every overlapping pair of an object of this structure and one of another into
    /// `out`: `[own key, other's key]`, ascending. Two static objects are not a pair here either.
    fn pairs_with<O: SpatialIndex<S, D>>(
        &mut self,
        other: &mut O,
        accept: impl Fn(&Self::Data, &O::Data) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        other.optimize();
        let other: &O = other;
        out.clear();
        tasks::find(self.order(), out, |key, out| {
            let Some(own) = self.get(key) else { return };
            let stays = self.motion(key) == Some(Motion::Static);
            other.query_unordered(own.bounds, |theirs| {
                let both_stay = stays && other.motion(theirs.key) == Some(Motion::Static);
                if !both_stay && accept(own.data, theirs.data) {
                    out.push([key, theirs.key]);
                }
            });
        });
        pairs::sort(out);
    }

    /// Writes the overlapping pairs with at least one of the given objects into `out`, in
    /// canonical order. Keys without an object are passed over; a key may come twice. If they are
    /// many, all is put in order first, as by [`optimize`](Self::optimize).
    fn pairs_of(
        &mut self,
        keys: &[u32],
        accept: impl Fn(&Self::Data, &Self::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        if keys.len() > MANY {
            // Or each would be tested against all that waits.
            self.optimize();
        }
        tasks::find(keys.iter().copied(), out, |key, out| {
            let Some(own) = self.get(key) else { return };
            let stays = self.motion(key) == Some(Motion::Static);
            self.query_unordered(own.bounds, |theirs| {
                let (a, b) = if key < theirs.key { (own, theirs) } else { (theirs, own) };
                let both_stay = stays && self.motion(theirs.key) == Some(Motion::Static);
                if a.key != b.key && !both_stay && accept(a.data, b.data) {
                    out.push([a.key, b.key]);
                }
            });
        });
        pairs::sort(out);
        out.dedup();
    }

    /// Writes the keys of all objects that overlap a box, a point or a ball into `out`, ascending,
    /// in place of what it held. The region may be infinite; one that is inverted or NaN overlaps
    /// nothing.
    fn query(&self, region: impl Into<Region<S, D>>, out: &mut Vec<u32>) {
        out.clear();
        self.query_unordered(region, |entry| out.push(entry.key));
        out.sort_unstable();
    }

    /// Answers many regions at once, each as [`query`](Self::query) does, in their order.
    ///
    /// As provided it asks them side by side in space, so that each finds in the cache what the
    /// one before needed.
    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists) {
        query::query_many(self, regions, out);
    }

    /// Visits every object that a path touches, front to back, until the visitor stops: ascending
    /// by the fraction of the way at which it is first touched, then by key.
    ///
    /// A path with a number that is NaN or infinite touches nothing. As provided it goes along the
    /// path piece by piece, as far as the visitor does; what a piece finds takes memory.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// # use broadphase_core::{Aabb, BruteForce, Path, SpatialIndex};
    /// let mut world: BruteForce<f32, 2> = BruteForce::new();
    /// world.extend((0..9).map(|key| (key, Aabb::of_ball([key as f32 * 4.0, 0.0], 1.0), ())))?;
    /// let path = Path::segment([0.0, 0.5], [32.0, 0.5]);
    /// let second = world.cast(path, |entry, fraction| match entry.key {
    ///     0 => ControlFlow::Continue(()),
    ///     key => ControlFlow::Break((key, fraction)),
    /// });
    /// assert_eq!(second, ControlFlow::Break((1, 3.0 / 32.0)));
    /// # Ok::<(), broadphase_core::IndexError>(())
    /// ```
    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>, S::Real) -> R,
    ) -> R {
        query::cast(self, &path, visit)
    }

    /// Visits every object, the nearest first, until the visitor stops: ascending by the squared
    /// distance from a point or box, then by key.
    ///
    /// Nothing is near a target with a number that is NaN or infinite. As provided it looks
    /// farther and farther around, as far as the visitor does; [`Target::within`] says where it
    /// need not look. What it finds at a time takes memory.
    ///
    /// ```
    /// # use broadphase_core::{Aabb, BruteForce, SpatialIndex, Target};
    /// let mut world: BruteForce<i32, 2> = BruteForce::new();
    /// world.extend((0..9).map(|key| (key, Aabb::point([key as i32, 1]), ())))?;
    /// let mut found = Vec::new();
    /// world.nearest(Target::from([5, 0]).within(2), |entry, distance_squared| {
    ///     found.push((entry.key, distance_squared));
    /// });
    /// assert_eq!(found, [(5, 1.0), (4, 2.0), (6, 2.0)]);
    /// # Ok::<(), broadphase_core::IndexError>(())
    /// ```
    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>, S::Real) -> R,
    ) -> R {
        query::nearest(self, target.into(), visit)
    }

    /// Writes for each object the keys of all others within a radius, ascending: those whose
    /// bounds are not farther from its own, as of [`Region::around`]. Motion does not matter.
    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        query::neighbors(self, radius, out);
    }

    /// Writes for each object the keys of so many others that are nearest to it, ascending by
    /// distance, then by key; or of all, if there are fewer.
    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        query::nearest_to_each(self, count, out);
    }

    /// About how far it is from one object to the next, where the structure knows: searches begin
    /// with it. No answer depends on it.
    fn spacing(&self) -> Option<f64> {
        None
    }

    /// Visits the cells that hold anything, to be drawn: their level, 0 where all are of one size,
    /// and their sides; level by level, until the visitor stops.
    ///
    /// Cells change with the structure and its settings: outside the promise that answers do not.
    /// As provided there are none. Takes time and memory for every object.
    ///
    /// ```
    /// # use broadphase_core::{BruteForce, SpatialIndex};
    /// let world: BruteForce<f32, 2> = BruteForce::new();
    /// assert_eq!(world.cells(|_, _| Err("a cell")), Ok(()), "brute force has none");
    /// ```
    fn cells<R: Flow>(&self, visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        let _ = visit;
        R::CONTINUE
    }

    /// Walks over all objects in storage order; `change` may change data and bounds.
    ///
    /// # Errors
    /// Invalid bounds leave that object's bounds as they were and the walk goes on; the error
    /// names the smallest such key.
    fn update(
        &mut self,
        mut change: impl FnMut(u32, &mut Self::Data, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.retain(|key, data, bounds| {
            change(key, data, bounds);
            true
        })
    }

    /// Walks over all objects; `change` may change data and bounds, and is called in any order, on
    /// several threads at once where there are.
    ///
    /// What comes of it, storage included, is what comes of [`update`](Self::update), whatever the
    /// number of threads. As provided it is that.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    ///
    /// ```
    /// # use broadphase_core::{Aabb, BruteForce, SpatialIndex};
    /// let mut world: BruteForce<f32, 1, f32> = BruteForce::new();
    /// world.extend((0..4).map(|key| (key, Aabb::point([0.0]), key as f32)))?;
    /// world.par_update(|_, speed, bounds| *bounds = bounds.translated([*speed]))?;
    /// assert_eq!(world.get(3).unwrap().bounds, Aabb::point([3.0]));
    /// # Ok::<(), broadphase_core::IndexError>(())
    /// ```
    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut Self::Data, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        self.update(change)
    }

    /// Walks over all objects that are [`Motion::Dynamic`], in storage order; `change` may change
    /// data and bounds.
    ///
    /// As provided it looks for them all first, which takes memory.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    ///
    /// ```
    /// # use broadphase_core::{Aabb, BruteForce, Motion, SpatialIndex};
    /// let mut world: BruteForce<f32, 1> = BruteForce::new();
    /// world.extend((0..4).map(|key| (key, Aabb::point([0.0]), ())))?;
    /// world.set_motion(1, Motion::Static)?;
    /// world.set_motion(2, Motion::Sleeping)?;
    /// world.update_dynamic(|key, _, bounds| *bounds = Aabb::point([key as f32]))?;
    /// let mut found = Vec::new();
    /// world.query(Aabb::point([0.0]), &mut found);
    /// assert_eq!(found, [0, 1, 2]);
    /// # Ok::<(), broadphase_core::IndexError>(())
    /// ```
    fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut Self::Data, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        let dynamic = |&key: &u32| self.motion(key) == Some(Motion::Dynamic);
        let keys: Vec<u32> = self.order().filter(dynamic).collect();
        if keys.len() == self.len() {
            return self.update(change);
        }
        let mut worst: Option<(u32, IndexError)> = None;
        for key in keys {
            let Some(mut bounds) = self.get(key).map(|entry| entry.bounds) else { continue };
            let old = bounds;
            if let Some(data) = self.data_mut(key) {
                change(key, data, &mut bounds);
            }
            if bounds != old
                && let Err(why) = self.set_bounds(key, bounds)
                && worst.is_none_or(|(smallest, _)| key < smallest)
            {
                worst = Some((key, why));
            }
        }
        worst.map_or(Ok(()), |(_, why)| Err(why))
    }

    /// Moves or resizes many objects; if one comes twice, its last bounds count.
    ///
    /// # Errors
    /// If any bounds are NaN, infinite or inverted, or there is no such object: what
    /// [`set_bounds`](Self::set_bounds) says of the first that is wrong. Nothing has changed then.
    ///
    /// ```
    /// # use broadphase_core::{Aabb, BruteForce, IndexError, SpatialIndex};
    /// let mut world: BruteForce<f32, 1> = BruteForce::new();
    /// world.extend((0..2).map(|key| (key, Aabb::point([0.0]), ())))?;
    /// let moved = Aabb::point([5.0]);
    /// let unknown = world.set_bounds_many(&[(0, moved), (9, moved)]);
    /// assert_eq!(unknown, Err(IndexError::UnknownKey { key: 9 }));
    /// assert_eq!(world.get(0).unwrap().bounds, Aabb::point([0.0]));
    /// world.set_bounds_many(&[(0, moved), (1, moved)])?;
    /// assert_eq!(world.get(0).unwrap().bounds, moved);
    /// # Ok::<(), IndexError>(())
    /// ```
    fn set_bounds_many(&mut self, changes: &[(u32, Aabb<S, D>)]) -> Result<(), IndexError> {
        for &(key, bounds) in changes {
            if self.get(key).is_none() {
                return Err(IndexError::UnknownKey { key });
            }
            bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why })?;
        }
        for &(key, bounds) in changes {
            self.set_bounds(key, bounds)?;
        }
        Ok(())
    }

    /// Gives the objects the keys 0, 1, 2, … in storage order, and writes into `old`, for each new
    /// key, the key its object had: `old[new]`. Bounds, motion and data stay with the objects.
    ///
    /// With [`apply_order`](crate::apply_order) the caller's own arrays follow, and walks read them
    /// from front to back. Storage follows history, and so do these keys: where several machines
    /// must agree, they must have had the same history. As provided it takes the structure apart,
    /// which takes memory and time.
    ///
    /// # Panics
    /// If the structure has not the memory to take in again what was in it.
    fn renumber(&mut self, old: &mut Vec<u32>) {
        old.clear();
        old.extend(self.order());
        if (0..).zip(&*old).all(|(new, &old)| new == old) {
            return;
        }
        let mut objects = Vec::with_capacity(old.len());
        for &key in &*old {
            let entry = self.get(key).expect("what is stored is there");
            objects.push((entry.bounds, *entry.data, self.motion(key).unwrap_or_default()));
        }
        self.clear();
        for (key, (bounds, data, motion)) in (0..).zip(objects) {
            self.insert(key, bounds, data).expect("what was in it fits in again");
            if motion != Motion::Dynamic {
                self.set_motion(key, motion).expect("what was in it fits in again");
            }
        }
    }

    /// Adds many objects.
    ///
    /// # Errors
    /// As [`insert`](Self::insert), at the first that fails; those before it are in.
    fn extend<B: Into<Aabb<S, D>>>(
        &mut self,
        objects: impl IntoIterator<Item = (u32, B, Self::Data)>,
    ) -> Result<(), IndexError> {
        let objects = objects.into_iter();
        self.try_reserve(objects.size_hint().0)?;
        for (key, bounds, data) in objects {
            self.insert(key, bounds, data)?;
        }
        Ok(())
    }

    /// Chooses the lanes that kernels run with; results do not depend on it.
    fn set_backend(&mut self, backend: Backend) {
        let _ = backend;
    }

    /// The lanes that kernels run with; `None` for a structure that has no kernels.
    fn backend(&self) -> Option<Backend> {
        None
    }

    /// Makes room for so many more objects, whose keys follow each other.
    ///
    /// # Errors
    /// If the memory is not to be had. No object has changed then.
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        let _ = additional;
        Ok(())
    }

    /// Gives back the memory that is not needed, if the structure can.
    fn shrink_to_fit(&mut self) {}

    /// Does now what the next [`pairs`](Self::pairs) would begin with, if there is anything: the
    /// upkeep of what changed. No answer depends on it.
    fn optimize(&mut self) {}

    /// Checks every invariant of the structure; for tests.
    ///
    /// # Panics
    /// If one does not hold.
    fn assert_well_formed(&self) {}
}
