//! The cells that an edge of a polygon touches in a row of cells.
//!
//! A cell touches an edge if its center is in the Minkowski sum of the edge and a cell at the
//! origin. The sum is convex, so the touched cells of a row are consecutive. With cell size s, the
//! two bounds are computed as follows:
//!
//! 1. On the line at the offset v along b from the center of a cell, the cell extends from −U(−v)
//!    to U(v) along a. U is concave and piecewise linear between these points:
//!
//!    ```text
//!    v     −2s/3    −s/3     s/3    2s/3
//!    U(v)    s/3    2s/3     s/3    −s/3
//!    ```
//!
//! 2. Let x(y) be the position of the edge on the line b = y. The upper bound on row r is the
//!    maximum of x(y) + U(r s − y). It is at a point of the table, the same on all rows; it depends
//!    on the slope of the edge. If the point is beyond an end of the edge, the maximum is at this
//!    end: the function is concave.
//! 3. In the same way, the lower bound is the minimum of x(y) − U(y − r s).
//!
//! Corners of cells have no integer coordinates, so no end of an edge has the b of a corner. Hence
//! an edge enters the interior of cells on all rows on which it touches cells.

use super::edge::Edge;
use super::row_line::{Linear, Position, Slope};
use crate::plane::Point;

/// Returns `n / (3 · 2^shift)`, rounded down.
const fn floor_thirds(n: i64, shift: u32) -> i64 {
    (n >> shift).div_euclid(3)
}

/// Returns `n / (3 · 2^shift)`, rounded up.
const fn ceil_thirds(n: i64, shift: u32) -> i64 {
    -floor_thirds(-n, shift)
}

/// The lower or the upper bound of the interval of touched cells, as a function of the row.
#[derive(Clone, Debug)]
struct Bound {
    line: Linear,
    /// First row of `line`; before it, the bound is at the lower end of the edge.
    first: i64,
    /// Last row of `line`; after it, the bound is at the upper end of the edge.
    last: i64,
}

impl Bound {
    /// Creates the bound for a point `[x, y]` of the table, in thirds of the cell size: the
    /// position of the edge on the line at `y` along b from the row, plus `x`.
    fn new(edge: &Edge, slope: Slope, shift: u32, corner: [i64; 2]) -> Self {
        let [_, y] = corner;
        let first = ceil_thirds(3 * i64::from(edge.low.b) - (y << shift), shift);
        let last = floor_thirds(3 * i64::from(edge.high.b) - (y << shift), shift);
        let line = if first <= last {
            Linear::new(edge, slope, shift, first, corner)
        } else {
            Linear::default()
        };
        Self { line, first, last }
    }

    /// Returns the bound on a row. Rows must be passed in ascending order without gaps.
    #[inline]
    fn next(&mut self, edge: &Edge, row: i64, at_end: impl Fn(Point) -> Position) -> Position {
        if row < self.first {
            at_end(edge.low)
        } else if row > self.last {
            at_end(edge.high)
        } else {
            self.line.next()
        }
    }
}

/// The cells that an edge touches, row by row.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    edge: Edge,
    low: Bound,
    high: Bound,
    pub(super) last: i64,
}

impl Contact {
    /// Returns the first and the last row with cells that the edge may touch.
    pub(super) fn rows(edge: &Edge, shift: u32) -> [i64; 2] {
        let reach = 2 << shift;
        let [low, high] = [edge.low.b, edge.high.b].map(|b| 3 * i64::from(b));
        [ceil_thirds(low - reach, shift), floor_thirds(high + reach, shift)]
    }

    pub(super) fn new(edge: &Edge, slope: Slope, shift: u32) -> Self {
        let [da, db] = edge.delta();
        let low = if da >= db {
            [-1, -2]
        } else if 2 * da + db >= 0 {
            [-2, -1]
        } else if da + 2 * db >= 0 {
            [-1, 1]
        } else {
            [1, 2]
        };
        let high = if da + 2 * db <= 0 {
            [-1, -2]
        } else if 2 * da + db <= 0 {
            [1, -1]
        } else if da <= db {
            [2, 1]
        } else {
            [1, 2]
        };
        let [_, last] = Self::rows(edge, shift);
        let [low, high] = [low, high].map(|corner| Bound::new(edge, slope, shift, corner));
        Self { edge: *edge, low, high, last }
    }

    /// Returns the first and the last cell of a row that the edge touches; with `interior`, whose
    /// interior it enters. Rows must be passed in ascending order without gaps.
    #[inline]
    pub(super) fn next(&mut self, row: i64, shift: u32, interior: bool) -> Option<[i32; 2]> {
        let size = 1 << shift;
        // Converts a bound at an end of the edge, given as six times its position in units.
        let position = |n: i64| {
            let floor = floor_thirds(n, shift + 1);
            Position { floor, is_integer: floor * 6 * size == n }
        };
        let height = |end: Point| (row << shift) - i64::from(end.b);
        let low = self.low.next(&self.edge, row, |end| {
            let v = height(end);
            let extent = (-3 * (size + v)).max(-6 * (size + 2 * v)).max(6 * (v - size));
            position(6 * i64::from(end.a) + extent)
        });
        let high = self.high.next(&self.edge, row, |end| {
            let v = height(end);
            let extent = (3 * (size - v)).min(6 * (size - 2 * v)).min(6 * (size + v));
            position(6 * i64::from(end.a) + extent)
        });
        let first = low.floor + i64::from(interior || !low.is_integer);
        let last = high.floor - i64::from(interior && high.is_integer);
        (first <= last).then_some([first as i32, last as i32])
    }
}
