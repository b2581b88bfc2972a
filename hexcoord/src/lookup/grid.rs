//! The fixed-point grid: cells of a power-of-two size, and the cells at or around a point.

use core::iter::once;

use super::rule::spread;
use crate::hex::{Direction, Hex, hex};
use crate::plane::Point;
use crate::rhombus::max_coordinate;

/// A grid of cells over fixed-point coordinates. Neighboring centers are 2^`shift` units apart.
///
/// Rounding a point down to whole cells gives the corner of a rhombus, whose points have the same
/// *candidates*: the four cells that it overlaps. One candidate contains the point.
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
/// point lookups return the *greatest* of these: largest q, then largest r.
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
    /// Exact for every `i32`: rounds down to the floor cell, then makes two comparisons. For many
    /// points use [`cells`](Self::cells).
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

    /// Returns the floor cell of a point: its coordinates divided by the cell size, rounded down.
    #[inline(always)]
    #[must_use]
    pub const fn floor(self, point: Point) -> Hex {
        hex(point.a >> self.shift, point.b >> self.shift)
    }

    /// Returns a mask of the candidates that contain a point: bit 0 for the floor cell, then one
    /// step along b, along a, along both.
    ///
    /// One bit is set inside a cell, two on an edge. Vertices have no integer coordinates.
    /// Exception: cells of one unit, whose only points are centers.
    #[inline]
    #[must_use]
    pub const fn candidates(self, point: Point) -> u8 {
        let size = self.cell_size();
        let mut lanes = 0;
        let mut lane = 0;
        while lane < 4 {
            let a = (point.a & (size - 1)) - size * (lane >> 1);
            let b = (point.b & (size - 1)) - size * (lane & 1);
            let c = -a - b;
            let distance = max(max(a, b), c) + max(max(-a, -b), -c);
            // The sign bit of the difference is set if the distance is at most the cell size.
            lanes |= (((distance - (size + 1)) as u32) >> 31) << lane;
            lane += 1;
        }
        lanes as u8
    }

    /// Returns the same cell as [`cell`](Self::cell), computed with two constants used as bit sets.
    ///
    /// This is the algorithm published in "Hexagonal coordinate representations in Hexeline". The
    /// [`candidates`](Self::candidates) other than the floor cell form a number `n`. If bit `n` of
    /// the constant of an axis is set, 1 is added to that coordinate of the floor cell.
    ///
    /// ```
    /// use hexcoord::{Grid, Point};
    ///
    /// let (grid, point) = (Grid::new(9), Point::new(-300, 811));
    /// assert_eq!(grid.cell_by_bit_set(point), grid.cell(point));
    /// ```
    #[inline]
    #[must_use]
    pub const fn cell_by_bit_set(self, point: Point) -> Hex {
        let n = self.candidates(point) >> 1;
        let Hex { q, r } = self.floor(point);
        hex(q + (0b1111_1100 >> n & 1), r + (0b1111_0010 >> n & 1))
    }

    /// Returns the cells that overlap an unrotated cell-sized hexagon: the cell that contains its
    /// center, then its neighbors in the order of [`Direction::ALL`].
    ///
    /// Two aligned hexagons overlap (touching counts) if the offset of their centers has a spread
    /// of at most two cell sizes: four cells in general, up to seven at the center of a cell.
    ///
    /// ```
    /// use hexcoord::{Grid, Point, hex};
    ///
    /// let grid = Grid::new(9);
    /// let cells = grid.overlapped(Point::new(200, 90));
    /// assert!(cells.eq([hex(0, 0), hex(1, 0), hex(0, 1), hex(1, -1)]));
    /// assert_eq!(grid.overlapped(grid.center(hex(4, 4))).count(), 7);
    /// ```
    pub fn overlapped(self, center: Point) -> impl Iterator<Item = Hex> {
        let cell = self.cell(center);
        let size = i64::from(self.cell_size());
        let neighbors = Direction::ALL.into_iter().filter(move |direction| {
            let [a, b] = self.exact_offset(center, cell, direction.to_hex());
            spread(a, b) <= 2 * size
        });
        once(cell).chain(neighbors.map(move |direction| cell + direction))
    }

    /// Returns, ascending, the cells whose center is within a Euclidean distance of a point.
    ///
    /// The radius, up to 2^30, is in units: neighboring centers are √2 cell sizes apart. Exact.
    ///
    /// ```
    /// use hexcoord::{Grid, Point, hex};
    ///
    /// let grid = Grid::new(9);
    /// // The three cells around a corner: their centers are 512 √(2/3) = 418.05 units away.
    /// let cells = grid.disc(Point::new(171, 171), 419);
    /// assert!(cells.eq([hex(0, 0), hex(0, 1), hex(1, 0)]));
    /// ```
    pub fn disc(self, center: Point, radius: u32) -> impl Iterator<Item = Hex> {
        let square = i128::from(radius) * i128::from(radius);
        self.cells_around(center, radius).filter_map(move |([a, b], cell)| {
            let [a, b] = [a, b].map(i128::from);
            (2 * (a * a + a * b + b * b) <= square).then_some(cell)
        })
    }

    /// Returns the cells that a Euclidean disc touches, in ascending order. Cells are closed.
    ///
    /// The radius is in units, as [`Point::length`], and at most 2^30. The result is exact.
    ///
    /// ```
    /// use hexcoord::{Grid, Point, hex};
    ///
    /// let grid = Grid::new(9);
    /// // The edges of a cell are 512 / √2 = 362.04 units from its center.
    /// assert!(grid.disc_cover(Point::ORIGIN, 362).eq([hex(0, 0)]));
    /// assert!(grid.disc_cover(Point::ORIGIN, 363).eq(hex(0, 0).range(1)));
    /// ```
    pub fn disc_cover(self, center: Point, radius: u32) -> impl Iterator<Item = Hex> {
        let square = i128::from(radius) * i128::from(radius);
        let size = i64::from(self.cell_size());
        self.cells_around(center, radius).filter_map(move |([a, b], cell)| {
            // Let S be the cell size, u the spread of the offset and v the smallest of |a|, |b| and
            // |c|. The offset has the component u / √2 along the normal of the nearest edge and v
            // √(3/2) along that edge, whose half length is S / √6. So the squared distance to the
            // hexagon is (max(u − S, 0)² + max(3v − S, 0)² / 3) / 2.
            let across = i128::from((spread(a, b) - size).max(0));
            let along = i128::from((3 * a.abs().min(b.abs()).min((a + b).abs()) - size).max(0));
            (3 * across * across + along * along <= 6 * square).then_some(cell)
        })
    }

    /// Returns, in ascending order, at least the cells that a disc touches, each with the exact
    /// offset from the disc's to the cell's center.
    fn cells_around(self, center: Point, radius: u32) -> impl Iterator<Item = ([i64; 2], Hex)> {
        let middle = self.cell(center);
        // A cell n steps away is at least n √(3/2) sizes away; the corners of both cells are √(2/3)
        // sizes from their centers. So n is at most √(2/3) radius / size + 4/3.
        let square = u128::from(radius) * u128::from(radius);
        let steps = (max_coordinate(square) >> self.shift) as u32 + 2;
        middle
            .range(steps)
            .map(move |cell| (self.exact_offset(center, middle, cell - middle), cell))
    }

    /// Returns the exact offset from a point to the center of the cell `step` from the point's
    /// cell.
    fn exact_offset(self, point: Point, cell: Hex, step: Hex) -> [i64; 2] {
        let center = self.center(cell);
        let along = |center: i32, point: i32, step: i32| {
            i64::from(center.wrapping_sub(point)) + (i64::from(step) << self.shift)
        };
        [along(center.a, point.a, step.q), along(center.b, point.b, step.r)]
    }
}

#[inline(always)]
const fn max(x: i32, y: i32) -> i32 {
    if x > y { x } else { y }
}
