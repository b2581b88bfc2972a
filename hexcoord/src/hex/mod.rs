//! Cells of the hexagonal grid: coordinates, arithmetic, edges, corners and iterators.

mod arithmetic;
mod count;
mod direction;
mod edge;
pub mod iter;
mod line;
mod offset;
mod range;
mod wraparound;

use core::fmt;

pub(crate) use count::range_count;
pub use direction::{Diagonal, Direction};
pub use edge::{Corner, Edge};
pub use offset::Offset;
pub use wraparound::Wraparound;

/// A cell in axial coordinates (q, r). The third cube coordinate, [`s`](Self::s), is −q − r.
///
/// Arithmetic wraps, so it never panics and every translation can be undone. Cells are ordered by
/// `q`, then by `r`. See [axial coordinates].
///
/// ```
/// use hexcoord::{Hex, hex};
///
/// let cell = hex(3, -1);
/// assert_eq!(cell.s(), -2);
/// assert_eq!(cell - hex(1, 1), hex(2, -2));
/// assert_eq!((cell * 2).length(), 6);
/// assert_eq!(Hex::from([3, -1]), cell);
/// ```
///
/// [axial coordinates]: https://www.redblobgames.com/grids/hexagons/#coordinates-axial
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Hex {
    /// Coordinate along axis a.
    pub q: i32,
    /// Coordinate along axis b.
    pub r: i32,
}

/// Creates a cell from axial coordinates.
#[inline(always)]
#[must_use]
pub const fn hex(q: i32, r: i32) -> Hex {
    Hex { q, r }
}

impl Hex {
    /// The cell (0, 0).
    pub const ORIGIN: Self = hex(0, 0);

    /// Returns the cube coordinates `[q, r, s]`, whose sum is 0 (modulo 2^32).
    #[inline]
    #[must_use]
    pub const fn to_cube(self) -> [i32; 3] {
        [self.q, self.r, self.s()]
    }

    /// Returns the third cube coordinate, −q − r.
    #[inline(always)]
    #[must_use]
    pub const fn s(self) -> i32 {
        0i32.wrapping_sub(self.q).wrapping_sub(self.r)
    }

    /// Returns the number of steps from the origin: the maximum of |q|, |r| and |s| (saturated).
    #[inline]
    #[must_use]
    pub const fn length(self) -> u32 {
        self.distance(Self::ORIGIN)
    }

    /// Returns the number of steps to another cell.
    ///
    /// The result saturates at `u32::MAX`, which requires coordinates beyond 2^30. See [distances].
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// assert_eq!(hex(1, 1).distance(hex(-1, 2)), 2);
    /// assert_eq!(hex(i32::MIN, 0).distance(hex(i32::MAX, 0)), u32::MAX);
    /// ```
    ///
    /// [distances]: https://www.redblobgames.com/grids/hexagons/#distances
    #[inline]
    #[must_use]
    pub const fn distance(self, other: Self) -> u32 {
        let steps = exact_length(self.difference_to(other));
        if steps > u32::MAX as u64 { u32::MAX } else { steps as u32 }
    }

    #[inline(always)]
    const fn difference_to(self, other: Self) -> [i64; 2] {
        [other.q as i64 - self.q as i64, other.r as i64 - self.r as i64]
    }

    /// Returns the six neighbors in the order of [`Direction::ALL`].
    #[inline]
    #[must_use]
    pub fn neighbors(self) -> [Self; 6] {
        Direction::ALL.map(|direction| self + direction)
    }

    /// Returns the cell rotated about the origin by `sixths` of a full turn, from a towards b. See
    /// [rotation].
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// assert_eq!(hex(3, 0).rotated(1), hex(0, 3));
    /// assert_eq!(hex(3, -1).rotated(-5), hex(3, -1).rotated(1));
    /// ```
    ///
    /// [rotation]: https://www.redblobgames.com/grids/hexagons/#rotation
    #[inline]
    #[must_use]
    pub const fn rotated(self, sixths: i32) -> Self {
        let [q, r, s] = self.to_cube();
        match sixths.rem_euclid(6) {
            0 => self,
            1 => hex(r.wrapping_neg(), s.wrapping_neg()),
            2 => hex(s, q),
            3 => hex(q.wrapping_neg(), r.wrapping_neg()),
            4 => hex(r, s),
            _ => hex(s.wrapping_neg(), q.wrapping_neg()),
        }
    }

    /// Returns the mirror image with `r` and `s` exchanged. Rotated by two sixths, it has `q` and
    /// `r` exchanged; by four sixths, `q` and `s`. See
    /// [reflection](https://www.redblobgames.com/grids/hexagons/#reflection).
    #[inline]
    #[must_use]
    pub const fn reflected_q(self) -> Self {
        hex(self.q, self.s())
    }
}

/// Returns the length of a cell difference in steps; it can exceed 32 bits.
#[inline(always)]
const fn exact_length([q, r]: [i64; 2]) -> u64 {
    let (q, r, s) = (q.unsigned_abs(), r.unsigned_abs(), (q + r).unsigned_abs());
    let qr = if q > r { q } else { r };
    if qr > s { qr } else { s }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.q, self.r)
    }
}

impl From<[i32; 2]> for Hex {
    fn from([q, r]: [i32; 2]) -> Self {
        hex(q, r)
    }
}

impl From<Hex> for [i32; 2] {
    fn from(cell: Hex) -> Self {
        [cell.q, cell.r]
    }
}
