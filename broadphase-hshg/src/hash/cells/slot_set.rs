//! A set of slots for the entries of a crowded cell: a list for iteration, and a hash index from
//! slot to list position, so that insertion and removal take constant time.
//!
//! The index is open-addressed with linear probing and at most half full. Removal shifts later
//! entries of the same run back, so there are no tombstones.

use alloc::vec::Vec;

use broadphase_core::IndexError;

const FREE: u32 = u32::MAX;

/// A list of slots, and an index from each slot to its position in the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotSet {
    list: Vec<u32>,
    /// Positions in the list, by hash of the slot. The length is a power of two; at most half is
    /// used.
    index: Vec<u32>,
}

#[inline(always)]
fn hash(slot: u32) -> usize {
    (u64::from(slot).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

impl SlotSet {
    /// Returns the slots in unspecified order.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &[u32] {
        &self.list
    }

    /// Adds a slot, which must not be in the set.
    pub(crate) fn insert(&mut self, slot: u32) {
        if 2 * (self.list.len() + 1) > self.index.len() {
            self.rebuild((4 * self.list.len()).next_power_of_two().max(16));
        }
        let bucket = self.bucket(slot);
        self.index[bucket] = self.list.len() as u32;
        self.list.push(slot);
    }

    /// Removes a slot, which must be in the set.
    pub(crate) fn remove(&mut self, slot: u32) {
        let mut hole = self.bucket(slot);
        let position = self.index[hole];
        let last = self.list[self.list.len() - 1];
        let bucket = self.bucket(last);
        self.index[bucket] = position;
        // Shift later entries of the same run back, so that no search ends early at the hole.
        let mask = self.index.len() - 1;
        let mut probe = hole;
        loop {
            probe = (probe + 1) & mask;
            let number = self.index[probe];
            if number == FREE {
                break;
            }
            // The index already has the new position of the last slot; the list does not yet.
            let other = if number == position { last } else { self.list[number as usize] };
            let home = hash(other) & mask;
            if (probe.wrapping_sub(home) & mask) >= (probe.wrapping_sub(hole) & mask) {
                self.index[hole] = number;
                hole = probe;
            }
        }
        self.index[hole] = FREE;
        self.list.swap_remove(position as usize);
    }

    /// Replaces one slot by another.
    pub(crate) fn replace(&mut self, from: u32, to: u32) {
        self.remove(from);
        self.insert(to);
    }

    /// Removes all slots and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.index.fill(FREE);
    }

    /// Reserves memory for `additional` slots.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.list.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        let count = (2 * (self.list.len() + additional)).next_power_of_two().max(16);
        if count > self.index.len() {
            self.index
                .try_reserve_exact(count - self.index.len())
                .map_err(|_| IndexError::OutOfMemory)?;
            self.rebuild(count);
        }
        Ok(())
    }

    /// Returns the bytes of memory held.
    pub(crate) const fn memory_use(&self) -> usize {
        (self.list.capacity() + self.index.capacity()) * size_of::<u32>()
    }

    /// Frees unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
        self.index = Vec::new();
        if !self.list.is_empty() {
            self.rebuild((2 * self.list.len()).next_power_of_two().max(16));
        }
    }

    /// Returns the index bucket of a slot, or the free bucket where it would be inserted.
    #[inline(always)]
    fn bucket(&self, slot: u32) -> usize {
        let mask = self.index.len() - 1;
        let mut bucket = hash(slot) & mask;
        loop {
            let number = self.index[bucket];
            if number == FREE || self.list[number as usize] == slot {
                return bucket;
            }
            bucket = (bucket + 1) & mask;
        }
    }

    #[cold]
    fn rebuild(&mut self, count: usize) {
        self.index.clear();
        self.index.resize(count, FREE);
        for position in 0..self.list.len() {
            let bucket = self.bucket(self.list[position]);
            self.index[bucket] = position as u32;
        }
    }

    /// Checks that every slot is found. For tests.
    pub(crate) fn assert_well_formed(&self) {
        for (position, &slot) in self.list.iter().enumerate() {
            assert_eq!(self.index[self.bucket(slot)], position as u32, "slot {slot} is found");
        }
        let used = self.index.iter().filter(|&&number| number != FREE).count();
        assert_eq!(used, self.list.len(), "the index has every slot once");
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    #[test]
    fn agrees_with_a_tree_set() {
        let (mut set, mut model) = (SlotSet::default(), BTreeSet::new());
        let mut state = 1u32;
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (slot, other) = (state >> 16 & 511, state >> 7 & 511);
            match (model.contains(&slot), model.contains(&other)) {
                (false, _) => {
                    set.insert(slot);
                    model.insert(slot);
                }
                (true, false) => {
                    set.replace(slot, other);
                    model.remove(&slot);
                    model.insert(other);
                }
                (true, true) => {
                    set.remove(slot);
                    model.remove(&slot);
                }
            }
            set.assert_well_formed();
        }
        let found: BTreeSet<u32> = set.slots().iter().copied().collect();
        assert_eq!((found.len(), found), (set.slots().len(), model));
    }
}
