//! What can be seen from a cell.

use crate::hex::Hex;

impl Hex {
    /// Whether no opaque cell lies on the [line](Self::line_to) between the two; the ends may be.
    ///
    /// The way back passes the same cells, so seeing is mutual.
    pub fn sees(self, other: Self, mut opaque: impl FnMut(Self) -> bool) -> bool {
        let line = self.line_to(other);
        let between = line.len().saturating_sub(2);
        !line.skip(1).take(between).any(&mut opaque)
    }

    /// The cells up to `n` steps away that this one sees, from the inside out.
    ///
    /// Opaque cells are seen, what is behind them is not. See [field of view].
    ///
    /// ```
    /// use hexcoord::hex;
    ///
    /// let wall = hex(1, 0);
    /// let seen: Vec<_> = hex(0, 0).field_of_view(2, |cell| cell == wall).collect();
    /// assert!(seen.contains(&wall) && !seen.contains(&hex(2, 0)));
    /// ```
    ///
    /// [field of view]: https://www.redblobgames.com/grids/hexagons/#field-of-view
    pub fn field_of_view(
        self,
        n: u32,
        mut opaque: impl FnMut(Self) -> bool,
    ) -> impl Iterator<Item = Self> {
        self.spiral(n).filter(move |&cell| self.sees(cell, &mut opaque))
    }
}
