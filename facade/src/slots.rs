//! Which slots are in use, by what, and what was in them at the last step.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::{Error, Handle};

/// User data by slot; the lowest free slot is used first.
#[derive(Clone, Debug)]
pub(crate) struct Slots<U> {
    slots: Vec<Slot<U>>,
    free: BinaryHeap<Reverse<u32>>,
    /// What was removed since the last step, the first of each slot: the pairs of that step name it.
    departed: Vec<(Handle, U)>,
}

/// The place of what did not depart.
const STAYED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot<U> {
    generation: u32,
    /// The place among the departed of the first to leave it since the last step, or `STAYED`.
    departed: u32,
    user: Option<U>,
}

impl<U: Copy> Slots<U> {
    pub(crate) const fn new() -> Self {
        Self { slots: Vec::new(), free: BinaryHeap::new(), departed: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The handle that the next insertion will hand out, for which there is room.
    pub(crate) fn next(&mut self) -> Result<Handle, Error> {
        match self.free.peek() {
            Some(&Reverse(index)) => Ok(Handle::new(index, self.slots[index as usize].generation)),
            None if self.slots.len() < u32::MAX as usize => {
                self.slots.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
                Ok(Handle::new(self.slots.len() as u32, 0))
            }
            None => Err(Error::OutOfMemory),
        }
    }

    /// Takes the slot that [`next`](Self::next) named.
    pub(crate) fn fill(&mut self, handle: Handle, user: U) {
        let user = Some(user);
        if self.free.pop().is_some() {
            self.slots[handle.index() as usize].user = user;
        } else {
            self.slots.push(Slot { generation: 0, departed: STAYED, user });
        }
    }

    pub(crate) fn get(&self, handle: Handle) -> Option<&U> {
        let slot = self.slots.get(handle.index() as usize)?;
        slot.user.as_ref().filter(|_| slot.generation == handle.generation())
    }

    pub(crate) fn get_mut(&mut self, handle: Handle) -> Option<&mut U> {
        let slot = self.slots.get_mut(handle.index() as usize)?;
        slot.user.as_mut().filter(|_| slot.generation == handle.generation())
    }

    pub(crate) fn remove(&mut self, handle: Handle) -> Option<U> {
        let user = *self.get(handle)?;
        let slot = &mut self.slots[handle.index() as usize];
        slot.user = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(Reverse(handle.index()));
        // The first to leave a slot since the last step is the one that step saw.
        if slot.departed == STAYED {
            slot.departed = self.departed.len() as u32;
            self.departed.push((handle, user));
        }
        Some(user)
    }

    /// Removes everything.
    pub(crate) fn clear(&mut self) {
        for index in 0..self.slots.len() as u32 {
            let handle = Handle::new(index, self.slots[index as usize].generation);
            self.remove(handle);
        }
    }

    /// The handle of what is in a slot now.
    ///
    /// # Panics
    /// If nothing is.
    pub(crate) fn handle(&self, index: u32) -> Handle {
        let slot = &self.slots[index as usize];
        assert!(slot.user.is_some(), "slot {index} is in use");
        Handle::new(index, slot.generation)
    }

    /// What was in a slot at the last step, if anything was.
    #[inline]
    pub(crate) fn at_last_step(&self, index: u32) -> (Handle, &U) {
        let slot = &self.slots[index as usize];
        if slot.departed != STAYED {
            let (handle, user) = &self.departed[slot.departed as usize];
            return (*handle, user);
        }
        let user = slot.user.as_ref().expect("what met at the last step is there or departed");
        (Handle::new(index, slot.generation), user)
    }

    /// Forgets what had departed: a step has been taken.
    pub(crate) fn step(&mut self) {
        for (handle, _) in self.departed.drain(..) {
            self.slots[handle.index() as usize].departed = STAYED;
        }
    }

    /// Ascending by slot.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Handle> + '_ {
        (0..)
            .zip(&self.slots)
            .filter(|(_, slot)| slot.user.is_some())
            .map(|(index, slot)| Handle::new(index, slot.generation))
    }
}
