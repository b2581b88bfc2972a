//! Free slots, and the handle of the next object.
//!
//! An object gets the lowest free slot. Its generation is larger than that of every earlier object
//! of this slot: a handle is never issued twice.
//!
//! Adjacent free slots form a run with one generation: the largest that any slot of the run needs.
//! The free slots above the highest slot in use form a run without end, the *tail*. The size of the
//! state is proportional to the number of objects, however many were removed: there is at most one
//! run more than objects (not counting exhausted slots, see below).
//!
//! ```text
//!   slot   0   1   2   3   4   5   6 …
//!         [A] [B]  ·   ·  [E]  ·   · …     runs: 2 to 3, and the tail from 5
//! ```
//!
//! The first and the last slot of a run each store the other end and the generation. Freeing a slot
//! joins it with adjacent runs in constant time; occupying the lowest free slot removes the first
//! slot of its run. A heap finds the lowest free slot in logarithmic time.
//!
//! Generation `u32::MAX` is never issued. A slot that would need it is *exhausted*, after 2³² − 1
//! removals at least: it is not used again, and forms runs only with exhausted slots.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{EXHAUSTED, Slot, SlotData, SlotPart, SlotState, Slots, UNCHANGED};
use crate::{Error, Handle};

impl Slots {
    /// Returns the handle that the next insertion will use, and reserves memory for it.
    pub(crate) fn next_handle(&mut self) -> Result<Handle, Error> {
        match self.free.peek() {
            Some(&Reverse(index)) if index < self.end => {
                return Ok(Handle::new(index, self.slots[index as usize].generation));
            }
            // All free slots are in the tail, whose first slot is next; entries of the heap are
            // stale.
            _ => self.free.clear(),
        }
        if self.end as usize == self.slots.len() {
            self.slots.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        }
        if self.end == u32::MAX { Err(Error::OutOfMemory) } else { Ok(self.tail_handle()) }
    }

