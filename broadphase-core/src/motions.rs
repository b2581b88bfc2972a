//! Motion classes by slot.

use alloc::vec::Vec;

use crate::{IndexError, Motion, apply_order};

/// Number of slots tested per step of `next_dynamic`.
const BLOCK: usize = 64;

/// Returns whether a block has a dynamic slot; branch-free, to be vectorized.
#[inline(always)]
fn any_dynamic(block: &[Motion; BLOCK]) -> bool {
    block.iter().fold(false, |any, &motion| any | (motion == Motion::Dynamic))
}

/// Motion class of every slot, one byte each, and the number of static slots.
///
/// ```
/// use broadphase_core::{Motion, motions::Motions};
///
/// let mut motions = Motions::default();
/// [Motion::Static, Motion::Dynamic, Motion::Static].map(|motion| motions.push(motion));
/// assert!(motions.keep_apart(0, 2) && !motions.keep_apart(0, 1));
/// motions.set(2, Motion::Sleeping);
/// assert_eq!(motions.statics(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Motions {
    list: Vec<Motion>,
    statics: usize,
}

impl Motions {
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: usize) -> Motion {
        self.list[slot]
    }

    pub fn push(&mut self, motion: Motion) {
        self.list.push(motion);
        self.statics += usize::from(motion == Motion::Static);
    }

    pub fn set(&mut self, slot: usize, motion: Motion) {
        let old = core::mem::replace(&mut self.list[slot], motion);
        self.statics += usize::from(motion == Motion::Static);
        self.statics -= usize::from(old == Motion::Static);
    }

    /// Removes a slot and moves the last slot there.
    pub fn swap_remove(&mut self, slot: usize) {
        let old = self.list.swap_remove(slot);
        self.statics -= usize::from(old == Motion::Static);
    }

    /// Gives slot `i` the motion class of slot `order[i]`; `order` contains every slot once.
    pub fn reorder(&mut self, order: &mut [u32]) {
        apply_order(order, &mut self.list);
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

    /// Returns the first dynamic slot at or after `slot`, or the number of slots.
    #[inline]
    #[must_use]
    pub fn next_dynamic(&self, slot: usize) -> usize {
        let rest = self.list.get(slot..).unwrap_or_default();
        let mut skipped = 0;
        if rest.first().is_some_and(|&motion| motion != Motion::Dynamic) {
            // Skip whole blocks first, with one branch per block.
            let blocks = rest.as_chunks::<BLOCK>().0.iter();
            skipped = BLOCK * blocks.take_while(|block| !any_dynamic(block)).count();
        }
        let left = &rest[skipped..];
        let here = left.iter().position(|&motion| motion == Motion::Dynamic);
        slot + skipped + here.unwrap_or(left.len())
    }

    /// Removes all slots without freeing memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.statics = 0;
    }

    /// Reserves memory for `additional` more slots; an error if allocation fails.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.list.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)
    }

    /// Returns the number of bytes allocated.
    #[must_use]
    pub const fn memory_use(&self) -> usize {
        self.list.capacity() * size_of::<Motion>()
    }

    /// Frees unused memory.
    pub fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// Panics unless each object has a class and static ones are counted; for tests.
    pub fn assert_well_formed(&self, objects: usize) {
        let statics = self.list.iter().filter(|&&motion| motion == Motion::Static).count();
        assert_eq!(self.statics, statics, "static objects are counted");
        assert_eq!(self.list.len(), objects, "each object has a motion class");
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Motion, Motions};

    #[test]
    fn next_dynamic_finds_the_slot_at_every_position() {
        for dynamic in 0..3 * BLOCK {
            let mut motions = Motions::default();
            for slot in 0..3 * BLOCK {
                let still = if slot % 3 == 0 { Motion::Sleeping } else { Motion::Static };
                motions.push(if slot == dynamic { Motion::Dynamic } else { still });
            }
            for slot in 0..=3 * BLOCK {
                let expected = if slot <= dynamic { dynamic } else { 3 * BLOCK };
                assert_eq!(motions.next_dynamic(slot), expected, "from {slot}");
            }
        }
    }
}
