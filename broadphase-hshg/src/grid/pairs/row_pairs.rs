//! Which rows are swept with which.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::Scalar;
use broadphase_core::kernel::sweep::Guides;
use broadphase_core::pairs::Meetings;

use crate::grid::Core;
use crate::grid::pairs::parallel::Share;
use crate::grid::pairs::sweep::Broom;
use crate::grid::storage::row::{KINDS, STATIC, in_block};

/// The index of the meetings of objects that all rest.
pub(in crate::grid) const QUIET: usize = 1;

/// Which rows are swept with which, and what sweeps need.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct Joins {
    /// Pairs of rows whose objects could meet: each with itself, with later ones of its tier, and
    /// with those of lower tiers, as far as they reach.
    near: Vec<[u32; 2]>,
    /// How many of them have a dynamic row; they come first.
    busy_near: usize,
    /// Those of them whose objects' bounds meet now, but for what is known without a sweep: who
    /// meets what is static around him.
    pub(in crate::grid) now: Vec<[u32; 2]>,
    /// How many of them have a dynamic row; they come first.
    busy: usize,
    /// Which places meet in the first and in the others, where that is worth knowing.
    pub(in crate::grid) meetings: [Meetings; 2],
    /// Pairs of rows, the second one of another structure.
    pub(in crate::grid) others: Vec<[u32; 2]>,
    /// Whether tests often hit in the last sweep that came to its end.
    pub(in crate::grid) often: bool,
    /// Guides through the rows of static objects, if these have been as they are for some sweeps.
    pub(in crate::grid) guides: Guides,
    /// Whether something static has changed since the last sweep.
    pub(in crate::grid) static_changed: bool,
    /// How many sweeps in a row nothing had, up to when guides are made.
    pub(in crate::grid) quiet_sweeps: u32,
    /// What one thread sweeps with.
    pub(in crate::grid) broom: Broom,
    /// What several threads have in hand; between sweeps, only its memory.
    pub(in crate::grid) shares: Vec<Share>,
}

impl Joins {
    /// Forgets who meets, since objects have changed.
    pub(in crate::grid) fn forget(&mut self) {
        self.static_changed = true;
        self.meetings.iter_mut().for_each(Meetings::forget);
    }

    /// The joins of a part: the busy ones, or the quiet ones.
    pub(in crate::grid) const fn range(&self, part: usize) -> Range<usize> {
        if part == QUIET { self.busy..self.now.len() } else { 0..self.busy }
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        let lists = [&self.near, &self.now, &self.others];
        lists.map(|list| list.capacity() * size_of::<[u32; 2]>()).iter().sum::<usize>()
            + self.meetings.iter().map(Meetings::memory_use).sum::<usize>()
            + self.guides.memory_use()
            + self.broom.memory_use()
            + self.shares.capacity() * size_of::<Share>()
            + self.shares.iter().map(Share::memory_use).sum::<usize>()
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Takes note that an object changes its place or its slabs.
    #[inline(always)]
    pub(in crate::grid) fn touch(&mut self, kind: u8) {
        self.joins.meetings[0].forget();
        if kind > 0 {
            self.joins.meetings[QUIET].forget();
            self.joins.static_changed |= kind == STATIC;
        }
    }

    /// Finds which rows have to be swept with which.
    pub(in crate::grid) fn join(&mut self) {
        if self.rows_changed {
            self.joins.near.clear();
            self.find_near(true);
            self.joins.busy_near = self.joins.near.len();
            self.find_near(false);
            self.rows_changed = false;
        }
        let longest = self.longest();
        self.joins.broom.prepare(longest, self.tiers.len(), D > 2);
        self.guide();
        self.survey();
        let joins = &mut self.joins;
        joins.now.clear();
        for (index, &[a, b]) in joins.near.iter().enumerate() {
            if index == joins.busy_near {
                joins.busy = joins.now.len();
            }
            let (first, second) = (&self.rows[a as usize], &self.rows[b as usize]);
            // Rows ascend by kind, so that of two the earlier one is dynamic if any is.
            let is_known = first.id.kind.max(second.id.kind) == STATIC
                && (a.min(b) as usize) < self.surroundings.rows();
            if !is_known && first.len > 0 && (a == b || first.bounds.overlaps(&second.bounds)) {
                joins.now.push([a, b]);
            }
        }
        if joins.busy_near == joins.near.len() {
            joins.busy = joins.now.len();
        }
    }

    /// How many places the longest row has.
    pub(in crate::grid) fn longest(&self) -> usize {
        self.rows.iter().map(|row| row.len).max().unwrap_or(0)
    }

    /// Finds which rows are near each other, whatever is in them: those of which one is dynamic, or
    /// the others.
    fn find_near(&mut self, busy: bool) {
        let meet = |a: u8, b: u8| {
            // Two static objects are not a pair; of kinds that rest, the last is the static one.
            if busy { a == 0 || b == 0 } else { a > 0 && b > 0 && (a < STATIC || b < STATIC) }
        };
        let near = &mut self.joins.near;
        for (index, row) in self.rows.iter().enumerate() {
            if meet(row.id.kind, row.id.kind) {
                near.push([index as u32; 2]);
            }
            let own = self.tiers.iter().find(|tier| tier.number == row.id.tier);
            let own = own.expect("the tier of a row is known");
            for kind in (0..KINDS).filter(|&kind| meet(row.id.kind, kind)) {
                for tier in self.tiers.iter().take_while(|tier| tier.number <= own.number) {
                    let cells = tier.cells_reached(own, &row.id.cell);
                    in_block(&self.rows, [i32::from(kind), tier.number], cells, |other| {
                        if tier.number < own.number || other > index {
                            near.push([index as u32, other as u32]);
                        }
                    });
                }
            }
        }
    }
}
