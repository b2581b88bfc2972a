//! The spatial hash: cells of one size, made where something is.
//!
//! ```text
//!   ┌────────┬────────┬────────┐     table: cell → objects that touch it
//!   │ ┌───────────┐   │        │       (0, 1)  A
//!   │ │ A    │    │   │        │       (1, 1)  A, B
//!   ├─│──────┼────│───┼────────┤       (0, 0)  A
//!   │ └──────┼────┘ ┌─┼─────┐  │       (1, 0)  A, B
//!   │        │      │B│     │  │       (2, 0)  B
//!   └────────┴──────┴─┴─────┴──┘
//! ```
//!
//! Two boxes that overlap job the cell of the low corner of their intersection, and no other
//! cell is that one: there, and only there, the pair is reported. That cell is where, on every
//! axis, at least one of the two begins, so a bit for each axis and entry decides it, without
//! marking, hashing or sort_scratch results.
//!
//! Questions do not go by cells. Every object is listed once more, with its bounds, in a larger
//! bin, so that what overlaps a box or is touched on a way is met once and eight at a time.
//!
//! Source: Tristam MacDonald, "Spatial hashing". Improved here: cells are rounded down, not
//! towards zero; no pair comes twice; what would fill too many cells is kept in a list; leaving a
//! crowded cell takes no search; and cells without motion are not looked at.

mod cells;
mod index;
mod map;
mod pairs;
mod queries;
mod tuning;

use alloc::vec::Vec;

use broadphase_core::objects::Objects;
use broadphase_core::{Aabb, Backend, Scalar};

use cells::Cells;
use pairs::rows::Rows;
use pairs::{Job, SweepScratch};
use tuning::Tuning;
use tuning::storage_order::SortScratch;

pub use cells::placement::Placement;
pub use map::{CellHasher, CellMap, Dense, Sparse};
pub use tuning::HashStats;

/// The spatial hash: every overlapping pair in a world of cells of one size.
///
/// Best where objects are of about one size: the cell should be about twice that
/// ([`recommend`](Self::recommend)), or what [`tune`](Self::tune) finds. An object that touches
/// too many cells ([`Placement`]) is *oversized*: it sits in a list that every object is tested
/// against, eight at a time. Moving an object costs little while it touches the same cells, and
/// otherwise the cells it leaves and enters, however many objects they have. Cells in which all
/// objects are static cost nothing when pairs are looked for. Questions cost by what is there or
/// near, within a few cells, not by how many cells they cover.
///
/// `M` is the map that finds the cells: [`Sparse`] for an unbounded world, with any hasher;
/// [`Dense`] for a bounded one; or another [`CellMap`]. No answer depends on it, nor on the side of
/// the cells or the placement.
///
/// Cells are numbered within ±2^30 on each axis; what is farther out jobs the outermost cells:
/// right, but slow if much is there. Objects are stored in the order of their cells, which is put
/// right when every object has gone through some cells. Memory is kept for reuse: steady movement does
/// not allocate. Room that is made for objects beforehand is enough if each is far from all others;
/// [`shrink_to_fit`](broadphase_core::SpatialIndex::shrink_to_fit) gives back what they do not need.
///
/// ```
/// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
///
/// let boxes: Vec<_> = (0..1000).map(|i| Aabb::of_ball([i as f32 * 1.5, 0.0], 1.0)).collect();
/// let mut world = SpatialHash::new(SpatialHash::<f32, 2>::recommend(boxes.iter().copied()));
/// world.extend((0..).zip(boxes).map(|(key, bounds)| (key, bounds, ())))?;
/// let mut pairs = Vec::new();
/// world.pairs(&mut pairs);
/// assert_eq!(pairs.len(), 999);
/// # Ok::<(), broadphase_hshg::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SpatialHash<S = f32, const D: usize = 2, T = (), M = Sparse<D>> {
    objects: Objects<S, D, T>,
    cells: Cells<D, M>,
    /// What one thread finds pairs with.
    scratch: SweepScratch<D>,
    /// What several do; between calls, only its memory.
    jobs: Vec<Job<D>>,
    /// The slots of those that are not static, where only they matter.
    movers: Vec<u32>,
    rows: Rows<D>,
    sort_scratch: SortScratch,
    cell: S,
    tuning: Tuning,
    backend: Backend,
}

impl<S: Scalar, const D: usize, T: Copy> SpatialHash<S, D, T> {
    /// An empty hash of an unbounded world, with cells of this side.
    ///
    /// # Panics
    /// If the side is not positive and finite, or so small that its reciprocal is not finite.
    #[must_use]
    pub fn new(cell: S) -> Self {
        Self::with_map(cell, Sparse::default())
    }

    /// The side of a cell for objects like these: twice their average size, by the article's
    /// rule. Points get cells that hold about one each.
    ///
    /// Among hundreds the 16 largest do not count, so that one huge ground does not put all that
    /// stands on it into one cell; nor do the 16 that are farthest away make cells coarser. With
    /// [`Placement::FirstCell`] twice as large is better still. A sample of the objects is enough;
    /// what has invalid bounds does not count; if there is nothing to go by, the side is 1.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash};
    ///
    /// let rocks = [1.0, 3.0].map(|radius| Aabb::of_ball([0.0, 0.0], radius));
    /// assert_eq!(SpatialHash::<f32, 2>::recommend(rocks), 8.0);
    /// ```
    #[must_use]
    pub fn recommend(bounds: impl IntoIterator<Item = Aabb<S, D>>) -> S {
        tuning::recommend::recommend(bounds)
    }
}

