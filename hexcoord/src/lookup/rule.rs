//! The rule that decides which cell holds a point, borders included.
//!
//! Rounding (a, b) down gives the corner of a rhombus, and every rhombus meets the same four cells:
//!
//! ```text
//!     (0,0) ------------- (1,0)      The numbers are the four candidates: how far their centres,
//!        \   cell   ,'\      \       the corners of the rhombus, are from the rounded point.
//!         \  (0,0) /   \ (1,0)\
//!          \     ,'     \      \     Cell (0,0) holds 2a + b <= 1 and a + 2b <= 1, cell (1,1)
//!           \--'  ,-- -- ,      \    what is opposite; the short diagonal a = b divides the
//!            \  (0,1)   /  (1,1) \   rest between (1,0), where a is larger, and (0,1).
//!             \        '          \
//!           (0,1) ------------- (1,1)
//! ```
//!
//! A cell is the closed hexagon of the points whose offset (a, b, c) from its centre has
//! max − min ≤ 1 cell, that is |2a + b|, |a + 2b|, |a − b| ≤ 1. On an edge that holds for two
//! cells, at a vertex for three. *The greatest cell wins: largest q, then largest r.* All four
//! candidates of a point can be decided at once with the larger and the smaller of its two
//! fractions: the step along the larger one is taken if sum + larger ≥ 1, the step along the
//! smaller one if sum + smaller ≥ 2 cells (which implies the first), and for equal fractions a
//! counts as the larger.

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
