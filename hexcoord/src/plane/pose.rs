//! The position and rotation of a body.

use super::{Angle, Point};

/// A position and an angle: the transform from body coordinates to world coordinates.
///
/// A body point is rotated by the angle, then the position is added. The body rotates about its
/// origin, which is at the position. To rotate about another `pivot`, such as the center of mass,
/// at a world position `at`, use the position `at - angle.rotation().rotate(pivot)`.
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
    /// World position of the body's origin.
    pub position: Point,
    /// Rotation of the body, from a towards b.
    pub angle: Angle,
}

impl Pose {
    /// Creates a pose from a position and an angle.
    #[inline(always)]
    #[must_use]
    pub const fn new(position: Point, angle: Angle) -> Self {
        Self { position, angle }
    }

    /// Returns the world position of a body point, to the nearest unit; wraps.
    #[must_use]
    pub fn to_world(self, point: Point) -> Point {
        self.position + self.angle.rotation().rotate(point)
    }

    /// Converts a world position to body coordinates, to the nearest unit; wraps.
    #[must_use]
    pub fn to_body(self, point: Point) -> Point {
        self.angle.rotation().inverse().rotate(point - self.position)
    }
}
