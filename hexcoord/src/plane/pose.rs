//! The position and rotation of a body.

use super::{Angle, Point};

/// A position and an angle: the transform from body coordinates to world coordinates.
///
/// A body point p, rotated by the angle and added to the position, gives the world point. The body
/// rotates about its origin, which is at the position.
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

    /// Creates the pose of a body that is rotated by an angle and has its point `pivot` at
    /// `position`. Use `pinned` for bodies that rotate about a point other than their origin, such
    /// as the center of mass.
    ///
    /// The resulting position is rounded to whole units, as in [`Rotation`](super::Rotation).
    #[must_use]
    pub fn pinned(position: Point, pivot: Point, angle: Angle) -> Self {
        Self { position: position - angle.rotation().rotate(pivot), angle }
    }

    /// Returns the world position of a body point, to the nearest unit; wraps.
    #[must_use]
    pub fn to_world(self, point: Point) -> Point {
        self.position + self.angle.rotation().rotate(point)
    }

    /// Converts a world position to body coordinates, to the nearest unit; wraps.
    #[must_use]
    pub fn to_body(self, point: Point) -> Point {
        self.angle.rotation().unrotate(point - self.position)
    }
}
