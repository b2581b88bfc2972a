//! Pairs within one run of sorted volumes, and between two, and what of a run overlaps one volume;
//! the hits into a buffer.
//!
//! A *run* is a stretch of planes in which volumes ascend by `min[0]`, with [`SPARE`] places of
//! padding behind it.
//!
//! Padding is not what keeps places behind a run from being hits: volumes that reach the last key
//! seem to overlap it. Who calls these kernels with such volumes has to look at the places.
//!
//! A run that stays as it is may have a [`Guide`], which saves searches in it.

mod along;
mod between;
mod guide;
mod named;
mod one_by_one;
mod pick;
mod query;
mod reach;
mod within;

pub use along::{Along, Line};
pub use between::{BetweenCursor, Run, between};
pub use guide::{Guide, Guides};
pub use named::{Names, WORDS, within_named};
pub use pick::Picks;
pub use query::{below, query};
pub use reach::Reach;
pub use within::{WithinCursor, within};

use bounds_hexprism::LANES;

use super::hits;

/// Places with padding that every run has behind it.
pub const SPARE: usize = 2 * LANES;

/// How many hits there must be room for, so that a sweep goes on: those of 48 tests.
pub const ROOM: usize = within::LAGS * LANES + hits::SPARE;
