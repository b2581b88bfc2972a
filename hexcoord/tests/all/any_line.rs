//! Tests of sight along any line, against all lines through two corners of cells.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::random::Random;
use hexcoord::{Corner, Hex, Sight, hex};

type Vector = [i128; 2];

/// Returns three times the position of a corner.
fn position(corner: Corner) -> Vector {
    let [first, second, third] = corner.cells();
    let sum = first + second + third;
    [i128::from(sum.q), i128::from(sum.r)]
}

fn minus([a, b]: Vector, [x, y]: Vector) -> Vector {
    [a - x, b - y]
}

fn cross([a, b]: Vector, [x, y]: Vector) -> i128 {
    a * y - b * x
}

/// A position along a line as a fraction: numerator and positive denominator.
#[derive(Clone, Copy)]
struct Place(i128, i128);

impl Place {
    fn compare(self, other: Self) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }

    fn at_most(self, other: Self) -> bool {
        self.compare(other) != Ordering::Greater
    }
}

/// The part of a line in a closed hexagon, and whether the line crosses the interior of the
/// hexagon.
struct Part {
    first: Place,
    last: Place,
    crosses: bool,
}

/// A line through two corners.
struct Line {
    origin: Vector,
    direction: Vector,
}

impl Line {
    /// Returns the position of a corner along this line. The corner must be on the line.
    fn place(&self, corner: Vector) -> Place {
        let axis = usize::from(self.direction[0] == 0);
        let (along, whole) = (minus(corner, self.origin)[axis], self.direction[axis]);
        Place(along * whole.signum(), whole.abs())
    }

    fn part(&self, cell: Hex) -> Option<Part> {
        let corners = cell.corners().map(position);
        let sides = corners.map(|corner| cross(self.direction, minus(corner, self.origin)));
        let mut places: Vec<Place> = vec![];
        for n in 0..6 {
            let m = (n + 1) % 6;
            if sides[n] == 0 {
                places.push(self.place(corners[n]));
            }
            if sides[n].signum() * sides[m].signum() < 0 {
                // The edge crosses the line at its origin plus t times the direction.
                let edge = minus(corners[m], corners[n]);
                let t = cross(minus(corners[n], self.origin), edge);
                let denominator = cross(self.direction, edge);
                places.push(Place(t * denominator.signum(), denominator.abs()));
            }
        }
        let first = places.iter().copied().min_by(|a, b| a.compare(*b))?;
        let last = places.iter().copied().max_by(|a, b| a.compare(*b))?;
        let crosses = sides.iter().any(|&s| s > 0) && sides.iter().any(|&s| s < 0);
        Some(Part { first, last, crosses })
    }

    /// Returns whether the line connects two cells and avoids the interior of the opaque area
    /// between them.
    fn connects(&self, from: Hex, to: Hex, opaque: &[Hex]) -> bool {
        let (Some(start), Some(end)) = (self.part(from), self.part(to)) else { return false };
        let is_between = |part: &Part| {
            let after = |a: &Part, b: &Part| a.last.at_most(b.first);
            after(&start, part) && after(part, &end) || after(&end, part) && after(part, &start)
        };
        !opaque.iter().any(|&cell| {
            let Some(part) = self.part(cell) else { return false };
            if part.crosses {
                return is_between(&part);
            }
            // The line may run along an edge.
            cell.edges().into_iter().any(|edge| {
                let ends = edge.corners().map(position);
                let on_line =
                    ends.iter().all(|&end| cross(self.direction, minus(end, self.origin)) == 0);
                on_line && edge.cells().iter().all(|c| opaque.contains(c)) && is_between(&part)
            })
        })
    }
}

