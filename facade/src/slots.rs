//! Which slots are in use, by what, and what was in them at the last step.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use broadphase_core::{Filter, Motion, Pair};

use crate::filters::Filters;
use crate::{Error, Handle};

/// What is in each slot; the lowest free slot is used first.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    slots: Vec<Slot>,
    free: BinaryHeap<Reverse<u32>>,
    /// What was removed or refiltered since the last step, the first of each slot: the pairs of
    /// that step name it.
    before: Vec<Member>,
}

/// The place of what is as it was at the last step.
const SAME: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
    generation: u32,
    /// The place in `before` of what was here at the last step, or `SAME`.
    before: u32,
    content: Option<Content>,
}

/// What a slot in use knows of its object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Content {
    /// The number of its filter.
    pub(crate) filter: u32,
    pub(crate) motion: Motion,
}

/// An object as pairs show it, but for its user data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) handle: Handle,
    pub(crate) filter: Filter,
}

/// The slot of an object that was removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Removed {
    pub(crate) content: Content,
    /// The place among the objects kept from the last step where its user data belong.
    pub(crate) place: Option<usize>,
}

impl Slots {
    pub(crate) const fn new() -> Self {
        Self { slots: Vec::new(), free: BinaryHeap::new(), before: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// How many slots there are, in use or not.
    pub(crate) const fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// The bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.free.capacity() * size_of::<Reverse<u32>>()
            + self.before.capacity() * size_of::<Member>()
    }

    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve_slots(self.len() + additional)
    }

    /// Makes room for so many slots in all.
    pub(crate) fn try_reserve_slots(&mut self, slots: usize) -> Result<(), Error> {
        let new = slots.saturating_sub(self.slots.len());
        self.slots.try_reserve(new).map_err(|_| Error::OutOfMemory)
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.slots.shrink_to_fit();
        self.free.shrink_to_fit();
        self.before.shrink_to_fit();
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
    pub(crate) fn fill(&mut self, handle: Handle, content: Content) {
        let content = Some(content);
        if self.free.pop().is_some() {
            self.slots[handle.index() as usize].content = content;
        } else {
            self.slots.push(Slot { generation: 0, before: SAME, content });
        }
    }

    pub(crate) fn get(&self, handle: Handle) -> Option<&Content> {
        let slot = self.slots.get(handle.index() as usize)?;
        slot.content.as_ref().filter(|_| slot.generation == handle.generation())
    }

    pub(crate) fn get_mut(&mut self, handle: Handle) -> Option<&mut Content> {
        let slot = self.slots.get_mut(handle.index() as usize)?;
        slot.content.as_mut().filter(|_| slot.generation == handle.generation())
    }

    /// Frees the slot of an object. The caller releases its filter and keeps its user data if the
    /// result says so.
    pub(crate) fn remove(&mut self, handle: Handle, filters: &Filters) -> Option<Removed> {
        let content = *self.get(handle)?;
        self.remember(handle, filters);
        let slot = &mut self.slots[handle.index() as usize];
        let place = slot.before as usize;
        // It may be in the list already, for its filter; its user data are those of the end.
        let place = (self.before[place].handle == handle).then_some(place);
        slot.content = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(Reverse(handle.index()));
        Some(Removed { content, place })
    }

    /// Adds the object in a slot to those kept from the last step, before its filter changes or it
    /// is removed. Returns its place among them, or `None` if the slot has one there already.
    pub(crate) fn remember(&mut self, handle: Handle, filters: &Filters) -> Option<usize> {
        let slot = &mut self.slots[handle.index() as usize];
        let content = slot.content.filter(|_| slot.before == SAME)?;
        let place = self.before.len();
        slot.before = place as u32;
        self.before.push(Member { handle, filter: filters.get(content.filter) });
        Some(place)
    }

    /// The handle of what is in a slot now.
    ///
    /// # Panics
    /// If nothing is.
    pub(crate) fn handle(&self, index: u32) -> Handle {
        let slot = &self.slots[index as usize];
        assert!(slot.content.is_some(), "slot {index} is in use");
        Handle::new(index, slot.generation)
    }

    /// Returns the handle of the object that is in a slot now.
    pub(crate) fn occupant(&self, index: u32) -> Option<Handle> {
        let slot = self.slots.get(index as usize)?;
        slot.content.map(|_| Handle::new(index, slot.generation))
    }

    /// Returns the object that is in a slot now.
    pub(crate) fn content(&self, index: u32) -> Option<Content> {
        self.slots.get(index as usize)?.content
    }

    /// What is in a slot now.
    ///
    /// # Panics
    /// If nothing is.
    pub(crate) fn now(&self, index: u32, filters: &Filters) -> Member {
        let slot = &self.slots[index as usize];
        let Content { filter, .. } = slot.content.expect("objects of a pair are there");
        Member { handle: Handle::new(index, slot.generation), filter: filters.get(filter) }
    }

    /// Returns the object that was in a slot at the last step, with the filter it had then.
    pub(crate) fn at_last_step(&self, index: u32, filters: &Filters) -> Member {
        match self.slots[index as usize].before {
            SAME => self.now(index, filters),
            place => self.before[place as usize],
        }
    }

    /// Returns where the user data of the object are that was in a slot at the last step: its place
    /// among the objects kept from that step, or `None` if it is in its slot still.
    pub(crate) fn past_place(&self, index: u32) -> Option<usize> {
        let slot = &self.slots[index as usize];
        let before = self.before.get(slot.before as usize)?;
        let still = slot.content.is_some() && before.handle.generation() == slot.generation;
        (!still).then_some(slot.before as usize)
    }

    /// Whether a slot was in use at the last step, if a pair of that step names it.
    pub(crate) fn was_in_use(&self, index: u32) -> bool {
        let slot = self.slots.get(index as usize);
        slot.is_some_and(|slot| slot.before != SAME || slot.content.is_some())
    }

    /// Whether any slot is in use by something else than at the last step.
    pub(crate) fn any_replaced(&self) -> bool {
        self.before.iter().any(|member| self.is_replaced(member.handle.index()))
    }

    /// Whether a slot is in use by something else than at the last step.
    #[inline]
    pub(crate) fn is_replaced(&self, index: u32) -> bool {
        let slot = &self.slots[index as usize];
        slot.before != SAME
            && slot.content.is_some()
            && self.before[slot.before as usize].handle.generation() != slot.generation
    }

    /// Whether anything is remembered of the last step.
    pub(crate) const fn remembers(&self) -> bool {
        !self.before.is_empty()
    }

    /// What was there at the last step and is gone or has another filter, in no particular order,
    /// as [`at_last_step`](Self::at_last_step) shows it.
    pub(crate) fn changed(&self, filters: &Filters) -> impl Iterator<Item = Member> {
        let slots = self.before.iter().map(|member| member.handle.index());
        slots.filter_map(|index| {
            let before = self.at_last_step(index, filters);
            let now = self.slots[index as usize];
            let same = now.generation == before.handle.generation()
                && now.content.is_some_and(|now| filters.get(now.filter) == before.filter);
            (!same).then_some(before)
        })
    }

    /// Forgets what was before: a step has been taken.
    pub(crate) fn step(&mut self) {
        for member in self.before.drain(..) {
            self.slots[member.handle.index() as usize].before = SAME;
        }
    }

    /// Ascending by slot.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Handle> + '_ {
        (0..)
            .zip(&self.slots)
            .filter(|(_, slot)| slot.content.is_some())
            .map(|(index, slot)| Handle::new(index, slot.generation))
    }

