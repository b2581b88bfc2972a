//! Bounding rhombi: axis-aligned boxes in oblique coordinates (a, b).

use bounds_hexprism::{Aabb, Hexagon};

use crate::plane::Point;

/// A bounding rhombus: the points with a and b within closed intervals.
///
/// ```text
///        min ------------ ·          The counterpart of an axis-aligned box in Cartesian
///          \               \         coordinates: it is a box in (a, b), so every broad phase for
///           \               \        boxes accepts it unchanged.
///            · ------------ max
/// ```
///
/// ```
/// use hexcoord::{Point, Rhombus};
///
/// let ship = Rhombus::of_disc(Point::new(0, 0), 1000);
/// let rock = Rhombus::of_points([Point::new(800, 0), Point::new(1200, -300)]).expect("two");
/// assert!(ship.overlaps(&rock));
/// assert_eq!(ship.union(&rock).0.max, [1200, 817]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Rhombus(
    /// Box in (a, b).
    pub Aabb<i32, 2>,
);

impl Rhombus {
    /// Creates the rhombus from `min` to `max`, without reordering or checking them.
    #[must_use]
    pub fn new(min: Point, max: Point) -> Self {
        Self(Aabb::new(min, max))
    }

    /// Returns the smallest rhombus that contains all points; `None` without points.
    #[must_use]
    pub fn of_points(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        Aabb::of_points(points).map(Self)
    }

    /// Returns the smallest rhombus that contains a disc. The radius is a Euclidean length.
    ///
    /// A disc of radius ℓ extends ℓ √(2/3) along a coordinate. Results are rounded up and saturate
    /// at the ends of `i32`.
    #[must_use]
    pub fn of_disc(center: Point, radius: u32) -> Self {
        Self::centered(center, max_coordinate(u128::from(radius) * u128::from(radius)))
    }

    /// Returns the intervals of a, b and c that contain a disc: the rhombus with a third pair of
    /// sides, a regular hexagon.
    ///
    /// For bounds of points use [`Hexagon::of_points`]. `Hexagon::of_disc` expects Cartesian
    /// coordinates and does not apply here.
    #[must_use]
    pub fn hexagon_of_disc(center: Point, radius: u32) -> Hexagon<i32> {
        centered_hexagon(center, max_coordinate(u128::from(radius) * u128::from(radius)))
    }

    /// Returns the rhombus that extends `half` units from its center in both directions of both
    /// axes.
    pub(crate) fn centered(center: Point, half: u64) -> Self {
        let low = |x: i32| i64::from(x) - half as i64;
        let high = |x: i32| i64::from(x) + half as i64;
        Self::new(
            Point::new(saturate(low(center.a)), saturate(low(center.b))),
            Point::new(saturate(high(center.a)), saturate(high(center.b))),
        )
    }

    /// Returns whether the two rhombi share a point; touching counts.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.0.overlaps(&other.0)
    }

    /// Returns whether the point is in the rhombus; the border counts.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: Point) -> bool {
        self.0.contains_point(point)
    }

    /// Returns the smallest rhombus that contains both rhombi.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0))
    }
}

/// Returns the hexagon that extends `half` units from its center in both directions of all three
/// axes.
pub(crate) fn centered_hexagon(center: Point, half: u64) -> Hexagon<i32> {
    let (a, b, half) = (i64::from(center.a), i64::from(center.b), half as i64);
    let at = [a, b, -a - b];
    Hexagon::new(at.map(|x| saturate(x - half)), at.map(|x| saturate(x + half)))
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

impl From<Rhombus> for Aabb<i32, 2> {
    fn from(rhombus: Rhombus) -> Self {
        rhombus.0
    }
}

impl From<Aabb<i32, 2>> for Rhombus {
    fn from(bounds: Aabb<i32, 2>) -> Self {
        Self(bounds)
    }
}
