//! Straight lines of cells, in integers without rounding.
//!
//! [`Hex::line_to`] returns one cell per step: the cell nearest to the line. It stores the current
//! point as a whole part and a fraction with the denominator `distance`, and adds the slope once
//! per step.
//!
//! [`Hex::cover_to`] returns every touched cell. It rotates the line between the axes a and b,
//! visits the levels q + r = 0, 1, …, and tests two cells on each. `Hex::nearest_between` visits
//! the same levels and returns the nearer cell of each level, or both cells. All three take
//! constant time per cell.

use core::cmp::Ordering;
use core::iter::{FusedIterator, from_fn};

use super::count::counted_iterator;
use super::{Hex, exact_length, hex};
use crate::lookup::rule;

impl Hex {
    /// Returns the cells nearest to the straight line to another cell, both ends included. There is
    /// one cell per step, `distance + 1` in total.
    ///
    /// Cell number k contains the point at the fraction k / `distance` of the line; on borders it
    /// is the greatest cell. The reverse line has the same cells in reverse order. Cells are
    /// computed in integers without rounding. See [line drawing].
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// let line: Vec<_> = hex(0, 0).line_to(hex(3, 1)).collect();
    /// assert_eq!(line, [hex(0, 0), hex(1, 0), hex(2, 0), hex(2, 1), hex(3, 1)]);
    /// ```
    ///
    /// [line drawing]: https://www.redblobgames.com/grids/hexagons/#line-drawing
    #[must_use]
    pub const fn line_to(self, end: Self) -> Line {
        let [dq, dr] = self.difference_to(end);
        let n = exact_length([dq, dr]) as i64;
        Line { floor: self, fa: 0, fb: 0, dq, dr, n, left: n as u64 + 1 }
    }

    /// Returns every cell that the straight line to another cell touches, in the order of contact.
    ///
    /// Cells are closed: a line along an edge touches the cells on both sides, a line through a
    /// vertex all three cells there. They are computed in integers without rounding.
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// let cover: Vec<_> = hex(0, 0).cover_to(hex(1, 1)).collect();
    /// assert_eq!(cover, [hex(0, 0), hex(0, 1), hex(1, 0), hex(1, 1)]);
    /// ```
    #[must_use]
    pub fn cover_to(self, end: Self) -> Cover {
        Cover { levels: Levels::new(self, end), second: None }
    }

    /// For each step strictly between the two cells, returns the cell nearest to the straight line,
    /// and a second cell if it is equally near.
    pub(crate) fn nearest_between(self, end: Self) -> impl Iterator<Item = (Self, Option<Self>)> {
        let mut levels = Levels::new(self, end);
        let n = levels.n;
        let steps = from_fn(move || if levels.level < n { levels.next() } else { None });
        steps.skip(1).map(move |(low, high, remainder)| match (2 * remainder).cmp(&n) {
            Ordering::Less => (low, None),
            Ordering::Equal => (low, Some(high)),
            Ordering::Greater => (high, None),
        })
    }
}

/// Iterator over the cells of [`Hex::line_to`].
#[derive(Clone, Debug)]
pub struct Line {
    /// The current point is `floor + (fa / n, fb / n)`.
    floor: Hex,
    fa: i64,
    fb: i64,
    dq: i64,
    dr: i64,
    n: i64,
    left: u64,
}

/// Adds `d / n` to the coordinate `whole + fraction / n`, with `0 <= fraction < n` and `|d| <= n`.
#[inline(always)]
fn advance(whole: &mut i32, fraction: &mut i64, d: i64, n: i64) {
    *fraction += d;
    if *fraction >= n {
        *fraction -= n;
        *whole = whole.wrapping_add(1);
    } else if *fraction < 0 {
        *fraction += n;
        *whole = whole.wrapping_sub(1);
    }
}

impl Line {
    /// Returns the next cell.
    #[inline]
    fn next_cell(&mut self) -> Hex {
        let cell = self.floor.plus(rule::step_from_floor(self.fa, self.fb, self.n.max(1)));
        advance(&mut self.floor.q, &mut self.fa, self.dq, self.n);
        advance(&mut self.floor.r, &mut self.fb, self.dr, self.n);
        cell
    }
}
counted_iterator! { Line }

/// A line in the rotated frame. It goes from (0, 0) to `d`, whose coordinates are ≥ 0, and crosses
/// the levels q + r = 0, 1, …, n in order. On level k the line is at q = k·d.q / n. It is between
/// two cells: *low* (q rounded down) and *high* (q rounded down, plus 1).
#[derive(Clone, Debug)]
struct Levels {
    start: Hex,
    rotation: i32,
    d: [i64; 2],
    n: i64,
    level: i64,
    /// Quotient of `k·d.q / n`.
    q: i64,
    remainder: i64,
}

impl Levels {
    /// Rotates the line until both coordinates are non-negative.
    fn new(start: Hex, end: Hex) -> Self {
        let mut d = start.difference_to(end);
        let mut rotation = 0;
        while d[0] < 0 || d[1] < 0 {
            d = [d[0] + d[1], -d[0]];
            rotation += 1;
        }
        Self { start, rotation, d, n: d[0] + d[1], level: 0, q: 0, remainder: 0 }
    }

    fn cell(&self, q: i64) -> Hex {
        let offset = hex(q as i32, (self.level - q) as i32);
        self.start.plus(offset.rotated(self.rotation))
    }

    /// Returns the low and the high cell of the next level, and the distance from the low cell to
    /// the line, in units of 1/n of the distance between the two cells.
    fn next(&mut self) -> Option<(Hex, Hex, i64)> {
        if self.level > self.n {
            return None;
        }
        let level = (self.cell(self.q), self.cell(self.q + 1), self.remainder);
        self.level += 1;
        self.remainder += self.d[0];
        if self.remainder >= self.n {
            self.remainder -= self.n;
            self.q += 1;
        }
        Some(level)
    }
}

/// Iterator over the cells of [`Hex::cover_to`].
///
/// On each level the line can touch only the low and the high cell. A cell is touched if its
/// distance from the line, |cross(d, cell)|, is at most the reach of a cell across d: a third of
/// the larger of 2d.q + d.r and d.q + 2d.r.
#[derive(Clone, Debug)]
pub struct Cover {
    levels: Levels,
    second: Option<Hex>,
}

impl Iterator for Cover {
    type Item = Hex;

    fn next(&mut self) -> Option<Hex> {
        if let Some(cell) = self.second.take() {
            return Some(cell);
        }
        let (low, high, remainder) = self.levels.next()?;
        let Levels { d, n, .. } = self.levels;
        let reach = n + d[0].max(d[1]);
        let touches_low = 3 * remainder <= reach;
        let touches_high = 3 * (n - remainder) <= reach && n > 0;
        match (touches_low, touches_high) {
            (true, false) => Some(low),
            (false, true) => Some(high),
            // With d.q > d.r the line moves towards larger q, so it touches the cell with the
            // smaller q first.
            (_, _) => {
                let low_first = if d[0] == d[1] { low < high } else { d[0] > d[1] };
                let (first, second) = if low_first { (low, high) } else { (high, low) };
                self.second = Some(second);
                Some(first)
            }
        }
    }
}

impl FusedIterator for Cover {}
