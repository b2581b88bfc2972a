//! The edges of a polygon, and the removal of edges that do not bound it.
//!
//! By the even-odd rule an edge has the inside of the polygon on one side and the outside on the
//! other. Where two edges coincide, both sides are equal: the shared part is not on the boundary.
//! [`Boundary`] removes these parts:
//!
//! 1. Sort the edges by the direction, then by the offset of their lines. Compare directions by a
//!    rounded slope first, because few slopes are equal.
//! 2. On each line sort the ends of the edges. At each end, the number of edges that cover the line
//!    changes between even and odd; two ends at the same point cancel.
//! 3. Replace the edges with the parts that an odd number of edges covers: from the first end to
//!    the second, from the third to the fourth, and so on.
//!
//! Each remaining edge has the polygon on one side, except where it crosses others. Cost: O(n log
//! n).

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::plane::Point;

/// An edge with two different ends, ordered by b, then by a.
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
}

/// An edge with its slope da / db in units of 2^-30, rounded down.
#[derive(Clone, Copy, Debug)]
struct Sloped {
    slope: i64,
    edge: Edge,
}

impl Sloped {
    fn new(edge: Edge) -> Self {
        let [da, db] = edge.delta();
        let slope = if db == 0 { i64::MAX } else { (da << 30).div_euclid(db) };
        Self { slope, edge }
    }

    /// Orders edges by the lines that contain them. Edges on the same line compare as equal.
    fn compare_lines(&self, other: &Self) -> Ordering {
        self.slope.cmp(&other.slope).then_with(|| {
            let direction = self.edge.delta();
            let turn = cross(other.edge.delta(), direction);
            let side = || cross(direction, offset(self.edge.low, other.edge.low));
            turn.cmp(&0).then_with(|| side().cmp(&0))
        })
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Boundary {
    sloped: Vec<Sloped>,
    ends: Vec<Point>,
}

impl Boundary {
    /// Replaces the edges with the parts that bound the polygon, in any order.
    pub(super) fn keep_boundary(&mut self, edges: &mut Vec<Edge>) {
        let Self { sloped, ends } = self;
        sloped.clear();
        sloped.extend(edges.drain(..).map(Sloped::new));
        sloped.sort_unstable_by(Sloped::compare_lines);
        for group in sloped.chunk_by(|x, y| x.compare_lines(y) == Ordering::Equal) {
            if let [single] = group {
                edges.push(single.edge);
                continue;
            }
            ends.clear();
            ends.extend(group.iter().flat_map(|sloped| [sloped.edge.low, sloped.edge.high]));
            ends.sort_unstable_by_key(end_order);
            let mut start = None;
            for equal in ends.chunk_by(|x, y| x == y).filter(|equal| equal.len() % 2 == 1) {
                match start.take() {
                    None => start = Some(equal[0]),
                    Some(low) => edges.push(Edge { low, high: equal[0] }),
                }
            }
        }
    }
}

fn offset(from: Point, to: Point) -> [i64; 2] {
    [i64::from(to.a) - i64::from(from.a), i64::from(to.b) - i64::from(from.b)]
}

fn cross([a, b]: [i64; 2], [x, y]: [i64; 2]) -> i128 {
    i128::from(a) * i128::from(y) - i128::from(b) * i128::from(x)
}
