//! Which rows are swept with which.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::Scalar;
use broadphase_core::kernel::sweep::Guides;
use broadphase_core::pairs::Meetings;

use crate::grid::Core;
use crate::grid::pairs::parallel::Job;
use crate::grid::pairs::sweep::SweepScratch;
use crate::grid::storage::row::{CLASSES, STATIC, visit_block};

/// The index of the meetings of objects that all rest.
pub(in crate::grid) const RESTING: usize = 1;

/// Which rows are swept with which, and what sweeps need.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct RowPairs {
    /// Pairs of rows whose objects could meet: each with itself, with later ones of its tier, and
    /// with those of lower tiers, as far as they reach.
    adjacent: Vec<[u32; 2]>,
    /// How many of them have a dynamic row; they come first.
    adjacent_moving: usize,
    /// Those of them whose objects' bounds meet now, but for what is known without a sweep: who
    /// meets what is static around him.
    pub(in crate::grid) active: Vec<[u32; 2]>,
    /// How many of them have a dynamic row; they come first.
    moving: usize,
    /// Which places meet in the first and in the others, where that is worth knowing.
    pub(in crate::grid) caches: [Meetings; 2],
    /// Pairs of rows, the second one of another structure.
    pub(in crate::grid) cross: Vec<[u32; 2]>,
    /// Whether tests often hit in the last sweep that came to its end.
    pub(in crate::grid) hits_often: bool,
    /// Guides through the rows of static objects, if these have been as they are for some sweeps.
    pub(in crate::grid) row_index: Guides,
    /// Whether something static has changed since the last sweep.
    pub(in crate::grid) static_changed: bool,
    /// How many sweeps in a row nothing had, up to when guides are made.
    pub(in crate::grid) unchanged_sweeps: u32,
    /// What one thread sweeps with.
    pub(in crate::grid) scratch: SweepScratch,
    /// What several threads have in hand; between sweeps, only its memory.
    pub(in crate::grid) jobs: Vec<Job>,
}

impl RowPairs {
    /// Forgets who meets, since objects have changed.
    pub(in crate::grid) fn invalidate(&mut self) {
        self.static_changed = true;
        self.caches.iter_mut().for_each(Meetings::forget);
    }

    /// The joins of a part: the busy ones, or the quiet ones.
    pub(in crate::grid) const fn range(&self, group: usize) -> Range<usize> {
        if group == RESTING { self.moving..self.active.len() } else { 0..self.moving }
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        let lists = [&self.adjacent, &self.active, &self.cross];
        lists.map(|list| list.capacity() * size_of::<[u32; 2]>()).iter().sum::<usize>()
            + self.caches.iter().map(Meetings::memory_use).sum::<usize>()
            + self.row_index.memory_use()
            + self.scratch.memory_use()
            + self.jobs.capacity() * size_of::<Job>()
            + self.jobs.iter().map(Job::memory_use).sum::<usize>()
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Takes note that an object changes its place or its slabs.
    #[inline(always)]
    pub(in crate::grid) fn invalidate_pairs(&mut self, class: u8) {
        self.row_pairs.caches[0].forget();
        if class > 0 {
            self.row_pairs.caches[RESTING].forget();
            self.row_pairs.static_changed |= class == STATIC;
        }
    }

    /// Finds which rows have to be swept with which.
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
            // Rows ascend by kind, so that of two the earlier one is dynamic if any is.
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

    /// How many places the longest row has.
    pub(in crate::grid) fn longest_row(&self) -> usize {
        self.rows.iter().map(|row| row.len).max().unwrap_or(0)
    }

    /// Finds which rows are near each other, whatever is in them: those of which one is dynamic, or
    /// the others.
    fn find_adjacent(&mut self, moving: bool) {
        let can_pair = |a: u8, b: u8| {
            // Two static objects are not a pair; of kinds that rest, the last is the static one.
            if moving { a == 0 || b == 0 } else { a > 0 && b > 0 && (a < STATIC || b < STATIC) }
        };
        let adjacent = &mut self.row_pairs.adjacent;
        for (index, row) in self.rows.iter().enumerate() {
            if can_pair(row.id.class, row.id.class) {
                adjacent.push([index as u32; 2]);
            }
            let own = self.tiers.iter().find(|tier| tier.number == row.id.tier);
            let own = own.expect("the tier of a row is known");
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
