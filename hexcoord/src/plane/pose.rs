//! Where a body is and how it is turned.

use super::{Angle, Point};

/// A position and an angle: how a body's own coordinates lie in the world.
///
/// A point p of the body lies at position + p turned by the angle; the origin of the body is what
/// it turns about, and what lies at the position.
///
/// ```
/// use hexcoord::{Angle, Point, Pose};
///
/// let pose = Pose { position: Point::new(100, 50), angle: Angle::HALF };
/// assert_eq!(pose.to_world(Point::new(10, 0)), Point::new(90, 50));
/// assert_eq!(pose.to_body(Point::new(90, 50)), Point::new(10, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Where the origin of the body is.
    pub position: Point,
    /// By how much the body is turned, from a towards b.
    pub angle: Angle,
}

impl Pose {
    /// The pose at a position, turned by an angle.
    #[inline(always)]
    #[must_use]
    pub const fn new(position: Point, angle: Angle) -> Self {
        Self { position, angle }
    }

    /// The pose that brings the point `pivot` of the body to `position`, turned by an angle: for
    /// bodies that turn about another point than their origin, such as their centre of mass.
    ///
    /// Positions round to whole units, as in [`Rotation`](super::Rotation).
    #[must_use]
    pub fn pinned(position: Point, pivot: Point, angle: Angle) -> Self {
        Self { position: position - angle.rotation().rotate(pivot), angle }
    }

    /// Where a point of the body is in the world, to the nearest unit; wraps.
    #[must_use]
    pub fn to_world(self, point: Point) -> Point {
        self.position + self.angle.rotation().rotate(point)
    }

    /// Which point of the body a point of the world is, to the nearest unit; wraps.
    #[must_use]
    pub fn to_body(self, point: Point) -> Point {
        self.angle.rotation().unrotate(point - self.position)
    }
}
