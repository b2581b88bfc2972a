//! The trait that every structure implements, including structures of the caller.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Backend, Scalar};

use crate::pairs::{self, Pair, PairSearch};
use crate::query::{self, Near, Neighbors, Region, Search, Visit};
use crate::{IndexError, IndexObject, IndexState, Motion, Walk, provided};

/// The maintenance of a structure that a caller can request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maintenance {
    /// Do now the work that the next [`find_pairs`](SpatialIndex::find_pairs) would begin with.
    Optimize,
    /// Reserve memory for this number of further objects with consecutive keys.
    Reserve(usize),
    /// Free unused memory, if the structure can.
    Shrink,
}

/// A set of objects with bounds: finds overlapping pairs and runs spatial queries.
///
/// Objects are identified by `u32` keys that the caller chooses; small, dense keys are best.
/// Touching bounds overlap, and two static objects of one structure are never a pair ([`Motion`]).
///
/// This trait can be a trait object: it has few methods, which take trait objects for closures.
/// Callers use [`SpatialIndexExt`](crate::SpatialIndexExt), which has methods with closures.
///
/// **Order.** Buffers are filled in canonical order and depend only on the current keys, bounds and
/// motion classes, not on earlier calls, the backend or the structure. The order of
/// [`keys`](Self::keys), [`walk`](Self::walk), visits of a region and unsorted pairs is that of
/// storage: unspecified.
///
/// **Errors.** After an error the structure is unchanged, except after a [`walk`](Self::walk).
///
/// **Panics in closures.** If a closure panics during a walk, changes to objects already visited
/// remain, on all threads; other objects are unchanged. After a panic in any method the structure
/// is valid and returns correct results; the buffer that was being written is unspecified.
///
/// **Implementing.** Twelve methods are required. The others have correct defaults, to be replaced
/// where a structure has a faster way.
#[expect(clippy::len_without_is_empty, reason = "`SpatialIndexExt` has it")]
pub trait SpatialIndex<S: Scalar, const D: usize>: Any + Send + Sync {
    /// Inserts objects: all of them or none. A repeated key counts as in use.
    ///
    /// # Errors
    /// For the first object with NaN, infinite or inverted bounds or a key in use, or if allocation
    /// fails.
    fn insert_many(&mut self, objects: &[IndexObject<S, D>]) -> Result<(), IndexError>;

    /// Replaces the bounds of an object.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the key is unknown.
    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError>;

    /// Sets the motion class, which persists when the bounds change and is dropped on removal.
    ///
    /// # Errors
    /// If the key is unknown or allocation fails.
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError>;

    /// Removes objects: all of them or none. A key may be repeated.
    ///
    /// # Errors
    /// [`IndexError::UnknownKey`] for the first unknown key.
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError>;

    /// Returns the object with this key, `None` if the key is unknown.
    fn get(&self, key: u32) -> Option<IndexObject<S, D>>;

    /// Writes `[min, max]` of the object with key `keys[i]` to `out[i]`; skips unknown keys.
    fn bounds_of(&self, keys: &[u32], out: &mut [[[S; D]; 2]]) {
        provided::bounds_of(self, keys, out);
    }

    /// Returns the number of objects.
    fn len(&self) -> usize;

    /// Returns the keys of all objects in storage order.
    fn keys(&self) -> Vec<u32>;

    /// Removes all objects without freeing memory.
    fn clear(&mut self);

    /// Visits objects in storage order, in batches; the closure may change bounds and remove
    /// objects.
    ///
    /// # Errors
    /// If the closure sets invalid bounds: that object's bounds are unchanged, the walk continues,
    /// and the error names the smallest such key.
    fn walk(&mut self, walk: Walk<'_, S, D>) -> Result<(), IndexError>;

    /// Replaces the contents of `out` with pairs of objects that overlap, or at most a distance
    /// apart; the smaller key first. Two static objects are not a pair.
    ///
    /// The default implementation sorts the structure ([`Maintenance::Optimize`]), then runs one
    /// query per object.
    fn find_pairs(&mut self, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        pairs::find_by_queries(self, search, out);
    }

    /// Visits each object that a search finds, until the visitor returns `Break`; returns its last
    /// answer. See [`Search`] for the order of visits.
    ///
    /// Structures that find the objects of a region pass other searches to
    /// [`query::visit_by_regions`].
    fn visit(&self, search: &Search<S, D>, visit: &mut Visit<'_, S, D>) -> ControlFlow<()>;

    /// Replaces the contents of `out` with the keys of all objects that overlap a region,
    /// ascending.
    fn find_keys(&self, region: &Region<S, D>, out: &mut Vec<u32>) {
        provided::find_keys(self, region, out);
    }

    /// Writes for each object the keys of other objects near it, by the distance between bounds as
    /// in [`Region::around`]. Motion classes are ignored.
    ///
    /// The default sweeps strips, or searches parts of a k-d tree, in about 100 bytes per object;
    /// where these do not pay, it runs one search per object.
    fn find_neighbors(&self, near: Near<S>, out: &mut Neighbors) {
        query::find_neighbors(self, near, out);
    }

    /// Returns the state that searches depend on, without visiting objects.
    fn state(&self) -> IndexState {
        IndexState::default()
    }

    /// Returns the number of bytes allocated, whether in use or not.
    fn memory_use(&self) -> usize;

    /// Sets the SIMD backend of the kernels; results do not depend on it.
    fn set_backend(&mut self, _: Backend) {}

    /// Does maintenance; results do not depend on it.
    ///
    /// # Errors
    /// [`Maintenance::Reserve`] fails if allocation fails.
    fn maintain(&mut self, _: Maintenance) -> Result<(), IndexError> {
        Ok(())
    }

    /// Checks every invariant of the structure; for tests.
    ///
    /// # Panics
    /// If an invariant is violated.
    fn assert_well_formed(&self) {}

    /// Returns a copy with the same objects and settings.
    fn boxed_clone(&self) -> Box<dyn SpatialIndex<S, D>>;
}
