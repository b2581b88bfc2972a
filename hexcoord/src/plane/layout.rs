//! The placement of cells on a screen or in a Cartesian world.

use core::fmt;

use super::{Float, Point};
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
/// Coordinates are `f32`, or `f64` with [`try_new`](Self::try_new). Results are rounded; let R be
/// the largest coordinate or origin, divided by the size along its axis, and at least 1:
///
/// * `cell(center(c)) == c` if R ≤ 2^19 (524,288); in `f64`, if R ≤ 2^31.
/// * The center of `cell(position)` may be farther away than the nearest center, by at most
///   R · 2^-20 sizes; in `f64`, by at most R · 2^-49 sizes.
///
/// [`Direction`](crate::Direction) names assume that y points down; else use a negative y size. See
/// [hex to pixel].
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
    serde(try_from = "crate::serialized::Layout<F>", into = "crate::serialized::Layout<F>"),
    serde(bound(serialize = "F: Float + serde::Serialize")),
    serde(bound(deserialize = "F: Float + serde::Deserialize<'de>"))
)]
pub struct Layout<F = f32> {
    orientation: Orientation,
    size: [F; 2],
    origin: [F; 2],
    /// Matrix from cell units to Cartesian coordinates, row by row.
    forward: [[F; 2]; 2],
    /// Matrix from Cartesian coordinates to cell units, row by row.
    inverse: [[F; 2]; 2],
}

/// The error of [`Layout::try_new`]: a size is 0, or a number is NaN, infinite or extreme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidLayout;

impl InvalidLayout {
    const TEXT: &'static str = "sizes of a layout must be finite and not 0, its origin finite";
}

impl fmt::Display for InvalidLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::TEXT)
    }
}

impl core::error::Error for InvalidLayout {}

macro_rules! layout {
    ($S:ident, $sqrt_3:expr) => {
        impl Layout<$S> {
            /// Returns the layout with the cell (0, 0) centered at `origin`.
            ///
            /// # Panics
            /// If a coordinate is NaN or infinite.
            #[must_use]
            pub const fn with_origin(self, origin: [$S; 2]) -> Self {
                Self::of_parts(self.orientation, self.size, origin).expect(InvalidLayout::TEXT)
            }

            /// Returns the layout, or `None` if a size is 0 or a number is not finite.
            pub(super) const fn of_parts(
                orientation: Orientation,
                size: [$S; 2],
                origin: [$S; 2],
            ) -> Option<Self> {
                const SQRT_3: $S = $sqrt_3;
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
                let [[a, b], [c, d]] = forward;
                let [[e, f], [g, i]] = inverse;
                // The product of each number and 0 is NaN if the number is not finite.
                let zero = 0.0 * (a + b + c + d) + 0.0 * (e + f + g + i);
                let finite = zero == 0.0 && origin[0].is_finite() && origin[1].is_finite();
                let normal = w.is_normal() && h.is_normal();
                if finite && normal {
                    Some(Self { orientation, size, origin, forward, inverse })
                } else {
                    None
                }
            }
        }
    };
}
layout!(f32, 1.732_050_8);
layout!(f64, 1.732_050_807_568_877_2);

impl Layout {
    /// Creates a layout whose cell (0, 0) is centered at `[0.0, 0.0]`. `size` is the distance from
    /// a center to the corners.
    ///
    /// # Panics
    /// If the size is 0, NaN or infinite.
    #[must_use]
    pub const fn new(orientation: Orientation, size: f32) -> Self {
        Self::of_parts(orientation, [size; 2], [0.0; 2]).expect(InvalidLayout::TEXT)
    }
}

impl<F: Float> Layout<F> {
    /// Creates a layout whose cell (0, 0) is centered at `origin`. The sizes are the distances from
    /// a center to the corners, along x and along y; negative sizes mirror cells.
    ///
    /// # Errors
    /// If a size is 0, or a number is NaN or infinite.
    ///
    /// ```
    /// use hexcoord::{Layout, Orientation, hex};
    ///
    /// let layout = Layout::<f64>::try_new(Orientation::Pointy, [10.0, 10.0], [1e9, 0.0])?;
    /// let far = hex(700_000_000, -3);
    /// assert_eq!(layout.cell(layout.center(far)), far);
    /// assert!(Layout::<f64>::try_new(Orientation::Pointy, [0.0, 10.0], [0.0, 0.0]).is_err());
    /// # Ok::<(), hexcoord::InvalidLayout>(())
    /// ```
    pub fn try_new(
        orientation: Orientation,
        size: [F; 2],
        origin: [F; 2],
    ) -> Result<Self, InvalidLayout> {
        F::layout(orientation, size, origin).ok_or(InvalidLayout)
    }

