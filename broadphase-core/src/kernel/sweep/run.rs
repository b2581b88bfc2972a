//! A run of sorted volumes, and the position in the loop over the pairs between two runs.

use core::ops::Range;

use bounds_hexprism::{SlabPlanes, Slabs};

use super::row_index::RowIndex;

/// Position in the loop over the pairs between two runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct BetweenCursor {
    pub(super) picked: bool,
    /// Set if both selections are of similar size.
    pub(super) dense: bool,
    /// Position of the next block in the selection of the first run.
    pub(super) first: usize,
    /// Number of volumes of the current block already tested, if tested one by one.
    pub(super) done: usize,
    /// Position in the second selection; volumes before it do not reach the remaining blocks.
    pub(super) begin: usize,
    /// Position at which the block continues in the second selection, or the volume in the second
    /// run.
    pub(super) next: Option<usize>,
    /// Total number of tests in all sweeps with this cursor; the caller resets it.
    pub tests: u64,
}

/// Run of sorted volumes and their common bounds.
#[derive(Clone, Debug)]
pub struct Run<'a, const K: usize> {
    pub planes: SlabPlanes<'a, K>,
    /// Indices of the run's volumes in the planes.
    pub places: Range<usize>,
    pub bounds: Slabs<K>,
    /// Interpolation index of the run; used only for the second run. It must match the current
    /// volumes and the number type of the [`Reach`](super::Reach).
    pub row_index: Option<RowIndex<'a>>,
}
