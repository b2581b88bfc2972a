//! Sweep and prune on sorted runs: pairs within a run or between two runs, and the volumes of a run
//! that overlap one volume. Hits are written to a buffer.
//!
//! A *run* is a range of planes (arrays of coordinates) in which volumes ascend by `min[0]`,
//! followed by [`SPARE`] padding entries. A sweep compares each volume with the later volumes that
//! begin before its end.
//!
//! * [`within()`], [`within_keys()`]: eight successive volumes against eight a few indices later.
//! * [`between()`]: selects the volumes of both runs that can reach the other run; then tests
//!   blocks of eight against groups of four, or, if one run is far denser, single volumes against
//!   eight.
//! * [`query()`]: one volume against eight.
//!
//! Volumes that extend to the largest key overlap the padding: the caller must then reject hits
//! whose index is not in the run.
//!
//! A run that does not change may have a [`RowIndex`], which replaces binary searches.

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

/// Number of free hit entries needed to continue a sweep: 48 tests and the spare entries.
pub const ROOM: usize = within::LAGS * LANES + hits::SPARE;
