//! The rule that decides which cell holds a point, borders included.
//!
//! Drawn at [`Grid`](crate::Grid). With fa and fb for what rounding down leaves, candidate (0, 0)
//! holds the point if 2 fa + fb ≤ 1 and fa + 2 fb ≤ 1, candidate (1, 1) if both are ≥ 2 where the
//! smaller fraction counts twice, and the diagonal fa = fb divides the rest between (1, 0) and
//! (0, 1). All four are decided at once: the step along the axis of the *larger* fraction is taken
//! if sum + larger ≥ 1 cell, the step along the other axis if sum + smaller ≥ 2 cells, which
//! implies the first. For equal fractions a counts as the larger, so that of several cells on a
//! border the greatest wins. No cell but the four can hold the point: the others are more than a
//! cell away.

use crate::hex::{Hex, hex};

/// From the floor cell to the cell that holds the point, for fractions `0 <= f < cell`.
///
/// `cell` may be any size up to 2^61.
#[inline(always)]
pub(crate) const fn beyond_floor(fa: i64, fb: i64, cell: i64) -> Hex {
    let sum = fa + fb;
    let (for_a, for_b) = if fa >= fb { (cell, 2 * cell) } else { (2 * cell, cell) };
    hex((sum + fa >= for_a) as i32, (sum + fb >= for_b) as i32)
}

/// Which cells hold the point: for each of the four candidates, in the order (0, 0), (0, 1),
/// (1, 0), (1, 1), whether max − min of its offset is at most `reach`.
#[inline(always)]
pub(crate) const fn candidates(fa: i64, fb: i64, cell: i64, reach: i64) -> u8 {
    let mut found = 0;
    let mut lane = 0;
    while lane < 4 {
        let a = fa - cell * (lane >> 1);
        let b = fb - cell * (lane & 1);
        found |= (spread(a, b) <= reach) as u8 * (1 << lane);
        lane += 1;
    }
    found
}

/// max − min of (a, b, −a − b).
#[inline(always)]
pub(crate) const fn spread(a: i64, b: i64) -> i64 {
    let (x, y, z) = ((2 * a + b).abs(), (a + 2 * b).abs(), (a - b).abs());
    let xy = if x > y { x } else { y };
    if xy > z { xy } else { z }
}
