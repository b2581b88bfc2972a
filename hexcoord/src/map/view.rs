//! Line of sight and field of view, equal under the twelve symmetries of the grid.
//!
//! Input: two cells and a predicate for opaque cells. Output: whether one cell sees the other.
//!
//! 1. Of n steps, step k of the line between the centers is the point at the fraction k / n. Each
//!    step between the cells has one nearest cell, or a *tie*: two equally near cells.
//! 2. A step is free if its nearest cell is free. In a tie, strict sight requires both cells to be
//!    free; permissive sight requires at least one free cell.
//! 3. One cell sees the other if all steps are free.
//!
//! Rotations, reflections and the exchange of the two cells map steps to steps and ties to ties, so
//! these symmetries do not change the result. Two consecutive steps are never both ties, and the
//! nearest cell next to a tie is a neighbor of both tied cells. So the free cells of the steps
//! contain a path of neighbors: even permissive sight does not pass a closed wall.
//!
//! Cost: linear in the distance for two cells, O(n³) for a field of view of radius n.

use crate::hex::Hex;

/// A kind of sight: which cells block the straight line between the centers of two cells.
///
/// Both kinds are exact, symmetric in the two cells, and invariant under rotation and reflection.
/// Strict sight implies that the cells of [`Hex::line_to`] are free, which implies permissive
/// sight.
///
/// ```
/// use hexcoord::{Hex, Sight, hex};
///
/// // The line to (1, 1) runs along the edge between (1, 0) and (0, 1).
/// let (from, to) = (hex(0, 0), hex(1, 1));
/// for pillar in [hex(1, 0), hex(0, 1)] {
///     assert!(!from.sees(to, Sight::Strict, |cell| cell == pillar));
///     assert!(from.sees(to, Sight::Permissive, |cell| cell == pillar));
/// }
/// let gate = [hex(1, 0), hex(0, 1)];
/// assert!(!from.sees(to, Sight::Permissive, |cell| gate.contains(&cell)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sight {
    /// Where the line passes exactly between two cells, both must be free.
    Strict,
    /// Where the line passes exactly between two cells, one free cell is enough.
    Permissive,
}

impl Hex {
    /// Returns whether the straight line to another cell, without its ends, is free of opaque
    /// cells.
    ///
    /// `sight` selects which cells block the line. The result is symmetric in the two cells, and
    /// does not change if the map is rotated or reflected. Takes time linear in the distance: tests
    /// the cell nearest to each step of the line, or both in a tie.
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
        }
    }

    /// Returns the cells up to `n` steps away that this cell [`sees`](Self::sees), by distance.
    ///
    /// Opaque cells are visible, cells behind them are not. Calls `opaque` O(n³) times. See [field
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
