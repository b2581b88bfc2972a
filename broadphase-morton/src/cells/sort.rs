//! Sorting places by code: linear where the order has hardly changed.

use alloc::vec::Vec;

use super::equal_codes::TieSorter;
use super::radix;

/// One in so many may be out of order before everything is sorted anew.
const REPAIR_DIVISOR: usize = 12;

/// Memory for sorting, kept, and the codes of what was sorted last.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    /// The codes of what is to be sorted, then in order.
    pub(super) codes: Vec<u32>,
    other_codes: Vec<u32>,
    pub(super) other_slots: Vec<u32>,
    /// What is out of order: code and slot.
    misplaced: Vec<u64>,
    pub(super) ties: TieSorter,
}

impl Sorter {
    pub(super) fn memory_use(&self) -> usize {
        let words = [&self.codes, &self.other_codes, &self.other_slots];
        words.map(|list| list.capacity() * size_of::<u32>()).iter().sum::<usize>()
            + self.misplaced.capacity() * size_of::<u64>()
            + self.ties.memory_use()
    }

    /// Makes room for the codes of so many.
    pub(super) fn reserve_codes(&mut self, len: usize) {
        self.codes.reserve_exact(len.saturating_sub(self.codes.len()));
        self.codes.resize(len, 0);
    }

    /// Keeps only slots that are wanted, whose codes these are, and their codes.
    pub(super) fn retain(&mut self, slots: &mut Vec<u32>, keep: impl Fn(u32) -> bool) {
        let mut kept = 0;
        for at in 0..slots.len() {
            (slots[kept], self.codes[kept]) = (slots[at], self.codes[at]);
            kept += usize::from(keep(slots[kept]));
        }
        slots.truncate(kept);
    }

    /// Sorts slots by their codes, and these, of which the first `sorted` are in order; equal codes
    /// stay as they are, or nearly so.
    pub(super) fn sort(&mut self, slots: &mut [u32], sorted: usize) {
        if !self.merge_misplaced(slots, sorted) {
            let Self { codes, other_codes, other_slots, .. } = self;
            other_codes.resize(slots.len(), 0);
            other_slots.resize(slots.len(), 0);
            radix::sort([codes, slots], [other_codes, other_slots]);
        }
    }

    /// Takes out what is out of order, sorts it, and merges it in again; `false` if that is much.
    fn merge_misplaced(&mut self, slots: &mut [u32], sorted: usize) -> bool {
        let Self { codes, misplaced, .. } = self;
        let len = slots.len();
        let codes = &mut codes[..len];
        let most = len / REPAIR_DIVISOR;
        misplaced.clear();
        misplaced.reserve_exact(most + 1);
        let mut kept = sorted;
        for at in sorted..len {
            let (code, slot) = (codes[at], slots[at]);
            if kept == 0 || codes[kept - 1] <= code {
                (codes[kept], slots[kept]) = (code, slot);
                kept += 1;
                continue;
            }
            if misplaced.len() == most {
                // What is missing has its room just before this place.
                for (gap, item) in (kept..at).zip(&*misplaced) {
                    (codes[gap], slots[gap]) = ((item >> 32) as u32, *item as u32);
                }
                return false;
            }
            // Either this one comes too late, or the one before it came too early.
            if kept >= 2 && codes[kept - 2] <= code {
                misplaced.push(u64::from(codes[kept - 1]) << 32 | u64::from(slots[kept - 1]));
                (codes[kept - 1], slots[kept - 1]) = (code, slot);
            } else {
                misplaced.push(u64::from(code) << 32 | u64::from(slot));
            }
        }
        misplaced.sort_unstable();
        let mut end = len;
        while let Some(&item) = misplaced.last() {
            end -= 1;
            let code = (item >> 32) as u32;
            if kept > 0 && codes[kept - 1] > code {
                kept -= 1;
                (codes[end], slots[end]) = (codes[kept], slots[kept]);
            } else {
                (codes[end], slots[end]) = (code, item as u32);
                misplaced.pop();
            }
        }
        true
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
