//! Adding and removing cells.

use core::fmt;

use super::HexBody;
use crate::hex::Hex;

/// A cell that a body cannot have: too far from the body's origin, or from its other cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfReach {
    /// The cell.
    pub cell: Hex,
}

impl fmt::Display for OutOfReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cell {} is out of reach of the body", self.cell)
    }
}

impl core::error::Error for OutOfReach {}

impl HexBody {
    /// How many cells a body may be across, along q, r or s.
    pub const MAX_EXTENT: u32 = 1 << 14;

    /// Adds a cell; yields whether it is new.
    ///
    /// # Panics
    /// If the cell is out of reach; see [`try_insert`](Self::try_insert).
    pub fn insert(&mut self, cell: Hex) -> bool {
        match self.try_insert(cell) {
            Ok(new) => new,
            Err(why) => panic!("{why}"),
        }
    }

    /// Adds a cell; yields whether it is new.
    ///
    /// # Errors
    /// If |q|, |r| or |s| is above 2^29 units, or the body would be more than
    /// [`MAX_EXTENT`](Self::MAX_EXTENT) cells across. Then nothing changes.
    pub fn try_insert(&mut self, cell: Hex) -> Result<bool, OutOfReach> {
        if self.contains(cell) {
            return Ok(false);
        }
        let limit = i64::from(Self::MAX_EXTENT);
        let farthest = i64::from(1 << 29 >> self.grid.shift());
        let places = places(cell);
        for (tally, place) in self.tallies.iter().zip(places) {
            let [min, max] = tally.ends_with(place);
            if max - min >= limit || place.abs() > farthest {
                return Err(OutOfReach { cell });
            }
        }
        self.bits.make_room(cell, limit);
        self.bits.set(cell, true);
        self.len += 1;
        self.sum = [self.sum[0] + places[0], self.sum[1] + places[1]];
        let [q, r, s] = &mut self.tallies;
        if q.add(places[0]) | r.add(places[1]) | s.add(places[2]) {
            self.half_span = self.measure_span();
        }
        Ok(true)
    }

    /// Removes a cell; yields whether it was there.
    ///
    /// Costs the same for every body, but for what the bounds move when an edge of the body goes.
    pub fn remove(&mut self, cell: Hex) -> bool {
        if !self.contains(cell) {
            return false;
        }
        let places = places(cell);
        self.bits.set(cell, false);
        self.len -= 1;
        self.sum = [self.sum[0] - places[0], self.sum[1] - places[1]];
        let [q, r, s] = &mut self.tallies;
        if q.remove(places[0]) | r.remove(places[1]) | s.remove(places[2]) {
            self.half_span = self.measure_span();
        }
        true
    }

    /// Removes all cells, keeping the memory.
    pub fn clear(&mut self) {
        self.bits.clear();
        for tally in &mut self.tallies {
            tally.clear();
        }
        (self.len, self.sum, self.half_span) = (0, [0; 2], 0);
    }
}

/// Where a cell is along q, r and s, without wrapping.
pub(super) fn places(cell: Hex) -> [i64; 3] {
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
