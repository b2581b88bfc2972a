//! A table of the cells that can overlap a cell of another, rotated grid.
//!
//! The unit cell is divided into 16 × 16 parts. For each position of the other cell's center, the
//! table has two masks of the 4 × 4 cells around it, computed at compile time from distances
//! between centers. So they are valid at any rotation.

/// Binary logarithm of the number of parts per axis.
pub(super) const PART_BITS: u32 = 4;

/// Masks of the 4 × 4 cells around a part of a cell, for a cell centered in that part.
#[derive(Clone, Copy)]
pub(super) struct OverlapMasks {
    /// Cells that overlap at some rotation: centers within two circumradii, a² + ab + b² ≤ 4/3.
    pub(super) possible: u16,
    /// Cells that overlap at every rotation: centers within two inradii, a² + ab + b² ≤ 1.
    pub(super) certain: u16,
}

/// The masks of each part, indexed by the fraction of b, then by that of a.
pub(super) static OVERLAP_TABLE: [[OverlapMasks; 1 << PART_BITS]; 1 << PART_BITS] = {
    let mut table = [[OverlapMasks { possible: 0, certain: 0 }; 1 << PART_BITS]; 1 << PART_BITS];
    // Coordinates in this function are in quarters of a part; `unit` is the cell size.
    let unit = 4 << PART_BITS;
    let mut part = 0;
    while part < 1 << (2 * PART_BITS) {
        let (row, column) = (part >> PART_BITS, part & ((1 << PART_BITS) - 1));
        let masks = &mut table[row][column];
        let mut cell = 0;
        while cell < 16 {
            let a = 4 * column as i64 + 2 - unit * (cell % 4 - 1);
            let b = 4 * row as i64 + 2 - unit * (cell / 4 - 1);
            // Test 7 × 7 samples of the part and a margin of 25 %, more than the rounding error of
            // positions. Each sample is less than 6 from the middle. So if the distance of the
            // middle differs by more than that from both limits (the cell size for `certain`,
            // √(4/3) times the cell size for `possible`), all samples agree. That holds for 85 % of
            // the cells and saves 1 s of each compilation.
            let middle = square(a, b);
            let (inside, outside) = (unit - 6, unit * 5 / 4);
            let (mut possible, mut certain) = (false, true);
            let mut sample = 0;
            if middle < inside * inside {
                (possible, sample) = (true, 49);
            } else if middle > outside * outside {
                (certain, sample) = (false, 49);
            }
            while sample < 49 {
                let square = square(a + sample % 7 - 3, b + sample / 7 - 3);
                possible |= 3 * square <= 4 * unit * unit;
                certain &= square <= unit * unit;
                sample += 1;
            }
            masks.possible |= (possible as u16) << cell;
            masks.certain |= (certain as u16) << cell;
            cell += 1;
        }
        part += 1;
    }
    table
};

const fn square(a: i64, b: i64) -> i64 {
    a * a + a * b + b * b
}

#[cfg(test)]
mod tests {
    use super::{OVERLAP_TABLE, PART_BITS, square};

    #[test]
    fn masks_are_those_of_all_samples() {
        let unit = 4 << PART_BITS;
        for (row, parts) in OVERLAP_TABLE.iter().enumerate() {
            for (column, masks) in parts.iter().enumerate() {
                for cell in 0..16 {
                    let a = 4 * column as i64 + 2 - unit * (cell % 4 - 1);
                    let b = 4 * row as i64 + 2 - unit * (cell / 4 - 1);
                    let samples =
                        || (-3..=3).flat_map(|x| (-3..=3).map(move |y| square(a + x, b + y)));
                    let possible = samples().any(|square| 3 * square <= 4 * unit * unit);
                    let certain = samples().all(|square| square <= unit * unit);
                    assert_eq!(masks.possible >> cell & 1 == 1, possible, "{row} {column} {cell}");
                    assert_eq!(masks.certain >> cell & 1 == 1, certain, "{row} {column} {cell}");
                }
            }
        }
    }
}
