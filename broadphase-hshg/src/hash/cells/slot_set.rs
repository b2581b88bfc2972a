//! A set of slots for the entries of a crowded cell: a list for iteration, and a map from each slot
//! to its position in the list, so that insertion and removal take constant time.

use alloc::vec::Vec;

use broadphase_core::IndexError;

use crate::hash::map::cell_map::CellMap;

/// A list of slots, and the position of each slot in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotSet {
    list: Vec<u32>,
    /// Maps slots, as one-dimensional cells, to their positions in `list`.
    positions: CellMap<1>,
}

/// Returns a slot as a one-dimensional cell, the key type of [`CellMap`].
#[inline(always)]
const fn cell(slot: u32) -> [i32; 1] {
    [slot as i32]
}

impl SlotSet {
    /// Returns the slots in unspecified order.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &[u32] {
        &self.list
    }

    /// Adds a slot, which must not be in the set.
    pub(crate) fn insert(&mut self, slot: u32) {
        self.positions.get_or_insert(&cell(slot), self.list.len() as u32);
        self.list.push(slot);
    }

    /// Removes a slot, which must be in the set.
    pub(crate) fn remove(&mut self, slot: u32) {
        let position = self.positions.get(&cell(slot)).expect("the slot is in its cell");
        self.positions.remove(&cell(slot));
        self.list.swap_remove(position as usize);
        if let Some(&moved) = self.list.get(position as usize) {
            self.positions.replace(&cell(moved), position);
        }
    }

    /// Removes all slots without freeing memory.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.positions.clear();
    }

    /// Reserves memory for `additional` slots.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.list.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        self.positions.try_reserve(additional)
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.list.capacity() * size_of::<u32>() + self.positions.memory_use()
    }

    /// Frees unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
        self.positions.shrink_to_fit();
    }

    /// Checks that the map has the position of every slot in the list. For tests.
    pub(crate) fn assert_well_formed(&self) {
        for (position, &slot) in (0..).zip(&self.list) {
            assert_eq!(self.positions.get(&cell(slot)), Some(position), "slot {slot} is found");
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use laws::random::Random;

    use super::*;

    #[test]
    fn agrees_with_a_tree_set() {
        let (mut set, mut model) = (SlotSet::default(), BTreeSet::new());
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let slot = random.below(512);
            if model.insert(slot) {
                set.insert(slot);
            } else {
                set.remove(slot);
                model.remove(&slot);
            }
            set.assert_well_formed();
        }
        let found: BTreeSet<u32> = set.slots().iter().copied().collect();
        assert_eq!((found.len(), found), (set.slots().len(), model));
    }
}
