//! The fixed-point grid: cells of a power-of-two size, one point at a time.

use super::rule;
use crate::hex::{Hex, hex};
use crate::plane::Point;

/// A grid of cells over fixed-point coordinates, each cell 2^`shift` units from the next.
///
/// The lookup is right for every `i32`; centres and all that is built on them mean cells whose
/// centre is within ±2^29 units, and wrap beyond.
///
/// ```
/// use hexcoord::{Grid, Point, hex};
///
/// let grid = Grid::new(9);
/// assert_eq!(grid.cell_size(), 512);
/// assert_eq!(grid.cell(Point::new(700, -90)), hex(1, 0));
/// assert_eq!(grid.center(hex(1, 0)), Point::new(512, 0));
/// // On a border the greatest cell wins.
/// assert_eq!(grid.cell(Point::new(256, 0)), hex(1, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    shift: u32,
}

impl Default for Grid {
    /// Cells of 2^9 = 512 units.
    fn default() -> Self {
        Self::new(9)
    }
}

impl Grid {
    /// The largest shift, cells of 2^29 units.
    pub const MAX_SHIFT: u32 = 29;

    /// The grid with cells of 2^`shift` units.
    ///
    /// # Panics
    /// If `shift` is above [`MAX_SHIFT`](Self::MAX_SHIFT).
    #[inline]
    #[must_use]
    pub const fn new(shift: u32) -> Self {
        assert!(shift <= Self::MAX_SHIFT, "a cell is at most 2^29 units");
        Self { shift }
    }

    /// The binary logarithm of the cell size.
    #[inline(always)]
    #[must_use]
    pub const fn shift(self) -> u32 {
        self.shift
    }

    /// How many units neighbouring centres are apart, along a, b or c.
    #[inline(always)]
    #[must_use]
    pub const fn cell_size(self) -> i32 {
        1 << self.shift
    }

    /// The centre of a cell; wraps where it is not an `i32`.
    #[inline(always)]
    #[must_use]
    pub const fn center(self, cell: Hex) -> Point {
        Point::new(cell.q.wrapping_shl(self.shift), cell.r.wrapping_shl(self.shift))
    }

    /// The cell that holds a point; on borders the greatest one.
    ///
    /// Rounds down to the rhombus of four candidates, then compares; for every `i32`. The rule is
    /// drawn in the [crate's source](https://docs.rs/hexcoord), file `lookup/rule.rs`; many points
    /// at once are the matter of [`cells`](Self::cells).
    #[inline]
    #[must_use]
    pub const fn cell(self, point: Point) -> Hex {
        let size = self.cell_size();
        let (fa, fb) = (point.a & (size - 1), point.b & (size - 1));
        let sum = fa + fb;
        let (for_a, for_b) = if fa >= fb { (size, 2 * size) } else { (2 * size, size) };
        hex(
            (point.a >> self.shift) + (sum + fa >= for_a) as i32,
            (point.b >> self.shift) + (sum + fb >= for_b) as i32,
        )
    }

    /// Which of the four candidates around a point hold it: bit 0 for the floor cell itself, bit 1
    /// for the one beyond along b, bit 2 along a, bit 3 along both.
    ///
    /// One bit inside a cell, two on an edge; a vertex is never at an integer, but for cells of
    /// one unit, whose only points are centres.
    #[inline]
    #[must_use]
    pub const fn candidates(self, point: Point) -> u8 {
        let [fa, fb] = self.fractions(point);
        rule::candidates(fa, fb, self.cell_size() as i64, self.cell_size() as i64)
    }

    /// The floor cell of a point: its coordinates divided by the cell size and rounded down.
    #[inline(always)]
    #[must_use]
    pub const fn floor(self, point: Point) -> Hex {
        hex(point.a >> self.shift, point.b >> self.shift)
    }

    /// What rounding down takes away.
    #[inline(always)]
    pub(super) const fn fractions(self, point: Point) -> [i64; 2] {
        let mask = self.cell_size() - 1;
        [(point.a & mask) as i64, (point.b & mask) as i64]
    }
}
