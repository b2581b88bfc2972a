//! Row pairs: which rows are swept with which.
//!
//! 1. *Adjacent* pairs, recomputed when the row list changes: each row with itself, and with those
//!    rows in reach that have a lower tier, or the same tier and a higher index, without pairs of
//!    static rows.
//! 2. *Active* pairs, recomputed for each sweep: adjacent pairs with overlapping boxes, without
//!    pairs that the static cache covers.
//!
//! Both lists have two groups ([`PairGroup`]): first pairs with a dynamic row, then pairs of
//! resting rows. While no object of a group changes, its overlapping slots are read from a cache,
//! and the group is not swept.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::Scalar;
use broadphase_core::kernel::sweep::RowIndexes;
use broadphase_core::pairs::PairCache;

use crate::grid::Hshg;
use crate::grid::pairs::find::PairTask;
use crate::grid::pairs::sweep::{PairGroup, SweepScratch};
use crate::grid::storage::row::{Class, Row, classes, visit_block};
use crate::grid::storage::tiers::Tier;

/// Row pairs, the caches of their overlapping slots, and the buffers of sweeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowPairs {
    /// Pairs of rows whose objects can overlap by position and tier.
    adjacent: Vec<[u32; 2]>,
    /// The number of adjacent pairs with a dynamic row, which are first in the list.
    adjacent_moving: usize,
    /// Adjacent pairs whose boxes overlap, without pairs covered by the static cache.
    pub(super) active: Vec<[u32; 2]>,
    /// The number of active pairs with a dynamic row, which are first in the list.
    moving: usize,
    /// For each group, the overlapping slots of its last sweep, if they were recorded.
    caches: [PairCache; 2],
    /// Set if a large share of the tests of the last complete sweep found an overlap.
    pub(super) hits_often: bool,
    /// Interpolation indices of static rows; empty if not built.
    pub(super) row_index: RowIndexes,
    /// Set if a static object has changed since the last sweep.
    pub(super) static_changed: bool,
    /// The number of sweeps without a static change, counted up to `MIN_UNCHANGED_SWEEPS`.
    pub(super) unchanged_sweeps: u32,
    /// The buffers of the serial sweep.
    pub(super) scratch: SweepScratch,
    /// The buffers of parallel sweeps, kept to avoid reallocating.
    pub(super) jobs: Vec<PairTask>,
    /// In a search on several threads, the number of jobs whose lists are kept until its end;
    /// otherwise `None`.
    pub(super) kept: Option<usize>,
}

impl RowPairs {
    /// Invalidates all cached pairs.
    pub(crate) fn invalidate(&mut self) {
        self.static_changed = true;
        self.caches.iter_mut().for_each(PairCache::invalidate);
    }

    /// Returns the cache of overlapping slots of a group of row pairs.
    pub(super) const fn cache(&mut self, group: PairGroup) -> &mut PairCache {
        &mut self.caches[group as usize]
    }

    /// Returns the cached pairs of a group; `None` if not recorded or out of date.
    pub(super) fn known(&self, group: PairGroup) -> Option<&[[u32; 2]]> {
        self.caches[group as usize].known()
    }

    /// Returns the range of active row pairs of a group.
    pub(super) const fn range(&self, group: PairGroup) -> Range<usize> {
        match group {
            PairGroup::Moving => 0..self.moving,
            PairGroup::Resting => self.moving..self.active.len(),
        }
    }

    pub(crate) fn memory_use(&self) -> usize {
        let lists = [&self.adjacent, &self.active];
        lists.map(|list| list.capacity() * size_of::<[u32; 2]>()).iter().sum::<usize>()
            + self.caches.iter().map(PairCache::memory_use).sum::<usize>()
            + self.row_index.memory_use()
            + self.scratch.memory_use()
            + self.jobs.capacity() * size_of::<PairTask>()
            + self.jobs.iter().map(PairTask::memory_use).sum::<usize>()
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Invalidates cached pairs of a motion class. Call it when an object of the class changes its
    /// slot or slabs or is removed.
    #[inline(always)]
    pub(crate) fn invalidate_pairs(&mut self, class: Class) {
        self.row_pairs.cache(PairGroup::Moving).invalidate();
        if class > Class::Dynamic {
            self.row_pairs.cache(PairGroup::Resting).invalidate();
            self.row_pairs.static_changed |= class == Class::Static;
        }
    }

    /// Updates row pairs, interpolation indices and static cache before a sweep.
    pub(super) fn update_row_pairs(&mut self) {
        if self.rows_changed {
            let adjacent = &mut self.row_pairs.adjacent;
            adjacent.clear();
            for group in PairGroup::ALL {
                let can_pair = |a: Class, b: Class| {
                    let moves = a.min(b) == Class::Dynamic;
                    can_pair(a, b) && moves == (group == PairGroup::Moving)
                };
                let side = (&*self.rows, &*self.tiers);
                visit_row_pairs([side; 2], true, can_pair, |pair| adjacent.push(pair));
                if group == PairGroup::Moving {
                    self.row_pairs.adjacent_moving = adjacent.len();
                }
            }
            self.rows_changed = false;
        }
        let longest_row = self.longest_row();
        self.row_pairs.scratch.prepare(longest_row, self.tiers.len(), D > 2);
        self.update_row_index();
        self.update_static_cache();
        let RowPairs { adjacent, adjacent_moving, active, moving, .. } = &mut self.row_pairs;
        active.clear();
        for (index, &[a, b]) in adjacent.iter().enumerate() {
            let (first, second) = (&self.rows[a as usize], &self.rows[b as usize]);
            // Rows ascend by class, so the lower index is the dynamic row, if any.
            let is_known = first.id.class.max(second.id.class) == Class::Static
                && (a.min(b) as usize) < self.static_cache.rows();
            if !is_known && first.meets(second) {
                active.push([a, b]);
            }
            if index < *adjacent_moving {
                *moving = active.len();
            }
        }
        if *adjacent_moving == 0 {
            *moving = 0;
        }
    }

    /// Returns the number of slots of the longest row.
    pub(super) fn longest_row(&self) -> usize {
        self.rows.iter().map(|row| row.len).max().unwrap_or(0)
    }
}

/// Returns whether objects of two motion classes can be a pair: not two static ones.
pub(crate) fn can_pair(a: Class, b: Class) -> bool {
    a.min(b) < Class::Static
}

/// Visits each pair of rows once, of both sides or of one grid, whose objects can be pairs
/// according to cells, tiers and motion classes.
pub(super) fn visit_row_pairs<const D: usize>(
    [(rows, tiers), (others, other_tiers)]: [(&[Row<D>], &[Tier]); 2],
    same_grid: bool,
    can_pair: impl Fn(Class, Class) -> bool,
    mut visit: impl FnMut([u32; 2]),
) {
    for (index, row) in rows.iter().enumerate() {
        if same_grid && can_pair(row.id.class, row.id.class) {
            visit([index as u32; 2]);
        }
        let own = tiers.iter().find(|tier| tier.number == row.id.tier);
        let own = own.expect("the tier of a row exists");
        // Within one grid, pairs with rows of higher tiers are found from those rows.
        let reached = other_tiers.iter().filter(|tier| !same_grid || tier.number <= own.number);
        for &class in classes(others).iter().filter(|&&class| can_pair(row.id.class, class)) {
            for tier in reached.clone() {
                let cells = tier.cells_reached(own, &row.id.cell);
                visit_block(others, (class, tier.number), cells, |other| {
                    if !same_grid || tier.number < own.number || other > index {
                        visit([index, other].map(|row| row as u32));
                    }
                });
            }
        }
    }
}
