//! The sparse spatial hash: cells of one size, made where something is.
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
//! Two boxes that overlap share the cell of the low corner of their intersection, and no other
//! cell is that one: there, and only there, the pair is reported. That cell is where, on every
//! axis, at least one of the two begins, so a bit for each axis and entry decides it, without
//! marking, hashing or sorting results.
//!
//! Source: Tristam MacDonald, "Spatial hashing". Improved here: cells are rounded down, not
//! towards zero; no pair comes twice; and what would fill too many cells is kept in a list.

mod cells;
mod index;
mod kernel;
mod query;
mod span;
mod table;

use broadphase_core::objects::Objects;
use broadphase_core::{Aabb, Backend, Scalar};

use cells::Cells;
use kernel::Crowd;

use crate::cell::Grid;

/// The sparse spatial hash: every overlapping pair in an unbounded world.
///
/// Best where objects are of about one size: the cell should be about twice that
/// ([`recommend`](Self::recommend)). An object that spans more than 8 cells on an axis, on
/// average, is *oversized*: it sits in a list that every object is tested against, eight at a
/// time. Moving an object costs nothing while it touches the same cells, and otherwise the cells
/// it leaves and enters, each for the objects in it: thousands in one place are slow to take apart.
///
/// Cells are numbered within ±2^30 on each axis; what is farther out shares the outermost cells:
/// right, but slow if much is there. Memory is kept for reuse: steady movement does not allocate.
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
pub struct SpatialHash<S = f32, const D: usize = 2, T = ()> {
    objects: Objects<S, D, T>,
    cells: Cells<D>,
    crowd: Crowd<D>,
    cell: S,
    backend: Backend,
}

impl<S: Scalar, const D: usize, T: Copy> SpatialHash<S, D, T> {
    /// An empty hash with cells of this side.
    ///
    /// # Panics
    /// If the side is not positive and finite, or so small that its reciprocal is not finite.
    #[must_use]
    pub fn new(cell: S) -> Self {
        Self {
            objects: Objects::new(),
            cells: Cells::new(Grid::new(cell.to_f64())),
            crowd: Crowd::default(),
            cell,
            backend: Backend::detect(),
        }
    }

    /// The side of a cell.
    #[must_use]
    pub const fn cell(&self) -> S {
        self.cell
    }

    /// Gives cells another side and puts every object where it belongs then.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn set_cell(&mut self, cell: S) {
        self.cell = cell;
        self.cells.clear();
        self.cells.set_grid(Grid::new(cell.to_f64()));
        for bounds in self.objects.bounds() {
            self.cells.push(bounds);
        }
    }

    /// The side of a cell for objects like these: twice their average size, by the article's
    /// rule; among hundreds the few largest do not count, so that one huge ground does not put all
    /// that stands on it into one cell. Points get cells that hold about one each.
    #[must_use]
    pub fn recommend(bounds: impl IntoIterator<Item = Aabb<S, D>>) -> S {
        span::recommend(bounds)
    }

    /// How many cells anything touches.
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
