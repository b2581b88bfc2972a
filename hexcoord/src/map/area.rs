//! Bounded areas of cells with a contiguous index.

use crate::hex::{Hex, Offset, hex, range_count};

/// A bounded area of cells with contiguous indices from 0, row by row, or column by column in a
/// [`flat_rectangle`](Self::flat_rectangle). See [map
/// storage](https://www.redblobgames.com/grids/hexagons/#map-storage).
///
/// ```
/// use hexcoord::{Area, hex};
///
/// let area = Area::hexagon(hex(10, 0), 2);
/// assert_eq!(area.len(), 19);
/// assert_eq!(area.index(hex(10, -2)), Some(0));
/// assert_eq!(area.index(hex(13, 0)), None);
/// assert!(area.cells().enumerate().all(|(index, cell)| area.index(cell) == Some(index)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Shape", into = "Shape")
)]
pub struct Area(Shape);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "Area"))]
enum Shape {
    Hexagon { center: Hex, radius: i64 },
    Rhombus { min: Hex, width: i64, height: i64 },
    Rectangle { min: Hex, width: i64, height: i64 },
    FlatRectangle { min: Hex, width: i64, height: i64 },
}

#[cfg(feature = "serde")]
impl From<Area> for Shape {
    fn from(Area(shape): Area) -> Self {
        shape
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Shape> for Area {
    type Error = &'static str;

    fn try_from(shape: Shape) -> Result<Self, &'static str> {
        let sides = match shape {
            Shape::Hexagon { radius, .. } => [radius; 2],
            Shape::Rhombus { width, height, .. }
            | Shape::Rectangle { width, height, .. }
            | Shape::FlatRectangle { width, height, .. } => [width, height],
        };
        match sides {
            _ if sides.iter().any(|&side| side < 0) => Err("a side of the area is negative"),
            _ if sides.iter().any(|&side| side > i64::from(MAX_SIDE)) => Err(TOO_LARGE),
            _ => Ok(Self(shape)),
        }
    }
}

/// Maximum side of an area; it ensures that indices do not overflow.
const MAX_SIDE: u32 = 1 << 15;
const TOO_LARGE: &str = "a side of the area is longer than 2^15 cells";

impl Area {
    /// Creates the area of the cells up to `radius` steps from `center`.
    ///
    /// # Panics
    /// If `radius` is above 2^15.
    #[must_use]
    pub const fn hexagon(center: Hex, radius: u32) -> Self {
        Self(Shape::Hexagon { center, radius: checked(radius) })
    }

    /// Creates the area of `width` cells along q and `height` cells along r, from `min` on.
    ///
    /// # Panics
    /// If `width` or `height` is above 2^15.
    #[must_use]
    pub const fn rhombus(min: Hex, width: u32, height: u32) -> Self {
        Self(Shape::Rhombus { min, width: checked(width), height: checked(height) })
    }

    /// Creates a rectangle of `width` columns by `height` rows of pointy cells from `min` on; every
    /// second row is shifted right by half a cell.
    ///
    /// # Panics
    /// If `width` or `height` is above 2^15.
    #[must_use]
    pub const fn rectangle(min: Hex, width: u32, height: u32) -> Self {
        Self(Shape::Rectangle { min, width: checked(width), height: checked(height) })
    }

    /// Creates a rectangle of `width` columns by `height` rows of flat cells that starts at `min`;
    /// every second column is shifted down by half a cell. Indices increase down each column.
    ///
    /// ```
    /// use hexcoord::{Area, hex};
    ///
    /// let area = Area::flat_rectangle(hex(0, 0), 3, 2);
    /// let cells: Vec<_> = area.cells().collect();
    /// assert_eq!(cells[..4], [hex(0, 0), hex(0, 1), hex(1, 0), hex(1, 1)]);
    /// assert_eq!(cells[4..], [hex(2, -1), hex(2, 0)]);
    /// ```
    ///
    /// # Panics
    /// If `width` or `height` is above 2^15.
    #[must_use]
    pub const fn flat_rectangle(min: Hex, width: u32, height: u32) -> Self {
        Self(Shape::FlatRectangle { min, width: checked(width), height: checked(height) })
    }

