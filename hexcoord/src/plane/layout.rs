//! The placement of cells on a screen or in a Cartesian world.

use super::Point;
use crate::hex::{Corner, Diagonal, Edge, Hex};

/// Orientation of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Orientation {
    /// A corner is on top; rows are straight.
    Pointy,
    /// An edge is on top; columns are straight.
    Flat,
}

/// A map between cells and Cartesian coordinates: orientation, size and origin.
///
/// ```text
///        pointy        size = from the center      flat
///         / \          to a corner                  ____
///       /     \                                    /    \
///      |   ·   |       neighboring centers        /  ·   \
///      |       |       are √3 sizes apart         \      /
///       \     /                                    \____/
///         \ /
/// ```
///
/// The names of [`Direction`](crate::Direction) assume that y points down; use a negative y size if
/// y points up. See [hex to pixel].
///
/// ```
/// use hexcoord::{Layout, Orientation, hex};
///
/// let layout = Layout::new(Orientation::Flat, 10.0).with_origin([100.0, 100.0]);
/// assert_eq!(layout.center(hex(2, -1)), [130.0, 100.0]);
/// assert_eq!(layout.cell([131.0, 96.0]), hex(2, -1));
/// ```
///
/// [hex to pixel]: https://www.redblobgames.com/grids/hexagons/#hex-to-pixel
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "crate::serialized::Layout", into = "crate::serialized::Layout")
)]
pub struct Layout {
    orientation: Orientation,
    size: [f32; 2],
    origin: [f32; 2],
    /// Matrix from cell units to Cartesian coordinates, row by row.
    forward: [[f32; 2]; 2],
    /// Matrix from Cartesian coordinates to cell units, row by row.
    inverse: [[f32; 2]; 2],
}

const SQRT_3: f32 = 1.732_050_8;

impl Layout {
    /// Creates a layout whose cell (0, 0) is centered at `[0.0, 0.0]`. `size` is the distance from
    /// the center of a cell to its corners.
    #[must_use]
    pub const fn new(orientation: Orientation, size: f32) -> Self {
        Self::with_parts(orientation, [size; 2], [0.0; 2])
    }

    /// Returns the layout with separate sizes along x and y. Unequal sizes stretch cells, negative
    /// sizes mirror them.
    #[must_use]
    pub const fn with_size(self, size: [f32; 2]) -> Self {
        Self::with_parts(self.orientation, size, self.origin)
    }

    /// Returns the layout with the cell (0, 0) centered at `origin`.
    #[must_use]
    pub const fn with_origin(self, origin: [f32; 2]) -> Self {
        Self::with_parts(self.orientation, self.size, origin)
    }

    const fn with_parts(orientation: Orientation, size: [f32; 2], origin: [f32; 2]) -> Self {
        let [w, h] = size;
        let (forward, inverse) = match orientation {
            Orientation::Pointy => (
                [[SQRT_3 * w, SQRT_3 / 2.0 * w], [0.0, 1.5 * h]],
                [[SQRT_3 / 3.0 / w, -1.0 / 3.0 / h], [0.0, 2.0 / 3.0 / h]],
            ),
            Orientation::Flat => (
                [[1.5 * w, 0.0], [SQRT_3 / 2.0 * h, SQRT_3 * h]],
                [[2.0 / 3.0 / w, 0.0], [-1.0 / 3.0 / w, SQRT_3 / 3.0 / h]],
            ),
        };
        Self { orientation, size, origin, forward, inverse }
    }

    /// Returns the orientation of the cells.
    #[must_use]
    pub const fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// Returns the distance from the center of a cell to its corners, along x and along y.
    #[must_use]
    pub const fn size(&self) -> [f32; 2] {
        self.size
    }

    /// Returns the center of the cell (0, 0).
    #[must_use]
    pub const fn origin(&self) -> [f32; 2] {
        self.origin
    }

    /// Returns the matrix from Cartesian coordinates, relative to the origin, to cell units.
    #[inline(always)]
    pub(crate) const fn inverse(&self) -> &[[f32; 2]; 2] {
        &self.inverse
    }

    /// Returns the center of a cell.
    #[must_use]
    pub fn center(&self, cell: Hex) -> [f32; 2] {
        self.position(Point::<f32>::center(cell))
    }

    /// Returns the Cartesian position of a point in cell units.
    #[must_use]
    pub fn position(&self, point: Point<f32>) -> [f32; 2] {
        let [[xa, xb], [ya, yb]] = self.forward;
        let Point { a, b } = point;
        [xa * a + xb * b + self.origin[0], ya * a + yb * b + self.origin[1]]
    }

    /// Returns the point in cell units at a Cartesian position: the inverse of
    /// [`position`](Self::position), except for rounding.
    #[inline]
    #[must_use]
    pub fn point(&self, position: impl Into<[f32; 2]>) -> Point<f32> {
        let [x, y] = position.into();
        let (x, y) = (x - self.origin[0], y - self.origin[1]);
        let [[ax, ay], [bx, by]] = self.inverse;
        Point::new(x * ax + y * ay, x * bx + y * by)
    }

    /// Returns the cell at a Cartesian position. Borders and NaN are handled as in [`Point::cell`].
    ///
    /// See [pixel to hex](https://www.redblobgames.com/grids/hexagons/#pixel-to-hex).
    #[inline]
    #[must_use]
    pub fn cell(&self, position: impl Into<[f32; 2]>) -> Hex {
        self.point(position).cell()
    }

    /// Returns the six corners of a cell. The first is between the neighbors E and SE; the order
    /// goes from axis a towards axis b.
    #[must_use]
    pub fn corners(&self, cell: Hex) -> [[f32; 2]; 6] {
        Diagonal::ALL.map(|diagonal| self.corner_of(cell, diagonal))
    }

    /// Returns the position of a corner. Unlike with [`corners`](Self::corners), the three cells
    /// that share the corner get equal bits.
    ///
    /// ```
    /// use hexcoord::{Diagonal, Layout, Orientation, hex};
    ///
    /// let layout = Layout::new(Orientation::Flat, 10.0);
    /// let corner = hex(0, 0).corner(Diagonal::ENE); // to the right
    /// let [x, y] = layout.corner(corner);
    /// assert!((x - 10.0).abs() < 1e-5 && y.abs() < 1e-5);
    /// ```
    #[must_use]
    pub fn corner(&self, corner: Corner) -> [f32; 2] {
        let [cell, ..] = corner.cells();
        self.corner_of(cell, corner.diagonal())
    }

    /// Returns the positions of the two ends of an edge, in the order of [`Edge::corners`].
    ///
    /// ```
    /// use hexcoord::{Direction, Layout, Orientation, hex};
    ///
    /// let layout = Layout::new(Orientation::Pointy, 10.0);
    /// let [top, bottom] = layout.edge(hex(0, 0).edge(Direction::E));
    /// assert!((top[1] + 5.0).abs() < 1e-5 && (bottom[1] - 5.0).abs() < 1e-5);
    /// ```
    #[must_use]
    pub fn edge(&self, edge: Edge) -> [[f32; 2]; 2] {
        edge.corners().map(|corner| self.corner(corner))
    }

    fn corner_of(&self, cell: Hex, diagonal: Diagonal) -> [f32; 2] {
        let offset = Point::<f32>::center(diagonal.to_hex()) * (1.0 / 3.0);
        self.position(Point::<f32>::center(cell) + offset)
    }
}
