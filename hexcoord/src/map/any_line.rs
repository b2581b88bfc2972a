//! Sight along any straight line from a point of one cell to a point of the other.
//!
//! Input: two cells and a predicate for opaque cells. Output: whether there is a *free* segment
//! between the closed cells: it avoids the interior of the opaque area. It may touch opaque cells,
//! but may not pass between two opaque cells that share an edge. All numbers are integers.
//!
//! 1. Rotate the offset between the cells until both coordinates are non-negative. Then all
//!    segments have a direction between (2, −1) and (1, 1), or between (1, 1) and (−1, 2). Swapping
//!    q and r maps the second range to the first, so the next steps handle the first range only.
//! 2. In this range, a line crosses a hexagon if and only if it crosses its *bar*, the segment from
//!    the corner N to the corner S. In the coordinates X = 2q + r and Y = 3r a bar is vertical: it
//!    is in the column X and extends from 3r − 2 to 3r + 2. Lines are Y = C + mX with |m| ≤ 1. The
//!    lines that meet the bars of both end cells form a convex polygon of points (m, C).
//! 3. The bar of each opaque cell between the ends splits every polygon in two: the lines above the
//!    bar (larger Y) and the lines below. In each column, lines can cross at most two bars. The
//!    cells see each other if a polygon is left after the last column.
//! 4. A line with |m| = 1 can run along the edge between two opaque cells. It only touches both
//!    bars, but it is not free. So polygons with |m| = 1 everywhere are dropped. Instead, the ten
//!    lines with m = ±1 and integer C from −2 to 2 are tested one by one.
//!
//! The m and C of a vertex are fractions with a common denominator and are reduced after each cut.
//! With N columns, numerators and denominators are at most 2N, and products are of order N³.

use alloc::vec::Vec;

use crate::hex::{Hex, hex};

/// Returns whether a free line leads from a point of one cell to a point of the other.
pub(super) fn sees(from: Hex, to: Hex, opaque: &mut dyn FnMut(Hex) -> bool) -> bool {
    let (mut way, mut rotation) = (to - from, 0);
    while way.q < 0 || way.r < 0 {
        (way, rotation) = (way.rotated(-1), rotation + 1);
    }
    way.length() < 2
        || [false, true].into_iter().any(|swapped| {
            let way = if swapped { way.reflected_s() } else { way };
            let columns = 2 * i64::from(way.q) + i64::from(way.r);
            let opaque = &mut |x: i64, r: i64| {
                let cell = hex(((x - r) / 2) as i32, r as i32);
                let cell = if swapped { cell.reflected_s() } else { cell };
                0 < x && x < columns && opaque(from + cell.rotated(rotation))
            };
            let end = i64::from(way.r);
            inclined_line_is_free(columns, end, opaque) || edge_line_is_free(columns, end, opaque)
        })
}

/// A predicate for opaque cells, by column `x` and row `r`: the center is at X = x, Y = 3r.
type Opaque<'a> = dyn FnMut(i64, i64) -> bool + 'a;

/// Returns whether a line with |m| < 1 is free. The end cell is in column `columns` and row `end`.
fn inclined_line_is_free(columns: i64, end: i64, opaque: &mut Opaque<'_>) -> bool {
    let corners = [[-1, -2], [1, -2], [1, 2], [-1, 2]];
    let all = corners.map(|[m, c]| Line { m, c, denominator: 1 });
    let ending = clip(&clip(&all, columns, 3 * end - 2, 1), columns, 3 * end + 2, -1);
    let mut polygons = Vec::from([ending]);
    polygons.retain(|lines| is_inclined(lines));
    for x in 1..columns {
        // Only bars with |3r − 3 end x / columns| < 4 can cross the lines.
        let middle = (end * x).div_euclid(columns);
        for r in middle - 1..=middle + 2 {
            let near = (3 * (columns * r - end * x)).abs() < 4 * columns;
            if polygons.is_empty() || !near || (x - r) % 2 != 0 || !opaque(x, r) {
                continue;
            }
            // The lines above the bar, and the lines below.
            let split = |lines: Vec<Line>| {
                [(2, 1), (-2, -1)].map(|(y, side)| clip(&lines, x, 3 * r + y, side))
            };
            polygons =
                polygons.into_iter().flat_map(split).filter(|lines| is_inclined(lines)).collect();
        }
    }
    !polygons.is_empty()
}

