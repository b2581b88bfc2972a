//! Sorting places by code: linear where the order has hardly changed.

use alloc::vec::Vec;

/// Bits sorted in one pass.
const DIGIT: u32 = 11;
/// One in so many may be out of order before everything is sorted anew.
const FEW: usize = 12;

/// Memory for sorting, kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    /// The codes of what is to be sorted.
    pub(super) codes: Vec<u32>,
    other_codes: Vec<u32>,
    pub(super) other_slots: Vec<u32>,
    /// What is out of order: code and slot.
    loose: Vec<u64>,
}

impl Sorter {
    pub(super) fn memory_use(&self) -> usize {
        let words = [&self.codes, &self.other_codes, &self.other_slots];
        words.map(|list| list.capacity() * size_of::<u32>()).iter().sum::<usize>()
            + self.loose.capacity() * size_of::<u64>()
    }

    /// Sorts slots by their codes; equal codes stay as they are, or nearly so.
    pub(super) fn sort(&mut self, slots: &mut [u32]) {
        if !self.repair(slots) {
            self.sort_anew(slots);
        }
    }

    /// Takes out what is out of order, sorts it, and merges it in again; `false` if that is much.
    fn repair(&mut self, slots: &mut [u32]) -> bool {
        let Self { codes, loose, .. } = self;
        let len = slots.len();
        let codes = &mut codes[..len];
        let most = len / FEW;
        loose.clear();
        loose.reserve_exact(most + 1);
        let mut kept = 0;
        for at in 0..len {
            let (code, slot) = (codes[at], slots[at]);
            if kept == 0 || codes[kept - 1] <= code {
                (codes[kept], slots[kept]) = (code, slot);
                kept += 1;
                continue;
            }
            if loose.len() == most {
                // What is missing has its room just before this place.
                for (gap, item) in (kept..at).zip(&*loose) {
                    (codes[gap], slots[gap]) = ((item >> 32) as u32, *item as u32);
                }
                return false;
            }
            // Either this one comes too late, or the one before it came too early.
            if kept >= 2 && codes[kept - 2] <= code {
                loose.push(u64::from(codes[kept - 1]) << 32 | u64::from(slots[kept - 1]));
                (codes[kept - 1], slots[kept - 1]) = (code, slot);
            } else {
                loose.push(u64::from(code) << 32 | u64::from(slot));
            }
        }
        loose.sort_unstable();
        let mut end = len;
        while let Some(&item) = loose.last() {
            end -= 1;
            let code = (item >> 32) as u32;
            if kept > 0 && codes[kept - 1] > code {
                kept -= 1;
                (codes[end], slots[end]) = (codes[kept], slots[kept]);
            } else {
                (codes[end], slots[end]) = (code, item as u32);
                loose.pop();
            }
        }
        true
    }

    /// Sorts by digits, the least first; digits in which all agree are passed over.
    fn sort_anew(&mut self, slots: &mut [u32]) {
        let Self { codes, other_codes, other_slots, .. } = self;
        let len = slots.len();
        other_codes.resize(len, 0);
        other_slots.resize(len, 0);
        let codes = &mut codes[..len];
        let (mut from, mut to) = ((codes, slots), (&mut other_codes[..], &mut other_slots[..]));
        let mut swapped = false;
        for shift in (0..u32::BITS).step_by(DIGIT as usize) {
            if scatter([from.0, from.1], [to.0, to.1], shift) {
                core::mem::swap(&mut from, &mut to);
                swapped = !swapped;
            }
        }
        if swapped {
            to.0.copy_from_slice(from.0);
            to.1.copy_from_slice(from.1);
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// One stable pass by the digit at `shift`; `false`, and nothing done, if all have the same.
fn scatter(from: [&[u32]; 2], to: [&mut [u32]; 2], shift: u32) -> bool {
    let digit = |code: u32| (code >> shift) as usize % (1 << DIGIT);
    let ([codes, slots], [to_codes, to_slots]) = (from, to);
    let mut ends = [0u32; 1 << DIGIT];
    for &code in codes {
        ends[digit(code)] += 1;
    }
    if codes.first().is_none_or(|&code| ends[digit(code)] as usize == codes.len()) {
        return false;
    }
    let mut begin = 0;
    for end in &mut ends {
        begin += *end;
        *end = begin - *end;
    }
    for (&code, &slot) in codes.iter().zip(slots) {
        let place = &mut ends[digit(code)];
        to_codes[*place as usize] = code;
        to_slots[*place as usize] = slot;
        *place += 1;
    }
    true
}
