//! The buffers of searches for pairs within a distance, and for pairs of two grids.

use alloc::vec::Vec;

use crate::grid::pairs::enlarged::EnlargedRows;
use crate::grid::pairs::sweep::SweepScratch;
use crate::grid::storage::tiers::Tier;

/// The number of searches for overlapping pairs, usually one per tick, after which unused buffers
/// are freed.
const MAX_UNUSED: u8 = 8;

/// Enlarged rows and buffers of a sweep, kept between searches to avoid reallocating: 8 bytes per
/// axis and slot. A copy of a grid starts without them.
#[derive(Debug)]
pub(in crate::grid) struct NearBuffers<const D: usize> {
    pub(in crate::grid) enlarged: EnlargedRows<D>,
    pub(in crate::grid) tiers: [Vec<Tier>; 2],
    pub(in crate::grid) row_pairs: Vec<[u32; 2]>,
    pub(in crate::grid) scratch: SweepScratch,
    /// The number of searches for overlapping pairs since the last use.
    pub(in crate::grid) unused: u8,
}

impl<const D: usize> Default for NearBuffers<D> {
    fn default() -> Self {
        Self {
            enlarged: EnlargedRows::default(),
            tiers: [const { Vec::new() }; 2],
            row_pairs: Vec::new(),
            scratch: SweepScratch::default(),
            unused: 0,
        }
    }
}

impl<const D: usize> Clone for NearBuffers<D> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<const D: usize> NearBuffers<D> {
    /// Counts a search for overlapping pairs, and frees the buffers if there were many since the
    /// last use.
    pub(in crate::grid) fn age(&mut self) {
        self.unused += 1;
        if self.unused > MAX_UNUSED {
            *self = Self::default();
        }
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        self.enlarged.memory_use()
            + self.tiers.each_ref().map(Vec::capacity).iter().sum::<usize>() * size_of::<Tier>()
            + self.row_pairs.capacity() * size_of::<[u32; 2]>()
            + self.scratch.memory_use()
    }
}
