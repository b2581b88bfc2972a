//! Point against body.

use super::HexBody;
use crate::hex::{Hex, hex};
use crate::lookup::rule;
use crate::plane::{FRACTION, Point, Pose};

impl HexBody {
    /// The cell of the body that holds a point of the world; on borders the greatest cell.
    ///
    /// The way from the position to the point is turned back, in units of 2^-30 and without
    /// rounding, and looked up on the body's grid. Differences of positions wrap.
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
        let way = point - pose.position;
        let [a, b] = pose.angle.rotation().unrotated_wide([i64::from(way.a), i64::from(way.b)]);
        let shift = self.grid.shift() + FRACTION;
        let mask = (1 << shift) - 1;
        let beyond = rule::beyond_floor(a & mask, b & mask, 1 << shift);
        let (q, r) = (a >> shift, b >> shift);
        let cell = hex(q as i32, r as i32) + beyond;
        // The smallest cells can be beyond `i32`.
        let fits = q == i64::from(q as i32) && r == i64::from(r as i32);
        (fits && self.contains(cell)).then_some(cell)
    }
}