    /// Returns the orientation of the cells.
    #[must_use]
    pub const fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// Returns the distance from the center of a cell to its corners, along x and along y.
    #[must_use]
    pub const fn size(&self) -> [F; 2] {
        self.size
    }

    /// Returns the center of the cell (0, 0).
    #[must_use]
    pub const fn origin(&self) -> [F; 2] {
        self.origin
    }

    /// Returns the matrix from Cartesian coordinates, relative to the origin, to cell units.
    #[inline(always)]
    pub(crate) const fn inverse(&self) -> &[[F; 2]; 2] {
        &self.inverse
    }

    /// Returns the center of a cell.
    #[must_use]
    pub fn center(&self, cell: Hex) -> [F; 2] {
        self.position(Point::center(cell))
    }

    /// Returns the Cartesian position of a point in cell units.
    #[must_use]
    pub fn position(&self, point: Point<F>) -> [F; 2] {
        let Point { a, b } = point;
        [0, 1].map(|axis| {
            let [of_a, of_b] = self.forward[axis];
            of_a.mul(a).add(of_b.mul(b)).add(self.origin[axis])
        })
    }

    /// Returns the point at a Cartesian position: the rounded inverse of
    /// [`position`](Self::position).
    #[inline]
    #[must_use]
    pub fn point(&self, position: impl Into<[F; 2]>) -> Point<F> {
        let [x, y] = position.into();
        let (x, y) = (x.sub(self.origin[0]), y.sub(self.origin[1]));
        let [[ax, ay], [bx, by]] = self.inverse;
        Point::new(x.mul(ax).add(y.mul(ay)), x.mul(bx).add(y.mul(by)))
    }

    /// Returns the cell at a Cartesian position, on borders as in [`Point::cell`]. A coordinate
    /// that is NaN or out of the range of `i32` gives `i32::MIN`; [`try_cell`](Self::try_cell)
    /// detects both. See [pixel to hex](https://www.redblobgames.com/grids/hexagons/#pixel-to-hex).
    #[inline]
    #[must_use]
    pub fn cell(&self, position: impl Into<[F; 2]>) -> Hex {
        self.point(position).cell()
    }

    /// Returns the cell at a Cartesian position; `None` if it is NaN or out of the range of `i32`.
    ///
    /// ```
    /// use hexcoord::{Layout, Orientation, hex};
    ///
    /// let layout = Layout::new(Orientation::Pointy, 10.0);
    /// assert_eq!(layout.try_cell([1.0, 2.0]), Some(hex(0, 0)));
    /// assert_eq!(layout.try_cell([f32::NAN, 2.0]), None);
    /// assert_eq!(layout.try_cell([1e30, 2.0]), None);
    /// ```
    #[must_use]
    pub fn try_cell(&self, position: impl Into<[F; 2]>) -> Option<Hex> {
        let point = self.point(position);
        let limit = 2_147_483_647.0;
        // NaN fails the comparison. The cell differs from the point by less than 1.
        let inside = [point.a, point.b].iter().all(|x| x.to_f64().abs() < limit);
        inside.then(|| point.cell())
    }

    /// Returns the six corners of a cell, from the corner between E and SE on, from axis a towards
    /// b.
    #[must_use]
    pub fn corners(&self, cell: Hex) -> [[F; 2]; 6] {
        Diagonal::ALL.map(|diagonal| self.corner_of(cell, diagonal))
    }

    /// Returns the position of a corner: equal bits for the three cells that share it, unlike
    /// [`corners`](Self::corners).
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
    pub fn corner(&self, corner: Corner) -> [F; 2] {
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
    pub fn edge(&self, edge: Edge) -> [[F; 2]; 2] {
        edge.corners().map(|corner| self.corner(corner))
    }

    fn corner_of(&self, cell: Hex, diagonal: Diagonal) -> [F; 2] {
        let third = F::ONE.div(F::of_i32(3));
        self.position(Point::center(cell) + Point::center(diagonal.to_hex()) * third)
    }
}