    /// Returns the number of cells.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Shape::Hexagon { radius, .. } => range_count(radius as u32) as usize,
            Shape::Rhombus { width, height, .. }
            | Shape::Rectangle { width, height, .. }
            | Shape::FlatRectangle { width, height, .. } => (width * height) as usize,
        }
    }

    /// Returns whether the area has no cells.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the index of a cell; `None` outside the area.
    #[inline]
    #[must_use]
    pub fn index(&self, cell: Hex) -> Option<usize> {
        match self.0 {
            Shape::Hexagon { center, radius } => {
                if cell.distance(center) > radius as u32 {
                    return None;
                }
                let Hex { q, r } = cell - center;
                let (q, r) = (q as i64, r as i64);
                // Row lengths increase from radius + 1 to 2 radius + 1, then decrease again.
                let row = r + radius;
                let growing = if row < radius { row } else { radius };
                let shrinking = row - growing;
                let above = growing * (2 * radius + 1 + growing) / 2
                    + shrinking * (2 * (2 * radius + 1) - shrinking + 1) / 2;
                let first = if r < 0 { -radius - r } else { -radius };
                Some((above + q - first) as usize)
            }
            Shape::Rhombus { min, width, height } => {
                let Hex { q, r } = cell - min;
                row_major_index(q as i64, r as i64, width, height)
            }
            Shape::Rectangle { min, width, height } => {
                let [col, row] = (cell - min).to_offset(Offset::OddR);
                row_major_index(col as i64, row as i64, width, height)
            }
            Shape::FlatRectangle { min, width, height } => {
                let [col, row] = (cell - min).to_offset(Offset::OddQ);
                row_major_index(row as i64, col as i64, height, width)
            }
        }
    }

    /// Returns whether the area contains a cell.
    #[inline]
    #[must_use]
    pub fn contains(&self, cell: Hex) -> bool {
        self.index(cell).is_some()
    }

    /// Returns the cells in the order of their indices.
    pub fn cells(&self) -> impl Iterator<Item = Hex> + Clone + use<> {
        let area = *self;
        let (rows, step) = match self.0 {
            Shape::Hexagon { radius, .. } => (2 * radius + 1, hex(1, 0)),
            Shape::Rhombus { height, .. } | Shape::Rectangle { height, .. } => (height, hex(1, 0)),
            Shape::FlatRectangle { width, .. } => (width, hex(0, 1)),
        };
        (0..rows).flat_map(move |row| {
            let (length, first) = area.row(row);
            (0..length as i32).map(move |column| first + step * column)
        })
    }

    /// Returns the length and the first cell of a row (in a rectangle of flat cells, of a column).
    fn row(&self, row: i64) -> (i64, Hex) {
        match self.0 {
            Shape::Hexagon { center, radius } => {
                let r = row - radius;
                let first = if r < 0 { -radius - r } else { -radius };
                (2 * radius + 1 - r.abs(), center + hex(first as i32, r as i32))
            }
            Shape::Rhombus { min, width, .. } => (width, min + hex(0, row as i32)),
            Shape::Rectangle { min, width, .. } => {
                (width, min + Hex::from_offset([0, row as i32], Offset::OddR))
            }
            Shape::FlatRectangle { min, height, .. } => {
                (height, min + Hex::from_offset([row as i32, 0], Offset::OddQ))
            }
        }
    }
}

const fn checked(side: u32) -> i64 {
    assert!(side <= MAX_SIDE, "{}", TOO_LARGE);
    side as i64
}

#[inline(always)]
const fn row_major_index(column: i64, row: i64, width: i64, height: i64) -> Option<usize> {
    if 0 <= column && column < width && 0 <= row && row < height {
        Some((row * width + column) as usize)
    } else {
        None
    }
}
