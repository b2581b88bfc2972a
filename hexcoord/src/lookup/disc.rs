//! The cells in a Euclidean disc, in integers without rounding.
//!
//! Input: a center and a radius in units. Output: cells in ascending order.
//!
//! Let (a, b) be the offset from the center of the disc to that of a cell. The cell's center is
//! inside if a² + b² + c² ≤ R², which is equivalent to (a + 2b)² + 3a² ≤ 2R². Each column of cells
//! with equal q has one interval of r:
//!
//! 1. |a| ≤ √(2R² / 3) bounds the columns.
//! 2. |a + 2b| ≤ √(2R² − 3a²) bounds the cells of a column: one integer square root.
//!
//! A disc touches a cell if the distance from its center to the *hexagon* of the cell is at most R.
//! Let S be the cell size, u the spread of the offset (the largest minus the smallest of a, b and
//! c) and v the smallest of |a|, |b| and |c|. The offset has the component u / √2 along the normal
//! of the nearest edge. It has the component v √(3/2) along that edge, whose half length is S / √6.
//! So the squared distance to the hexagon is (max(u − S, 0)² + max(3v − S, 0)² / 3) / 2.
//!
//! The offsets of touched cells form a convex set, so each column still has one interval. Step 2
//! with the radius R + S gives a longer interval; cells at both ends are removed until the end
//! cells are touched.
//!
//! Takes constant time per cell and one square root per column; no allocation.

use core::iter::FusedIterator;

use super::{Grid, rule};
use crate::hex::{Hex, hex};
use crate::plane::Point;

impl Grid {
    /// Returns the cells whose center is within a Euclidean distance of a point, in ascending
    /// order.
    ///
    /// The radius is in units, as [`Point::length`]: neighboring centers are √2 cell sizes apart.
    /// The result is exact; the radius may be up to 2^30.
    ///
    /// ```
    /// use hexcoord::{Grid, Point, hex};
    ///
    /// let grid = Grid::new(9);
    /// // The three cells around a corner: their centers are 512 √(2/3) = 418.05 units away.
    /// let cells: Vec<_> = grid.disc(Point::new(171, 171), 419).collect();
    /// assert_eq!(cells, [hex(0, 0), hex(0, 1), hex(1, 0)]);
    /// ```
    #[must_use]
    pub fn disc(self, center: Point, radius: u32) -> Disc {
        let square = u128::from(radius) * u128::from(radius);
        Disc::new(self, center, square, columns(square, 0))
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
    #[must_use]
    pub fn disc_cover(self, center: Point, radius: u32) -> Disc {
        let size = self.cell_size() as u32;
        let square = u128::from(radius) * u128::from(radius);
        let wide = u128::from(u64::from(radius) + u64::from(size));
        let disc = Disc::new(self, center, wide * wide, columns(square, size));
        Disc { touched_within: Some(square), ..disc }
    }
}

impl Hex {
    /// Returns, in ascending order, the cells whose center has at most the Euclidean distance `n`
    /// from the center of this cell. Neighbors have the distance 1: this is a round
    /// [`range`](Self::range).
    ///
    /// The result is exact; `n` may be up to 2^30.
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// assert!(hex(0, 0).disc(1).eq(hex(0, 0).range(1)));
    /// assert_eq!(hex(0, 0).disc(10).count(), 367); // 331 in the hexagonal range
    /// ```
    #[must_use]
    pub fn disc(self, n: u32) -> Disc {
        // One cell per unit: neighbors are √2 units apart.
        let square = 2 * u128::from(n) * u128::from(n);
        Disc::new(Grid::new(0), Point::new(self.q, self.r), square, columns(square, 0))
    }
}

/// Returns the maximum |a| of the centers of cells that touch a disc with the squared radius
/// `square`. A cell extends 2/3 of its size along a. With size 0, only the centers count.
fn columns(square: u128, size: u32) -> i64 {
    (root(6 * square) + 2 * i64::from(size)) / 3
}

/// Returns the square root, rounded down.
fn root(square: u128) -> i64 {
    match u64::try_from(square) {
        Ok(square) => square.isqrt() as i64,
        Err(_) => square.isqrt() as i64,
    }
}

/// Iterator over the cells of [`Grid::disc`], [`Grid::disc_cover`] and [`Hex::disc`].
#[derive(Clone, Debug)]
pub struct Disc {
    grid: Grid,
    center: [i64; 2],
    /// Squared radius of a disc that contains the centers of all returned cells.
    square: u128,
    /// Squared radius of the disc if touched cells are returned; `None` if only cells with a center
    /// in the disc are returned.
    touched_within: Option<u128>,
    /// The next column and the last column.
    q: [i64; 2],
    /// The next cell of the current column.
    column: Hex,
    /// Number of cells left in the current column.
    left: i64,
}

impl Disc {
    /// Creates the iterator over the cells with a center in a disc, in the columns with |a| ≤
    /// `columns`.
    fn new(grid: Grid, center: Point, square: u128, columns: i64) -> Self {
        let center = [i64::from(center.a), i64::from(center.b)];
        let (low, high) = (center[0] - columns, center[0] + columns);
        let q = [-(-low >> grid.shift()), high >> grid.shift()];
        Self { grid, center, square, touched_within: None, q, column: Hex::ORIGIN, left: 0 }
    }

    /// Returns the first and the last r of a column; an inverted range if the column has no cells.
    fn rows(&self, q: i64) -> [i64; 2] {
        let a = (q << self.grid.shift()) - self.center[0];
        let double = 2 * self.square as i128 - 3 * i128::from(a) * i128::from(a);
        let Ok(double) = u128::try_from(double) else { return [0, -1] };
        let (half, middle) = (root(double), 2 * self.center[1] - a);
        let double_shift = self.grid.shift() + 1;
        let (low, high) = (middle - half, middle + half);
        let [mut first, mut last] = [-(-low >> double_shift), high >> double_shift];
        if let Some(square) = self.touched_within {
            while first <= last && !self.touches(q, first, square) {
                first += 1;
            }
            while first <= last && !self.touches(q, last, square) {
                last -= 1;
            }
        }
        [first, last]
    }

    /// Returns whether a cell touches the disc around the center with the squared radius `square`.
    fn touches(&self, q: i64, r: i64, square: u128) -> bool {
        let size = i64::from(self.grid.cell_size());
        let (a, b) = (q * size - self.center[0], r * size - self.center[1]);
        let across = i128::from((rule::spread(a, b) - size).max(0));
        let along = i128::from((3 * a.abs().min(b.abs()).min((a + b).abs()) - size).max(0));
        3 * across * across + along * along <= 6 * square as i128
    }
}

impl Iterator for Disc {
    type Item = Hex;

    fn next(&mut self) -> Option<Hex> {
        while self.left == 0 {
            let [q, last] = self.q;
            if q > last {
                return None;
            }
            self.q[0] += 1;
            let [first, last] = self.rows(q);
            (self.column, self.left) = (hex(q as i32, first as i32), (last - first + 1).max(0));
        }
        let cell = self.column;
        self.column = cell.plus(hex(0, 1));
        self.left -= 1;
        Some(cell)
    }
}

impl FusedIterator for Disc {}
