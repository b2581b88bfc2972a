//! The fixed-point grid: cells of a power-of-two size, and the lookup of one point.

use super::rule;
use crate::hex::{Hex, hex};
use crate::plane::Point;

/// A grid of cells over fixed-point coordinates. Neighboring centers are 2^`shift` units apart.
///
/// Rounding a point down to whole cells gives the corner of a rhombus. All points of the rhombus
/// have the same *candidates*: the four cells that it overlaps. One candidate contains the point.
///
/// ```text
///  (0,0) . . . . . . a a a a a a (1,0)         The centers of the candidates are the corners of
///     \   . . . . . a a a a a a a   \          the rhombus. Points marked . belong to (0,0),
///      \   . . . . a a a a a a a a   \         a to (1,0), b to (0,1) and : to (1,1).
///       \   . . b b b a a a a a a a   \
///        \   b b b b b b a a a a : :   \      With fractions 0 ≤ a, b < 1 of the cell size:
///         \   b b b b b b b : : : : :   \     (0,0) if 2a + b < 1 and a + 2b < 1; (1,1) if
///          \   b b b b b b b : : : : :   \    a + b + min(a, b) ≥ 2; otherwise (1,0) if a ≥ b,
///        (0,1) b b b b b b b : : : : : (1,1)  and (0,1) if a < b.
/// ```
///
/// A cell is the closed hexagon of all points whose offset (a, b, c) from its center has a spread
/// (max − min) of at most one cell size. So an edge belongs to two cells and a vertex to three. All
/// point lookups of this crate, for integers and floats, return the *greatest* of these cells:
/// largest q, then largest r.
///
/// The lookup is exact for every `i32`. Centers, and results computed from centers, are correct
/// within ±2^29 units and wrap beyond. The algorithm is from "Hexagonal coordinate representations
/// in Hexeline".
///
/// ```
/// use hexcoord::{Grid, Point, hex};
///
/// let grid = Grid::new(9);
/// assert_eq!(grid.cell_size(), 512);
/// assert_eq!(grid.cell(Point::new(700, -90)), hex(1, 0));
/// assert_eq!(grid.center(hex(1, 0)), Point::new(512, 0));
/// // A point on a border belongs to the greatest cell.
/// assert_eq!(grid.cell(Point::new(256, 0)), hex(1, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "crate::serialized::Grid")
)]
pub struct Grid {
    shift: u32,
}

impl Default for Grid {
    /// Creates a grid with cells of 2^9 = 512 units.
    fn default() -> Self {
        Self::new(9)
    }
}

impl Grid {
    /// Maximum shift: cells of 2^29 units.
    pub const MAX_SHIFT: u32 = 29;

    pub(crate) const TOO_LARGE: &str = "the cell size is above 2^29 units";

    /// Creates a grid with cells of 2^`shift` units.
    ///
    /// # Panics
    /// If `shift` is above [`MAX_SHIFT`](Self::MAX_SHIFT).
    #[inline]
    #[must_use]
    pub const fn new(shift: u32) -> Self {
        assert!(shift <= Self::MAX_SHIFT, "{}", Self::TOO_LARGE);
        Self { shift }
    }

    /// Returns the binary logarithm of the cell size.
    #[inline(always)]
    #[must_use]
    pub const fn shift(self) -> u32 {
        self.shift
    }

    /// Returns the distance in units between neighboring centers, along a, b or c.
    #[inline(always)]
    #[must_use]
    pub const fn cell_size(self) -> i32 {
        1 << self.shift
    }

    /// Returns the center of a cell; wraps if it exceeds `i32`.
    #[inline(always)]
    #[must_use]
    pub const fn center(self, cell: Hex) -> Point {
        Point::new(cell.q.wrapping_shl(self.shift), cell.r.wrapping_shl(self.shift))
    }

    /// Returns the cell that contains a point; on borders the greatest cell.
    ///
    /// The result is exact for every `i32`. The function rounds down to the floor cell, then makes
    /// two comparisons. For many points use [`cells`](Self::cells).
    #[inline]
    #[must_use]
    pub const fn cell(self, point: Point) -> Hex {
        let size = self.cell_size();
        let (fa, fb) = (point.a & (size - 1), point.b & (size - 1));
        let sum = fa + fb;
        let (threshold_a, threshold_b) = if fa >= fb { (size, 2 * size) } else { (2 * size, size) };
        hex(
            (point.a >> self.shift) + (sum + fa >= threshold_a) as i32,
            (point.b >> self.shift) + (sum + fb >= threshold_b) as i32,
        )
    }

    /// Returns a mask of the candidates that contain a point: bit 0 for the floor cell, bit 1 for
    /// the cell one step along b, bit 2 along a, bit 3 along both.
    ///
    /// One bit is set inside a cell, two bits on an edge. Three bits are never set, because
    /// vertices have no integer coordinates. Exception: cells of one unit, whose only points are
    /// centers.
    #[inline]
    #[must_use]
    pub const fn candidates(self, point: Point) -> u8 {
        let [fa, fb] = self.fractions(point);
        rule::candidates(fa, fb, self.cell_size() as i64, self.cell_size() as i64)
    }

    /// Returns the floor cell of a point: its coordinates divided by the cell size and rounded
    /// down.
    #[inline(always)]
    #[must_use]
    pub const fn floor(self, point: Point) -> Hex {
        hex(point.a >> self.shift, point.b >> self.shift)
    }

    /// Returns the remainders of the coordinates after rounding down.
    #[inline(always)]
    pub(super) const fn fractions(self, point: Point) -> [i64; 2] {
        let mask = self.cell_size() - 1;
        [(point.a & mask) as i64, (point.b & mask) as i64]
    }
}
