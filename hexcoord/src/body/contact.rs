//! Cell against cell, of two bodies in their poses: exact, and nearly always in 64 bits.
//!
//! What a cell covers is defined by integers: the corners of body i's cell h are
//! position + Mᵢ (size · h + corner), where Mᵢ = C + U √−3 is the [`Rotation`] in units of 2^-30
//! and corners are thirds of the size; nothing is rounded but C and U themselves, once for all
//! cells. Two such hexagons are apart if and only if one of the six directions of their edges
//! separates them. Edges of body i are seen with the forms 2a + b, a + 2b and a − b after turning
//! back by Mᵢ, and there
//!
//! * its own hexagon reaches |Mᵢ|² sizeᵢ to both sides, with |M|² = C² + 3 U²,
//! * the other one m · sizeⱼ, where c + u √−3 is one rotation times the inverse of the other, and
//!   m = max(|c + u|, |c − u|, |2u|): its corners turned into this frame,
//!
//! the same for all three forms. So the centres decide, and swapping the bodies changes signs only.

use crate::hex::Hex;
use crate::lookup::rule::spread;
use crate::plane::{FRACTION, Pose, Rotation};

/// Two bodies in their poses, the first with cells not larger than the second's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    rotations: [Rotation; 2],
    /// The binary logarithms of the cell sizes.
    shifts: [u32; 2],
    /// From the first position to the second.
    way: [i64; 2],
    /// The turn of the second body as seen from the first: c and u in units of 2^-60.
    pub(super) turn: [i64; 2],
    /// m in units of 2^-60.
    corner: i64,
}

impl Contact {
    pub(super) fn new(poses: [Pose; 2], shifts: [u32; 2]) -> Self {
        let rotations = poses.map(|pose| pose.angle.rotation());
        let way = poses[1].position - poses[0].position;
        let [[re, im], [x, y]] = rotations.map(|rotation| rotation.constants().map(i64::from));
        let (c, u) = (re * x + 3 * im * y, re * y - im * x);
        let corner = (c + u).abs().max((c - u).abs()).max((2 * u).abs());
        let way = [i64::from(way.a), i64::from(way.b)];
        Self { rotations, shifts, way, turn: [c, u], corner }
    }

    /// From the centre of a cell of the first body to that of one of the second, in units of
    /// 2^-30; exact.
    #[inline(always)]
    pub(super) fn between(&self, first: Hex, second: Hex) -> [i64; 2] {
        let center = |body: usize, cell: Hex| {
            let [q, r] = [i64::from(cell.q), i64::from(cell.r)];
            self.rotations[body].rotated_wide([q << self.shifts[body], r << self.shifts[body]])
        };
        let (p, q) = (center(0, first), center(1, second));
        [(self.way[0] << FRACTION) + q[0] - p[0], (self.way[1] << FRACTION) + q[1] - p[1]]
    }

    /// A way in units of 2^-30, turned back by one body's rotation: in units of 2^-60.
    #[inline(always)]
    pub(super) fn turned_back(&self, body: usize, [a, b]: [i64; 2]) -> [i128; 2] {
        let [re, im] = self.rotations[body].constants().map(i64::from);
        let times = |x: i64, y: i64| i128::from(x) * i128::from(y);
        [times(re + im, a) + times(2 * im, b), times(re - im, b) - times(2 * im, a)]
    }

    /// Whether the closed hexagons of two cells share a point; exact.
    #[inline(never)]
    pub(super) fn overlap_exactly(&self, first: Hex, second: Hex) -> bool {
        let between = self.between(first, second);
        (0..2).all(|body| {
            let [a, b] = self.turned_back(body, between);
            let [re, im] = self.rotations[body].constants().map(i128::from);
            let own = (re * re + 3 * im * im) << self.shifts[body];
            let reach = own + (i128::from(self.corner) << self.shifts[1 - body]);
            let largest = (2 * a + b).abs().max((a + 2 * b).abs()).max((a - b).abs());
            largest <= reach
        })
    }

    /// The nearly always sufficient form of the test.
    pub(super) fn quick(&self) -> Quick {
        let smaller = self.shifts[1] - self.shifts[0];
        let corner = self.corner >> (60 - Quick::FRACTION);
        let one = 1 << Quick::FRACTION;
        Quick {
            turn: self.turn.map(|n| n >> (60 - Quick::FRACTION)),
            first: (one >> smaller) + corner,
            second: one + (corner >> smaller),
        }
    }
}

/// The test in 64 bits: offsets in the second body's frame, in units of 2^-28 of its cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quick {
    turn: [i64; 2],
    /// How far apart centres may be along the forms of the first body, and of the second.
    first: i64,
    second: i64,
}

impl Quick {
    pub(super) const FRACTION: u32 = 28;
    /// More than all that is rounded on the way to an offset and here.
    const DOUBT: i64 = 1 << (Self::FRACTION - 12);

    /// Whether cells with this offset of their centres overlap; `None` if it is too close to tell.
    #[inline(always)]
    pub(super) fn overlap(&self, [a, b]: [i64; 2]) -> Option<bool> {
        let [c, u] = self.turn;
        let turned = |n: i64| n >> Self::FRACTION;
        let seen = [turned((c - u) * a - 2 * u * b), turned(2 * u * a + (c + u) * b)];
        let apart = spread(a, b) - self.second;
        let excess = apart.max(spread(seen[0], seen[1]) - self.first);
        if excess.abs() > Self::DOUBT { Some(excess < 0) } else { None }
    }
}
