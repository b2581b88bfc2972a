//! The edges of a polygon, and the removal of edges that do not bound it.
//!
//! By the even-odd rule an edge separates an inner from an outer side, unless another edge covers
//! it: where two edges coincide, both sides are equal. [`keep_boundary`] removes such parts:
//!
//! 1. Sort the edges by the line that contains them: by its direction, then by its offset.
//! 2. On each line sort the ends of the edges. The number of edges that cover a part of the line
//!    changes its parity at each end; ends at equal points cancel in pairs.
//! 3. Replace the edges by the parts with odd parity: from the first end to the second, from the
//!    third to the fourth, and so on.
//!
//! Every remaining edge has the polygon on exactly one side, except at the points where it crosses
//! other edges. With n edges the cost is O(n log n).

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::plane::Point;

/// An edge that is not a point. Its ends are ordered by b, then by a.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) low: Point,
    pub(super) high: Point,
}

/// Orders the ends of edges: by b, then by a.
const fn end_order(end: &Point) -> (i32, i32) {
    (end.b, end.a)
}

impl Edge {
    /// Creates an edge between two different points.
    pub(super) fn new(from: Point, to: Point) -> Self {
        let ordered = end_order(&from) < end_order(&to);
        let (low, high) = if ordered { (from, to) } else { (to, from) };
        Self { low, high }
    }

    /// Returns the offset from the lower to the upper end: b ≥ 0, and a > 0 if b = 0.
    pub(super) fn delta(&self) -> [i64; 2] {
        offset(self.low, self.high)
    }

    /// Orders edges by the lines that contain them. Edges are equal if they are on one line.
    fn compare_lines(&self, other: &Self) -> Ordering {
        let direction = self.delta();
        let turn = cross(direction, other.delta());
        turn.cmp(&0).then_with(|| cross(direction, offset(self.low, other.low)).cmp(&0))
    }
}

fn offset(from: Point, to: Point) -> [i64; 2] {
    [i64::from(to.a) - i64::from(from.a), i64::from(to.b) - i64::from(from.b)]
}

fn cross([a, b]: [i64; 2], [x, y]: [i64; 2]) -> i128 {
    i128::from(a) * i128::from(y) - i128::from(b) * i128::from(x)
}

/// Replaces the edges by the boundary of the polygon, in any order. `ends` is scratch space.
pub(super) fn keep_boundary(edges: &mut Vec<Edge>, ends: &mut Vec<Point>) {
    edges.sort_unstable_by(Edge::compare_lines);
    let (mut kept, mut next) = (0, 0);
    while let Some(&first) = edges.get(next) {
        let group = &edges[next..];
        let on_line = |edge: &&Edge| first.compare_lines(edge) == Ordering::Equal;
        let group = &group[..group.iter().take_while(on_line).count()];
        next += group.len();
        ends.clear();
        ends.extend(group.iter().flat_map(|edge| [edge.low, edge.high]));
        ends.sort_unstable_by_key(end_order);
        // A group of n edges has at most 2n ends, so at most n edges replace it.
        let mut start = None;
        for equal in ends.chunk_by(|x, y| x == y).filter(|equal| equal.len() % 2 == 1) {
            match start.take() {
                None => start = Some(equal[0]),
                Some(low) => {
                    edges[kept] = Edge { low, high: equal[0] };
                    kept += 1;
                }
            }
        }
    }
    edges.truncate(kept);
}
