//! The spatial hash: an unbounded grid of bins, stored sparsely.
//!
//! Input: objects with bounds. Output: every overlapping pair once, and queries.
//!
//! 1. *Insert and move* (`bins/`): store the object in the bin of its low corner, found through a
//!    hash map. Bins are boxes of cells, larger for larger objects.
//! 2. *Pairs* (`pairs/`): for each bin with a mover, test its movers against the objects in and
//!    near the bin, eight at a time.
//! 3. *Queries* (`queries/`): test the objects of the bins that the query reaches, eight at a time.
//! 4. *Storage order* (`storage_order`): makes neighbors in space neighbors in memory.
//!
//! `recommend` computes a cell side from the sizes of objects.
//!
//! Source: Tristam MacDonald, "Spatial hashing". Improvements: cells are rounded down instead of
//! towards zero; an object has one entry, so no pair is found twice and removal needs no search;
//! objects may be of any size; bins without movers are skipped.

mod bins;
mod index;
mod pairs;
mod queries;
mod recommend;
mod stats;
mod storage_order;

use alloc::vec::Vec;

use broadphase_core::objects::Objects;
use broadphase_core::{Aabb, Backend, IndexError, Scalar, SearchStats};

use bins::Bins;
use pairs::PairTask;
use storage_order::SortScratch;

/// Makes room for `additional` elements. Grows by a quarter: with doubling, up to half of the large
/// arrays of a hash was unused in sparse worlds.
#[inline(always)]
fn make_room<E>(array: &mut Vec<E>, additional: usize) {
    if array.capacity() - array.len() < additional {
        array.reserve_exact(additional.max(array.len() / 4));
    }
}

/// Reserves room for `additional` elements, growing by at least a quarter; unchanged on error.
#[inline(always)]
fn try_make_room<E>(array: &mut Vec<E>, additional: usize) -> Result<(), IndexError> {
    if array.capacity() - array.len() < additional {
        let more = additional.max(array.len() / 4);
        return array.try_reserve_exact(more).map_err(|_| IndexError::OutOfMemory);
    }
    Ok(())
}

/// Finds all overlapping pairs in an unbounded world of cells, and boxes of cells, the *bins*.
///
/// The hash is best for objects of about one size, with cells about twice as large: see
/// [`recommend`](Self::recommend). An object is stored once, in the bin of its low corner; the
/// smallest bins have two cells along each axis, larger objects are in larger bins, and where
/// objects are sparse, all bins are larger. Inserting, moving and removing an object takes constant
/// time. Bins of static objects cost next to nothing when searching for pairs. The cost of a query
/// depends on the number of objects in the region and within a few cells around it. Results do not
/// depend on the cell side.
///
/// Without memory reserved in advance, an object takes at most 250 bytes in two dimensions and 300
/// in three, at any distance; an [`Hshg`](crate::Hshg) takes 27 and 37.
///
/// Cell numbers are limited to ±2^30 on each axis. Objects farther out share the outermost cells:
/// results are correct, but searches become slow if there are many such objects. Objects are stored
/// in the order of their cells; they are sorted again when each object has moved through two bins
/// on average. Memory is kept for reuse, so steady movement does not allocate. Memory reserved in
/// advance, also by `extend`, suffices if two objects share each bin;
/// [`shrink_to_fit`](broadphase_core::SpatialIndexExt::shrink_to_fit) frees unused memory.
///
/// In `hexphase`, the structure requires the feature `hash`.
///
/// ```
/// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndexExt};
///
/// let boxes: Vec<_> = (0..1000).map(|i| Aabb::of_ball([i as f32 * 1.5, 0.0], 1.0)).collect();
/// let mut world = SpatialHash::new(SpatialHash::<f32, 2>::recommend(boxes.iter().copied()));
/// world.extend((0..).zip(boxes))?;
/// let mut pairs = Vec::new();
/// world.pairs(&mut pairs);
/// assert_eq!(pairs.len(), 999);
/// # Ok::<(), broadphase_hshg::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SpatialHash<S = f32, const D: usize = 2> {
    objects: Objects<S, D>,
    bins: Bins<D>,
    /// One job for each range of a search for pairs, kept between calls to avoid reallocating.
    jobs: Vec<PairTask<D>>,
    last_search: SearchStats,
    sort_scratch: SortScratch,
    cell: S,
    backend: Backend,
}

impl<S: Scalar, const D: usize> SpatialHash<S, D> {
    /// Returns an empty hash of an unbounded world, with cells of side `cell`.
    ///
    /// # Panics
    /// If the side is not positive and finite, or so small that its reciprocal is not finite.
    #[must_use]
    pub fn new(cell: S) -> Self {
        const { broadphase_core::assert_compiled(D) };
        Self {
            objects: Objects::new(),
            bins: Bins::new(cell.to_f64()),
            jobs: Vec::new(),
            last_search: SearchStats::default(),
            sort_scratch: SortScratch::default(),
            cell,
            backend: Backend::detect(),
        }
    }

    /// Returns a cell side for objects with these bounds: twice their average size (MacDonald). For
    /// points, returns a side with about one point for each cell.
    ///
    /// With 256 objects or more, the 16 largest are ignored: one huge object, such as the ground,
    /// would make cells too large for all others. All objects, except the 16 farthest from the
    /// origin, are within the range of cell numbers. A sample of the objects is enough. Invalid
    /// bounds are ignored. Returns 1 if no object is left.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash};
    ///
    /// let rocks = [1.0, 3.0].map(|radius| Aabb::of_ball([0.0, 0.0], radius));
    /// assert_eq!(SpatialHash::<f32, 2>::recommend(rocks), 8.0);
    /// ```
    #[must_use]
    pub fn recommend(bounds: impl IntoIterator<Item = Aabb<S, D>>) -> S {
        recommend::recommend(bounds)
    }

    /// Reserves memory for more objects, but not for bins, whose number is unknown.
    fn try_reserve_objects(&mut self, additional: usize) -> Result<(), IndexError> {
        self.objects.try_reserve(additional)?;
        self.bins.try_reserve_records(additional)
    }

    /// Returns the side of a cell.
    #[must_use]
    pub const fn cell(&self) -> S {
        self.cell
    }

    /// Sets the side of the cells and rebuilds all bins.
    ///
    /// # Panics
    /// In the same cases as [`new`](SpatialHash::new).
    pub fn set_cell(&mut self, cell: S) {
        self.bins.rebuild(cell.to_f64(), &self.objects);
        self.cell = cell;
    }
}
