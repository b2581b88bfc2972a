//! Cells around a cell: ranges, wedges and cones.

use super::count::{counted_iterator, range_count};
use super::{Direction, Hex, hex};

impl Hex {
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

    /// Returns the cells up to `n` steps away between two adjacent directions, including this cell
    /// and both borders: (n + 1)(n + 2) / 2 cells in order of distance.
    ///
    /// The wedge lies between `from` and the next direction, `from.rotated(1)`. Supports `n` up to
    /// 2^30.
    ///
    /// ```
    /// use hexcoord::{Direction, hex};
    ///
    /// let wedge: Vec<_> = hex(0, 0).wedge(Direction::E, 1).collect();
    /// assert_eq!(wedge, [hex(0, 0), hex(1, 0), hex(0, 1)]);
    /// ```
    #[inline]
    #[must_use]
    pub const fn wedge(self, from: Direction, n: u32) -> Wedge {
        let n = n as u64;
        Wedge {
            next: self,
            out: from.to_hex(),
            along: from.rotated(2).to_hex(),
            step: 0,
            ring: 0,
            left: (n + 1) * (n + 2) / 2,
        }
    }

    /// Returns, in ascending order, the cells up to `n` steps away that are within 30° of a
    /// direction, including this cell and both borders.
    ///
    /// ```
    /// use hexcoord::{Direction, hex};
    ///
    /// let cone: Vec<_> = hex(0, 0).cone(Direction::E, 2).collect();
    /// assert_eq!(cone, [hex(0, 0), hex(1, 0), hex(1, 1), hex(2, -1), hex(2, 0)]);
    /// ```
    pub fn cone(self, direction: Direction, n: u32) -> impl Iterator<Item = Self> {
        self.range(n).filter(move |&cell| {
            let [q, r, s] = cell.minus(self).rotated(-direction.index()).to_cube();
            q >= r && r >= s
        })
    }
}

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
    /// Returns the next cell.
    #[inline]
    fn next_cell(&mut self) -> Hex {
        let cell = self.center.plus(hex(self.q as i32, self.r as i32));
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

/// Iterator over the cells of [`Hex::wedge`].
#[derive(Clone, Debug)]
pub struct Wedge {
    next: Hex,
    out: Hex,
    along: Hex,
    step: u64,
    ring: u64,
    left: u64,
}

impl Wedge {
    /// Returns the next cell.
    #[inline]
    fn next_cell(&mut self) -> Hex {
        let cell = self.next;
        if self.step < self.ring {
            self.step += 1;
            self.next = cell.plus(self.along);
        } else {
            // Go back to the start of the ring, then one step outwards.
            self.next = cell.minus(self.along.times(self.ring as i32)).plus(self.out);
            self.ring += 1;
            self.step = 0;
        }
        cell
    }
}
counted_iterator! { Wedge }
