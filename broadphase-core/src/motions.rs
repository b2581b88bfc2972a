//! Motion classes by slot; no memory is allocated while all objects are dynamic.

use alloc::vec::Vec;

use crate::{IndexError, Motion, apply_order};

/// Number of slots tested per step of `next_dynamic`.
const BLOCK: usize = 64;

/// Returns whether a block has a dynamic slot; branch-free, to be vectorized.
#[inline(always)]
fn any_dynamic(block: &[Motion; BLOCK]) -> bool {
    block.iter().fold(false, |any, &motion| any | (motion == Motion::Dynamic))
}

/// Motion class of every slot; allocates one byte per slot as soon as a slot is not dynamic.
///
/// ```
/// use broadphase_core::{Motion, motions::Motions};
///
/// let mut motions = Motions::default();
/// motions.set(7, Motion::Static)?;
/// motions.set(2, Motion::Static)?;
/// assert_eq!([6, 7, 8].map(|slot| motions.get(slot) == Motion::Static), [false, true, false]);
/// assert!(motions.keep_apart(2, 7) && !motions.keep_apart(2, 3));
/// # Ok::<(), broadphase_core::IndexError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Motions {
    /// Motion classes by slot. Slots past the end are dynamic, so the list is empty until a slot is
    /// not dynamic.
    list: Vec<Motion>,
    statics: usize,
    sleeping: usize,
}

impl Motions {
    /// Returns the motion class of a slot.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: usize) -> Motion {
        self.list.get(slot).copied().unwrap_or_default()
    }

    /// Sets the motion class of a slot.
    ///
    /// # Errors
    /// If allocation fails. On error nothing has changed.
    pub fn set(&mut self, slot: usize, motion: Motion) -> Result<(), IndexError> {
        if motion != Motion::Dynamic && slot >= self.list.len() {
            let more = slot + 1 - self.list.len();
            self.list.try_reserve(more).map_err(|_| IndexError::OutOfMemory)?;
            self.list.resize(slot + 1, Motion::Dynamic);
        }
        self.put(slot, motion);
        Ok(())
    }

    /// Replaces the motion class of `slot` with that of the slot `last`, which becomes unused.
    pub fn swap_remove(&mut self, slot: usize, last: usize) {
        self.put(slot, self.get(last));
        self.put(last, Motion::Dynamic);
        self.list.truncate(last);
    }

    /// Gives slot `i` the motion class of slot `order[i]`; `order` contains every slot once.
    pub fn reorder(&mut self, order: &mut [u32]) {
        if self.any_not_dynamic() {
            self.list.resize(order.len(), Motion::Dynamic);
            apply_order(order, &mut self.list);
        }
    }

    /// Returns whether both slots are static and so never a pair.
    #[inline(always)]
    #[must_use]
    pub fn keep_apart(&self, a: usize, b: usize) -> bool {
        self.statics > 1 && self.get(a) == Motion::Static && self.get(b) == Motion::Static
    }

    /// Returns the number of static slots.
    #[inline(always)]
    #[must_use]
    pub const fn statics(&self) -> usize {
        self.statics
    }

    /// Returns the first dynamic slot at or after `slot`. Slots past the last object count as
    /// dynamic, so the result may be such a slot.
    #[inline]
    #[must_use]
    pub fn next_dynamic(&self, slot: usize) -> usize {
        let rest = self.list.get(slot..).unwrap_or_default();
        let mut skipped = 0;
        if rest.first().is_some_and(|&motion| motion != Motion::Dynamic) {
            // Skip whole blocks first, with one branch per block instead of one per slot.
            let blocks = rest.as_chunks::<BLOCK>().0.iter();
            skipped = BLOCK * blocks.take_while(|block| !any_dynamic(block)).count();
        }
        let left = &rest[skipped..];
        let here = left.iter().position(|&motion| motion == Motion::Dynamic);
        slot + skipped + here.unwrap_or(left.len())
    }

    /// Makes all slots dynamic without freeing memory.
    pub fn clear(&mut self) {
        self.list.clear();
        (self.statics, self.sleeping) = (0, 0);
    }

    /// Reserves memory for the classes of `objects + additional` slots, if any slot is not dynamic.
    ///
    /// # Errors
    /// If allocation fails.
    pub fn try_reserve(&mut self, objects: usize, additional: usize) -> Result<(), IndexError> {
        if !self.any_not_dynamic() {
            return Ok(());
        }
        let more = objects.saturating_add(additional) - self.list.len();
        self.list.try_reserve(more).map_err(|_| IndexError::OutOfMemory)
    }

    /// Returns the number of bytes allocated.
    #[must_use]
    pub const fn memory_use(&self) -> usize {
        self.list.capacity() * size_of::<Motion>()
    }

    /// Frees unused memory.
    pub fn shrink_to_fit(&mut self) {
        if !self.any_not_dynamic() {
            self.list.clear();
        }
        self.list.shrink_to_fit();
    }

    /// Returns whether any slot is not dynamic.
    const fn any_not_dynamic(&self) -> bool {
        self.statics + self.sleeping > 0
    }

    /// Overwrites the stored class of a slot, if there is one, and updates the counts.
    fn put(&mut self, slot: usize, motion: Motion) {
        let Some(place) = self.list.get_mut(slot) else { return };
        let old = core::mem::replace(place, motion);
        self.statics += usize::from(motion == Motion::Static);
        self.statics -= usize::from(old == Motion::Static);
        self.sleeping += usize::from(motion == Motion::Sleeping);
        self.sleeping -= usize::from(old == Motion::Sleeping);
        // The list is kept even if all slots are dynamic now: otherwise an object that falls asleep
        // and wakes repeatedly would refill it each time.
    }

    /// Checks that the counts agree with the list; for tests.
    ///
    /// # Panics
    /// If they differ, or if the list is longer than the number of objects.
    pub fn assert_well_formed(&self, objects: usize) {
        let count = |motion| self.list.iter().filter(|&&other| other == motion).count();
        assert_eq!(self.statics, count(Motion::Static), "static objects are counted");
        assert_eq!(self.sleeping, count(Motion::Sleeping), "sleeping objects are counted");
        assert!(self.list.len() <= objects, "the list is no longer than the number of objects");
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Motion, Motions};

    #[test]
    fn next_dynamic_finds_the_slot_at_every_position() {
        for dynamic in 0..3 * BLOCK {
            let mut motions = Motions::default();
            for slot in (0..3 * BLOCK).filter(|&slot| slot != dynamic) {
                let motion = if slot % 3 == 0 { Motion::Sleeping } else { Motion::Static };
                motions.set(slot, motion).expect("a small allocation");
            }
            let end = motions.list.len();
            for slot in 0..4 * BLOCK {
                let expected = if slot <= dynamic { dynamic } else { slot.max(end) };
                assert_eq!(motions.next_dynamic(slot), expected, "from {slot}");
            }
        }
    }

    #[test]
    fn sleeping_and_waking_keeps_the_list_allocated() {
        let mut motions = Motions::default();
        motions.set(99, Motion::Sleeping).expect("a small allocation");
        motions.set(99, Motion::Dynamic).expect("no allocation");
        assert_eq!((motions.list.len(), motions.next_dynamic(7)), (100, 7));
        motions.assert_well_formed(100);
        motions.reorder(&mut [0, 1]);
        motions.try_reserve(100, 1 << 60).expect("no allocation while all are dynamic");
        motions.shrink_to_fit();
        assert_eq!(motions.memory_use(), 0);
    }
}
