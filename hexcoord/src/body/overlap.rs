//! All pairs of overlapping cells of two bodies, at any rotation.
//!
//! 1. Return early if the spans of the two bodies are disjoint.
//! 2. Scan the body with the smaller cells. Rotate the bounds of the *other* body into the frame of
//!    the scanned body: three intervals of q, r and s. Visit only the cells within them.
//! 3. For each visited cell compute the position of its center on the other body's lattice. Centers
//!    of overlapping cells are at most 4/3 of a cell apart along an axis, so all candidates are in
//!    the 4 × 4 window around that position. Read the window from the bitmap as 16 bits. A table
//!    has two masks for each of 16 × 16 positions within a cell: one removes the cells that are too
//!    far to overlap, the other marks the cells that overlap at any rotation.
//! 4. Test the remaining cells with the exact test of [`cell_pair`](super::cell_pair).
//!
//! If both bodies have the same rotation and cell size, all cells have the same 16 candidate
//! offsets. These offsets are tested once; then rows are compared 64 cells at a time.
//!
//! The cost is linear in the number of visited cells plus the number of pairs.

use simd_lanes::Flow;

use super::HexBody;
use super::scan::scan;
use crate::hex::Hex;
use crate::plane::Pose;

impl HexBody {
    /// Visits every pair of overlapping cells, one of each body, until the visitor stops. Touching
    /// counts.
    ///
    /// The result is exact at any rotation: corners are rotated as integers, in thirds of 2^-30
    /// units, without rounding. Swapping the bodies swaps the pairs. The order of pairs is
    /// deterministic but unspecified. The cell sizes of the bodies can differ.
    ///
    /// Differences of positions wrap, so the world can be a torus of 2^32 units.
    ///
    /// ```
    /// use hexcoord::{Angle, HexBody, Point, Pose, hex};
    ///
    /// let (ship, rock): (HexBody, HexBody) =
    ///     (hex(0, 0).range(3).collect(), hex(0, 0).range(1).collect());
    /// let mut hit = Vec::new();
    /// let at = Pose::new(Point::new(0, 0), Angle(0));
    /// let near = Pose::new(Point::new(2350, -240), Angle::from_degrees(20.0));
    /// ship.overlaps(at, &rock, near, |ours, _| hit.push(ours));
    /// hit.sort();
    /// assert_eq!(hit, [hex(3, -1), hex(3, 0), hex(3, 0)]); // (3, 0) overlaps two cells
    /// ```
    pub fn overlaps<R: Flow>(
        &self,
        pose: Pose,
        other: &Self,
        other_pose: Pose,
        mut f: impl FnMut(Hex, Hex) -> R,
    ) -> R {
        if self.is_empty() || other.is_empty() || self.spans_apart(pose, other, other_pose) {
            return R::CONTINUE;
        }
        let (fine, other_fine) = (self.grid.shift(), other.grid.shift());
        if fine < other_fine || (fine == other_fine && self.len <= other.len) {
            scan(self, pose, other, other_pose, f)
        } else {
            scan(other, other_pose, self, pose, |theirs, ours| f(ours, theirs))
        }
    }

    /// Returns whether any two cells of the bodies overlap.
    #[must_use]
    pub fn overlaps_any(&self, pose: Pose, other: &Self, other_pose: Pose) -> bool {
        let found = self.overlaps(pose, other, other_pose, |_, _| Err(()));
        found.is_err()
    }

    /// Returns whether the spans are disjoint. Then the bodies do not overlap at any rotation.
    #[inline(always)]
    fn spans_apart(&self, pose: Pose, other: &Self, other_pose: Pose) -> bool {
        let offset = other_pose.position - pose.position;
        let both = self.half_span + other.half_span;
        let c = i64::from(offset.a) + i64::from(offset.b);
        let apart = |x: i64| x.unsigned_abs() > both;
        apart(offset.a.into()) | apart(offset.b.into()) | apart(c)
    }
}
