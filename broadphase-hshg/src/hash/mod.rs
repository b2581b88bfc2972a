//! The spatial hash: an unbounded grid of cells of one size, stored sparsely.
//!
//! Input: objects with bounds. Output: every overlapping pair once, and queries.
//!
//! 1. *Insert and move* (`cells/`): convert the bounds to the box of touched cells. Add the
//!    object's slot to the entry list of each of these cells, found through a hash map (`map/`). An
//!    object that touches too many cells goes into a list of oversized objects instead.
//! 2. *Pairs* (`pairs/`): in each cell with at least one mover, test all entries against each
//!    other, eight at a time. Then test the oversized objects against all objects.
//! 3. *Queries* (`queries/`): use a second, coarser grid of *bins*, in which each object is stored
//!    once with its bounds. A query tests the objects of the bins it reaches, eight at a time, and
//!    needs no deduplication.
//! 4. *Storage order* (`storage_order`): sorts objects in storage so that neighbors in space are
//!    neighbors in memory.
//!
//! `recommend` computes a cell side from the sizes of objects.
//!
//! ```text
//!   ┌────────┬────────┬────────┐     table: cell → objects that touch the cell
//!   │ ┌───────────┐   │        │       (0, 1)  A
//!   │ │ A    │    │   │        │       (1, 1)  A, B
//!   ├─│──────┼────│───┼────────┤       (0, 0)  A
//!   │ └──────┼────┘ ┌─┼─────┐  │       (1, 0)  A, B
//!   │        │      │B│     │  │       (2, 0)  B
//!   └────────┴──────┴─┴─────┴──┘
//! ```
//!
//! A pair that shares several cells is reported once: in the cell of the low corner of its
//! intersection. On every axis, at least one of the two objects has its low end in this cell; no
//! other shared cell has this property. One bit for each axis and entry decides this, without
//! marking, hashing or sorting results.
//!
//! Source: Tristam MacDonald, "Spatial hashing". Improvements: cells are rounded down instead of
//! towards zero; no pair is found twice; objects that would fill too many cells are kept in a list;
//! removal from a crowded cell needs no search; cells without movers are skipped.

mod cells;
mod index;
mod map;
mod pairs;
mod queries;
mod recommend;
mod stats;
mod storage_order;

use alloc::vec::Vec;

use broadphase_core::objects::Objects;
use broadphase_core::{Aabb, Backend, IndexError, Scalar};

use cells::Cells;
use pairs::Job;
use pairs::gather::Gathered;
use storage_order::SortScratch;

pub use stats::HashStats;

/// Makes room for `additional` elements. Grows by a quarter, not to twice the length: the arrays of
/// a hash are large, and with doubling up to half of their room was unused in sparse worlds.
#[inline(always)]
fn make_room<E>(array: &mut Vec<E>, additional: usize) {
    if array.capacity() - array.len() < additional {
        array.reserve_exact(additional.max(array.len() / 4));
    }
}

/// Reserves room for `additional` elements, growing by at least a quarter. On error, if allocation
/// fails, the array is unchanged.
#[inline(always)]
fn try_make_room<E>(array: &mut Vec<E>, additional: usize) -> Result<(), IndexError> {
    if array.capacity() - array.len() < additional {
        let more = additional.max(array.len() / 4);
        return array.try_reserve_exact(more).map_err(|_| IndexError::OutOfMemory);
    }
    Ok(())
}

/// Finds all overlapping pairs by dividing an unbounded world into cells of one size.
///
/// The hash is best for objects of about one size, with cells about twice as large: see
/// [`recommend`](Self::recommend). An object has an entry in every cell it
/// touches. An object that touches more than 8 cells per axis, on average, is *oversized*: it is
/// kept in a list that every object is tested against, eight at a time. Moving an object within its
/// cells is cheap; otherwise the cost is proportional to the number of cells that the object leaves
/// and enters, however many objects these cells have. Cells in which all objects are static cost
/// nothing when searching for pairs. The cost of a query depends on the number of objects in the
/// region and within a few cells around it, not on the region's size in cells.
///
/// Results do not depend on the cell side.
///
/// With 100,000 objects of one size and two cells per object, the hash takes 190 bytes per object
/// in two dimensions and 300 in three; with 16 cells per object, 440 and 680; if the distance
/// between objects is many cells, 440 and 540. An [`Hshg`](crate::Hshg) takes 27 and 37.
///
/// Cell numbers are limited to ±2^30 on each axis. Objects farther out share the outermost cells:
/// results are correct, but searches become slow if there are many such objects. Objects are stored
/// in the order of their cells; they are sorted again when each object has moved through several
/// cells on average. Memory is kept for reuse, so steady movement does not allocate. Memory
/// reserved in advance, also by `extend`, suffices if each object touches one cell and two objects
/// share each block of cells; [`shrink_to_fit`](broadphase_core::SpatialIndex::shrink_to_fit) frees
/// unused memory.
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
    cells: Cells<D>,
    /// Scratch buffer for finding pairs on one thread.
    gathered: Gathered<D>,
    /// One job for each range of a parallel search, kept between calls to avoid reallocating.
    jobs: Vec<Job<D>>,
    /// Scratch buffer: the slots of non-static objects, if only these are tested against oversized
    /// objects.
    movers: Vec<u32>,
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
            cells: Cells::new(cell.to_f64()),
            gathered: Gathered::default(),
            jobs: Vec::new(),
            movers: Vec::new(),
            sort_scratch: SortScratch::default(),
            cell,
            backend: Backend::detect(),
        }
    }

    /// Returns a cell side for objects with these bounds: twice their average size, as recommended
    /// by MacDonald's article "Spatial hashing". For points, returns a side with about one point
    /// for each cell.
    ///
    /// With 256 objects or more, the 16 largest are ignored, so that one huge object, such as the
    /// ground, does not make cells so large that all other objects are in one of them. The side is
    /// so large that all objects, except the 16 farthest from the origin, lie within the range of
    /// cell numbers. A sample of the objects is enough. Objects with invalid bounds are ignored.
    /// Returns 1 if no object is left.
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

    /// Reserves memory for more objects, but not for cells, because the number of objects that
    /// share a cell is unknown.
    fn try_reserve_objects(&mut self, additional: usize) -> Result<(), IndexError> {
        self.objects.try_reserve(additional)?;
        self.cells.try_reserve_records(additional)
    }

    /// Returns the side of a cell.
    #[must_use]
    pub const fn cell(&self) -> S {
        self.cell
    }

    /// Sets the side of the cells and rebuilds all entries.
    ///
    /// # Panics
    /// In the same cases as [`new`](SpatialHash::new).
    pub fn set_cell(&mut self, cell: S) {
        self.cells.rebuild(cell.to_f64(), self.objects.bounds(), self.objects.keys());
        self.cell = cell;
    }

    /// Returns the number of cells with at least one entry.
    #[must_use]
    pub fn cells_in_use(&self) -> usize {
        self.cells.in_use()
    }

    /// Returns the number of oversized objects, which are kept in a list instead of cells.
    #[must_use]
    pub fn oversized(&self) -> usize {
        self.cells.oversized()
    }
}
