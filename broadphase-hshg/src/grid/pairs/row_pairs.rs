//! Row pairs: which rows are swept with which.
//!
//! 1. *Adjacent* pairs, recomputed only when the row list changes: each row with itself, with later
//!    rows of its tier in reach, and with rows of lower tiers in reach. Pairs of static rows are
//!    excluded.
//! 2. *Active* pairs, recomputed for each sweep: adjacent pairs whose boxes overlap and that the
//!    static cache does not cover.
//!
//! Both lists are split into two groups: pairs with a dynamic row come first ([`MOVING`]), then
//! pairs of resting rows ([`RESTING`]). Each group has a cache of its overlapping slots. While no
//! object of a group changes, sweeping it is replaced by reading the cache.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::Scalar;
use broadphase_core::kernel::sweep::RowIndexes;
use broadphase_core::pairs::PairCache;

use crate::grid::Core;
use crate::grid::pairs::parallel::Job;
use crate::grid::pairs::sweep::{MOVING, RESTING, SweepScratch};
use crate::grid::storage::row::{CLASSES, STATIC, visit_block};

/// Row pairs, the caches of their overlapping slots, and the buffers of sweeps.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct RowPairs {
    /// Pairs of rows whose objects can overlap by position and tier.
    adjacent: Vec<[u32; 2]>,
    /// The number of adjacent pairs with a dynamic row; they come first.
    adjacent_moving: usize,
    /// Adjacent pairs whose boxes overlap, without pairs covered by the static cache.
    pub(in crate::grid) active: Vec<[u32; 2]>,
    /// The number of active pairs with a dynamic row; they come first.
    moving: usize,
    /// The overlapping slots of each group, recorded when that is worthwhile.
    pub(in crate::grid) caches: [PairCache; 2],
    /// Pairs of a row of this grid and a row of another grid.
    pub(in crate::grid) cross: Vec<[u32; 2]>,
    /// Set if a large share of tests hit in the last complete sweep.
    pub(in crate::grid) hits_often: bool,
    /// Interpolation indices of static rows; empty until these have not changed for some sweeps.
    pub(in crate::grid) row_index: RowIndexes,
    /// Set if a static object has changed since the last sweep.
    pub(in crate::grid) static_changed: bool,
    /// The number of consecutive sweeps without a static change, counted up to
    /// [`MIN_UNCHANGED_SWEEPS`](super::row_index::MIN_UNCHANGED_SWEEPS).
    pub(in crate::grid) unchanged_sweeps: u32,
    /// The buffers of the serial sweep.
    pub(in crate::grid) scratch: SweepScratch,
    /// The buffers of parallel sweeps, kept to avoid reallocating.
    pub(in crate::grid) jobs: Vec<Job>,
}

impl RowPairs {
    /// Invalidates all cached pairs.
    pub(in crate::grid) fn invalidate(&mut self) {
        self.static_changed = true;
        self.caches.iter_mut().for_each(PairCache::invalidate);
    }

    /// Returns the range of active row pairs of a group.
    pub(in crate::grid) const fn range(&self, group: usize) -> Range<usize> {
        if group == RESTING { self.moving..self.active.len() } else { 0..self.moving }
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        let lists = [&self.adjacent, &self.active, &self.cross];
        lists.map(|list| list.capacity() * size_of::<[u32; 2]>()).iter().sum::<usize>()
            + self.caches.iter().map(PairCache::memory_use).sum::<usize>()
            + self.row_index.memory_use()
            + self.scratch.memory_use()
            + self.jobs.capacity() * size_of::<Job>()
            + self.jobs.iter().map(Job::memory_use).sum::<usize>()
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Invalidates cached pairs because an object of a motion class changed its slot or slabs.
    #[inline(always)]
    pub(in crate::grid) fn invalidate_pairs(&mut self, class: u8) {
        self.row_pairs.caches[MOVING].invalidate();
        if class > 0 {
            self.row_pairs.caches[RESTING].invalidate();
            self.row_pairs.static_changed |= class == STATIC;
        }
    }

    /// Computes the row pairs to sweep.
    pub(in crate::grid) fn update_row_pairs(&mut self) {
        if self.rows_changed {
            self.row_pairs.adjacent.clear();
            self.find_adjacent(true);
            self.row_pairs.adjacent_moving = self.row_pairs.adjacent.len();
            self.find_adjacent(false);
            self.rows_changed = false;
        }
        let longest_row = self.longest_row();
        self.row_pairs.scratch.prepare(longest_row, self.tiers.len(), D > 2);
        self.update_row_index();
        self.update_static_cache();
        let row_pairs = &mut self.row_pairs;
        row_pairs.active.clear();
        for (index, &[a, b]) in row_pairs.adjacent.iter().enumerate() {
            if index == row_pairs.adjacent_moving {
                row_pairs.moving = row_pairs.active.len();
            }
            let (first, second) = (&self.rows[a as usize], &self.rows[b as usize]);
            // Rows ascend by class, so the lower index is the dynamic row, if any.
            let is_known = first.id.class.max(second.id.class) == STATIC
                && (a.min(b) as usize) < self.static_cache.rows();
            if !is_known && first.len > 0 && (a == b || first.bounds.overlaps(&second.bounds)) {
                row_pairs.active.push([a, b]);
            }
        }
        if row_pairs.adjacent_moving == row_pairs.adjacent.len() {
            row_pairs.moving = row_pairs.active.len();
        }
    }

    /// Returns the number of slots of the longest row.
    pub(in crate::grid) fn longest_row(&self) -> usize {
        self.rows.iter().map(|row| row.len).max().unwrap_or(0)
    }

    /// Finds adjacent row pairs with a dynamic row, or the others.
    fn find_adjacent(&mut self, moving: bool) {
        let can_pair = |a: u8, b: u8| {
            // Two static objects are not a pair; static is the last class.
            if moving { a == 0 || b == 0 } else { a > 0 && b > 0 && (a < STATIC || b < STATIC) }
        };
        let adjacent = &mut self.row_pairs.adjacent;
        for (index, row) in self.rows.iter().enumerate() {
            if can_pair(row.id.class, row.id.class) {
                adjacent.push([index as u32; 2]);
            }
            let own = self.tiers.iter().find(|tier| tier.number == row.id.tier);
            let own = own.expect("the tier of a row exists");
            for class in (0..CLASSES).filter(|&class| can_pair(row.id.class, class)) {
                for tier in self.tiers.iter().take_while(|tier| tier.number <= own.number) {
                    let cells = tier.cells_reached(own, &row.id.cell);
                    visit_block(&self.rows, [i32::from(class), tier.number], cells, |other| {
                        if tier.number < own.number || other > index {
                            adjacent.push([index as u32, other as u32]);
                        }
                    });
                }
            }
        }
    }
}
