//! The user data of a world's objects.

use alloc::vec::Vec;

use broadphase_core::Pair;

use crate::Error;
use crate::registry::Registry;

/// User data, by slot.
#[derive(Clone, Debug)]
pub(crate) struct Users<U> {
    /// Of each slot that was ever in use; in free slots, old data.
    pub(crate) now: Vec<U>,
    /// Of each object kept from the last step, in the order of [`Slots`](crate::slots::Slots); as
    /// they were when the object was removed, if it was.
    pub(crate) past: Vec<U>,
}

impl<U: Copy> Users<U> {
    pub(crate) const fn new() -> Self {
        Self { now: Vec::new(), past: Vec::new() }
    }

    pub(crate) const fn memory_use(&self) -> usize {
        // Not of the sum: the capacity for data that take no memory is the largest number.
        self.now.capacity() * size_of::<U>() + self.past.capacity() * size_of::<U>()
    }

    pub(crate) fn try_reserve(&mut self, slots: usize) -> Result<(), Error> {
        let more = slots.saturating_sub(self.now.len());
        self.now.try_reserve(more).map_err(|_| Error::OutOfMemory)
    }

    /// Puts data into a slot, for which there is room.
    pub(crate) fn set(&mut self, slot: u32, user: U) {
        put(&mut self.now, slot as usize, user);
    }

    /// Keeps the data of a slot at a place of the past, if one is given.
    pub(crate) fn keep(&mut self, slot: u32, place: Option<usize>) {
        if let Some(place) = place {
            put(&mut self.past, place, self.now[slot as usize]);
        }
    }

    /// Returns the data of a pair of the last step.
    pub(crate) fn at_last_step(&self, registry: &Registry, [a, b]: Pair) -> [U; 2] {
        [self.one_at_last_step(registry, a), self.one_at_last_step(registry, b)]
    }

    pub(crate) fn one_at_last_step(&self, registry: &Registry, slot: u32) -> U {
        match registry.slots.past_place(slot) {
            Some(place) => self.past[place],
            None => self.now[slot as usize],
        }
    }
}

/// Writes at a place of a list that has at least this place, or ends right before it.
pub(crate) fn put<U>(list: &mut Vec<U>, place: usize, user: U) {
    if place < list.len() {
        list[place] = user;
    } else {
        list.push(user);
    }
}
