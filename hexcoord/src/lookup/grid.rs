//! The fixed-point grid: cells of a power-of-two size, one point at a time.

use super::rule;
use crate::hex::{Hex, hex};
use crate::plane::Point;

/// A grid of cells over fixed-point coordinates, each cell 2^`shift` units from the next.
///
/// Rounding a point down to whole cells gives the corner of a rhombus, and every rhombus meets the
/// same four cells: the *candidates*. One of them holds the point.
///
/// ```text
///  (0,0) . . . . . . a a a a a a (1,0)         The centres of the candidates are the corners of
///     \   . . . . . a a a a a a a   \          the rhombus. What is marked . belongs to (0,0),
///      \   . . . . a a a a a a a a   \         a to (1,0), b to (0,1) and : to (1,1).
///       \   . . b b b a a a a a a a   \
///        \   b b b b b b a a a a : :   \      (0,0) holds 2a + b < 1 and a + 2b < 1, and (1,1)
///         \   b b b b b b b : : : : :   \     what lies opposite; of the rest, (1,0) holds
///          \   b b b b b b b : : : : :   \    a ≥ b and (0,1) holds a < b.
///        (0,1) b b b b b b b : : : : : (1,1)
/// ```
///
/// A cell is the closed hexagon of all points whose way (a, b, c) from its centre has max − min of
/// at most one cell, so a border belongs to two cells and a vertex to three. Of those *the
/// greatest cell* holds the point: largest q, then largest r. Everything in this crate that looks
/// for the cell of a point follows this rule, with integers and with floats.
///
/// The lookup is right for every `i32`; centres and all that is built on them mean cells whose
/// centre is within ±2^29 units, and wrap beyond. The idea is from "Hexagonal coordinate
/// representations in Hexeline".
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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "crate::saved::Grid")
)]
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

    pub(crate) const TOO_LARGE: &str = "a cell is at most 2^29 units";

    /// The grid with cells of 2^`shift` units.
    ///
    /// # Panics
    /// If `shift` is above [`MAX_SHIFT`](Self::MAX_SHIFT).
    #[inline]
    #[must_use]
    pub const fn new(shift: u32) -> Self {
        assert!(shift <= Self::MAX_SHIFT, "{}", Self::TOO_LARGE);
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
    /// For every `i32`. Rounds down to the rhombus of four candidates, then compares twice. Many
    /// points at once are the matter of [`cells`](Self::cells).
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
