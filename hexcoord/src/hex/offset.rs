//! Conversions between cells and (column, row) pairs: offset and doubled coordinates.

use super::{Hex, hex};

/// A scheme that names cells by column and row.
///
/// Useful to store rectangular maps. For arithmetic, convert to [`Hex`]. See [offset] and [doubled]
/// coordinates.
///
/// ```text
///   OddR: odd rows shifted right   EvenQ: even columns shifted down  DoubledWidth
///     0,0   1,0   2,0                       1,0                         0,0   2,0   4,0
///        0,1   1,1   2,1               0,0       2,0                       1,1   3,1
///     0,2   1,2   2,2                       1,1                         0,2   2,2   4,2
/// ```
///
/// ```
/// use hexcoord::{Hex, Offset, hex};
///
/// let cell = hex(1, 3);
/// assert_eq!(cell.to_offset(Offset::OddR), [2, 3]);
/// assert_eq!(cell.to_offset(Offset::DoubledWidth), [5, 3]);
/// assert_eq!(Hex::from_offset([2, 3], Offset::OddR), cell);
/// ```
///
/// [offset]: https://www.redblobgames.com/grids/hexagons/#coordinates-offset
/// [doubled]: https://www.redblobgames.com/grids/hexagons/#coordinates-doubled
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Offset {
    /// Pointy cells, odd rows shifted right by half a cell.
    OddR,
    /// Pointy cells, even rows shifted right by half a cell.
    EvenR,
    /// Flat cells, odd columns shifted down by half a cell.
    OddQ,
    /// Flat cells, even columns shifted down by half a cell.
    EvenQ,
    /// Pointy cells, columns counted in half cells: column + row is even.
    DoubledWidth,
    /// Flat cells, rows counted in half cells: column + row is even.
    DoubledHeight,
}

impl Offset {
    /// All six schemes.
    pub const ALL: [Self; 6] =
        [Self::OddR, Self::EvenR, Self::OddQ, Self::EvenQ, Self::DoubledWidth, Self::DoubledHeight];
}

impl Hex {
    /// Returns the `[column, row]` of the cell.
    ///
    /// The result is exact for |q|, |r| ≤ 2^29; beyond, it wraps.
    #[must_use]
    pub const fn to_offset(self, offset: Offset) -> [i32; 2] {
        let Self { q, r } = self;
        match offset {
            Offset::OddR => [q.wrapping_add((r.wrapping_sub(r & 1)) >> 1), r],
            Offset::EvenR => [q.wrapping_add((r.wrapping_add(r & 1)) >> 1), r],
            Offset::OddQ => [q, r.wrapping_add((q.wrapping_sub(q & 1)) >> 1)],
            Offset::EvenQ => [q, r.wrapping_add((q.wrapping_add(q & 1)) >> 1)],
            Offset::DoubledWidth => [q.wrapping_mul(2).wrapping_add(r), r],
            Offset::DoubledHeight => [q, r.wrapping_mul(2).wrapping_add(q)],
        }
    }

    /// Returns the cell at `[column, row]`.
    ///
    /// In the doubled schemes only positions with an even sum are cells. If it is odd, returns the
    /// cell at `[column - 1, row]` (`DoubledWidth`) or `[column, row - 1]` (`DoubledHeight`). Exact
    /// for |column|, |row| ≤ 2^29; beyond, it wraps.
    #[must_use]
    pub const fn from_offset([col, row]: [i32; 2], offset: Offset) -> Self {
        match offset {
            Offset::OddR => hex(col.wrapping_sub((row.wrapping_sub(row & 1)) >> 1), row),
            Offset::EvenR => hex(col.wrapping_sub((row.wrapping_add(row & 1)) >> 1), row),
            Offset::OddQ => hex(col, row.wrapping_sub((col.wrapping_sub(col & 1)) >> 1)),
            Offset::EvenQ => hex(col, row.wrapping_sub((col.wrapping_add(col & 1)) >> 1)),
            Offset::DoubledWidth => hex(col.wrapping_sub(row) >> 1, row),
            Offset::DoubledHeight => hex(col, row.wrapping_sub(col) >> 1),
        }
    }
}
