//! Straight lines of cells, in integers without rounding.
//!
//! The frame is rotated until the line is between the axes a and b. The line from (0, 0) to `d`
//! then crosses the *levels* q + r = 0, 1, …, n in order, and is at q = k·d.q / n on level k:
//! between the cells *low* (q rounded down) and *high* (one step further along a and one step back
//! along b).
//!
//! [`Hex::line_to`] returns the nearer cell of each level, or the greater if both are equally near.
//! [`Hex::cover_to`] returns every touched cell. `Hex::nearest_between` returns the nearer cell, or
//! both. All three take constant time per cell.

use core::cmp::Ordering;
use core::iter::FusedIterator;

use super::count::counted_iterator;
use super::{Hex, hex};

impl Hex {
    /// Returns the `distance + 1` cells nearest to the straight line to another cell, ends
    /// included.
    ///
    /// Cell k contains the point at the fraction k / `distance` of the line; on borders it is the
    /// greatest. The reverse line has the same cells in reverse order. No step rounds. See [line
    /// drawing].
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
    pub fn line_to(self, end: Self) -> Line {
        let levels = Levels::new(self, end);
        Line { left: levels.n as u64 + 1, levels }
    }

    /// Returns every cell that the straight line to another cell touches, in the order of contact.
    ///
    /// Cells are closed: a line along an edge touches the cells on both sides, a line through a
    /// vertex all three. No step rounds.
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// let cover: Vec<_> = hex(0, 0).cover_to(hex(1, 1)).collect();
    /// assert_eq!(cover, [hex(0, 0), hex(0, 1), hex(1, 0), hex(1, 1)]);
    /// ```
    #[must_use]
    pub fn cover_to(self, end: Self) -> Cover {
        let levels = Levels::new(self, end);
        Cover { left: levels.n + 1, levels, second: None }
    }

    /// Returns the cell nearest to the line for each step between the ends, and a second on a tie.
    pub(crate) fn nearest_between(self, end: Self) -> impl Iterator<Item = (Self, Option<Self>)> {
        let mut levels = Levels::new(self, end);
        levels.next();
        (1..levels.n).map(move |_| levels.next_nearest())
    }
}

#[derive(Clone, Debug)]
struct Levels {
    /// Offset from start to end in the rotated frame; both coordinates are ≥ 0.
    d: [i64; 2],
    n: i64,
    /// Low cell of the next level.
    low: Hex,
    /// Offset from a low cell to the high cell of its level.
    across: Hex,
    /// Offset from a low cell to the next low cell if q is equal, and if q is greater.
    steps: [Hex; 2],
    /// Distance from the low cell to the line, in units of 1/n of the step `across`.
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
        let [across, equal, greater] =
            [hex(1, -1), hex(0, 1), hex(1, 0)].map(|offset| offset.rotated(rotation));
        let steps = [equal, greater];
        Self { d, n: d[0] + d[1], low: start, across, steps, remainder: 0 }
    }

    /// Returns the low cell of the next level and its distance from the line.
    #[inline]
    fn next(&mut self) -> (Hex, i64) {
        let level = (self.low, self.remainder);
        self.remainder += self.d[0];
        let is_greater = self.remainder >= self.n;
        if is_greater {
            self.remainder -= self.n;
        }
        self.low += self.steps[usize::from(is_greater)];
        level
    }

    /// Returns the nearest cell of the next level, and the high cell on a tie.
    #[inline]
    fn next_nearest(&mut self) -> (Hex, Option<Hex>) {
        let (low, remainder) = self.next();
        let high = low + self.across;
        match (2 * remainder).cmp(&self.n) {
            Ordering::Less => (low, None),
            Ordering::Equal => (low, Some(high)),
            Ordering::Greater => (high, None),
        }
    }

    /// Returns whether the high cells are greater than the low cells, except where coordinates wrap.
    fn high_is_greater(&self) -> bool {
        self.across > Hex::ORIGIN
    }
}

/// Iterator over the cells of [`Hex::line_to`].
#[derive(Clone, Debug)]
pub struct Line {
    levels: Levels,
    left: u64,
}

impl Line {
    #[inline]
    fn next_cell(&mut self) -> Hex {
        let (cell, tied) = self.levels.next_nearest();
        tied.filter(|_| self.levels.n > 0 && self.levels.high_is_greater()).unwrap_or(cell)
    }
}
counted_iterator! { Line }

/// Iterator over the cells of [`Hex::cover_to`].
///
/// On each level the line can touch only the low and the high cell: a cell whose distance |cross(d,
/// cell)| is at most a third of the larger of 2d.q + d.r and d.q + 2d.r, its reach across d.
#[derive(Clone, Debug)]
pub struct Cover {
    levels: Levels,
    /// Number of levels left.
    left: i64,
    second: Option<Hex>,
}

impl Iterator for Cover {
    type Item = Hex;

    fn next(&mut self) -> Option<Hex> {
        if let Some(cell) = self.second.take() {
            return Some(cell);
        }
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let (low, remainder) = self.levels.next();
        let high = low + self.levels.across;
        let Levels { d, n, .. } = self.levels;
        let reach = n + d[0].max(d[1]);
        let touches_low = 3 * remainder <= reach;
        let touches_high = 3 * (n - remainder) <= reach && n > 0;
        match (touches_low, touches_high) {
            (true, false) => Some(low),
            (false, true) => Some(high),
            // The line moves towards larger q, so it touches the cell with the smaller q first.
            (_, _) => {
                let low_first =
                    if d[0] == d[1] { self.levels.high_is_greater() } else { d[0] > d[1] };
                let (first, second) = if low_first { (low, high) } else { (high, low) };
                self.second = Some(second);
                Some(first)
            }
        }
    }
}

impl FusedIterator for Cover {}