/// Determines sight by trying all lines through two corners. This is enough: a free line can be
/// moved until it touches two corners. It stays free, because lines may touch opaque cells.
fn sees_by_definition(from: Hex, to: Hex, opaque: &BTreeSet<Hex>) -> bool {
    let distance = from.distance(to);
    let near = |cell: Hex| from.distance(cell) + to.distance(cell) <= distance + 2;
    let is_other = |&cell: &Hex| cell != from && cell != to;
    let opaque: Vec<_> = opaque.iter().copied().filter(|&c| near(c)).filter(is_other).collect();
    let cells = opaque.iter().chain([&from, &to]);
    let corners: BTreeSet<_> = cells.flat_map(|cell| cell.corners()).collect();
    let corners: Vec<_> = corners.into_iter().map(position).collect();
    corners.iter().enumerate().any(|(n, &origin)| {
        corners[..n].iter().any(|&other| {
            let line = Line { origin, direction: minus(other, origin) };
            line.connects(from, to, &opaque)
        })
    })
}

#[test]
fn any_line_matches_all_lines_through_two_corners() {
    let mut random = Random::new(5);
    let mut hidden = 0;
    for n in 0..60 {
        let opaque: BTreeSet<_> =
            hex(0, 0).range(7).filter(|_| random.once_in(n % 6 + 1) || random.once_in(6)).collect();
        for to in hex(0, 0).range(5) {
            let expected = sees_by_definition(hex(0, 0), to, &opaque);
            let sees = hex(0, 0).sees(to, Sight::AnyLine, |cell| opaque.contains(&cell));
            assert_eq!(sees, expected, "{to} {opaque:?}");
            hidden += u32::from(!sees);
        }
    }
    assert!((1000..4400).contains(&hidden), "{hidden}");
}

#[test]
fn lines_along_edges_pass_alternating_cells_only() {
    // The line between the centers runs along the edges between (k + 1, k) and (k, k + 1).
    let to = hex(5, 5);
    let beside = |k: i32| [hex(k + 1, k), hex(k, k + 1)];
    let alternating: Vec<_> = (0..5).map(|k| beside(k)[k as usize % 2]).collect();
    assert!(hex(0, 0).sees(to, Sight::AnyLine, |cell| alternating.contains(&cell)));
    assert!(hex(0, 0).sees(to, Sight::Permissive, |cell| alternating.contains(&cell)));
    assert!(!hex(0, 0).sees(to, Sight::Strict, |cell| alternating.contains(&cell)));
    for k in 0..5 {
        let closed = |cell| alternating.contains(&cell) || beside(k).contains(&cell);
        assert!(!hex(0, 0).sees(to, Sight::AnyLine, closed), "{k}");
    }
}

/// Permissive sight passes this corridor, but no straight line fits into it.
#[test]
fn straight_lines_need_a_straight_corridor() {
    let bend = |at: i32| {
        let corridor = (0..=at).map(|q| hex(q, 0)).chain((at..=9).map(|q| hex(q, 1)));
        let corridor: Vec<_> = corridor.collect();
        move |cell: Hex| !corridor.contains(&cell)
    };
    assert!(hex(0, 0).sees(hex(9, 1), Sight::Permissive, bend(4)));
    assert!(!hex(0, 0).sees(hex(9, 1), Sight::AnyLine, bend(4)));
    assert!(hex(0, 0).sees(hex(7, 1), Sight::AnyLine, bend(3)));
}

#[test]
fn all_cells_along_a_wall_are_seen() {
    let wall = |cell: Hex| cell.r == -1;
    for q in -30..30 {
        assert!(hex(0, 0).sees(hex(q, -1), Sight::AnyLine, wall));
        assert!(!hex(0, 0).sees(hex(q, -2), Sight::AnyLine, wall));
    }
    assert!(!hex(0, 0).sees(hex(9, -1), Sight::Permissive, wall));
}

#[test]
fn any_line_is_exact_at_large_distances() {
    // The middle cell of the wall is on the line between the two cells. If a gap replaces a wall
    // cell next to the middle cell, one line passes, along the edge between gap and middle cell.
    let (to, middle) = (hex(100_001, 100_001), hex(50_000, 50_000));
    for gap in -3..=3 {
        let gap_cell = middle + hex(gap, -gap);
        let wall = |cell: Hex| cell.q + cell.r == 100_000 && cell != gap_cell;
        assert_eq!(hex(0, 0).sees(to, Sight::AnyLine, wall), gap.abs() <= 1, "{gap}");
    }
}