/// Returns whether a line with |m| = 1 is free. These lines are parallel to edges.
fn edge_line_is_free(columns: i64, end: i64, opaque: &mut Opaque<'_>) -> bool {
    let lines = [1, -1].into_iter().flat_map(|m| (-2..=2).map(move |c| (m, c)));
    lines.filter(|(m, c)| (c + m * columns - 3 * end).abs() <= 2).any(|(m, c)| {
        (1..=columns).all(|x| {
            // Compute the row of the nearest bar. In a column, r and x are both even or both odd.
            let y = c + m * x;
            let r = (y - 3 * (x % 2)).div_euclid(6) * 2 + x % 2;
            let r = if y - 3 * r > 3 { r + 2 } else { r };
            match (y - 3 * r) * m {
                // The line runs along the edge between this cell and a cell of the previous column.
                2 => !(opaque(x, r) && opaque(x - 1, r + m)),
                -1..=1 => !opaque(x, r),
                _ => true,
            }
        })
    })
}

/// A line Y = C + mX, with `m` and `c` in units of 1 / `denominator`, which is positive.
#[derive(Clone, Copy)]
struct Line {
    m: i128,
    c: i128,
    denominator: i128,
}

impl Line {
    /// Returns a number that is positive if the line is above the point (x, y), negative if below.
    fn height(self, x: i64, y: i64) -> i128 {
        self.c + self.m * i128::from(x) - i128::from(y) * self.denominator
    }

    /// Interpolates between two lines on opposite sides of a point, and returns the line through
    /// the point. `height` is the distance of this line from the point, `depth` that of the other
    /// line.
    fn between(self, height: i128, other: Self, depth: i128) -> Self {
        let mean = |a: i128, b: i128| a * depth + b * height;
        let [m, c, denominator] = [
            mean(self.m, other.m),
            mean(self.c, other.c),
            mean(self.denominator, other.denominator),
        ];
        let divisor = gcd(denominator, gcd(m, c));
        Self { m: m / divisor, c: c / divisor, denominator: denominator / divisor }
    }
}

/// Returns the greatest common divisor.
fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b > u128::from(u64::MAX) {
        (a, b) = (b, a % b);
    }
    if b == 0 {
        return a as i128;
    }
    // Division in 64 bits is faster.
    let (mut a, mut b) = ((a % b) as u64, b as u64);
    while a != 0 {
        (a, b) = (b % a, a);
    }
    i128::from(b)
}

/// Returns whether a convex polygon of lines contains a line with |m| < 1.
fn is_inclined(lines: &[Line]) -> bool {
    [1, -1].into_iter().all(|m| lines.iter().any(|line| line.m != m * line.denominator))
}

/// Clips a convex polygon whose points are lines: returns the part whose lines pass through the
/// point (x, y) or on one side of it: above it if `side` is 1, below it if `side` is −1.
fn clip(lines: &[Line], x: i64, y: i64, side: i128) -> Vec<Line> {
    let mut part = Vec::with_capacity(lines.len() + 1);
    for (n, &line) in lines.iter().enumerate() {
        let next = lines[(n + 1) % lines.len()];
        let heights = [line, next].map(|line| side * line.height(x, y));
        if heights[0] >= 0 {
            part.push(line);
        }
        if heights[0].signum() * heights[1].signum() < 0 {
            part.push(line.between(heights[0].abs(), next, heights[1].abs()));
        }
    }
    part
}
