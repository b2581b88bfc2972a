//! The lookup by four candidates at once and two constants used as sets of bits.
//!
//! The form that the idea was first published in: "Hexagonal coordinate representations in
//! Hexeline". Each lane of four tests one candidate; the lanes that hold the point form a number,
//! and that number picks a bit out of a constant for each axis. Candidate (0, 0) needs no bit: it
//! is what remains.

use super::Grid;
use crate::hex::{Hex, hex};
use crate::plane::Point;

/// In which order the four candidates are tested, which also decides who wins on borders.
#[derive(Clone, Copy)]
struct Order {
    /// How many cells each candidate is beyond the floor cell.
    a: [i32; 4],
    b: [i32; 4],
    /// The bits to take for each set of lanes but the first.
    a_set: u32,
    b_set: u32,
}

/// (0, 0), (0, 1), (1, 0), (1, 1): the greatest cell by q, then r, wins.
const GREATEST_Q: Order =
    Order { a: [0, 0, 1, 1], b: [0, 1, 0, 1], a_set: 0b1111_1100, b_set: 0b1111_0010 };

/// (0, 0), (1, 0), (0, 1), (1, 1): the greatest cell by r, then q, wins.
const GREATEST_R: Order =
    Order { a: [0, 1, 0, 1], b: [0, 0, 1, 1], a_set: 0b1111_0010, b_set: 0b1111_1100 };

impl Grid {
    /// The cell that holds a point, by the bit-set constants: always what [`cell`](Self::cell)
    /// finds.
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
        self.by_bit_set(point, GREATEST_Q)
    }

    /// The same with the candidates in the other order: on the edge between candidates (1, 0) and
    /// (0, 1) the latter wins, everywhere else nothing changes.
    ///
    /// Equals swapping a and b, looking up, and swapping q and r.
    #[inline]
    #[must_use]
    pub const fn cell_by_bit_set_swapped(self, point: Point) -> Hex {
        self.by_bit_set(point, GREATEST_R)
    }

    #[inline(always)]
    const fn by_bit_set(self, point: Point, order: Order) -> Hex {
        let size = self.cell_size();
        let mut lanes = 0u32;
        let mut lane = 0;
        while lane < 4 {
            let candidate_a = point.a.wrapping_add(order.a[lane] * size) & !(size - 1);
            let candidate_b = point.b.wrapping_add(order.b[lane] * size) & !(size - 1);
            let a = candidate_a.wrapping_sub(point.a);
            let b = candidate_b.wrapping_sub(point.b);
            let c = -a - b;
            let distance = larger(larger(a, b), c) + larger(larger(-a, -b), -c);
            // The sign bit tells whether the distance is at most the size.
            lanes |= (((distance - (size + 1)) as u32) >> 31) << lane;
            lane += 1;
        }
        let which = lanes >> 1;
        hex(
            (point.a >> self.shift()) + ((order.a_set >> which) & 1) as i32,
            (point.b >> self.shift()) + ((order.b_set >> which) & 1) as i32,
        )
    }
}

#[inline(always)]
const fn larger(x: i32, y: i32) -> i32 {
    if x > y { x } else { y }
}
