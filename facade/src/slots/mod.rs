//! The table of slots: the current object of each slot, and the *kept* objects. These were removed
//! or got another filter since the last step, whose pairs refer to them as they were.

mod runs;

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use broadphase_core::{Filter, Motion, Pair};

use crate::filters::Filters;
use crate::{Error, Handle};

/// The objects by slot, and the kept objects.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// All slots below `end`, followed by any number of slots of the tail, which are free.
    slots: Vec<Slot>,
    /// First slot of the tail, the free slots above all slots that are in use or exhausted.
    end: u32,
    /// Generation of all slots of the tail.
    tail_generation: u32,
    /// Number of objects.
    objects: usize,
    /// Each free slot below `end` that is not exhausted, once. Entries from `end` on are stale.
    free: BinaryHeap<Reverse<u32>>,
    /// The kept objects, with their filters at the last step. At most one per slot: the first
    /// object of the slot that was removed or got another filter since that step.
    kept: Vec<PairMember>,
}

/// Marks a slot without a kept object.
const UNCHANGED: u32 = u32::MAX;

/// Generation of exhausted slots, which are never used again.
pub(crate) const EXHAUSTED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Generation of the object; in the first and last slot of a run, of the next object; otherwise
    /// meaningless.
    generation: u32,
    /// Index in [`Slots::kept`] of the kept object of this slot, or `UNCHANGED`.
    kept_index: u32,
    state: SlotState,
}

#[derive(Clone, Copy, Debug)]
enum SlotState {
    Used(SlotData),
    /// A free slot. `other_end` is the slot at the other end of the run in its first and last slot;
    /// otherwise meaningless.
    Free {
        other_end: u32,
    },
}

impl Slot {
    /// Returns the data of the object, or `None` if the slot is free.
    #[inline]
    const fn content(&self) -> Option<&SlotData> {
        match &self.state {
            SlotState::Used(content) => Some(content),
            SlotState::Free { .. } => None,
        }
    }

    /// Returns the handle of the object, or `None` if the slot is free.
    #[inline]
    fn handle(&self, index: u32) -> Option<Handle> {
        self.content().map(|_| Handle::new(index, self.generation))
    }
}

/// The data that a slot stores of its object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SlotData {
    /// Number of the object's filter in [`Filters`].
    pub(crate) filter: u32,
    pub(crate) motion: Motion,
}

/// A part of the table of slots: a slot in use, or a run of free slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SlotPart {
    Used(Handle, SlotData),
    FreeRun { len: u32, generation: u32 },
}

/// An object of a pair, without its user data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairMember {
    pub(crate) handle: Handle,
    pub(crate) filter: Filter,
}

/// An object that was removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemovedObject {
    pub(crate) content: SlotData,
    /// Index of the object among the kept objects, where the caller must store its user data,
    /// unless an earlier object of the slot has the index.
    pub(crate) past_index: Option<usize>,
}

