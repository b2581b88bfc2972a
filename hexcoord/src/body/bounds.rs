//! The center of mass of a body and its bounds for a broad phase.
//!
//! The offset from the center of a cell to a corner is a third of a diagonal. Let C and U be the
//! cosine and the sine / √3 of the rotation (see [`Rotation`](crate::Rotation)). A rotated cell of
//! size s then extends along each of a, b and c by s/3 · max(2|C|, |C + 3U|, |C − 3U|).
//!
//! The exact bounds of a pose take time linear in the number of rows: rotate the center of the
//! first and of the last cell in each row, and add the extent of one cell. Bounds for any rotation
//! ([`HexBody::span`]) take constant time, because they are computed when cells change.

use bounds_hexprism::Hexagon;

use super::HexBody;
use crate::plane::{Point, Pose};
use crate::rhombus::{Rhombus, max_coordinate, saturate};

impl HexBody {
    /// Returns the center of mass in body coordinates, to the nearest unit; `None` without cells.
    ///
    /// ```
    /// use hexcoord::{HexBody, Point, hex};
    ///
    /// let body: HexBody = [hex(0, 0), hex(1, 0), hex(2, 0), hex(0, 1)].into_iter().collect();
    /// assert_eq!(body.center(), Some(Point::new(384, 128)));
    /// ```
    #[must_use]
    pub fn center(&self) -> Option<Point> {
        let len = i64::try_from(self.len).ok().filter(|&len| len > 0)?;
        let [a, b] = self.sum.map(|sum| {
            let units = i128::from(sum) << self.grid.shift();
            (2 * units + i128::from(len)).div_euclid(2 * i128::from(len)) as i32
        });
        Some(Point::new(a, b))
    }

    /// Returns the minimum and maximum of q, r and s over all cells; `None` without cells.
    #[must_use]
    pub fn extent(&self) -> Option<[[i32; 2]; 3]> {
        let [q, r, s] = [0, 1, 2].map(|axis: usize| self.axis_counts[axis].ends());
        Some([q?, r?, s?].map(|ends| ends.map(|end| end as i32)))
    }

    /// Returns the smallest rhombus that contains the body, rounded outwards to whole units.
    ///
    /// Takes time linear in the number of rows. Saturates at the ends of `i32`. A body without
    /// cells is treated as the point at its position.
    ///
    /// ```
    /// use hexcoord::{Angle, HexBody, Point, Pose, hex};
    ///
    /// let body: HexBody = hex(0, 0).range(1).collect();
    /// let pose = Pose::new(Point::new(1000, 0), Angle(0));
    /// let rhombus = body.rhombus(pose);
    /// // A cell extends 2/3 of its 512 units along each axis.
    /// assert_eq!(rhombus.min, [1000 - 854, -854]);
    /// assert_eq!(rhombus.max, [1000 + 854, 854]);
    /// ```
    #[must_use]
    pub fn rhombus(&self, pose: Pose) -> Rhombus {
        let [a, b, _] = self.rounded_intervals(pose);
        Rhombus::new([a[0], b[0]], [a[1], b[1]])
    }

    /// Returns a rhombus around `at` that contains the body at that position, with any rotation.
    ///
    /// Takes constant time, but is looser than [`rhombus`](Self::rhombus): it contains the circle
    /// around the hexagon of the body's [`extent`](Self::extent).
    #[inline]
    #[must_use]
    pub fn span(&self, at: Point) -> Rhombus {
        let ends = [at.a, at.b].map(|x| {
            let (x, half) = (i64::from(x), self.half_span as i64);
            [saturate(x - half), saturate(x + half)]
        });
        Rhombus::new(ends.map(|[min, _]| min), ends.map(|[_, max]| max))
    }

    /// Returns the smallest intervals of a, b and c that contain the body, rounded outwards to
    /// whole units.
    ///
    /// Equals the [`rhombus`](Self::rhombus) with a third pair of sides. If c exceeds `i32` it
    /// saturates; overlapping bounds still overlap afterwards.
    ///
    /// ```
    /// use hexcoord::{Angle, HexBody, Point, Pose, hex};
    ///
    /// let body: HexBody = hex(0, 0).line_to(hex(4, 0)).collect();
    /// let hexagon = body.intervals(Pose::new(Point::new(0, 0), Angle(0)));
    /// assert_eq!(hexagon.up.to_array(), [-342, -342, -2048 - 342]); // a, b, c
    /// assert_eq!(hexagon.down.to_array(), [2048 + 342, 342, 342]);
    /// ```
    #[must_use]
    pub fn intervals(&self, pose: Pose) -> Hexagon<i32> {
        let ends = self.rounded_intervals(pose);
        Hexagon::new(ends.map(|[min, _]| min), ends.map(|[_, max]| max))
    }

    fn rounded_intervals(&self, pose: Pose) -> [[i32; 2]; 3] {
        let [a, b] = [pose.position.a, pose.position.b].map(i64::from);
        let at = [a, b, -a - b];
        if self.is_empty() {
            return at.map(|x| [saturate(x); 2]);
        }
        let rotation = pose.angle.rotation();
        let mut intervals = [[i64::MAX, i64::MIN]; 3];
        let (first, last) = self.rows();
        for r in i64::from(first)..=last {
            for q in self.bits.row_ends(r as i32).into_iter().flatten() {
                let size = i64::from(self.grid.cell_size());
                let [a, b] = rotation.rotate_exact([i64::from(q) * size, r * size]);
                for (interval, x) in intervals.iter_mut().zip([a, b, -a - b]) {
                    *interval = [interval[0].min(x), interval[1].max(x)];
                }
            }
        }
        let [re, im] = rotation.constants().map(i64::from);
        let farthest = (2 * re).abs().max((re + 3 * im).abs()).max((re - 3 * im).abs());
        let corner = (i128::from(farthest) * i128::from(self.grid.cell_size()) + 2) / 3;
        let mut axis = 0;
        intervals.map(|[min, max]| {
            let at = at[axis];
            axis += 1;
            let unit = 1i128 << crate::plane::ROTATION_FRACTION;
            let low = (i128::from(min) - corner).div_euclid(unit) as i64;
            let high = -(-(i128::from(max) + corner)).div_euclid(unit) as i64;
            [saturate(at + low), saturate(at + high)]
        })
    }

    /// Returns the maximum extent along an axis at any rotation, in units, rounded up.
    ///
    /// No cell center is farther away than the corners of the hexagon that the extent describes.
    /// The corners of a cell are √(2/3) cell sizes from its center.
    pub(super) fn compute_half_span(&self) -> u64 {
        let Some([q, r, s]) = self.extent().map(|all| all.map(|ends| ends.map(i64::from))) else {
            return 0;
        };
        let mut farthest = 0;
        for i in 0..2 {
            for j in 0..2 {
                for [x, y] in [[q[i], r[j]], [q[i], -q[i] - s[j]], [-r[i] - s[j], r[i]]] {
                    let inside = q[0] <= x
                        && x <= q[1]
                        && r[0] <= y
                        && y <= r[1]
                        && s[0] <= -x - y
                        && -x - y <= s[1];
                    if inside {
                        farthest = farthest.max(2 * (x * x + x * y + y * y));
                    }
                }
            }
        }
        let size = u64::from(self.grid.cell_size().unsigned_abs());
        let center = max_coordinate(farthest as u128 * u128::from(size) * u128::from(size));
        // The extent of a vector along a coordinate is at most √(2/3) of its length. A corner is
        // √(2/3) sizes from the center, so its extent is at most 2/3 of a size.
        center + (2 * size).div_ceil(3)
    }
}
