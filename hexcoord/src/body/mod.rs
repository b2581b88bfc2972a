//! Bodies made of hexagonal cells.

mod bitmap;
mod bounds;
mod contact;
mod edit;
mod near;
mod overlap;
mod point;
mod region;
mod scan;
mod segment;
mod split;
mod tally;

use core::fmt;
use core::iter::FusedIterator;

pub use edit::OutOfReach;
pub use segment::CellHit;

use crate::hex::Hex;
use crate::lookup::Grid;
use bitmap::{Bitmap, RowCells};
use tally::Tally;

/// A rigid body made of hexagonal cells, such as a ship: what is where, and what it overlaps.
///
/// Cells are named in the body's own coordinates; a [`Pose`](crate::Pose) says where its origin is
/// in the world and how the body is turned about it. All questions are answered in integers, the
/// same everywhere:
///
/// * [`cell_at`](Self::cell_at): which cell holds a point;
/// * [`first_on_segment`](Self::first_on_segment): which cell a bullet meets first;
/// * [`overlaps`](Self::overlaps): every pair of overlapping cells of two bodies, at any rotation;
/// * [`rhombus`](Self::rhombus), [`span`](Self::span), [`intervals`](Self::intervals): bounds for
///   the broad phase.
///
/// Cells are bits in rows, [at most](Self::MAX_EXTENT) 16 384 across; adding and removing one costs
/// the same however large the body is. Cells that lie apart are still one body until
/// [`split`](Self::split).
///
/// ```
/// use hexcoord::{Angle, HexBody, Point, Pose, hex};
///
/// let mut ship: HexBody = hex(0, 0).range(3).collect();
/// let pose = Pose::new(Point::new(100_000, 0), Angle::from_degrees(15.0));
/// let hit = ship.first_on_segment(pose, Point::new(0, 0), Point::new(200_000, 0));
/// let cell = hit.expect("straight through the middle").cell;
/// assert!(ship.remove(cell));
/// assert_eq!(ship.len(), 36);
/// ```
#[derive(Clone, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "crate::saved::HexBody", into = "crate::saved::HexBody")
)]
pub struct HexBody {
    grid: Grid,
    bits: Bitmap,
    /// Along q, r and s.
    tallies: [Tally; 3],
    len: usize,
    /// The sums of q and r.
    sum: [i64; 2],
    /// How far the body can reach along an axis at any rotation, in units.
    half_span: u64,
}

impl HexBody {
    /// A body without cells, whose cells will be 2^9 = 512 units apart.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A body without cells, whose cells will be those of a grid.
    #[must_use]
    pub fn with_grid(grid: Grid) -> Self {
        Self { grid, ..Self::default() }
    }

    /// How large the cells are.
    #[must_use]
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// How many cells there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no cells.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the body has that cell.
    #[inline]
    #[must_use]
    pub fn contains(&self, cell: Hex) -> bool {
        self.bits.get(cell)
    }

    /// The cells, row by row: ascending r, then q.
    #[must_use]
    pub fn cells(&self) -> BodyCells<'_> {
        let (r, last) = self.rows();
        let row = self.bits.row_cells(r, i32::MIN, i32::MAX);
        BodyCells { body: self, row, next: i64::from(r) + 1, last, left: self.len }
    }

    /// The first and the last row with cells; inverted if there are none.
    fn rows(&self) -> (i32, i64) {
        self.tallies[1].ends().map_or((0, -1), |[first, last]| (first as i32, last))
    }
}

/// The cells of [`HexBody::cells`].
#[derive(Clone)]
pub struct BodyCells<'a> {
    body: &'a HexBody,
    row: RowCells<'a>,
    next: i64,
    last: i64,
    left: usize,
}

impl Iterator for BodyCells<'_> {
    type Item = Hex;

    fn next(&mut self) -> Option<Hex> {
        if self.left == 0 {
            return None;
        }
        loop {
            if let Some(cell) = self.row.next() {
                self.left -= 1;
                return Some(cell);
            }
            if self.next > self.last {
                return None;
            }
            self.row = self.body.bits.row_cells(self.next as i32, i32::MIN, i32::MAX);
            self.next += 1;
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for BodyCells<'_> {}
impl FusedIterator for BodyCells<'_> {}

impl fmt::Debug for BodyCells<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a> IntoIterator for &'a HexBody {
    type Item = Hex;
    type IntoIter = BodyCells<'a>;

    fn into_iter(self) -> BodyCells<'a> {
        self.cells()
    }
}

impl PartialEq for HexBody {
    /// Whether the cells and their size are the same, wherever they came from.
    fn eq(&self, other: &Self) -> bool {
        self.grid == other.grid && self.len == other.len && self.cells().eq(other.cells())
    }
}

impl Eq for HexBody {}

impl fmt::Debug for HexBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = self.cells();
        f.debug_struct("HexBody").field("grid", &self.grid).field("cells", &cells).finish()
    }
}
