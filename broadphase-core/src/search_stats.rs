//! Counts of a search for pairs.

/// The number of tests and hits of the last search for pairs, returned by
/// [`SpatialIndex::search_stats`](crate::SpatialIndex::search_stats).
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::SearchStats;
///
/// let stats = SearchStats { tests: 1_000_000, hits: 2000 };
/// assert_eq!(stats.tests / stats.hits, 500);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SearchStats {
    /// The number of tests of two stored bounds for overlap.
    pub tests: u64,
    /// The number of tests that found an overlap.
    pub hits: u64,
}
