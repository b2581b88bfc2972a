//! Rings and spirals: the cells at a distance, and all cells up to a distance in rings.

use super::count::{counted_iterator, range_count};
use super::{Direction, Hex};

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
    pub const fn ring(self, n: u32) -> Ring {
        Ring {
            next: self.plus(Direction::E.to_hex().times(n as i32)),
            n,
            side: 0,
            step: 0,
            left: if n == 0 { 1 } else { 6 * n as u64 },
        }
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
    #[must_use]
    pub const fn spiral(self, n: u32) -> Spiral {
        Spiral { center: self, ring: self.ring(0), left: range_count(n) }
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
    /// Returns the next cell.
    #[inline]
    fn next_cell(&mut self) -> Hex {
        let cell = self.next;
        // From the corner in direction d the ring continues in direction d + 2.
        self.next = cell.neighbor(Direction::from_index(self.side + 2));
        self.step += 1;
        if self.step == self.n {
            self.step = 0;
            self.side += 1;
        }
        cell
    }
}
counted_iterator! { Ring }

/// Iterator over the cells of [`Hex::spiral`].
#[derive(Clone, Debug)]
pub struct Spiral {
    center: Hex,
    ring: Ring,
    left: u64,
}

impl Spiral {
    /// Returns the next cell.
    #[inline]
    fn next_cell(&mut self) -> Hex {
        if self.ring.left == 0 {
            self.ring = self.center.ring(self.ring.n + 1);
        }
        self.ring.left -= 1;
        self.ring.next_cell()
    }
}
counted_iterator! { Spiral }
