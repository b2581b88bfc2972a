//! Straight lines of cells: the nearest ones, and every one touched.

use core::iter::FusedIterator;

use super::iter::as_len;
use super::{Hex, hex, steps};
use crate::lookup::rule;

impl Hex {
    /// The cells nearest to the straight line to another cell, both ends included: one for each
    /// step, `distance + 1` of them.
    ///
    /// Cell number k is the one that holds the point k / distance of the way, computed in
    /// integers without rounding; a point on a border belongs to the greatest cell there, as
    /// everywhere. So the way back holds the same cells. See [line drawing].
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
        let [dq, dr] = self.to_wide(end);
        let n = steps([dq, dr]) as i64;
        Line { floor: self, fa: 0, fb: 0, dq, dr, n, left: n as u64 + 1 }
    }

    /// Every cell that the straight line to another cell touches, in the order it meets them.
    ///
    /// Borders belong to all cells along them: a line along an edge yields the cells on both
    /// sides, one through a vertex all three. Computed in integers without rounding.
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// let cover: Vec<_> = hex(0, 0).cover_to(hex(1, 1)).collect();
    /// assert_eq!(cover, [hex(0, 0), hex(0, 1), hex(1, 0), hex(1, 1)]);
    /// ```
    #[must_use]
    pub fn cover_to(self, end: Self) -> Cover {
        // Turn the line until it leaves between the axes a and b.
        let mut d = self.to_wide(end);
        let mut turned = 0;
        while d[0] < 0 || d[1] < 0 {
            d = [d[0] + d[1], -d[0]];
            turned += 1;
        }
        let n = d[0] + d[1];
        Cover { start: self, turned, d, n, level: 0, q: 0, rest: 0, second: None }
    }
}

/// The cells of [`Hex::line_to`].
#[derive(Clone, Debug)]
pub struct Line {
    /// The point is `floor` and `fa / n`, `fb / n` beyond it.
    floor: Hex,
    fa: i64,
    fb: i64,
    dq: i64,
    dr: i64,
    n: i64,
    left: u64,
}

/// One step of a coordinate held as whole part and `part / n` with `0 <= part < n`; `|d| <= n`.
#[inline(always)]
fn advance(whole: &mut i32, part: &mut i64, d: i64, n: i64) {
    *part += d;
    if *part >= n {
        *part -= n;
        *whole = whole.wrapping_add(1);
    } else if *part < 0 {
        *part += n;
        *whole = whole.wrapping_sub(1);
    }
}

impl Iterator for Line {
    type Item = Hex;

    #[inline]
    fn next(&mut self) -> Option<Hex> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let cell = self.floor.plus(rule::beyond_floor(self.fa, self.fb, self.n.max(1)));
        advance(&mut self.floor.q, &mut self.fa, self.dq, self.n);
        advance(&mut self.floor.r, &mut self.fb, self.dr, self.n);
        Some(cell)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (as_len(self.left), Some(as_len(self.left)))
    }
}

impl ExactSizeIterator for Line {}
impl FusedIterator for Line {}

/// The cells of [`Hex::cover_to`].
///
/// In the turned frame the line goes from (0, 0) to `d` with both coordinates ≥ 0, and meets the
/// levels q + r = 0, 1, …, n one after the other. On level k it touches those of the two cells
/// around q = k·d.q / n that are near enough: |cross(d, cell)| ≤ the reach of a cell across d,
/// which is a third of the largest of 2d.q + d.r and d.q + 2d.r.
#[derive(Clone, Debug)]
pub struct Cover {
    start: Hex,
    turned: i32,
    d: [i64; 2],
    n: i64,
    level: i64,
    /// `k·d.q` divided by `n`, and the rest.
    q: i64,
    rest: i64,
    second: Option<Hex>,
}

impl Cover {
    fn cell(&self, q: i64) -> Hex {
        let turned = hex(q as i32, (self.level - q) as i32);
        self.start.plus(turned.rotated(self.turned))
    }
}

impl Iterator for Cover {
    type Item = Hex;

    fn next(&mut self) -> Option<Hex> {
        if let Some(cell) = self.second.take() {
            return Some(cell);
        }
        if self.level > self.n {
            return None;
        }
        let reach = self.n + self.d[0].max(self.d[1]);
        let (low, high) = (self.cell(self.q), self.cell(self.q + 1));
        let touches_low = 3 * self.rest <= reach;
        let touches_high = 3 * (self.n - self.rest) <= reach && self.n > 0;
        let first = match (touches_low, touches_high) {
            (true, false) => low,
            (false, true) => high,
            // The line drifts towards larger q if d.q > d.r, and meets the smaller one first.
            (_, _) => {
                let low_first =
                    if self.d[0] == self.d[1] { low < high } else { self.d[0] > self.d[1] };
                let (first, second) = if low_first { (low, high) } else { (high, low) };
                self.second = Some(second);
                first
            }
        };
        self.level += 1;
        self.rest += self.d[0];
        if self.rest >= self.n {
            self.rest -= self.n;
            self.q += 1;
        }
        Some(first)
    }
}

impl FusedIterator for Cover {}
