//! How cells lie on a screen or in a Cartesian world.

use super::Point;
use crate::hex::{Diagonal, Hex};

/// Which way cells stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Orientation {
    /// A corner points up; rows are straight.
    Pointy,
    /// An edge lies on top; columns are straight.
    Flat,
}

/// A map between cells and Cartesian coordinates: orientation, size and origin.
///
/// ```text
///        pointy        size = from the centre      flat
///         / \          to a corner                  ____
///       /     \                                    /    \
///      |   ·   |       neighbouring centres       /  ·   \
///      |       |       are √3 sizes apart         \      /
///       \     /                                    \____/
///         \ /
/// ```
///
/// Directions have their names where y points downwards; make the y size negative for the other
/// way. See [hex to pixel].
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
    serde(from = "crate::saved::Layout", into = "crate::saved::Layout")
)]
pub struct Layout {
    orientation: Orientation,
    size: [f32; 2],
    origin: [f32; 2],
    /// From units of cells, row by row.
    forward: [[f32; 2]; 2],
    /// To units of cells, row by row.
    inverse: [[f32; 2]; 2],
}

const SQRT_3: f32 = 1.732_050_8;

impl Layout {
    /// The layout with so many units from the centre of a cell to its corners, and the cell (0, 0)
    /// at `[0.0, 0.0]`.
    #[must_use]
    pub const fn new(orientation: Orientation, size: f32) -> Self {
        Self::with_parts(orientation, [size; 2], [0.0; 2])
    }

    /// The same layout with different sizes along x and y: stretched, or mirrored if negative.
    #[must_use]
    pub const fn with_size(self, size: [f32; 2]) -> Self {
        Self::with_parts(self.orientation, size, self.origin)
    }

    /// The same layout with the cell (0, 0) centred elsewhere.
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

    /// Which way the cells stand.
    #[must_use]
    pub const fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// From the centre of a cell to its corners, along x and along y.
    #[must_use]
    pub const fn size(&self) -> [f32; 2] {
        self.size
    }

    /// The centre of the cell (0, 0).
    #[must_use]
    pub const fn origin(&self) -> [f32; 2] {
        self.origin
    }

    /// The matrix from Cartesian coordinates, relative to the origin, to units of cells.
    #[inline(always)]
    pub(crate) const fn inverse(&self) -> &[[f32; 2]; 2] {
        &self.inverse
    }

    /// The centre of a cell.
    #[must_use]
    pub fn center(&self, cell: Hex) -> [f32; 2] {
        self.position(Point::<f32>::center(cell))
    }

    /// Where a point in units of cells lies.
    #[must_use]
    pub fn position(&self, point: Point<f32>) -> [f32; 2] {
        let [[xa, xb], [ya, yb]] = self.forward;
        let Point { a, b } = point;
        [xa * a + xb * b + self.origin[0], ya * a + yb * b + self.origin[1]]
    }

    /// Which point in units of cells lies there: the inverse of [`position`](Self::position) but
    /// for rounding.
    #[inline]
    #[must_use]
    pub fn point(&self, position: impl Into<[f32; 2]>) -> Point<f32> {
        let [x, y] = position.into();
        let (x, y) = (x - self.origin[0], y - self.origin[1]);
        let [[ax, ay], [bx, by]] = self.inverse;
        Point::new(x * ax + y * ay, x * bx + y * by)
    }

    /// The cell there: that of [`point`](Self::point), with its rules for borders and NaN.
    ///
    /// See [pixel to hex](https://www.redblobgames.com/grids/hexagons/#pixel-to-hex).
    #[inline]
    #[must_use]
    pub fn cell(&self, position: impl Into<[f32; 2]>) -> Hex {
        self.point(position).cell()
    }

    /// The six corners of a cell: first the one between its neighbors E and SE, then round from a
    /// towards b.
    #[must_use]
    pub fn corners(&self, cell: Hex) -> [[f32; 2]; 6] {
        let center = Point::<f32>::center(cell);
        Diagonal::ALL.map(|corner| {
            self.position(center + Point::<f32>::center(corner.to_hex()) * (1.0 / 3.0))
        })
    }
}
