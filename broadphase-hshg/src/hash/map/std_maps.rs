//! Implements [`CellMap`] for the maps of the standard library.

use alloc::collections::BTreeMap;

use broadphase_core::IndexError;

use super::CellMap;

/// Implements the methods of [`CellMap`] by methods that both maps have.
macro_rules! forward_to_map {
    () => {
        fn get(&self, cell: &[i32; D]) -> Option<u32> {
            Self::get(self, cell).copied()
        }

        fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32 {
            *self.entry(*cell).or_insert(number)
        }

        fn replace(&mut self, cell: &[i32; D], number: u32) {
            self.insert(*cell, number);
        }

        fn remove(&mut self, cell: &[i32; D]) {
            Self::remove(self, cell);
        }

        fn clear(&mut self) {
            Self::clear(self);
        }
    };
}

/// A `BTreeMap` is slower than [`Sparse`](super::Sparse), but an attacker that chooses coordinates
/// cannot slow it down. The reported memory is an estimate.
impl<const D: usize> CellMap<D> for BTreeMap<[i32; D], u32> {
    forward_to_map!();

    fn try_reserve(&mut self, _: usize) -> Result<(), IndexError> {
        Ok(())
    }

    fn shrink_to_fit(&mut self) {}

    fn memory_use(&self) -> usize {
        // Nodes are at least half full, so twice the size of the entries is an upper bound on their
        // memory.
        self.len() * 2 * size_of::<([i32; D], u32)>()
    }
}

/// Requires the feature `std`. The reported memory is an estimate.
#[cfg(feature = "std")]
impl<const D: usize, H> CellMap<D> for std::collections::HashMap<[i32; D], u32, H>
where
    H: core::hash::BuildHasher + Clone + Send + Sync,
{
    forward_to_map!();

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        Self::try_reserve(self, additional).map_err(|_| IndexError::OutOfMemory)
    }

    fn shrink_to_fit(&mut self) {
        Self::shrink_to_fit(self);
    }

    fn memory_use(&self) -> usize {
        // The map has one control byte for each entry.
        self.capacity() * (size_of::<([i32; D], u32)>() + 1)
    }
}
