//! Point lookup with two constants used as bit sets.
//!
//! The algorithm as first published in "Hexagonal coordinate representations in Hexeline":
//!
//! 1. Round the point down to its floor cell.
//! 2. Test the four candidates, one per lane: a lane is set if its candidate contains the point.
//! 3. The lanes form a number `n`. There is one constant per axis: if bit `n` of it is set, add 1
//!    to that coordinate of the floor cell.
//!
//! Lane 0, of candidate (0, 0), is not part of the number: this candidate is the result if no other
//! lane is set.

use super::Grid;
use crate::hex::{Hex, hex};
use crate::plane::Point;

/// Order in which the candidates are tested. If a point is on a border, the last candidate that
/// contains it is the result.
#[derive(Clone, Copy)]
struct CandidateOrder {
    /// Coordinates of each candidate relative to the floor cell.
    a: [i32; 4],
    b: [i32; 4],
    /// Constant of axis a: bit `n` is the number to add if lanes 1 to 3 form the number `n`.
    a_set: u32,
    b_set: u32,
}

/// Candidates in the order (0, 0), (0, 1), (1, 0), (1, 1): a border belongs to the cell with the
/// largest q, then the largest r.
const Q_FIRST: CandidateOrder =
    CandidateOrder { a: [0, 0, 1, 1], b: [0, 1, 0, 1], a_set: 0b1111_1100, b_set: 0b1111_0010 };

/// Candidates in the order (0, 0), (1, 0), (0, 1), (1, 1): a border belongs to the cell with the
/// largest r, then the largest q.
const R_FIRST: CandidateOrder =
    CandidateOrder { a: [0, 1, 0, 1], b: [0, 0, 1, 1], a_set: 0b1111_0010, b_set: 0b1111_1100 };

impl Grid {
    /// Returns the cell that contains a point, computed with the bit-set constants. The result
    /// always equals [`cell`](Self::cell).
    ///
    /// ```
    /// use hexcoord::{Grid, Point};
    ///
    /// let (grid, point) = (Grid::new(9), Point::new(-300, 811));
    /// assert_eq!(grid.cell_by_bit_set(point), grid.cell(point));
    /// ```
    #[inline]
    #[must_use]
    pub const fn cell_by_bit_set(self, point: Point) -> Hex {
        self.cell_by_order(point, Q_FIRST)
    }

    /// Returns the cell that contains a point, computed with the bit-set constants, with the
    /// candidates (1, 0) and (0, 1) swapped. On the edge between these two candidates the result is
    /// (0, 1), elsewhere it equals [`cell`](Self::cell).
    ///
    /// This is equivalent to swapping a and b, calling [`cell`](Self::cell), and swapping q and r.
    #[inline]
    #[must_use]
    pub const fn cell_by_bit_set_swapped(self, point: Point) -> Hex {
        self.cell_by_order(point, R_FIRST)
    }

    #[inline(always)]
    const fn cell_by_order(self, point: Point, order: CandidateOrder) -> Hex {
        let size = self.cell_size();
        let mut lanes = 0u32;
        let mut lane = 0;
        while lane < 4 {
            let candidate_a = point.a.wrapping_add(order.a[lane] * size) & !(size - 1);
            let candidate_b = point.b.wrapping_add(order.b[lane] * size) & !(size - 1);
            let a = candidate_a.wrapping_sub(point.a);
            let b = candidate_b.wrapping_sub(point.b);
            let c = -a - b;
            let distance = max(max(a, b), c) + max(max(-a, -b), -c);
            // The sign bit of the difference is set if the distance is at most the cell size.
            lanes |= (((distance - (size + 1)) as u32) >> 31) << lane;
            lane += 1;
        }
        let index = lanes >> 1;
        hex(
            (point.a >> self.shift()) + ((order.a_set >> index) & 1) as i32,
            (point.b >> self.shift()) + ((order.b_set >> index) & 1) as i32,
        )
    }
}

#[inline(always)]
const fn max(x: i32, y: i32) -> i32 {
    if x > y { x } else { y }
}
