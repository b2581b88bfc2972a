//! The parts into which the edges of a polygon divide a cell, in exact rational arithmetic.
//!
//! 1. Cut the cell by lines along a. They go through all corners of the cell, ends of edges, and
//!    intersections between two edges or an edge and a side of the cell. Between two consecutive
//!    lines, edges and sides do not intersect.
//! 2. Halfway between two lines, sort the positions of all edges. Each interval between two
//!    positions is in one part. The part is inside the polygon if an odd number of edges is to its
//!    left.
//! 3. To determine whether a cell touches the polygon, enlarge the cell by less than the smallest
//!    possible gap and check whether any part is inside.

use core::cmp::Ordering;

use super::Wide;

/// Factor for all coordinates. After scaling, all gaps between cell and polygon exceed 1.
const SCALE: i128 = 3 << 12;

/// A fraction in lowest terms; the denominator is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ratio(i128, i128);

impl Ratio {
    fn new(n: i128, d: i128) -> Self {
        let (mut x, mut y) = (n.abs(), d.abs());
        while y != 0 {
            (x, y) = (y, x % y);
        }
        let x = x * d.signum();
        Self(n / x, d / x)
    }

    fn between(self, other: Self) -> Self {
        Self::new(self.0 * other.1 + other.0 * self.1, 2 * self.1 * other.1)
    }

    /// Returns `self * factor + term`.
    fn times_plus(self, factor: i128, term: i128) -> Self {
        Self::new(self.0 * factor + term * self.1, self.1)
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The edges, and the b coordinates (*heights*) of their ends and intersections.
pub(super) struct Division {
    edges: Vec<[Wide; 2]>,
    heights: Vec<Ratio>,
}

impl Division {
    pub(super) fn new(edges: &[[Wide; 2]]) -> Self {
        let scaled = |[a, b]: Wide| [a * SCALE, b * SCALE];
        let edges: Vec<_> = edges.iter().map(|edge| edge.map(scaled)).collect();
        let mut heights: Vec<Ratio> = edges.iter().flatten().map(|p| Ratio::new(p[1], 1)).collect();
        for (i, &edge) in edges.iter().enumerate() {
            heights.extend(edges[..i].iter().filter_map(|&other| intersection(edge, other)));
        }
        Self { edges, heights }
    }

    /// Returns whether the closed cell and the closed polygon have a common point.
    pub(super) fn touches(&self, center: Wide, size: i128) -> bool {
        self.some_and_all_inside(center, size * SCALE + 1)[0]
    }

    pub(super) fn contains(&self, center: Wide, size: i128) -> bool {
        self.some_and_all_inside(center, size * SCALE)[1]
    }

    /// Returns two flags: some part of a cell is inside the polygon, and every part is. The size is
    /// scaled.
    fn some_and_all_inside(&self, center: Wide, size: i128) -> [bool; 2] {
        let center = center.map(|x| x * SCALE);
        // Three times the corners.
        let corners = [[2, -1], [1, 1], [-1, 2], [-2, 1], [-1, -1], [1, -2]]
            .map(|[a, b]| [3 * center[0] + size * a, 3 * center[1] + size * b]);
        let mut heights = self.heights.clone();
        heights.extend(corners.iter().map(|corner| Ratio::new(corner[1], 3)));
        for edge in &self.edges {
            let tripled = edge.map(|p| p.map(|x| 3 * x));
            for i in 0..6 {
                let side = [corners[i], corners[(i + 1) % 6]];
                heights.extend(intersection(tripled, side).map(|Ratio(n, d)| Ratio::new(n, 3 * d)));
            }
        }
        let low = Ratio::new(3 * center[1] - 2 * size, 3);
        let high = Ratio::new(3 * center[1] + 2 * size, 3);
        heights.retain(|height| (low..=high).contains(height));
        heights.sort();
        heights.dedup();
        let (mut some, mut all) = (false, true);
        for pair in heights.windows(2) {
            let y = pair[0].between(pair[1]);
            let v = y.times_plus(1, -center[1]);
            let half = |Ratio(n, d): Ratio| Ratio::new(n, 2 * d);
            let right = half(v.times_plus(-1, size))
                .min(v.times_plus(-2, size))
                .min(v.times_plus(1, size))
                .times_plus(1, center[0]);
            let left = half(v.times_plus(-1, -size))
                .max(v.times_plus(-2, -size))
                .max(v.times_plus(1, -size))
                .times_plus(1, center[0]);
            let mut crossings: Vec<Ratio> =
                self.edges.iter().filter_map(|&e| crossing(e, y)).collect();
            crossings.sort();
            let mut inside = crossings.iter().filter(|&&x| x <= left).count() % 2 == 1;
            let mut from = left;
            let within = crossings.iter().filter(|&&x| left < x && x < right);
            for &to in within.chain([&right]) {
                if from < to {
                    some |= inside;
                    all &= inside;
                }
                inside = !inside;
                from = to;
            }
        }
        [some, all]
    }
}

/// Returns the position of an edge at a height between its ends.
fn crossing([p, q]: [Wide; 2], y: Ratio) -> Option<Ratio> {
    let (low, high) = if p[1] < q[1] { (p, q) } else { (q, p) };
    if y <= Ratio(low[1], 1) || y >= Ratio(high[1], 1) {
        return None;
    }
    let Ratio(n, d) = y.times_plus(1, -low[1]).times_plus(high[0] - low[0], 0);
    Some(Ratio::new(n, d * (high[1] - low[1])).times_plus(1, low[0]))
}

/// Returns the height at which the lines through two edges meet; `None` for parallel lines.
fn intersection([p, q]: [Wide; 2], [s, t]: [Wide; 2]) -> Option<Ratio> {
    let (d, e) = ([q[0] - p[0], q[1] - p[1]], [t[0] - s[0], t[1] - s[1]]);
    let denominator = d[0] * e[1] - d[1] * e[0];
    if denominator == 0 {
        return None;
    }
    let n = (s[0] - p[0]) * e[1] - (s[1] - p[1]) * e[0];
    Some(Ratio::new(n * d[1], denominator).times_plus(1, p[1]))
}
