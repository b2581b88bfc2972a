//! Line of sight and field of view.

use crate::hex::Hex;

impl Hex {
    /// Returns whether no opaque cell lies strictly between the two cells on their
    /// [line](Self::line_to). The two cells themselves may be opaque.
    ///
    /// The relation is symmetric, because the reverse line has the same cells.
    pub fn sees(self, other: Self, mut opaque: impl FnMut(Self) -> bool) -> bool {
        let line = self.line_to(other);
        let between = line.len().saturating_sub(2);
        !line.skip(1).take(between).any(&mut opaque)
    }

    /// Returns the visible cells up to `n` steps away, in order of distance.
    ///
    /// Opaque cells are visible; cells behind them are not. See [field of view].
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