    /// Replaces the contents of `out` with the next `count` handles, and reserves memory for them.
    pub(crate) fn next_handles(
        &mut self,
        count: usize,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error> {
        out.clear();
        out.try_reserve(count).map_err(|_| Error::OutOfMemory)?;
        if self.objects < self.end as usize {
            let mut index = 0;
            for part in self.parts() {
                let (len, free) = match part {
                    SlotPart::Used(..) => (1, None),
                    SlotPart::FreeRun { len, generation } => (len, Some(generation)),
                };
                if let Some(generation) = free.filter(|&generation| generation != EXHAUSTED) {
                    let slots = (index..index + len).take(count - out.len());
                    out.extend(slots.map(|slot| Handle::new(slot, generation)));
                }
                index += len;
            }
        }
        let tail = count - out.len();
        let room = u32::MAX as usize - self.end as usize;
        let missing = (self.end as usize + tail).saturating_sub(self.slots.len());
        if tail > room || self.slots.try_reserve(missing).is_err() {
            return Err(Error::OutOfMemory);
        }
        out.extend((self.end..).take(tail).map(|slot| Handle::new(slot, self.tail_generation)));
        Ok(())
    }

    /// Puts objects into the next free slots, those of [`next_handles`](Self::next_handles).
    pub(crate) fn occupy_next(&mut self, contents: &[SlotData]) {
        let mut contents = contents.iter();
        while self.objects < self.end as usize
            && let Some(&content) = contents.next()
        {
            let handle = self.next_handle().expect("memory is reserved");
            self.occupy(handle, content);
        }
        if contents.len() == 0 {
            return;
        }
        // All free slots are in the tail, and entries of the heap are stale.
        self.free.clear();
        let (generation, added) = (self.tail_generation, contents.len());
        let known = (self.slots.len() - self.end as usize).min(added);
        let used = |&content| (generation, SlotState::Used(content));
        for (slot, (generation, state)) in
            self.slots[self.end as usize..].iter_mut().zip(contents.clone().map(used))
        {
            (slot.generation, slot.state) = (generation, state);
        }
        let new = contents.skip(known).map(used);
        let new = new.map(|(generation, state)| Slot { generation, kept_index: UNCHANGED, state });
        self.slots.extend(new);
        self.objects += added;
        self.end += added as u32;
    }

    const fn tail_handle(&self) -> Handle {
        Handle::new(self.end, self.tail_generation)
    }

    /// Puts an object into the slot of `handle`, the result of [`next_handle`](Self::next_handle).
    pub(crate) fn occupy(&mut self, handle: Handle, content: SlotData) {
        let (index, generation) = (handle.index(), handle.generation());
        let used = Slot { generation, kept_index: UNCHANGED, state: SlotState::Used(content) };
        self.objects += 1;
        if index < self.end {
            self.free.pop();
            if let SlotState::Free { other_end } = self.slots[index as usize].state
                && other_end > index
            {
                self.set_run(index + 1, other_end, generation);
            }
        } else {
            self.end += 1;
            if index as usize == self.slots.len() {
                self.slots.push(used);
                return;
            }
        }
        let slot = &mut self.slots[index as usize];
        *slot = Slot { kept_index: slot.kept_index, ..used };
    }

    /// Makes the free slots from `first` to `last` a run by writing its two ends.
    fn set_run(&mut self, first: u32, last: u32, generation: u32) {
        for (end, other_end) in [(first, last), (last, first)] {
            let slot = &mut self.slots[end as usize];
            slot.state = SlotState::Free { other_end };
            slot.generation = generation;
        }
    }

    /// Returns the other end and the generation of the run that begins or ends in slot `index`;
    /// `None` if there is no run below the tail, or if either the run or the slot to join is
    /// exhausted and the other is not.
    fn neighbor_run(&self, index: Option<u32>, generation: u32) -> Option<(u32, u32)> {
        let index = index.filter(|&index| index < self.end)?;
        let slot = &self.slots[index as usize];
        match slot.state {
            SlotState::Free { other_end }
                if (slot.generation == EXHAUSTED) == (generation == EXHAUSTED) =>
            {
                Some((other_end, slot.generation))
            }
            _ => None,
        }
    }

    /// Frees a slot in use: joins it with adjacent runs or the tail, and puts it on the heap unless
    /// it is in the tail or exhausted.
    pub(super) fn release(&mut self, index: u32) {
        let mut generation = self.slots[index as usize].generation + 1;
        let (mut first, mut last) = (index, index);
        if let Some((begin, other)) = self.neighbor_run(index.checked_sub(1), generation) {
            (first, generation) = (begin, generation.max(other));
        }
        if let Some((end, other)) = self.neighbor_run(index.checked_add(1), generation) {
            (last, generation) = (end, generation.max(other));
        }
        self.objects -= 1;
        self.set_run(index, index, generation);
        if generation != EXHAUSTED && last + 1 == self.end {
            self.end = first;
            self.tail_generation = self.tail_generation.max(generation);
            return;
        }
        self.set_run(first, last, generation);
        if generation != EXHAUSTED {
            self.free.push(Reverse(index));
        }
    }

    /// Iterates over the objects and the runs of free slots below the tail, ascending by slot.
    pub(crate) fn parts(&self) -> impl Iterator<Item = SlotPart> + '_ {
        let mut next = 0;
        core::iter::from_fn(move || {
            let index = next;
            if index >= self.end {
                return None;
            }
            let Slot { generation, kept_index: _, state } = self.slots[index as usize];
            Some(match state {
                SlotState::Used(content) => {
                    next = index + 1;
                    SlotPart::Used(Handle::new(index, generation), content)
                }
                SlotState::Free { other_end } => {
                    next = other_end + 1;
                    SlotPart::FreeRun { len: next - index, generation }
                }
            })
        })
    }

    /// Joins adjacent free slots below the tail into runs, and rebuilds the heap, after
    /// [`restore`](Self::restore) has filled the slots. The slots of a run must have equal
    /// generations. Exhausted slots form separate runs, which are not on the heap.
    pub(super) fn find_runs(&mut self) {
        let mut free = core::mem::take(&mut self.free).into_vec();
        free.clear();
        let mut first = 0;
        for index in 0..self.end {
            let slot = self.slots[index as usize];
            if slot.content().is_some() {
                first = index + 1;
                continue;
            }
            let exhausted = slot.generation == EXHAUSTED;
            if (self.slots[first as usize].generation == EXHAUSTED) != exhausted {
                first = index;
            }
            self.set_run(first, index, slot.generation);
            if !exhausted {
                free.push(Reverse(index));
            }
        }
        self.free = free.into();
    }

