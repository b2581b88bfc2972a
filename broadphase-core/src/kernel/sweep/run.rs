//! A run of sorted volumes, and the position in the loop over the pairs between two runs.

use core::ops::Range;

use bounds_hexprism::{SlabPlanes, Slabs};

use super::row_index::RowIndex;

/// Position in the loop over the pairs between two runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct BetweenCursor {
    /// Set when the selection of volumes is complete.
    pub(super) picked: bool,
    /// Set if both selections are of similar size.
    pub(super) dense: bool,
    /// Index of the next block of the selection of the first run.
    pub(super) first: usize,
    /// Number of volumes of the current block already tested, if tested one by one.
    pub(super) done: usize,
    /// Index in the second selection; volumes before it do not reach the remaining blocks.
    pub(super) begin: usize,
    /// Index at which the current block continues in the second selection, or the current volume in
    /// the second run.
    pub(super) next: Option<usize>,
    /// Total number of tests of two volumes in all sweeps with this cursor; the caller resets it.
    pub tests: u64,
}

/// Run of sorted volumes and their common bounds.
#[derive(Clone, Debug)]
pub struct Run<'a, const K: usize> {
    /// Planes of the volumes.
    pub planes: SlabPlanes<'a, K>,
    /// Indices of the run's volumes in the planes.
    pub places: Range<usize>,
    /// Bounds of all volumes.
    pub bounds: Slabs<K>,
    /// Interpolation index of the run, if it has one; the index must match the current volumes and
    /// the number type of the [`Reach`](super::Reach). It is used only for the second run.
    pub row_index: Option<RowIndex<'a>>,
}