impl<S: Scalar, const D: usize, T: Copy> SpatialHash<S, D, T, Dense<D>> {
    /// An empty hash of a bounded world, with cells of this side: the *dense* variant.
    ///
    /// Cells of the world are found without hashing, by blocks that take four bytes each whether
    /// anything touches them or not; objects may leave the world, and are found all the same
    /// ([`Dense`]).
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
    ///
    /// let mut table = SpatialHash::bounded(0.5, Aabb::new([0.0, 0.0], [2.0, 1.0]));
    /// table.insert(8, Aabb::of_ball([1.0, 0.5], 0.25), "black")?;
    /// table.insert(0, Aabb::of_ball([-7.0, 0.5], 0.25), "on the floor")?;
    /// let mut found = Vec::new();
    /// table.query(Aabb::new([-8.0, 0.0], [0.0, 1.0]), &mut found);
    /// assert_eq!(found, [0]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    ///
    /// # Panics
    /// As [`new`](SpatialHash::new).
    #[must_use]
    pub fn bounded(cell: S, world: impl Into<Aabb<S, D>>) -> Self {
        Self::with_map(cell, Dense::new(world.into()))
    }
}

impl<S: Scalar, const D: usize, T: Copy, M: CellMap<D>> SpatialHash<S, D, T, M> {
    /// An empty hash with cells of this side, which are found through this map. The map must be
    /// empty.
    ///
    /// # Panics
    /// As [`new`](SpatialHash::new).
    #[must_use]
    pub fn with_map(cell: S, map: M) -> Self {
        Self {
            objects: Objects::new(),
            cells: Cells::new(cell.to_f64(), map),
            scratch: SweepScratch::default(),
            jobs: Vec::new(),
            movers: Vec::new(),
            rows: Rows::default(),
            sort_scratch: SortScratch::default(),
            cell,
            tuning: Tuning::default(),
            backend: Backend::detect(),
        }
    }

    /// The same hash with objects in other cells: [`Placement::FirstCell`] is faster for points,
    /// and for objects of about one size with cells four times as oversized.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Placement, SpatialHash, SpatialIndex};
    ///
    /// let mut sand: SpatialHash<f32, 3> =
    ///     SpatialHash::new(4.0).with_placement(Placement::FirstCell);
    /// sand.extend((0..100).map(|n| (n, Aabb::of_ball([n as f32, 0.0, 0.0], 0.5), ())))?;
    /// let mut pairs = Vec::new();
    /// sand.pairs(&mut pairs);
    /// assert_eq!(pairs.len(), 99);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub fn with_placement(mut self, placement: Placement) -> Self {
        let (bounds, keys) = (self.objects.bounds(), self.objects.keys());
        self.cells.rebuild(self.cell.to_f64(), placement, bounds, keys);
        self
    }

    /// In which cells objects are.
    #[must_use]
    pub const fn placement(&self) -> Placement {
        self.cells.placement()
    }

    /// The side of a cell.
    #[must_use]
    pub const fn cell(&self) -> S {
        self.cell
    }

    /// Gives cells another side and puts every object where it belongs then.
    ///
    /// # Panics
    /// As [`new`](SpatialHash::new).
    pub fn set_cell(&mut self, cell: S) {
        let (bounds, keys) = (self.objects.bounds(), self.objects.keys());
        self.cells.rebuild(cell.to_f64(), self.placement(), bounds, keys);
        self.cell = cell;
    }

    /// Removes the object of that key if these are its bounds, and scratch back what was stored
    /// with it; `None` if there is none, or it has other bounds, and nothing has changed then.
    ///
    /// Like [`remove`](broadphase_core::SpatialIndex::remove), which need not be told where the
    /// object is, but for callers who want to know that they are right about it.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
    ///
    /// let mut world: SpatialHash<f32, 2, char> = SpatialHash::new(4.0);
    /// let (here, there) = (Aabb::point([1.0, 1.0]), Aabb::point([9.0, 1.0]));
    /// world.insert(5, here, 'a')?;
    /// assert_eq!(world.remove_at(5, there), None);
    /// assert_eq!(world.remove_at(5, here), Some('a'));
    /// assert_eq!(world.remove_at(5, here), None);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn remove_at(&mut self, key: u32, old_bounds: impl Into<Aabb<S, D>>) -> Option<T> {
        let slot = self.objects.slot(key)?;
        if self.objects.bounds()[slot] != old_bounds.into() {
            return None;
        }
        self.cells.swap_remove(slot);
        Some(self.objects.swap_remove(slot).data)
    }

    /// How many cells anything is in.
    #[must_use]
    pub fn cells_in_use(&self) -> usize {
        self.cells.in_use()
    }

    /// How many objects are oversized: kept in a list, not in cells.
    #[must_use]
    pub fn oversized(&self) -> usize {
        self.cells.oversized()
    }
}
