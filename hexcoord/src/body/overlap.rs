//! Body against body: every pair of overlapping cells, at any rotation.
//!
//! 1. Bodies whose spans are apart are done with.
//! 2. The bounds of the one with the larger cells (the *other*) are turned into the frame of the
//!    one that is scanned: only its cells between three pairs of lines are looked at.
//! 3. For each of them, the place of its centre on the other lattice; a cell that it overlaps is
//!    among the 4 × 4 around that place, for no two centres are more than 4/3 apart along an axis.
//!    Those cells come out of the bitmap as 16 bits, and a table of 16 × 16 places within a cell
//!    says which of them are too far, and which are so near that they overlap at any rotation.
//! 4. What is left is decided cell by cell ([`contact`](super::contact)).
//!
//! Bodies turned alike have the same offset between all their cells: then the 16 cells around one
//! place are decided once, and rows are compared a word at a time.

use alloc::vec::Vec;

use simd_lanes::Flow;

use super::HexBody;
use super::scan::scan;
use crate::hex::Hex;
use crate::plane::Pose;

impl HexBody {
    /// Visits every pair of a cell of this body and a cell of the other one that overlap, until
    /// the visitor stops. Touching counts.
    ///
    /// Exact at any rotation: cells are hexagons whose corners are integers in units of a third of
    /// 2^-30, turned by the constants of [`Rotation`](crate::Rotation) and not rounded; no pair is
    /// missed, none is made up, and swapping the bodies swaps the pairs. Pairs come in an order
    /// that depends on the two bodies and poses alone; [`overlaps_into`](Self::overlaps_into)
    /// sorts them. Bodies may have cells of different sizes.
    ///
    /// Differences of positions wrap, so that the world may be a torus of 2^32 units.
    ///
    /// ```
    /// use hexcoord::{Angle, HexBody, Point, Pose, hex};
    ///
    /// let (ship, rock): (HexBody, HexBody) =
    ///     (hex(0, 0).range(3).collect(), hex(0, 0).range(1).collect());
    /// let mut shot = Vec::new();
    /// let at = Pose::new(Point::new(0, 0), Angle(0));
    /// let near = Pose::new(Point::new(2350, -240), Angle::from_degrees(20.0));
    /// ship.overlaps(at, &rock, near, |ours, _| shot.push(ours));
    /// shot.sort();
    /// assert_eq!(shot, [hex(3, -1), hex(3, 0), hex(3, 0)]); // the second one twice
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

    /// Writes every pair `[ours, theirs]` of overlapping cells to a buffer, in ascending order.
    /// What the buffer held is gone.
    pub fn overlaps_into(
        &self,
        pose: Pose,
        other: &Self,
        other_pose: Pose,
        pairs: &mut Vec<[Hex; 2]>,
    ) {
        pairs.clear();
        self.overlaps(pose, other, other_pose, |ours, theirs| pairs.push([ours, theirs]));
        pairs.sort_unstable();
    }

    /// Whether any two cells of the bodies overlap.
    #[must_use]
    pub fn overlaps_any(&self, pose: Pose, other: &Self, other_pose: Pose) -> bool {
        let found = self.overlaps(pose, other, other_pose, |_, _| Err(()));
        found.is_err()
    }

    /// Whether the bodies are apart at any rotation.
    #[inline(always)]
    fn spans_apart(&self, pose: Pose, other: &Self, other_pose: Pose) -> bool {
        let way = other_pose.position - pose.position;
        let both = self.half_span + other.half_span;
        let c = i64::from(way.a) + i64::from(way.b);
        let apart = |x: i64| x.unsigned_abs() > both;
        apart(way.a.into()) | apart(way.b.into()) | apart(c)
    }
}
