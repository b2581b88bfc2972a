//! `MortonCells`: objects sorted along a space-filling curve, in clusters of eight, under a tree.
//!
//! Input: insertions, removals and changes of bounds. Output: all overlapping pairs, and the
//! results of region, path and nearest-neighbor queries.
//!
//! 1. *Code* (`code_grid.rs`, `equal_codes.rs`): each object gets a 32-bit code, the size class in
//!    the high bits, the Hilbert index of its center in the low bits. Objects of similar size that
//!    are close in space get close codes.
//! 2. *Sort* (`sort.rs`): the slots are sorted by code. Few objects are misplaced in the order of
//!    the last sort; these are sorted and merged.
//! 3. *Build* (`layer_build.rs`, `tree.rs`): eight consecutive objects are a cluster. A node of
//!    each higher level encloses eight nodes of the level below.
//! 4. *Join* (`pairs.rs`, `join.rs`, `batched_descent.rs`): moving objects with each other and with
//!    static objects.
//! 5. *Queries* (`tree_search.rs` and its users) descend both trees and test each pending object.
//!
//! Objects are in two layers (`layer_store.rs`). The moving layer is rebuilt whenever an object has
//! changed, the static layer only if a walk has changed one of its objects, or if many were changed
//! by key. Objects changed by key are pending until the next refresh; every search for pairs begins
//! with a refresh.
//!
//! A refresh costs O(n) if the order has hardly changed, else a radix sort in three passes.

mod batched_descent;
mod cast_nearest;
mod code_grid;
mod equal_codes;
mod index;
mod join;
mod layer;
mod layer_build;
mod layer_store;
mod pairs;
mod region_query;
mod sort;
mod stats;
mod tree;
mod tree_search;
mod walk;

use alloc::vec::Vec;

use broadphase_core::objects::Objects;
use broadphase_core::{Backend, Scalar, SearchStats};

use layer_store::LayerStore;
use pairs::PairTask;
use region_query::typical_spacing;

/// Stores objects in the order of a space-filling curve, and finds every overlapping pair of
/// objects of any size in an unbounded world. Unchanged static objects add no work.
///
/// In `hexphase`, the structure requires the feature `morton`.
///
/// No configuration is needed. Walks over all objects ([`update`](crate::SpatialIndexExt::update),
/// [`retain`](crate::SpatialIndexExt::retain)) end with a refresh. Objects can be inserted, moved
/// and removed by key at any time. [Static](crate::Motion::Static) objects are sorted once, in a
/// separate tree.
///
/// ```
/// use broadphase_morton::{Aabb, IndexObject, MortonCells, Motion, SpatialIndexExt};
///
/// let mut world: MortonCells<f32, 3> = MortonCells::new();
/// world.extend((0..1000).map(|key: u32| {
///     let center = [key % 10, key / 10 % 10, key / 100].map(|x| x as f32 * 8.0);
///     IndexObject::new(key, Aabb::around(center, [3.0; 3])).motion(Motion::Static)
/// }))?;
/// world.insert(1000, Aabb::around([4.0; 3], [2.0; 3]))?;
/// let mut pairs = Vec::new();
/// world.pairs(&mut pairs);
/// assert_eq!(pairs.len(), 8);
/// # Ok::<(), broadphase_morton::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MortonCells<S = f32, const D: usize = 2> {
    sorted: SortedObjects<S, D>,
    /// One job for each range of a search for pairs, kept between calls to avoid reallocating.
    jobs: Vec<PairTask<D>>,
    last_search: SearchStats,
}

/// All objects, and the layers into which they are sorted: the data that searches read.
#[derive(Clone, Debug)]
struct SortedObjects<S, const D: usize> {
    objects: Objects<S, D>,
    store: LayerStore<D>,
    /// Estimated distance between neighboring objects at the last refresh.
    spacing: Option<f64>,
    backend: Backend,
}

impl<S: Scalar, const D: usize> MortonCells<S, D> {
    /// Creates an empty structure with the fastest backend.
    #[must_use]
    pub fn new() -> Self {
        const { broadphase_core::assert_compiled(D) };
        let sorted = SortedObjects {
            objects: Objects::new(),
            store: LayerStore::new(),
            spacing: None,
            backend: Backend::detect(),
        };
        Self { sorted, jobs: Vec::new(), last_search: SearchStats::default() }
    }
}

impl<S: Scalar, const D: usize> Default for MortonCells<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> SortedObjects<S, D> {
    /// Sorts changed objects into the layers and rebuilds the trees, if anything has changed.
    fn refresh(&mut self) {
        if self.store.refresh(&mut self.objects, self.backend) {
            self.spacing = typical_spacing(self);
        }
    }
}
