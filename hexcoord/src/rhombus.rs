//! Bounding rhombi: boxes in oblique coordinates.

use bounds_hexprism::{Aabb, Hexagon};

use crate::plane::Point;

/// A bounding rhombus: the points with a and b within closed intervals.
///
/// ```text
///        min ------------ ·          What a box along x and y is for Cartesian coordinates: a box
///          \               \         in (a, b), so that every broad phase for boxes serves here
///           \               \        unchanged.
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
    /// The box in (a, b).
    pub Aabb<i32, 2>,
);

impl Rhombus {
    /// The rhombus from `min` to `max`, taken as they are.
    #[must_use]
    pub fn new(min: Point, max: Point) -> Self {
        Self(Aabb::new(min, max))
    }

    /// The smallest rhombus that holds all points; `None` if there are none.
    #[must_use]
    pub fn of_points(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        Aabb::of_points(points).map(Self)
    }

    /// The smallest rhombus around a disc, whose radius is a Euclidean length.
    ///
    /// A length ℓ reaches ℓ √(2/3) along a coordinate, rounded up here; stops at the ends of `i32`.
    #[must_use]
    pub fn of_disc(center: Point, radius: u32) -> Self {
        Self::around(center, reach_of_square(u128::from(radius) * u128::from(radius)))
    }

    /// The intervals of a, b and c around a disc: the rhombus and a third pair of sides, a regular
    /// hexagon.
    ///
    /// Bounds of points are [`Hexagon::of_points`]; its `of_disc` is for Cartesian coordinates.
    #[must_use]
    pub fn hexagon_of_disc(center: Point, radius: u32) -> Hexagon<i32> {
        hexagon_around(center, reach_of_square(u128::from(radius) * u128::from(radius)))
    }

    /// The rhombus that reaches so far to both sides of its centre on both axes.
    pub(crate) fn around(center: Point, half: u64) -> Self {
        let low = |x: i32| i64::from(x) - half as i64;
        let high = |x: i32| i64::from(x) + half as i64;
        Self::new(
            Point::new(stop(low(center.a)), stop(low(center.b))),
            Point::new(stop(high(center.a)), stop(high(center.b))),
        )
    }

    /// Whether the two share a point; touching counts.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.0.overlaps(&other.0)
    }

    /// Whether the point lies in the rhombus; the border counts.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: Point) -> bool {
        self.0.contains_point(point)
    }

    /// The smallest rhombus that holds both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0))
    }
}

/// The hexagon that reaches so far to both sides of its centre on all three axes.
pub(crate) fn hexagon_around(center: Point, half: u64) -> Hexagon<i32> {
    let (a, b, half) = (i64::from(center.a), i64::from(center.b), half as i64);
    let at = [a, b, -a - b];
    Hexagon::new(at.map(|x| stop(x - half)), at.map(|x| stop(x + half)))
}

/// The `i32` nearest to the number.
#[inline(always)]
pub(crate) fn stop(x: i64) -> i32 {
    x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// How far a vector with this squared length reaches along a coordinate at most, rounded up.
pub(crate) fn reach_of_square(square: u128) -> u64 {
    // The smallest h with 3 h² >= 2 · square.
    let enough = (2 * square).div_ceil(3);
    let root = enough.isqrt();
    (root + u128::from(root * root < enough)) as u64
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
