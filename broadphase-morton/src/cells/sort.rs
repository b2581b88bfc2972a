//! Sorts slots by code, in linear time if the order has hardly changed.
//!
//! 1. If at most 1 in 12 codes is out of order, sort these and merge them with the others.
//! 2. Otherwise radix-sort all.

use alloc::vec::Vec;

use broadphase_core::sort::{drop_merge, radix_sort};

use super::equal_codes::TieSorter;

/// If more than `len / REPAIR_DIVISOR` codes are misplaced, all codes are sorted.
const REPAIR_DIVISOR: usize = 12;
/// Minimum number of codes per thread.
const MIN_CODES_PER_TASK: usize = 32_768;

/// Scratch buffers, and the codes of the last sort.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    /// The codes of the slots to sort; sorted afterwards.
    pub(super) codes: Vec<u32>,
    other_codes: Vec<u32>,
    pub(super) other_slots: Vec<u32>,
    /// Misplaced codes and their slots.
    misplaced: Vec<[u32; 2]>,
    pub(super) ties: TieSorter,
}

impl Sorter {
    pub(super) fn memory_use(&self) -> usize {
        let words = [&self.codes, &self.other_codes, &self.other_slots];
        words.map(|list| list.capacity() * size_of::<u32>()).iter().sum::<usize>()
            + self.misplaced.capacity() * size_of::<[u32; 2]>()
            + self.ties.memory_use()
    }

    pub(super) fn reserve_codes(&mut self, len: usize) {
        self.codes.reserve_exact(len.saturating_sub(self.codes.len()));
        self.codes.resize(len, 0);
    }

    /// Retains the slots that `keep` accepts and their codes, in order.
    pub(super) fn retain(&mut self, slots: &mut Vec<u32>, keep: impl Fn(u32) -> bool) {
        let mut kept = 0;
        for at in 0..slots.len() {
            (slots[kept], self.codes[kept]) = (slots[at], self.codes[at]);
            kept += usize::from(keep(slots[kept]));
        }
        slots.truncate(kept);
    }

    /// Sorts slots and codes by code; the first `sorted` are in order. Equal codes mostly stay in
    /// order.
    pub(super) fn sort(&mut self, slots: &mut [u32], sorted: usize) {
        let Self { codes, other_codes, other_slots, misplaced, .. } = self;
        let len = slots.len();
        let codes = &mut codes[..len];
        let most = len / REPAIR_DIVISOR;
        misplaced.clear();
        misplaced.reserve_exact(most + 1);
        let code = |&[code, _]: &[u32; 2]| code;
        if drop_merge([codes, slots], sorted, most, misplaced, code) {
            return;
        }
        other_codes.resize(len, 0);
        other_slots.resize(len, 0);
        let to = [&mut other_codes[..], other_slots];
        if radix_sort([codes, slots], to, MIN_CODES_PER_TASK, code) {
            codes.copy_from_slice(other_codes);
            slots.copy_from_slice(other_slots);
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
