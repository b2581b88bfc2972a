//! A map that stores one value per cell of an area, in one array.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use super::Area;
use crate::hex::Hex;

/// A dense map: one value per cell of an [`Area`], with O(1) access.
///
/// ```
/// use hexcoord::{Area, HexMap, hex};
///
/// let mut height = HexMap::new(Area::hexagon(hex(0, 0), 4), |cell| cell.length());
/// assert_eq!(height[hex(1, -3)], 3);
/// height[hex(1, -3)] = 9;
/// assert_eq!(height.get(hex(7, 7)), None);
/// assert_eq!(height.iter().filter(|&(_, &h)| h == 4).count(), 24);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Unchecked<T>")
)]
pub struct HexMap<T> {
    area: Area,
    values: Vec<T>,
}

/// A deserialized map before the number of values is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename = "HexMap")]
struct Unchecked<T> {
    area: Area,
    values: Vec<T>,
}

#[cfg(feature = "serde")]
impl<T> TryFrom<Unchecked<T>> for HexMap<T> {
    type Error = alloc::string::String;

    fn try_from(Unchecked { area, values }: Unchecked<T>) -> Result<Self, Self::Error> {
        let (cells, count) = (area.len(), values.len());
        if cells == count {
            Ok(Self { area, values })
        } else {
            Err(alloc::format!("the map has {cells} cells but {count} values"))
        }
    }
}

impl<T> HexMap<T> {
    /// Creates a map; `f` returns the value of each cell.
    #[must_use]
    pub fn new(area: Area, f: impl FnMut(Hex) -> T) -> Self {
        Self { area, values: area.cells().map(f).collect() }
    }

    /// Returns the area of the map.
    #[must_use]
    pub const fn area(&self) -> Area {
        self.area
    }

    /// Returns the value of a cell; `None` outside the area.
    #[inline]
    #[must_use]
    pub fn get(&self, cell: Hex) -> Option<&T> {
        self.values.get(self.area.index(cell)?)
    }

    /// Returns the value of a cell, mutably; `None` outside the area.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, cell: Hex) -> Option<&mut T> {
        self.values.get_mut(self.area.index(cell)?)
    }

    /// Returns all cells with their values, in the order of [`Area::cells`].
    pub fn iter(&self) -> impl Iterator<Item = (Hex, &T)> {
        self.area.cells().zip(&self.values)
    }
}

impl<T> Index<Hex> for HexMap<T> {
    type Output = T;

    /// # Panics
    /// If the cell is outside the area.
    fn index(&self, cell: Hex) -> &T {
        match self.get(cell) {
            Some(value) => value,
            None => panic!("cell {cell} is outside the area of the map"),
        }
    }
}

impl<T> IndexMut<Hex> for HexMap<T> {
    /// # Panics
    /// If the cell is outside the area.
    fn index_mut(&mut self, cell: Hex) -> &mut T {
        match self.get_mut(cell) {
            Some(value) => value,
            None => panic!("cell {cell} is outside the area of the map"),
        }
    }
}
