//! Coarser and finer grids: cells grouped into larger hexagons, `2n + 1` cells across.
//!
//! The larger hexagons tile the plane. Their centers are a lattice with the basis (n + 1, n) and
//! (−n, 2n + 1), which is the first vector rotated by 60°. Its determinant 3n(n + 1) + 1 is the
//! number of cells per larger hexagon.
//!
//! [`Hex::parent`] divides the coordinates of a cell in the coarse basis and rounds down. One of
//! the four coarse cells around the result has a center within `n` steps: the parent.

use super::iter::Range;
use super::{Hex, hex};

impl Hex {
    /// Returns the coarse cell that contains this cell. Every coarse cell is the
    /// [`range`](Self::range) of radius `n` around one fine cell.
    ///
    /// With `n = 1` a coarse cell contains seven cells, as in H3; with `n = 0` the grids are equal.
    /// Supports `n` up to 2^28.
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// let coarse = hex(40, -7).parent(2);
    /// assert!(coarse.children(2).any(|cell| cell == hex(40, -7)));
    /// ```
    #[must_use]
    pub const fn parent(self, n: u32) -> Self {
        let n = n as i64;
        let (q, r) = (self.q as i64, self.r as i64);
        let area = 3 * n * (n + 1) + 1;
        // Compute the coordinates in the coarse basis times the determinant `area`, divide and
        // round down, then test the four coarse cells around the result.
        let (x, y) = (
            (2 * n + 1) as i128 * q as i128 + n as i128 * r as i128,
            (n + 1) as i128 * r as i128 - n as i128 * q as i128,
        );
        let (x, y) = (x.div_euclid(area as i128) as i64, y.div_euclid(area as i128) as i64);
        let mut candidate = 0;
        loop {
            let (x, y) = (x + (candidate & 1), y + (candidate >> 1));
            let [cq, cr] = center(x, y, n);
            if super::exact_length([q - cq, r - cr]) <= n as u64 || candidate == 3 {
                return hex(x as i32, y as i32);
            }
            candidate += 1;
        }
    }

    /// Returns the fine cell at the center of this coarse cell. See [`parent`](Self::parent).
    #[must_use]
    pub const fn center_child(self, n: u32) -> Self {
        let [q, r] = center(self.q as i64, self.r as i64, n as i64);
        hex(q as i32, r as i32)
    }

    /// Returns the fine cells that this coarse cell contains. See [`parent`](Self::parent).
    #[must_use]
    pub const fn children(self, n: u32) -> Range {
        self.center_child(n).range(n)
    }
}

/// Returns the center of a coarse cell in fine coordinates; wraps beyond `i64`.
const fn center(x: i64, y: i64, n: i64) -> [i64; 2] {
    [
        (n + 1).wrapping_mul(x).wrapping_sub(n.wrapping_mul(y)),
        n.wrapping_mul(x).wrapping_add((2 * n + 1).wrapping_mul(y)),
    ]
}