    /// How what is in a slot moves, if anything is.
    pub(crate) fn motion(&self, index: u32) -> Option<Motion> {
        Some(self.slots.get(index as usize)?.content.as_ref()?.motion)
    }

    /// The generation of each slot, and what is in it.
    pub(crate) fn all(&self) -> impl ExactSizeIterator<Item = (u32, Option<Content>)> + '_ {
        self.slots.iter().map(|slot| (slot.generation, slot.content))
    }

    /// Takes over slots as [`all`](Self::all) shows them, and what is remembered.
    pub(crate) fn restore(
        &mut self,
        slots: impl ExactSizeIterator<Item = (u32, Option<Content>)>,
        before: impl Iterator<Item = Member>,
    ) {
        self.slots.clear();
        let slot = |(generation, content)| Slot { generation, before: SAME, content };
        self.slots.extend(slots.map(slot));
        let mut free = core::mem::take(&mut self.free).into_vec();
        free.clear();
        let empty = (0..).zip(&self.slots).filter(|(_, slot)| slot.content.is_none());
        free.extend(empty.map(|(index, _)| Reverse(index)));
        self.free = free.into();
        self.before.clear();
        for member in before {
            self.slots[member.handle.index() as usize].before = self.before.len() as u32;
            self.before.push(member);
        }
    }

    /// Checks what holds between slots; for tests.
    pub(crate) fn assert_well_formed(&self, pairs: &[Pair]) {
        let empty = self.slots.iter().filter(|slot| slot.content.is_none()).count();
        assert_eq!(empty, self.free.len(), "what is not in use is free");
        for (place, member) in self.before.iter().enumerate() {
            let slot = &self.slots[member.handle.index() as usize];
            assert_eq!(slot.before as usize, place, "what is remembered is found by its slot");
        }
        for &index in pairs.as_flattened() {
            assert!(self.was_in_use(index), "slot {index} was in use at the last step");
        }
    }
}
