//! Objects along a curve through space, in clusters of eight under a tree of bounds.
//!
//! Objects of about one size are stored side by side with their neighbours in space: ordered first
//! by their class of sizes, then by where Hilbert's curve comes to their centre, which jumps
//! nowhere, as Morton's order does. Eight at a time they are a cluster; a tree without pointers
//! encloses clusters, eight by eight.
//!
//! There are two such orders. In that of what may move the tree is made anew when something has
//! pairs_stale, and the order from the one before, which is nearly right; what has pairs_stale by key is_self
//! is sorted in among the others. In that of what is static nothing is
//! done until much of it has pairs_stale. What changes by key waits in a side list until the next
//! refresh, which finding pairs begins with; a query looks at each object in it.

mod batched_descent;
mod cast_nearest;
mod code_grid;
mod equal_codes;
mod geometry;
mod index;
mod join;
mod layer;
mod layer_build;
mod layer_store;
mod pair_ids;
mod pairs;
mod par_update;
mod parallel;
mod radix;
mod region_query;
mod skin;
mod sort;
mod stats;
mod tree;
mod tree_search;

use broadphase_core::objects::Objects;
use broadphase_core::{Backend, Scalar};

use layer_store::LayerStore;
use pairs::PairState;
pub use stats::{LevelStats, Stats};

/// Morton-sorted objects: every overlapping pair of objects of any sizes, in an unbounded world,
/// with a static part that costs nothing while it rests.
///
/// Nothing has to be configured. Walking over all objects
/// ([`update`](crate::SpatialIndex::update), [`retain`](crate::SpatialIndex::retain)) ends with the
/// upkeep of their order; by key, objects are inserted, moved and removed at any time.
/// Objects that are [`Motion::Static`](crate::Motion::Static) are sorted once; pairs and queries
/// find them there. As long as nothing changes, pairs are only handed out again.
///
/// ```
/// use broadphase_morton::{Aabb, MortonCells, Motion, SpatialIndex};
///
/// let mut world: MortonCells<f32, 3> = MortonCells::new();
/// for key in 0..1000u32 {
///     let center = [key % 10, key / 10 % 10, key / 100].map(|x| x as f32 * 8.0);
///     world.insert(key, Aabb::around(center, [3.0; 3]), ())?;
///     world.set_motion(key, Motion::Static)?;
/// }
/// world.insert(1000, Aabb::around([4.0; 3], [2.0; 3]), ())?;
/// let mut pairs = Vec::new();
/// world.pairs(&mut pairs);
/// assert_eq!(pairs.len(), 8);
/// # Ok::<(), broadphase_morton::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MortonCells<S = f32, const D: usize = 2, T = ()> {
    objects: Objects<S, D, T>,
    store: LayerStore<D>,
    /// How much larger volumes are than the bounds in them, on every side.
    margin: S,
    pair_state: PairState<D>,
    /// About how far it is from one object to the next, as of the last refresh.
    spacing: Option<f64>,
    backend: Backend,
}

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// No objects; the fastest backend.
    #[must_use]
    pub fn new() -> Self {
        Self {
            objects: Objects::new(),
            store: LayerStore::new(),
            margin: S::ZERO,
            pair_state: PairState::new(),
            spacing: None,
            backend: Backend::detect(),
        }
    }
}

impl<S: Scalar, const D: usize, T: Copy> Default for MortonCells<S, D, T> {
    fn default() -> Self {
        Self::new()
    }
}
