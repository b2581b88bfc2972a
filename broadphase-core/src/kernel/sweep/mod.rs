//! Sweep and prune on sorted runs: pairs within a run, pairs between two runs, and the volumes of a
//! run that overlap one volume. Hits are written to a buffer.
//!
//! A *run* is a range of planes (arrays of coordinates) in which volumes ascend by `min[0]`, with
//! [`SPARE`] entries of padding after it. A sweep compares each volume with the later volumes that
//! begin before its end.
//!
//! * [`within()`] and [`within_keys()`]: eight successive volumes against the eight a few indices
//!   later.
//! * [`between()`]: first selects the volumes of both runs that can reach the other run; then tests
//!   blocks of eight against groups of four, or single volumes against eight if one run is far
//!   denser.
//! * [`query()`]: one volume against eight.
//!
//! Volumes that extend to the largest key overlap the padding. If there are such volumes, the
//! caller must reject hits whose index is not in the run.
//!
//! A run that does not change may have a [`RowIndex`], an interpolation index that replaces binary
//! searches.

mod along;
mod between;
mod one_by_one;
mod pick;
mod query;
mod reach;
mod row_index;
mod run;
mod within;
mod within_keys;

pub use along::{Along, Line};
pub use between::between;
pub use pick::Picks;
pub use query::{below, query};
pub use reach::Reach;
pub(super) use reach::flipped;
pub use row_index::{RowIndex, RowIndexes};
pub use run::{BetweenCursor, Run};
pub use within::{WithinCursor, within};
pub use within_keys::{KeyOutput, WORDS, within_keys};

use bounds_hexprism::LANES;

use super::hits;

/// Number of padding entries after every run.
pub const SPARE: usize = 2 * LANES;

/// Number of free hit entries needed to continue a sweep: for the hits of 48 tests and the spare
/// entries.
pub const ROOM: usize = within::LAGS * LANES + hits::SPARE;
