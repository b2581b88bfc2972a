//! Rigid bodies made of hexagonal cells.
//!
//! A body stores its cells as a bitmap ([`bitmap`]), the number of cells at each coordinate along
//! q, r and s ([`axis_counts`]), and running sums for the center of mass.

mod axis_counts;
mod bitmap;
mod bounds;
mod cell_pair;
mod corners;
mod edit;
mod overlap;
mod overlap_table;
mod point;
mod region;
mod scan;
mod segment;
mod split;

use alloc::vec::Vec;
use core::fmt;

pub use edit::OutOfReach;
pub use segment::CellHit;

use crate::hex::Hex;
use crate::lookup::Grid;
use axis_counts::AxisCounts;
use bitmap::Bitmap;

/// A rigid body made of hexagonal cells, such as a ship. Queries are exact at any rotation.
///
/// Cells are in body coordinates; a [`Pose`](crate::Pose) is the transform to the world. Queries
/// are computed in integers, bit-identical on every machine:
///
/// * [`cell_at`](Self::cell_at): the cell that contains a point;
/// * [`first_on_segment`](Self::first_on_segment): the first cell that a segment touches;
/// * [`overlaps`](Self::overlaps): every pair of overlapping cells of two bodies;
/// * [`rhombus`](Self::rhombus), [`span`](Self::span), [`intervals`](Self::intervals): bounds.
///
/// A body is [at most](Self::MAX_EXTENT) 16 384 cells across; its cells are stored as a bitmap.
/// Inserting and removing a cell takes amortized constant time unless the extent changes.
/// Disconnected cells remain one body until [`split`](Self::split) is called.
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
    serde(try_from = "crate::serialized::HexBody", into = "crate::serialized::HexBody")
)]
pub struct HexBody {
    grid: Grid,
    bits: Bitmap,
    /// Number of cells at each coordinate along q, r and s.
    axis_counts: [AxisCounts; 3],
    len: usize,
    /// Sums of q and r over all cells.
    sum: [i64; 2],
    /// Maximum extent from the origin along an axis at any rotation, in units.
    half_span: u64,
}

impl HexBody {
    /// Creates a body without cells on the default grid: cells of 2^9 = 512 units.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a body without cells on a grid.
    #[must_use]
    pub fn with_grid(grid: Grid) -> Self {
        Self { grid, ..Self::default() }
    }

    /// Returns the grid, which sets the cell size.
    #[must_use]
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns the number of cells.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the body has no cells.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether the body contains a cell.
    #[inline]
    #[must_use]
    pub fn contains(&self, cell: Hex) -> bool {
        self.bits.get(cell)
    }

    /// Returns the cells, row by row: ascending r, then q.
    pub fn cells(&self) -> impl Iterator<Item = Hex> + Clone {
        let (first, last) = self.rows();
        let rows = i64::from(first)..=last;
        rows.flat_map(|r| self.bits.row_cells(r as i32, i32::MIN, i32::MAX))
    }

    /// Returns the first and the last row with cells; an inverted range if the body has no cells.
    fn rows(&self) -> (i32, i64) {
        self.axis_counts[1].ends().map_or((0, -1), |[first, last]| (first as i32, last))
    }
}

impl PartialEq for HexBody {
    /// Returns whether cells and grid are equal, regardless of the editing history.
    fn eq(&self, other: &Self) -> bool {
        self.grid == other.grid && self.len == other.len && self.cells().eq(other.cells())
    }
}

impl Eq for HexBody {}

impl fmt::Debug for HexBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells: Vec<Hex> = self.cells().collect();
        f.debug_struct("HexBody").field("grid", &self.grid).field("cells", &cells).finish()
    }
}
