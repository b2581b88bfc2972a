//! Line of sight and field of view, equal under the twelve symmetries of the grid.
//!
//! Input: two cells and a predicate for opaque cells. Output: whether one cell sees the other.
//!
//! 1. With the distance n of the two cells, step k of the straight line between their centers is
//!    its point k / n. Each step strictly between the cells has one nearest cell, or two that are
//!    equally near: a *tie*. Computed in integers.
//! 2. A step is free if its nearest cell is free. In a tie, [`Sight::Strict`] requires both cells
//!    to be free, [`Sight::Permissive`] one of them.
//! 3. One cell sees the other if all steps are free.
//!
//! Turns, mirrors and the exchange of the two cells keep steps, nearest cells and ties, so they
//! keep the result. Two consecutive steps are never both ties, and the nearest cell of the next
//! step is a neighbor of both tied cells. So the free cells form a path, and even permissive sight
//! does not pass a closed wall.
//!
//! The sight of a pair takes time linear in its distance, a field of view of radius n takes O(n³).

use super::any_line;
use crate::hex::Hex;

/// The rule for a line of sight that passes exactly between two cells.
///
/// Strict sight implies that the cells of [`Hex::line_to`] are free, which implies permissive
/// sight.
///
/// ```
/// use hexcoord::{Sight, hex};
///
/// // The line to (1, 1) is the edge between the cells (1, 0) and (0, 1).
/// let (from, to) = (hex(0, 0), hex(1, 1));
/// for pillar in [hex(1, 0), hex(0, 1)] {
///     assert!(!from.sees(to, Sight::Strict, |cell| cell == pillar));
///     assert!(from.sees(to, Sight::Permissive, |cell| cell == pillar));
/// }
/// let wall = [hex(1, 0), hex(0, 1)];
/// assert!(!from.sees(to, Sight::Permissive, |cell| wall.contains(&cell)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sight {
    /// Both cells must be free.
    Strict,
    /// One free cell is enough.
    Permissive,
    /// Any straight line from a point of one cell to a point of the other, as in the permissive
    /// field of view of roguelikes: cells along a wall see each other, and cells around a corner are
    /// seen as soon as a part of them is. Lines may touch opaque cells, but not pass between two
    /// that share an edge. Exact for distances up to 2^20; takes about the time of TIMES other
    /// kinds, and allocates.
    AnyLine,
}

impl Hex {
    /// Returns whether no opaque cell blocks the straight line to another cell. The two cells
    /// themselves may be opaque.
    ///
    /// Each step of the line is blocked if its nearest cell is opaque. Where two cells are equally
    /// near, `sight` sets whether one opaque cell blocks the line, or only both. The result is
    /// symmetric, and does not change if the map is turned or mirrored. Computed in integers
    /// without rounding; linear in the distance.
    ///
    /// ```
    /// use hexcoord::{Sight, hex};
    ///
    /// let wall = hex(2, 1);
    /// assert!(!hex(0, 0).sees(hex(4, 2), Sight::Permissive, |cell| cell == wall));
    /// assert!(hex(0, 0).sees(wall, Sight::Strict, |cell| cell == wall));
    /// ```
    pub fn sees(self, other: Self, sight: Sight, mut opaque: impl FnMut(Self) -> bool) -> bool {
        let mut steps = self.nearest_between(other);
        match sight {
            Sight::Strict => {
                steps.all(|(cell, tied)| !opaque(cell) && !tied.is_some_and(&mut opaque))
            }
            Sight::Permissive => {
                steps.all(|(cell, tied)| !opaque(cell) || tied.is_some_and(|tied| !opaque(tied)))
            }
            Sight::AnyLine => any_line::sees(self, other, &mut opaque),
        }
    }

    /// Returns the cells up to `n` steps away that this cell [`sees`](Self::sees), in order of
    /// distance.
    ///
    /// Opaque cells are visible; cells behind them are not. Calls `opaque` O(n³) times. See [field
    /// of view].
    ///
    /// ```
    /// use hexcoord::{Sight, hex};
    ///
    /// let wall = hex(1, 0);
    /// let seen: Vec<_> =
    ///     hex(0, 0).field_of_view(2, Sight::Strict, |cell| cell == wall).collect();
    /// assert!(seen.contains(&wall) && !seen.contains(&hex(2, 0)));
    /// ```
    ///
    /// [field of view]: https://www.redblobgames.com/grids/hexagons/#field-of-view
    pub fn field_of_view(
        self,
        n: u32,
        sight: Sight,
        mut opaque: impl FnMut(Self) -> bool,
    ) -> impl Iterator<Item = Self> {
        self.spiral(n).filter(move |&cell| self.sees(cell, sight, &mut opaque))
    }
}
