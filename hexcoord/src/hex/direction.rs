//! The six directions from a cell to its neighbors, and the six diagonals between them.

use core::ops::{Mul, Neg};

use super::{Hex, hex};

/// One of the six directions from a cell to a neighbor.
///
/// ```text
///    pointy cells, y downwards              flat cells, y downwards
///
///      NW (0,−1)   NE (1,−1)                     NW = N (0,−1)
///             \     /                  W = NW (−1,0) ╲ | ╱ NE = NE (1,−1)
///   W (−1,0) -- cell -- E (1,0)                       cell
///             /     \                 SW = SW (−1,1) ╱ | ╲ E = SE (1,0)
///      SW (−1,1)   SE (0,1)                      SE = S (0,1)
/// ```
///
/// The names are those for pointy cells. Flat cells are the same grid turned by 30°. The number of a
/// direction, `E as i32` = 0 to `NE as i32` = 5, increases from axis a towards axis b. See
/// [neighbors](https://www.redblobgames.com/grids/hexagons/#neighbors).
///
/// ```
/// use hexcoord::{Direction, hex};
///
/// assert_eq!(hex(0, 0) + Direction::E * 3, hex(3, 0));
/// assert_eq!(Direction::E.rotated(1), Direction::SE);
/// assert_eq!(-Direction::NE, Direction::SW);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum Direction {
    /// East: (1, 0), along axis a.
    E,
    /// South-east: (0, 1), along axis b.
    SE,
    /// South-west: (−1, 1).
    SW,
    /// West: (−1, 0).
    W,
    /// North-west: (0, −1).
    NW,
    /// North-east: (1, −1).
    NE,
}

impl Direction {
    /// All six directions, in the order of their numbers.
    pub const ALL: [Self; 6] = [Self::E, Self::SE, Self::SW, Self::W, Self::NW, Self::NE];

    /// Returns the offset to the neighbor in this direction.
    #[inline(always)]
    #[must_use]
    pub const fn to_hex(self) -> Hex {
        match self {
            Self::E => hex(1, 0),
            Self::SE => hex(0, 1),
            Self::SW => hex(-1, 1),
            Self::W => hex(-1, 0),
            Self::NW => hex(0, -1),
            Self::NE => hex(1, -1),
        }
    }

    /// Returns the direction turned by `sixths` of a full turn; positive turns go from a towards b.
    #[inline]
    #[must_use]
    pub const fn rotated(self, sixths: i32) -> Self {
        Self::ALL[(self as i32 + sixths.rem_euclid(6)) as usize % 6]
    }
}

impl Neg for Direction {
    type Output = Self;

    fn neg(self) -> Self {
        self.rotated(3)
    }
}

impl Mul<i32> for Direction {
    type Output = Hex;

    /// Returns the offset of `steps` steps in this direction.
    #[inline(always)]
    fn mul(self, steps: i32) -> Hex {
        self.to_hex() * steps
    }
}

/// One of the six offsets from a cell, across a corner, to a cell two steps away.
///
/// Diagonal `n` lies between the directions `n` and `n + 1`, and is their sum.
///
/// ```
/// use hexcoord::{Diagonal, Direction, Hex};
///
/// let (first, second) = (Direction::E, Direction::SE);
/// assert_eq!(Diagonal::ESE.to_hex(), Hex::ORIGIN + first + second);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum Diagonal {
    /// Between E and SE: (1, 1).
    ESE,
    /// Between SE and SW: (−1, 2).
    S,
    /// Between SW and W: (−2, 1).
    WSW,
    /// Between W and NW: (−1, −1).
    WNW,
    /// Between NW and NE: (1, −2).
    N,
    /// Between NE and E: (2, −1).
    ENE,
}

impl Diagonal {
    /// All six diagonals, in the order of their numbers.
    pub const ALL: [Self; 6] = [Self::ESE, Self::S, Self::WSW, Self::WNW, Self::N, Self::ENE];

    /// Returns the offset to the cell across the corner.
    #[inline]
    #[must_use]
    pub const fn to_hex(self) -> Hex {
        match self {
            Self::ESE => hex(1, 1),
            Self::S => hex(-1, 2),
            Self::WSW => hex(-2, 1),
            Self::WNW => hex(-1, -1),
            Self::N => hex(1, -2),
            Self::ENE => hex(2, -1),
        }
    }
}
