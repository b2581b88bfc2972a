//! Query of a body for the cell that contains a point.

use super::HexBody;
use crate::hex::{Hex, hex};
use crate::lookup::rule;
use crate::plane::{Point, Pose, ROTATION_FRACTION};

impl HexBody {
    /// Returns the cell of the body that contains a world point, if any; on borders the greatest of
    /// the adjacent cells.
    ///
    /// The offset of the point is rotated into the body's frame without rounding (30 fractional
    /// bits), and its cell is found on the body's grid. Takes constant time. The offset wraps on
    /// overflow.
    ///
    /// ```
    /// use hexcoord::{Angle, HexBody, Point, Pose, hex};
    ///
    /// let body: HexBody = hex(0, 0).range(2).collect();
    /// let pose = Pose::new(Point::new(5000, 5000), Angle::HALF);
    /// assert_eq!(body.cell_at(pose, Point::new(4400, 5000)), Some(hex(1, 0)));
    /// assert_eq!(body.cell_at(pose, Point::new(9000, 5000)), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn cell_at(&self, pose: Pose, point: Point) -> Option<Hex> {
        let offset = point - pose.position;
        let [a, b] = pose
            .angle
            .rotation()
            .inverse()
            .rotate_exact([i64::from(offset.a), i64::from(offset.b)]);
        let shift = self.grid.shift() + ROTATION_FRACTION;
        let mask = (1 << shift) - 1;
        let step = rule::step_from_floor(a & mask, b & mask, 1 << shift);
        let (q, r) = (a >> shift, b >> shift);
        let cell = hex(q as i32, r as i32) + step;
        // With the smallest cells the coordinates can exceed `i32`.
        let fits = q == i64::from(q as i32) && r == i64::from(r as i32);
        (fits && self.contains(cell)).then_some(cell)
    }
}
