//! The iterators over cells: none of them allocates.

pub use super::line::{Cover, Line};
pub use super::range::{Range, Wedge};
pub use super::ring::{Ring, Spiral};

/// How many cells there are within `n` steps: 3n(n + 1) + 1.
#[inline]
#[must_use]
pub const fn range_count(n: u32) -> u64 {
    let n = n as u64;
    if n > 1 << 30 { u64::MAX } else { 3 * n * (n + 1) + 1 }
}

/// A count as `usize`, the largest one if it is too large for the machine.
#[inline(always)]
pub(super) const fn as_len(count: u64) -> usize {
    if count > usize::MAX as u64 { usize::MAX } else { count as usize }
}