impl Slots {
    pub(crate) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            end: 0,
            tail_generation: 0,
            objects: 0,
            free: BinaryHeap::new(),
            kept: Vec::new(),
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.objects
    }

    /// Returns the number of slots below the tail: to the highest in use or exhausted.
    pub(crate) const fn capacity(&self) -> usize {
        self.end as usize
    }

    /// Returns the length of lists by slot: above all slots in use and of kept objects.
    pub(crate) const fn list_len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the generation of the tail, the slots from [`capacity`](Self::capacity) on.
    pub(crate) const fn tail_generation(&self) -> u32 {
        // For snapshots: a new field does not compile until it is written by them or excluded here.
        let Self { slots: _, end: _, tail_generation, objects: _, free: _, kept: _ } = self;
        *tail_generation
    }

    pub(crate) fn memory_use(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.free.capacity() * size_of::<Reverse<u32>>()
            + self.kept.capacity() * size_of::<PairMember>()
    }

    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve_slots(self.len().saturating_add(additional))
    }

    /// Reserves memory for `slots` slots in total.
    pub(crate) fn try_reserve_slots(&mut self, slots: usize) -> Result<(), Error> {
        let new = slots.saturating_sub(self.slots.len());
        self.slots.try_reserve(new).map_err(|_| Error::OutOfMemory)
    }

    /// Reserves memory for removing objects. Returns the largest possible number of kept objects
    /// after their removal.
    pub(crate) fn try_reserve_removals(&mut self, objects: usize) -> Result<usize, Error> {
        let kept = self.kept.try_reserve(objects);
        kept.and_then(|()| self.free.try_reserve(objects)).map_err(|_| Error::OutOfMemory)?;
        Ok(self.kept.len() + objects)
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        let end = self.end;
        let kept = self.kept.iter().map(|member| member.handle.index() + 1);
        self.slots.truncate(kept.fold(end, u32::max) as usize);
        self.slots.shrink_to_fit();
        self.free.retain(|&Reverse(index)| index < end);
        self.free.shrink_to_fit();
        self.kept.shrink_to_fit();
    }

    pub(crate) fn get(&self, handle: Handle) -> Option<&SlotData> {
        let slot = self.slots.get(handle.index() as usize)?;
        slot.content().filter(|_| slot.generation == handle.generation())
    }

    pub(crate) fn get_mut(&mut self, handle: Handle) -> Option<&mut SlotData> {
        let slot = self.slots.get_mut(handle.index() as usize)?;
        match &mut slot.state {
            SlotState::Used(content) if slot.generation == handle.generation() => Some(content),
            _ => None,
        }
    }

    /// Frees the slot of an object, and keeps the object until the next step; `None` if the handle
    /// is stale. The caller must release the filter, and store user data if the result has an
    /// index.
    pub(crate) fn remove(&mut self, handle: Handle, filters: &Filters) -> Option<RemovedObject> {
        let content = *self.get(handle)?;
        self.keep_for_last_step(handle, filters);
        let place = self.slots[handle.index() as usize].kept_index as usize;
        // If the filter was changed before, the object is kept already. Its user data at removal
        // replace those stored at that change.
        let past_index = (self.kept[place].handle == handle).then_some(place);
        self.release(handle.index());
        Some(RemovedObject { content, past_index })
    }

    /// Keeps an object and returns its index among the kept objects, unless one of this slot is
    /// kept. Call this before the filter is changed or the object is removed.
    pub(crate) fn keep_for_last_step(
        &mut self,
        handle: Handle,
        filters: &Filters,
    ) -> Option<usize> {
        let slot = &mut self.slots[handle.index() as usize];
        let content = *slot.content().filter(|_| slot.kept_index == UNCHANGED)?;
        let place = self.kept.len();
        slot.kept_index = place as u32;
        self.kept.push(PairMember { handle, filter: filters.get(content.filter) });
        Some(place)
    }

    /// Returns the handle of the object in a slot, which must be in use.
    #[inline]
    pub(crate) fn handle(&self, index: u32) -> Handle {
        // Without a panic, a caller that does not use the handle does not read the slot.
        Handle::new(index, self.slots.get(index as usize).map_or(0, |slot| slot.generation))
    }

    /// Returns the number of the filter of the object in a slot, which must be in use.
    #[inline]
    pub(crate) fn filter_number(&self, index: u32) -> u32 {
        // Both fields have the same offset, which makes the code branch-free.
        match self.slots[index as usize].state {
            SlotState::Used(SlotData { filter: number, .. })
            | SlotState::Free { other_end: number } => number,
        }
    }

    /// Returns the handle of the object in a slot, or `None` if the slot is free.
    pub(crate) fn occupant(&self, index: u32) -> Option<Handle> {
        self.slots.get(index as usize)?.handle(index)
    }

    /// Returns the current object in a slot, with its current filter.
    ///
    /// # Panics
    /// If the slot is free.
    #[inline]
    pub(crate) fn now(&self, index: u32, filters: &Filters) -> PairMember {
        let slot = &self.slots[index as usize];
        let content = slot.content().expect("the slot of a pair is free");
        let handle = Handle::new(index, slot.generation);
        PairMember { handle, filter: filters.get(content.filter) }
    }

    /// Returns the object that was in a slot at the last step, with its filter then. A pair of that
    /// step must contain the slot.
    #[inline]
    pub(crate) fn at_last_step(&self, index: u32, filters: &Filters) -> PairMember {
        match self.slots[index as usize].kept_index {
            UNCHANGED => self.now(index, filters),
            place => self.kept[place as usize],
        }
    }

    /// Returns the handle of the object that was in a slot at the last step, in one of its pairs.
    #[inline]
    pub(crate) fn handle_at_last_step(&self, index: u32) -> Handle {
        let slot = &self.slots[index as usize];
        match slot.kept_index {
            UNCHANGED => Handle::new(index, slot.generation),
            place => self.kept[place as usize].handle,
        }
    }

    /// Returns the index of the user data of the object that was in a slot at the last step, unless
    /// the slot still has this object.
    #[inline]
    pub(crate) fn past_index(&self, index: u32) -> Option<usize> {
        let slot = &self.slots[index as usize];
        let kept = self.kept.get(slot.kept_index as usize)?;
        let still = slot.content().is_some() && kept.handle.generation() == slot.generation;
        (!still).then_some(slot.kept_index as usize)
    }

    /// Returns whether a slot is in use or has a kept object, as every slot in a pair of the last
    /// step.
    pub(crate) fn has_current_or_kept_object(&self, index: u32) -> bool {
        let slot = self.slots.get(index as usize);
        slot.is_some_and(|slot| slot.kept_index != UNCHANGED || slot.content().is_some())
    }

    /// Iterates over the slots in use by another object than at the last step, in any order.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = u32> {
        let replaced = |member: &PairMember| {
            let slot = &self.slots[member.handle.index() as usize];
            let other = slot.generation != member.handle.generation();
            (slot.content().is_some() && other).then_some(member.handle.index())
        };
        self.kept.iter().filter_map(replaced)
    }

    /// Returns the kept object of a slot.
    pub(crate) fn kept(&self, index: u32) -> Option<PairMember> {
        self.kept.get(self.slots[index as usize].kept_index as usize).copied()
    }

    /// Returns whether there are kept objects.
    pub(crate) const fn keeps_any(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Iterates, in any order, over the objects of the last step that were removed or got another
    /// filter since, as [`at_last_step`](Self::at_last_step) returns them.
    pub(crate) fn changed(&self, filters: &Filters) -> impl Iterator<Item = PairMember> {
        let slots = self.kept.iter().map(|member| member.handle.index());
        slots.filter_map(|index| {
            let before = self.at_last_step(index, filters);
            let now = self.slots[index as usize];
            let same = now.generation == before.handle.generation()
                && now.content().is_some_and(|now| filters.get(now.filter) == before.filter);
            (!same).then_some(before)
        })
    }

    /// Completes a step: drops all kept objects.
    pub(crate) fn complete_step(&mut self) {
        for member in self.kept.drain(..) {
            self.slots[member.handle.index() as usize].kept_index = UNCHANGED;
        }
    }

    /// Iterates over the handles of all objects, ascending by slot.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Handle> + '_ {
        (0..).zip(&self.slots[..self.capacity()]).filter_map(|(index, slot)| slot.handle(index))
    }

    /// Iterates over all slots below the tail: the handle of the object, if any.
    pub(crate) fn occupants(&self) -> impl Iterator<Item = Option<Handle>> + '_ {
        (0..).zip(&self.slots[..self.capacity()]).map(|(index, slot)| slot.handle(index))
    }

    /// Iterates over handles and data of the objects in a range of slots below the tail, ascending.
    pub(crate) fn used_in(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = (Handle, &SlotData)> + '_ {
        let slots = (range.start as u32..).zip(&self.slots[range]);
        slots.filter_map(|(index, slot)| Some((slot.handle(index)?, slot.content()?)))
    }

    /// Iterates over the data of all objects, ascending by slot.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &SlotData> + '_ {
        self.slots[..self.capacity()].iter().filter_map(Slot::content)
    }

    /// Returns the motion class of the object in a slot, or `None` if the slot is free.
    pub(crate) fn motion(&self, index: u32) -> Option<Motion> {
        Some(self.slots.get(index as usize)?.content()?.motion)
    }

    /// Replaces all slots and the kept objects.
    ///
    /// `slots` lists generation and object by slot, up to the highest slot that is in use, is
    /// exhausted or has a kept object. All slots of a run must have equal generations.
    pub(crate) fn restore(
        &mut self,
        slots: impl ExactSizeIterator<Item = (u32, Option<SlotData>)>,
        tail_generation: u32,
        kept: impl Iterator<Item = PairMember>,
    ) {
        self.tail_generation = tail_generation;
        (self.end, self.objects) = (0, 0);
        self.slots.clear();
        for (index, (generation, content)) in (0..).zip(slots) {
            let state = content.map_or(SlotState::Free { other_end: index }, SlotState::Used);
            self.slots.push(Slot { generation, kept_index: UNCHANGED, state });
            if content.is_some() || generation == EXHAUSTED {
                self.end = index + 1;
                self.objects += usize::from(content.is_some());
            }
        }
        self.find_runs();
        self.kept.clear();
        for member in kept {
            self.slots[member.handle.index() as usize].kept_index = self.kept.len() as u32;
            self.kept.push(member);
        }
    }

    /// Panics if an invariant is violated. `pairs` are the pairs of the last step. For tests.
    pub(crate) fn assert_well_formed(&self, pairs: &[Pair]) {
        let used = self.slots.iter().filter(|slot| slot.content().is_some()).count();
        assert_eq!(used, self.objects, "wrong number of objects");
        self.assert_runs_well_formed();
        for (place, member) in self.kept.iter().enumerate() {
            let slot = &self.slots[member.handle.index() as usize];
            assert_eq!(slot.kept_index as usize, place, "slot and kept object disagree");
        }
        for &index in pairs.as_flattened() {
            assert!(
                self.has_current_or_kept_object(index),
                "slot {index} of a pair was free at the last step"
            );
        }
    }
}
