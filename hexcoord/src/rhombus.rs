//! Bounding rhombi and hexagons: intervals of oblique coordinates.

use bounds_hexprism::{Aabb, Hexagon};

use crate::plane::Point;

/// A bounding rhombus: the points with a and b within closed intervals.
///
/// ```text
///        min ------------ ·          The counterpart of an axis-aligned box in Cartesian
///          \               \         coordinates: it is a box in (a, b), so every broad phase for
///           \               \        boxes accepts it.
///            · ------------ max
/// ```
///
/// ```
/// use hexcoord::{Point, Rhombus};
///
/// let ship = Rhombus::new(Point::new(0, 0), Point::new(800, 300));
/// let rock = Rhombus::of_points([Point::new(800, 0), Point::new(1200, -300)]).expect("two");
/// assert!(ship.overlaps(&rock));
/// assert_eq!(ship.union(&rock).max, [1200, 300]);
/// ```
pub type Rhombus = Aabb<i32, 2>;

impl Point {
    /// Returns the intervals of a, b and c around the disc: a regular hexagon. The radius is a
    /// Euclidean length.
    ///
    /// A disc of radius ℓ extends ℓ √(2/3) along a coordinate, rounded up; the ends saturate.
    /// `Hexagon::of_disc` expects Cartesian coordinates.
    ///
    /// ```
    /// use hexcoord::Point;
    ///
    /// let hexagon = Point::new(10, 20).disc_bounds(1000);
    /// assert_eq!(hexagon.up.to_array(), [-807, -797, -847]); // a, b, c
    /// assert_eq!(hexagon.down.to_array(), [827, 837, 787]);
    /// ```
    #[must_use]
    pub fn disc_bounds(self, radius: u32) -> Hexagon<i32> {
        let half = max_coordinate(u128::from(radius) * u128::from(radius)) as i64;
        let (a, b) = (i64::from(self.a), i64::from(self.b));
        let at = [a, b, -a - b];
        Hexagon::new(at.map(|x| saturate(x - half)), at.map(|x| saturate(x + half)))
    }
}

/// Converts to `i32`, saturating at the ends of the range.
#[inline(always)]
pub(crate) fn saturate(x: i64) -> i32 {
    x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Returns the maximum coordinate that a vector with this squared length can have, rounded up.
pub(crate) fn max_coordinate(square: u128) -> u64 {
    // Find the smallest h with 3 h² ≥ 2 · square.
    let min_square = (2 * square).div_ceil(3);
    let root = min_square.isqrt();
    (root + u128::from(root * root < min_square)) as u64
}
