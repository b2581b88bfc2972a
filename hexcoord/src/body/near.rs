//! Which of the cells around a place are near enough to overlap a cell there: a table.

/// The binary logarithm of how many parts of a cell the table has.
pub(super) const NEAR_BITS: u32 = 4;

/// Of the 4 × 4 cells around a part of a cell, those that overlap a cell centred there.
#[derive(Clone, Copy)]
pub(super) struct Near {
    /// At some rotation: centres are at most two circumradii apart, a² + ab + b² ≤ 4/3.
    pub(super) may: u16,
    /// At any rotation: centres are at most two inradii apart, a² + ab + b² ≤ 1.
    pub(super) must: u16,
}

/// For each part of a cell, by fractions of b and a.
pub(super) static NEAR: [[Near; 1 << NEAR_BITS]; 1 << NEAR_BITS] = {
    let mut table = [[Near { may: 0, must: 0 }; 1 << NEAR_BITS]; 1 << NEAR_BITS];
    // In units of a quarter part.
    let unit = 4 << NEAR_BITS;
    let mut part = 0;
    while part < 1 << (2 * NEAR_BITS) {
        let (row, column) = (part >> NEAR_BITS, part & ((1 << NEAR_BITS) - 1));
        let near = &mut table[row][column];
        let mut cell = 0;
        while cell < 16 {
            let a = 4 * column as i64 + 2 - unit * (cell % 4 - 1);
            let b = 4 * row as i64 + 2 - unit * (cell / 4 - 1);
            // All over the part, and half as far again: more than what is rounded.
            let (mut may, mut must) = (false, true);
            let mut nudge = 0;
            while nudge < 49 {
                let (x, y) = (a + nudge % 7 - 3, b + nudge / 7 - 3);
                let square = x * x + x * y + y * y;
                may |= 3 * square <= 4 * unit * unit;
                must &= square <= unit * unit;
                nudge += 1;
            }
            near.may |= (may as u16) << cell;
            near.must |= (must as u16) << cell;
            cell += 1;
        }
        part += 1;
    }
    table
};
