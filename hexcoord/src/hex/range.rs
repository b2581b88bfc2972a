//! Cells around a cell: rings, spirals, ranges and wedges.

use core::iter::FusedIterator;

use super::count::{counted_iterator, range_count};
use super::{Direction, Hex, hex};

impl Hex {
    /// Returns the cells exactly `n` steps away: 6n cells, or the cell itself for 0.
    ///
    /// The ring starts `n` steps to the east and continues from axis a towards axis b. See [rings].
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// assert!(hex(4, 1).ring(3).all(|cell| cell.distance(hex(4, 1)) == 3));
    /// assert_eq!(hex(4, 1).ring(3).len(), 18);
    /// ```
    ///
    /// [rings]: https://www.redblobgames.com/grids/hexagons/#rings
    #[inline]
    #[must_use]
    pub fn ring(self, n: u32) -> Ring {
        let next = self + Direction::E * n as i32;
        Ring { next, n, side: 0, step: 0, left: if n == 0 { 1 } else { 6 * u64::from(n) } }
    }

    /// Returns the cells up to `n` steps away, ring by ring from the center outwards.
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// let cells: Vec<_> = hex(0, 0).spiral(2).collect();
    /// assert_eq!(cells.len(), 1 + 6 + 12);
    /// assert!(cells.is_sorted_by_key(|cell| cell.length()));
    /// ```
    #[inline]
    pub fn spiral(self, n: u32) -> impl FusedIterator<Item = Self> + Clone {
        (0..=n).flat_map(move |n| self.ring(n))
    }

    /// Returns the cells up to `n` steps away in ascending order: 3n(n + 1) + 1 cells.
    ///
    /// Supports `n` up to 2^30. See [range](https://www.redblobgames.com/grids/hexagons/#range).
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// assert_eq!(hex(0, 0).range(3).len(), 37);
    /// assert!(hex(0, 0).range(3).is_sorted());
    /// ```
    #[inline]
    #[must_use]
    pub const fn range(self, n: u32) -> Range {
        Range { center: self, n: n as i64, q: -(n as i64), r: 0, left: range_count(n) }
    }

    /// Returns the (n + 1)(n + 2) / 2 cells up to `n` steps away between the directions `from` and
    /// `from.rotated(1)`, including this cell and both borders, by distance. Supports `n` up to
    /// 2^30.
    ///
    /// ```
    /// use hexcoord::{Direction, hex};
    ///
    /// assert!(hex(0, 0).wedge(Direction::E, 1).eq([hex(0, 0), hex(1, 0), hex(0, 1)]));
    /// ```
    #[inline]
    pub fn wedge(self, from: Direction, n: u32) -> impl FusedIterator<Item = Self> + Clone {
        let along = from.rotated(2);
        (0..=n as i32)
            .flat_map(move |ring| (0..=ring).map(move |step| self + from * ring + along * step))
    }
}

/// Iterator over the cells of [`Hex::ring`].
#[derive(Clone, Debug)]
pub struct Ring {
    next: Hex,
    n: u32,
    side: i32,
    step: u32,
    left: u64,
}

impl Ring {
    #[inline]
    fn next_cell(&mut self) -> Hex {
        let cell = self.next;
        // From the corner in direction d the ring continues in direction d + 2.
        self.next = cell + Direction::E.rotated(self.side + 2);
        self.step += 1;
        if self.step == self.n {
            self.step = 0;
            self.side += 1;
        }
        cell
    }
}
counted_iterator! { Ring }

/// Iterator over the cells of [`Hex::range`].
#[derive(Clone, Debug)]
pub struct Range {
    center: Hex,
    n: i64,
    q: i64,
    r: i64,
    left: u64,
}

impl Range {
    #[inline]
    fn next_cell(&mut self) -> Hex {
        let cell = self.center + hex(self.q as i32, self.r as i32);
        if self.r < self.n && self.q + self.r < self.n {
            self.r += 1;
        } else {
            self.q += 1;
            self.r = (-self.n).max(-self.n - self.q);
        }
        cell
    }
}
counted_iterator! { Range }
