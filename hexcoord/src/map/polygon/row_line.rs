//! The exact positions of an edge on consecutive rows of cells.
//!
//! With the cell size s, the centers of row r are on the line b = r s. Between the ends of an edge
//! the position along a is linear in r. It is stored as a quotient and a remainder, in units of the
//! cell size; each row adds a constant to both. So no step rounds, and floors are coordinates of
//! cells.
//!
//! Cost: a division per edge for its slope, one per [`Linear`], and three additions per row.

use super::edge::Edge;

/// A position along a in units of the cell size: its floor, and whether it is an integer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) floor: i64,
    pub(super) is_integer: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slope {
    floor: i64,
    remainder: u64,
    /// The denominator is at most 3 · 2^32 · 2^29, so the sum of two remainders is below 2^64.
    denominator: u64,
}

impl Slope {
    /// Returns the slope of an edge. The slope of an edge parallel to the rows is not used.
    pub(super) fn new(edge: &Edge, shift: u32) -> Self {
        let [da, db] = edge.delta();
        let db = db.max(1);
        Self {
            floor: da.div_euclid(db),
            remainder: ((3 * da.rem_euclid(db)) << shift) as u64,
            denominator: ((3 * db) << shift) as u64,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Linear {
    floor: i64,
    remainder: u64,
    slope: Slope,
}

impl Linear {
    /// Returns the position, plus `x`, of an edge on the line at `y` along b from the first row
    /// `row`. `x` and `y` are in thirds of the cell size.
    pub(super) fn new(edge: &Edge, slope: Slope, shift: u32, row: i64, [x, y]: [i64; 2]) -> Self {
        let [da, db] = edge.delta();
        let a = 3 * i64::from(edge.low.a) + (x << shift);
        let b = ((3 * row + y) << shift) - 3 * i64::from(edge.low.b);
        let numerator = i128::from(a) * i128::from(db) + i128::from(b) * i128::from(da);
        let denominator = slope.denominator as i64;
        let (floor, remainder) = match i64::try_from(numerator) {
            Ok(n) => (n.div_euclid(denominator), n.rem_euclid(denominator)),
            Err(_) => {
                let denominator = i128::from(denominator);
                let floor = numerator.div_euclid(denominator);
                (floor as i64, numerator.rem_euclid(denominator) as i64)
            }
        };
        Self { floor, remainder: remainder as u64, slope }
    }

    /// Returns the position on the current row and advances to the next row.
    #[inline]
    pub(super) fn next(&mut self) -> Position {
        let position = Position { floor: self.floor, is_integer: self.remainder == 0 };
        self.floor += self.slope.floor;
        self.remainder += self.slope.remainder;
        if self.remainder >= self.slope.denominator {
            self.remainder -= self.slope.denominator;
            self.floor += 1;
        }
        position
    }
}

/// The position of an edge on the rows that it crosses. Its lower end counts as a crossing, its
/// upper end does not: two ascending edges cross a row at their common end once, and an edge along
/// a row does not cross it.
#[derive(Clone, Debug)]
pub(super) struct Crossing {
    line: Linear,
    first: i64,
    pub(super) last: i64,
}

impl Crossing {
    /// Returns the first and the last row that an edge crosses; inverted if none.
    pub(super) fn rows(edge: &Edge, shift: u32) -> [i64; 2] {
        let row_from = |b: i32| -(-i64::from(b) >> shift);
        [row_from(edge.low.b), row_from(edge.high.b) - 1]
    }

    /// Creates the crossing of an edge, which must cross at least one row.
    pub(super) fn new(edge: &Edge, slope: Slope, shift: u32) -> Self {
        let [first, last] = Self::rows(edge, shift);
        Self { line: Linear::new(edge, slope, shift, first, [0, 0]), first, last }
    }

    /// Returns the first q of a row whose center is not to the left of the edge; `None` before the
    /// first row. Rows must be passed in ascending order without gaps.
    #[inline]
    pub(super) fn next(&mut self, row: i64) -> Option<i32> {
        (row >= self.first).then(|| {
            let position = self.line.next();
            (position.floor + i64::from(!position.is_integer)) as i32
        })
    }
}
