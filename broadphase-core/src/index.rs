//! The trait every structure implements, the caller's own included.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Backend, Flow, Scalar};

use crate::pairs::{self, Pair};
use crate::{Entry, IndexError};

/// A set of objects, each with bounds, that knows which of them overlap.
///
/// Objects are named by the caller's `u32` keys, as for an array: best dense and small. Touching
/// counts as overlap. What a method writes into a buffer is in canonical order and depends on the
/// current keys, bounds and data alone: not on the order of earlier calls, the backend, or the
/// structure. Methods named `_unordered`, and [`order`](Self::order) and
/// [`retain`](Self::retain), follow the structure's own storage and promise no order.
///
/// Eleven methods are required; the others are right as provided, and a structure replaces those
/// it does faster.
pub trait SpatialIndex<S: Scalar, const D: usize>: Clone + Send + Sync {
    /// What is stored with each object.
    type Data: Copy + Send + Sync + 'static;

    /// Adds an object.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the key is in use. Nothing has changed
    /// then.
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

    /// Visits every overlapping pair once, the object with the smaller key first, until the
    /// visitor stops.
    fn pairs_unordered<R: Flow>(
        &mut self,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>, Entry<'_, S, D, Self::Data>) -> R,
    ) -> R;

    /// Visits every object that overlaps a box once, until the visitor stops.
    ///
    /// The box may be infinite. One that is inverted or NaN overlaps nothing.
    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Aabb<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, Self::Data>) -> R,
    ) -> R;

    /// Whether there are no objects.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes every overlapping pair into `out`, in canonical order, in place of what it held.
    fn pairs(&mut self, out: &mut Vec<Pair>) {
        out.clear();
        self.pairs_unordered(|a, b| out.push([a.key, b.key]));
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
    /// `out`: `[own key, other's key]`, ascending.
    fn pairs_with<O: SpatialIndex<S, D>>(
        &mut self,
        other: &mut O,
        accept: impl Fn(&Self::Data, &O::Data) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        out.clear();
        for key in self.order() {
            let Some(own) = self.get(key) else { continue };
            other.query_unordered(own.bounds, |theirs| {
                if accept(own.data, theirs.data) {
                    out.push([key, theirs.key]);
                }
            });
        }
        pairs::sort(out);
    }

    /// Writes the overlapping pairs with at least one of the given objects into `out`, in
    /// canonical order. Keys without an object are passed over; a key may come twice.
    fn pairs_of(
        &mut self,
        keys: &[u32],
        accept: impl Fn(&Self::Data, &Self::Data) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        for &key in keys {
            let Some(own) = self.get(key) else { continue };
            self.query_unordered(own.bounds, |theirs| {
                let (a, b) = if key < theirs.key { (own, theirs) } else { (theirs, own) };
                if a.key != b.key && accept(a.data, b.data) {
                    out.push([a.key, b.key]);
                }
            });
        }
        pairs::sort(out);
        out.dedup();
    }

    /// Writes the keys of all objects that overlap a box into `out`, ascending, in place of what
    /// it held. The box may be infinite; one that is inverted or NaN overlaps nothing.
    fn query(&self, region: impl Into<Aabb<S, D>>, out: &mut Vec<u32>) {
        out.clear();
        self.query_unordered(region, |entry| out.push(entry.key));
        out.sort_unstable();
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

    /// Makes room for so many more objects.
    ///
    /// # Errors
    /// If the memory is not to be had.
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        let _ = additional;
        Ok(())
    }

    /// Checks every invariant of the structure; for tests.
    ///
    /// # Panics
    /// If one does not hold.
    fn assert_well_formed(&self) {}
}
