//! The cells that overlap an unrotated hexagon as large as a cell.

use core::iter::FusedIterator;

use super::{Grid, rule};
use crate::hex::{Direction, Hex};
use crate::plane::Point;

impl Grid {
    /// Returns the cells that overlap an unrotated hexagon as large as a cell, centered at a point.
    ///
    /// The Minkowski sum of two aligned hexagons is a hexagon of twice the size. So two of them
    /// overlap if the offset of their centers has a spread (max − min of a, b, c) of at most two
    /// cell sizes. Touching counts. The result has four cells in general, and up to seven at the
    /// center of a cell.
    ///
    /// ```
    /// use hexcoord::{Grid, Point, hex};
    ///
    /// let grid = Grid::new(9);
    /// let cells: Vec<_> = grid.overlapped(Point::new(200, 90)).collect();
    /// assert_eq!(cells, [hex(0, 0), hex(1, 0), hex(0, 1), hex(1, -1)]);
    /// assert_eq!(grid.overlapped(grid.center(hex(4, 4))).len(), 7);
    /// ```
    #[inline]
    #[must_use]
    pub const fn overlapped(self, center: Point) -> Footprint {
        let cell = self.cell(center);
        let middle = self.center(cell);
        let (a, b) = (center.a.wrapping_sub(middle.a), center.b.wrapping_sub(middle.b));
        let size = self.cell_size() as i64;
        let (mut neighbors, mut d) = (0, 0);
        while d < 6 {
            let step = Direction::ALL[d].to_hex();
            let spread =
                rule::spread(a as i64 - size * step.q as i64, b as i64 - size * step.r as i64);
            neighbors |= ((spread <= 2 * size) as u8) << d;
            d += 1;
        }
        Footprint { cell, neighbors, cell_left: true }
    }

    /// Returns which of the four candidates around a point overlap an unrotated hexagon as large as
    /// a cell, centered there. The bits are in the order of [`candidates`](Self::candidates);
    /// touching counts.
    ///
    /// The mask matches a 2 × 2 window read from a bitmap. The hexagon can overlap cells outside
    /// that window too; [`overlapped`](Self::overlapped) returns all of them.
    ///
    /// ```
    /// use hexcoord::{Grid, Point};
    ///
    /// assert_eq!(Grid::new(9).overlap_mask(Point::new(200, 90)), 0b0111);
    /// ```
    #[inline]
    #[must_use]
    pub const fn overlap_mask(self, center: Point) -> u8 {
        let [fa, fb] = self.fractions(center);
        let size = self.cell_size() as i64;
        rule::candidates(fa, fb, size, 2 * size)
    }
}

/// Iterator over the cells of [`Grid::overlapped`]: the cell that contains the center, then its
/// neighbors in the order of [`Direction::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Footprint {
    cell: Hex,
    neighbors: u8,
    cell_left: bool,
}

impl Footprint {
    /// Returns whether a cell is among the cells not yet returned.
    #[must_use]
    pub fn contains(self, cell: Hex) -> bool {
        self.into_iter().any(|overlapped| overlapped == cell)
    }
}

impl Iterator for Footprint {
    type Item = Hex;

    #[inline]
    fn next(&mut self) -> Option<Hex> {
        if self.cell_left {
            self.cell_left = false;
            return Some(self.cell);
        }
        if self.neighbors == 0 {
            return None;
        }
        let direction = self.neighbors.trailing_zeros();
        self.neighbors &= self.neighbors - 1;
        Some(self.cell + Direction::from_index(direction as i32))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.neighbors.count_ones() as usize + usize::from(self.cell_left);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Footprint {}
impl FusedIterator for Footprint {}
