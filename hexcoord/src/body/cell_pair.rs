//! The exact overlap test of two cells of posed bodies, with a 64-bit fast path.
//!
//! A cell's shape is defined in integers: the corners of cell h of body i are
//! position + Mᵢ (size · h + corner). Mᵢ = C + U √−3 is the [`Rotation`] in units of 2^-30, and
//! `corner` is in thirds of the size. Only C and U are rounded, once for all cells.
//!
//! The test is the separating axis theorem: two hexagons are disjoint if and only if one of their
//! six edge directions separates them. For the edges of body i, the offset between the centers is
//! rotated back by Mᵢ. The forms 2a + b, a + 2b and a − b then measure the offset across the three
//! pairs of edges. The cells are separated if the absolute value of a form exceeds the sum of
//!
//! * the extent of body i's own hexagon, |Mᵢ|² sizeᵢ with |M|² = C² + 3 U²;
//! * the extent of the other hexagon, m · sizeⱼ. Here c + u √−3 is one rotation times the inverse
//!   of the other. The maximum over the corners of that hexagon is m = max(|c + u|, |c − u|, |2u|).
//!
//! All three forms have equal extents, so a pair of cells needs only the offset of its centers.
//!
//! The exact test needs 128 bits. It runs where rounding could change the result of the fast test,
//! which has 64 bits.

use crate::hex::Hex;
use crate::lookup::rule::spread;
use crate::plane::{Pose, ROTATION_FRACTION, Rotation};

/// The overlap test of cells of two posed bodies. The first body has the smaller or equal cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellPairTest {
    rotations: [Rotation; 2],
    /// Binary logarithms of the cell sizes.
    shifts: [u32; 2],
    /// Offset from the position of the first body to the position of the second, in units.
    offset: [i64; 2],
    /// c and u of the second body's rotation relative to the first, in units of 2^-60.
    pub(super) relative_rotation: [i64; 2],
    /// Corner extent m in units of 2^-60.
    corner_extent: i64,
}

impl CellPairTest {
    pub(super) fn new(poses: [Pose; 2], shifts: [u32; 2]) -> Self {
        let rotations = poses.map(|pose| pose.angle.rotation());
        let offset = poses[1].position - poses[0].position;
        let [[re, im], [x, y]] = rotations.map(|rotation| rotation.constants().map(i64::from));
        let (c, u) = (re * x + 3 * im * y, re * y - im * x);
        let corner_extent = (c + u).abs().max((c - u).abs()).max((2 * u).abs());
        let offset = [i64::from(offset.a), i64::from(offset.b)];
        Self { rotations, shifts, offset, relative_rotation: [c, u], corner_extent }
    }

    /// Returns the exact offset between two cell centers, from first to second, in units of 2^-30.
    #[inline(always)]
    pub(super) fn center_offset(&self, first: Hex, second: Hex) -> [i64; 2] {
        let center = |body: usize, cell: Hex| {
            let [q, r] = [i64::from(cell.q), i64::from(cell.r)];
            self.rotations[body].rotate_exact([q << self.shifts[body], r << self.shifts[body]])
        };
        let (p, q) = (center(0, first), center(1, second));
        [
            (self.offset[0] << ROTATION_FRACTION) + q[0] - p[0],
            (self.offset[1] << ROTATION_FRACTION) + q[1] - p[1],
        ]
    }

    /// Rotates an offset back by one body's rotation, from units of 2^-30 to units of 2^-60.
    #[inline(always)]
    pub(super) fn to_body_frame(self, body: usize, [a, b]: [i64; 2]) -> [i128; 2] {
        let [re, im] = self.rotations[body].constants().map(i64::from);
        let times = |x: i64, y: i64| i128::from(x) * i128::from(y);
        [times(re + im, a) + times(2 * im, b), times(re - im, b) - times(2 * im, a)]
    }

    /// Returns whether the closed hexagons of two cells share a point; exact.
    #[inline(never)]
    pub(super) fn overlaps_exactly(&self, first: Hex, second: Hex) -> bool {
        let center_offset = self.center_offset(first, second);
        (0..2).all(|body| {
            let [a, b] = self.to_body_frame(body, center_offset);
            let [re, im] = self.rotations[body].constants().map(i128::from);
            let own_extent = (re * re + 3 * im * im) << self.shifts[body];
            let limit = own_extent + (i128::from(self.corner_extent) << self.shifts[1 - body]);
            let spread_of_offset = (2 * a + b).abs().max((a + 2 * b).abs()).max((a - b).abs());
            spread_of_offset <= limit
        })
    }

    pub(super) fn fast_test(&self) -> FastTest {
        let shift_difference = self.shifts[1] - self.shifts[0];
        let corner_extent = self.corner_extent >> (60 - FastTest::FRACTION);
        let one = 1 << FastTest::FRACTION;
        FastTest {
            relative_rotation: self.relative_rotation.map(|n| n >> (60 - FastTest::FRACTION)),
            max_spread_first: (one >> shift_difference) + corner_extent,
            max_spread_second: one + (corner_extent >> shift_difference),
        }
    }
}

/// The test in 64 bits: offsets in the second body's frame, in 2^-28 of its cell size.
#[derive(Clone, Copy, Debug)]
pub(super) struct FastTest {
    relative_rotation: [i64; 2],
    /// Maximum spread of the center offset of overlapping cells, in the first body's frame.
    max_spread_first: i64,
    /// Maximum spread of the center offset of overlapping cells, in the second body's frame.
    max_spread_second: i64,
}

impl FastTest {
    pub(super) const FRACTION: u32 = 28;
    /// Upper bound of the accumulated rounding error.
    const MAX_ERROR: i64 = 1 << (Self::FRACTION - 12);

    /// Returns whether cells with this center offset overlap; `None` if rounding could change it.
    #[inline(always)]
    pub(super) fn overlaps(&self, [a, b]: [i64; 2]) -> Option<bool> {
        let [c, u] = self.relative_rotation;
        let scaled = |n: i64| n >> Self::FRACTION;
        let rotated = [scaled((c - u) * a - 2 * u * b), scaled(2 * u * a + (c + u) * b)];
        let excess_second = spread(a, b) - self.max_spread_second;
        let excess = excess_second.max(spread(rotated[0], rotated[1]) - self.max_spread_first);
        if excess.abs() > Self::MAX_ERROR { Some(excess < 0) } else { None }
    }
}
