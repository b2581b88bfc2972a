//! Toroidal maps: a step across one side enters on the opposite side.
//!
//! Copies of a hexagonal map of radius n tile the plane. Their centers are a lattice with the basis
//! (n + 1, n) and (−n, 2n + 1); its determinant 3n(n + 1) + 1 is the number of cells per copy. To
//! wrap a cell, its coordinates in this basis are divided and rounded down. One of the four copies
//! around the result has a center within n steps.

use super::count::range_count;
use super::{Hex, exact_length, hex};

/// A bounded map whose opposite sides are joined. See
/// [wraparound](https://www.redblobgames.com/grids/hexagons/#wraparound).
///
/// ```
/// use hexcoord::{Direction, Wraparound, hex};
///
/// // A hexagonal map of radius 3 around the origin, surrounded by six copies of itself.
/// let map = Wraparound::hexagon(3);
/// let edge = hex(3, 0);
/// assert_eq!(map.wrap(edge), edge);
/// let over = map.wrap(edge + Direction::E);
/// assert!(over.length() <= 3);
/// assert_eq!(map.distance(edge, over), 1);
///
/// // A rhombus of 8 by 4 cells.
/// assert_eq!(Wraparound::rhombus(8, 4).wrap(hex(-1, 5)), hex(7, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Shape", into = "Shape")
)]
pub struct Wraparound(Shape);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "Wraparound"))]
enum Shape {
    Hexagon(u32),
    Rhombus(u32, u32),
}

#[cfg(feature = "serde")]
impl From<Wraparound> for Shape {
    fn from(Wraparound(shape): Wraparound) -> Self {
        shape
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Shape> for Wraparound {
    type Error = &'static str;

    fn try_from(shape: Shape) -> Result<Self, &'static str> {
        match shape {
            Shape::Rhombus(0, _) | Shape::Rhombus(_, 0) => Err(EMPTY),
            Shape::Rhombus(width, height) if width.max(height) > 1 << 30 => Err(TOO_LARGE),
            _ => Ok(Self(shape)),
        }
    }
}

const EMPTY: &str = "a wraparound map must have at least one cell";
const TOO_LARGE: &str = "a side of the wraparound map is longer than 2^30 cells";

impl Wraparound {
    /// Creates the map of all cells up to `radius` (at most 2^28) steps from the origin.
    ///
    /// The centers of the six copies around this map are (n + 1, n) and its rotations, with radius
    /// n. The mirrored tiling is not available. A straight walk visits all 3n(n + 1) + 1 cells
    /// before it returns to its start:
    ///
    /// ```
    /// use hexcoord::{Direction, Wraparound, hex};
    ///
    /// let map = Wraparound::hexagon(1);
    /// assert_eq!(map.wrap(hex(2, 1)), hex(0, 0)); // the center of a copy
    /// assert_eq!(map.wrap(hex(1, 2)), hex(-1, 1)); // a center only in the mirrored tiling
    /// let walk: Vec<_> = (0..7).map(|n| map.wrap(Direction::E * n)).collect();
    /// assert_eq!(walk[..3], [hex(0, 0), hex(1, 0), hex(0, -1)]);
    /// assert_eq!(walk[3..], [hex(1, -1), hex(-1, 1), hex(0, 1), hex(-1, 0)]);
    /// ```
    #[must_use]
    pub const fn hexagon(radius: u32) -> Self {
        Self(Shape::Hexagon(radius))
    }

    /// Creates the map of the cells with `0 <= q < width` and `0 <= r < height`.
    ///
    /// # Panics
    /// If `width` or `height` is 0 or above 2^30.
    #[must_use]
    pub const fn rhombus(width: u32, height: u32) -> Self {
        assert!(width > 0 && height > 0, "{}", EMPTY);
        assert!(width <= 1 << 30 && height <= 1 << 30, "{}", TOO_LARGE);
        Self(Shape::Rhombus(width, height))
    }

    /// Returns the cell of the map that is equivalent to this cell.
    #[must_use]
    pub fn wrap(self, cell: Hex) -> Hex {
        match self.0 {
            Shape::Hexagon(radius) => wrap_hexagon(cell, radius),
            Shape::Rhombus(width, height) => {
                hex(cell.q.rem_euclid(width as i32), cell.r.rem_euclid(height as i32))
            }
        }
    }

    /// Returns the number of steps between two cells on the wrapped map.
    #[must_use]
    pub fn distance(self, from: Hex, to: Hex) -> u32 {
        let offset = self.wrap(to - from);
        match self.0 {
            Shape::Hexagon(_) => offset.length(),
            Shape::Rhombus(width, height) => {
                let (w, h) = (width as i32, height as i32);
                let images = [hex(0, 0), hex(w, 0), hex(0, h), hex(w, h)];
                images.into_iter().map(|image| offset.distance(image)).min().unwrap_or(0)
            }
        }
    }
}

/// Returns the offset from the center of the copy of a hexagonal map that contains a cell.
fn wrap_hexagon(cell: Hex, radius: u32) -> Hex {
    let n = i64::from(radius);
    let (q, r) = (i64::from(cell.q), i64::from(cell.r));
    let divided = |[x, y]: [i64; 2]| {
        let product = i128::from(x) * i128::from(q) + i128::from(y) * i128::from(r);
        product.div_euclid(i128::from(range_count(radius))) as i64
    };
    let (x, y) = (divided([2 * n + 1, n]), divided([-n, n + 1]));
    let copies = [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]]
        .map(|[x, y]| [q - ((n + 1) * x - n * y), r - (n * x + (2 * n + 1) * y)]);
    let inside = copies.into_iter().find(|&offset| exact_length(offset) <= u64::from(radius));
    let [q, r] = inside.unwrap_or(copies[3]);
    hex(q as i32, r as i32)
}