    /// Panics if an invariant of the free slots is violated. For tests.
    pub(super) fn assert_runs_well_formed(&self) {
        let (mut at, mut usable, mut joins) = (0, Vec::new(), None);
        for part in self.parts() {
            let SlotPart::FreeRun { len, generation } = part else {
                (at, joins) = (at + 1, None);
                continue;
            };
            let exhausted = generation == EXHAUSTED;
            assert_ne!(joins.replace(exhausted), Some(exhausted), "adjacent runs at slot {at}");
            for index in at..at + len {
                assert!(self.occupant(index).is_none(), "slot {index} of a run is in use");
            }
            let last = self.slots[(at + len - 1) as usize];
            assert_eq!(last.generation, generation, "the ends of the run at {at} differ");
            usable.extend((at..at + len).filter(|_| !exhausted));
            at += len;
        }
        assert_eq!(at, self.end, "the runs do not end where the tail begins");
        assert!(joins != Some(false), "free slots at the end belong to the tail");
        assert_ne!(self.tail_generation, EXHAUSTED, "the tail cannot be exhausted");
        let mut free: Vec<u32> = self.free.iter().map(|&Reverse(index)| index).collect();
        free.retain(|&index| index < self.end);
        free.sort_unstable();
        assert_eq!(free, usable, "the heap has other slots than the runs");
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::{BTreeMap, BTreeSet};
    use alloc::vec::Vec;

    use broadphase_core::Motion;
    use proptest::prelude::*;

    use super::super::{EXHAUSTED, SlotData, SlotPart, Slots};
    use crate::Handle;
    use crate::filters::Filters;

    /// Returns the slots as a snapshot restores them.
    fn restored(slots: &Slots) -> Slots {
        let mut list = Vec::new();
        for part in slots.parts() {
            match part {
                SlotPart::Used(handle, content) => {
                    list.push((handle.generation(), Some(content)));
                }
                SlotPart::FreeRun { len, generation } => {
                    list.resize(list.len() + len as usize, (generation, None));
                }
            }
        }
        let mut again = Slots::new();
        again.restore(list.into_iter(), slots.tail_generation(), core::iter::empty());
        again
    }

    proptest! {
        /// Slots whose generations are nearly used up. No handle is issued twice, and insertions
        /// use the lowest slot that is not exhausted, also after a restore. `next_handles` returns
        /// the handles that single insertions then use.
        #[test]
        fn handles_are_never_issued_twice(
            left in 1u32..6,
            changes in prop::collection::vec(prop::option::weighted(0.5, any::<prop::sample::Index>()), 0..150),
        ) {
            let content = SlotData { filter: 0, motion: Motion::Dynamic };
            let (mut slots, filters) = (Slots::new(), Filters::new());
            slots.tail_generation = EXHAUSTED - left;
            let (mut live, mut issued, mut uses) =
                (Vec::<Handle>::new(), BTreeSet::new(), BTreeMap::<u32, u32>::new());
            for change in changes {
                match change {
                    Some(which) if !live.is_empty() => {
                        let object = live.swap_remove(which.index(live.len()));
                        prop_assert!(slots.remove(object, &filters).is_some());
                        prop_assert!(slots.remove(object, &filters).is_none());
                        slots.complete_step();
                    }
                    _ => {
                        let mut again = restored(&slots);
                        let handle = slots.next_handle().expect("memory");
                        prop_assert_eq!(again.next_handle(), Ok(handle));
                        prop_assert!(issued.insert(handle), "{} was issued twice", handle);
                        prop_assert_ne!(handle.generation(), Handle::DANGLING.generation());
                        let (mut lowest, mut at) = (slots.end, 0);
                        for part in slots.parts() {
                            match part {
                                SlotPart::Used(..) => at += 1,
                                SlotPart::FreeRun { len, generation: EXHAUSTED } => at += len,
                                SlotPart::FreeRun { .. } => {
                                    lowest = at;
                                    break;
                                }
                            }
                        }
                        prop_assert_eq!(handle.index(), lowest);
                        *uses.entry(handle.index()).or_default() += 1;
                        prop_assert!(uses[&handle.index()] <= left);
                        slots.occupy(handle, content);
                        live.push(handle);
                    }
                }
                slots.assert_well_formed(&[]);
                restored(&slots).assert_well_formed(&[]);
                prop_assert!(restored(&slots).parts().eq(slots.parts()));
                let (mut one_by_one, mut next) = (slots.clone(), Vec::new());
                slots.next_handles(4, &mut next).expect("memory");
                for handle in next {
                    prop_assert_eq!(one_by_one.next_handle(), Ok(handle));
                    one_by_one.occupy(handle, content);
                }
                prop_assert_eq!(slots.iter().collect::<BTreeSet<_>>(), live.iter().copied().collect());
            }
        }
    }
}
