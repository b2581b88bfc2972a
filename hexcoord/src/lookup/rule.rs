//! The rule that decides which cell contains a point, borders included.
//!
//! Input: the fractions fa and fb after rounding down to the floor cell. Output: the offset (0 or 1
//! per axis) from the floor cell to the cell. The drawing at [`Grid`](crate::Grid) shows the
//! regions.
//!
//! Let the cell size be 1. Candidate (0, 0) contains the point if 2 fa + fb ≤ 1 and fa + 2 fb ≤ 1.
//! Candidate (1, 1) contains it if the sum plus the smaller fraction is ≥ 2. Otherwise the diagonal
//! fa = fb separates (1, 0) and (0, 1). Two comparisons distinguish all four cases:
//!
//! 1. Step along the axis of the *larger* fraction if sum + larger ≥ 1.
//! 2. Step along the other axis if sum + smaller ≥ 2. This implies the first condition.
//!
//! If the fractions are equal, fa counts as the larger: on a border the greatest cell is selected.
//! All other cells have their center more than a cell size away from the point.

use crate::hex::{Hex, hex};

/// Returns the offset from the floor cell to the cell, for fractions `0 <= f < cell <= 2^61`.
#[inline(always)]
pub(crate) const fn step_from_floor(fa: i64, fb: i64, cell: i64) -> Hex {
    let sum = fa + fb;
    let (threshold_a, threshold_b) = if fa >= fb { (cell, 2 * cell) } else { (2 * cell, cell) };
    hex((sum + fa >= threshold_a) as i32, (sum + fb >= threshold_b) as i32)
}

/// Returns the spread of (a, b, −a − b): max − min.
#[inline(always)]
pub(crate) const fn spread(a: i64, b: i64) -> i64 {
    let (x, y, z) = ((2 * a + b).abs(), (a + 2 * b).abs(), (a - b).abs());
    let xy = if x > y { x } else { y };
    if xy > z { xy } else { z }
}
