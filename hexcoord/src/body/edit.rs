//! Insertion and removal of cells.

use core::fmt;

use super::HexBody;
use crate::hex::Hex;

/// The error of a cell that is too far from the body's origin or from its other cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfReach {
    /// The cell that was rejected.
    pub cell: Hex,
}

impl fmt::Display for OutOfReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cell {} is out of reach of the body", self.cell)
    }
}

impl core::error::Error for OutOfReach {}

impl HexBody {
    /// Maximum number of cells across a body, along q, r or s.
    pub const MAX_EXTENT: u32 = 1 << 14;

    /// Inserts a cell. Returns whether it is new.
    ///
    /// # Panics
    /// If the cell is out of reach; see [`try_insert`](Self::try_insert).
    pub fn insert(&mut self, cell: Hex) -> bool {
        match self.try_insert(cell) {
            Ok(new) => new,
            Err(error) => panic!("{error}"),
        }
    }

    /// Inserts a cell. Returns whether it is new.
    ///
    /// # Errors
    /// If |q|, |r| or |s| of the cell's center is above 2^29 units, or the body would be more than
    /// [`MAX_EXTENT`](Self::MAX_EXTENT) cells across. On error the body is unchanged.
    pub fn try_insert(&mut self, cell: Hex) -> Result<bool, OutOfReach> {
        if self.contains(cell) {
            return Ok(false);
        }
        let limit = i64::from(Self::MAX_EXTENT);
        let farthest = i64::from(1 << 29 >> self.grid.shift());
        let coordinates = cube_coordinates(cell);
        for (counts, coordinate) in self.axis_counts.iter().zip(coordinates) {
            let [min, max] = counts.ends_with(coordinate);
            if max - min >= limit || coordinate.abs() > farthest {
                return Err(OutOfReach { cell });
            }
        }
        self.bits.grow_to_contain(cell, limit);
        self.bits.set(cell, true);
        self.len += 1;
        self.sum = [self.sum[0] + coordinates[0], self.sum[1] + coordinates[1]];
        let [q, r, s] = &mut self.axis_counts;
        if q.add(coordinates[0]) | r.add(coordinates[1]) | s.add(coordinates[2]) {
            self.half_span = self.compute_half_span();
        }
        Ok(true)
    }

    /// Removes a cell. Returns whether the body contained it.
    ///
    /// Takes constant time, plus time linear in the change of the minimum or maximum of q, r or s.
    pub fn remove(&mut self, cell: Hex) -> bool {
        if !self.contains(cell) {
            return false;
        }
        let coordinates = cube_coordinates(cell);
        self.bits.set(cell, false);
        self.len -= 1;
        self.sum = [self.sum[0] - coordinates[0], self.sum[1] - coordinates[1]];
        let [q, r, s] = &mut self.axis_counts;
        if q.remove(coordinates[0]) | r.remove(coordinates[1]) | s.remove(coordinates[2]) {
            self.half_span = self.compute_half_span();
        }
        true
    }
}

pub(super) fn cube_coordinates(cell: Hex) -> [i64; 3] {
    let (q, r) = (i64::from(cell.q), i64::from(cell.r));
    [q, r, -q - r]
}

impl Extend<Hex> for HexBody {
    /// # Panics
    /// If a cell is out of reach; see [`HexBody::try_insert`].
    fn extend<I: IntoIterator<Item = Hex>>(&mut self, cells: I) {
        for cell in cells {
            self.insert(cell);
        }
    }
}

impl FromIterator<Hex> for HexBody {
    /// # Panics
    /// If a cell is out of reach; see [`HexBody::try_insert`].
    fn from_iter<I: IntoIterator<Item = Hex>>(cells: I) -> Self {
        let mut body = Self::new();
        body.extend(cells);
        body
    }
}
