//! The state of a structure, as callers read it.

use bounds_hexprism::Backend;

/// The state of a structure, returned by [`SpatialIndex::state`](crate::SpatialIndex::state).
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{BruteForce, SpatialIndex};
///
/// let world: BruteForce = BruteForce::new();
/// assert_eq!(world.state().pending, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IndexState {
    /// The number of objects that each query tests one by one, because they were inserted or
    /// changed since the last maintenance. If it is large, call
    /// [`optimize`](crate::SpatialIndexExt::optimize) first.
    pub pending: usize,
    /// The typical distance between adjacent objects, if known. Searches derive their first step
    /// from this distance; results do not depend on it.
    pub spacing: Option<f64>,
    /// The SIMD backend of the kernels; `None` if the structure has no kernels.
    pub backend: Option<Backend>,
    /// The tests of the last search for pairs; `None` if it made no tests or they are not counted.
    pub search: Option<SearchStats>,
}

/// The number of tests and hits of a search for pairs; independent of backend and threads.
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

/// Statistics of the cells of one size.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::LevelStats;
///
/// let level = LevelStats { level: 0, cell: 4.0, objects: 6, cells: 3 };
/// assert_eq!(level.objects / level.cells, 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LevelStats {
    /// The level; level 0 has the smallest cells.
    pub level: u32,
    /// The side of the cells; for Morton-sorted objects, the mean longest side of the nodes of the
    /// trees, from clusters of eight objects to the root.
    pub cell: f64,
    /// The number of objects.
    pub objects: usize,
    /// The number of cells that have objects. In a grid, the low corner of an object is in its
    /// cell.
    pub cells: usize,
}
