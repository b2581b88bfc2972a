//! Sorts slots by code, in linear time if the order has hardly changed.
//!
//! 1. Scan the codes and remove every code that is below its predecessor; if only the predecessor
//!    is out of place, remove the predecessor instead.
//! 2. If more than 1 in 12 is removed, restore them and radix-sort all.
//! 3. Otherwise sort the removed codes and merge them from the back.

use alloc::vec::Vec;

use super::equal_codes::TieSorter;
use super::radix;

/// More than `len / REPAIR_DIVISOR` misplaced codes cause a full sort.
const REPAIR_DIVISOR: usize = 12;

/// Scratch buffers, kept between calls, and the codes of the last sort.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    /// The codes of the slots to sort; sorted afterwards.
    pub(super) codes: Vec<u32>,
    other_codes: Vec<u32>,
    pub(super) other_slots: Vec<u32>,
    /// Misplaced entries: the code in the high half, the slot in the low half.
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

    /// Allocates room for `len` codes.
    pub(super) fn reserve_codes(&mut self, len: usize) {
        self.codes.reserve_exact(len.saturating_sub(self.codes.len()));
        self.codes.resize(len, 0);
    }

    /// Keeps the slots that `keep` accepts and their codes, in order.
    pub(super) fn retain(&mut self, slots: &mut Vec<u32>, keep: impl Fn(u32) -> bool) {
        let mut kept = 0;
        for at in 0..slots.len() {
            (slots[kept], self.codes[kept]) = (slots[at], self.codes[at]);
            kept += usize::from(keep(slots[kept]));
        }
        slots.truncate(kept);
    }

    /// Sorts slots and their codes by code; the first `sorted` codes are in order. Equal codes
    /// mostly keep their order.
    pub(super) fn sort(&mut self, slots: &mut [u32], sorted: usize) {
        if !self.merge_misplaced(slots, sorted) {
            let Self { codes, other_codes, other_slots, .. } = self;
            other_codes.resize(slots.len(), 0);
            other_slots.resize(slots.len(), 0);
            radix::sort([codes, slots], [other_codes, other_slots]);
        }
    }

    /// Removes misplaced codes, sorts them, and merges them back. Returns `false` if there are too
    /// many; the codes are then complete but unsorted.
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
                // The gap before this index has exactly the size of the removed entries.
                for (gap, item) in (kept..at).zip(&*misplaced) {
                    (codes[gap], slots[gap]) = ((item >> 32) as u32, *item as u32);
                }
                return false;
            }
            // Either this code is too small for its position, or the one before it is too large.
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
