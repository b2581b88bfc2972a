//! How the objects of a structure move, slot by slot: nothing while all are dynamic.

use alloc::vec::Vec;

use crate::{IndexError, Motion, apply_order};

/// Slots looked at at a time.
const BLOCK: usize = 64;

/// Whether anything in a block is dynamic.
#[inline(always)]
fn has_dynamic(block: &[Motion; BLOCK]) -> bool {
    block.iter().fold(false, |any, &motion| any | (motion == Motion::Dynamic))
}

/// The motion of every slot; costs a byte for each once something is not dynamic.
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
    /// What is past its end is dynamic; so it is empty until something is not.
    list: Vec<Motion>,
    statics: usize,
    sleeping: usize,
}

impl Motions {
    /// How the object in a slot moves.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: usize) -> Motion {
        self.list.get(slot).copied().unwrap_or_default()
    }

    /// Says how the object in a slot moves.
    ///
    /// # Errors
    /// If the memory is not to be had. Nothing has changed then.
    pub fn set(&mut self, slot: usize, motion: Motion) -> Result<(), IndexError> {
        if motion != Motion::Dynamic && slot >= self.list.len() {
            let more = slot + 1 - self.list.len();
            self.list.try_reserve(more).map_err(|_| IndexError::OutOfMemory)?;
            self.list.resize(slot + 1, Motion::Dynamic);
        }
        self.put(slot, motion);
        Ok(())
    }

    /// Forgets the motion of a slot and moves that of the last one there.
    pub fn swap_remove(&mut self, slot: usize, last: usize) {
        self.put(slot, self.get(last));
        self.put(last, Motion::Dynamic);
        self.list.truncate(last);
    }

    /// Gives slot `i` the motion of slot `order[i]`; `order` has every slot once.
    pub fn reorder(&mut self, order: &mut [u32]) {
        if self.any_rests() {
            self.list.resize(order.len(), Motion::Dynamic);
            apply_order(order, &mut self.list);
        }
    }

    /// Whether both are static, and so never a pair.
    #[inline(always)]
    #[must_use]
    pub fn keep_apart(&self, a: usize, b: usize) -> bool {
        self.statics > 1 && self.get(a) == Motion::Static && self.get(b) == Motion::Static
    }

    /// How many slots are static.
    #[inline(always)]
    #[must_use]
    pub const fn statics(&self) -> usize {
        self.statics
    }

    /// The first slot from `slot` on that is dynamic; all past the last object are.
    #[inline]
    #[must_use]
    pub fn next_dynamic(&self, slot: usize) -> usize {
        let rest = self.list.get(slot..).unwrap_or_default();
        let mut skipped = 0;
        if rest.first().is_some_and(|&motion| motion != Motion::Dynamic) {
            // Many at a time, without a branch for each.
            let blocks = rest.as_chunks::<BLOCK>().0.iter();
            skipped = BLOCK * blocks.take_while(|block| !has_dynamic(block)).count();
        }
        let left = &rest[skipped..];
        let here = left.iter().position(|&motion| motion == Motion::Dynamic);
        slot + skipped + here.unwrap_or(left.len())
    }

    /// Makes all dynamic, keeping the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        (self.statics, self.sleeping) = (0, 0);
    }

    /// Makes room for so many more slots than there are objects, if any is not dynamic.
    ///
    /// # Errors
    /// If the memory is not to be had.
    pub fn try_reserve(&mut self, objects: usize, additional: usize) -> Result<(), IndexError> {
        if !self.any_rests() {
            return Ok(());
        }
        let more = objects.saturating_add(additional) - self.list.len();
        self.list.try_reserve(more).map_err(|_| IndexError::OutOfMemory)
    }

    /// The bytes of memory held.
    #[must_use]
    pub const fn memory_use(&self) -> usize {
        self.list.capacity() * size_of::<Motion>()
    }

    /// Gives back the memory that is not needed.
    pub fn shrink_to_fit(&mut self) {
        if !self.any_rests() {
            self.list.clear();
        }
        self.list.shrink_to_fit();
    }

    /// Whether something is not dynamic.
    const fn any_rests(&self) -> bool {
        self.statics + self.sleeping > 0
    }

    /// Writes where there is something to write.
    fn put(&mut self, slot: usize, motion: Motion) {
        let Some(place) = self.list.get_mut(slot) else { return };
        let old = core::mem::replace(place, motion);
        self.statics += usize::from(motion == Motion::Static);
        self.statics -= usize::from(old == Motion::Static);
        self.sleeping += usize::from(motion == Motion::Sleeping);
        self.sleeping -= usize::from(old == Motion::Sleeping);
        // The list stays when nothing rests: or one that falls asleep and wakes, again and again,
        // would fill it each time.
    }

    /// Checks that the counts agree with the list; for tests.
    ///
    /// # Panics
    /// If not, or if the list goes on behind the last object.
    pub fn assert_well_formed(&self, objects: usize) {
        let count = |motion| self.list.iter().filter(|&&other| other == motion).count();
        assert_eq!(self.statics, count(Motion::Static), "static objects are counted");
        assert_eq!(self.sleeping, count(Motion::Sleeping), "sleeping objects are counted");
        assert!(self.list.len() <= objects, "no motion without an object");
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Motion, Motions};

    #[test]
    fn the_next_dynamic_slot_is_found_wherever_it_is() {
        for dynamic in 0..3 * BLOCK {
            let mut motions = Motions::default();
            for slot in (0..3 * BLOCK).filter(|&slot| slot != dynamic) {
                let motion = if slot % 3 == 0 { Motion::Sleeping } else { Motion::Static };
                motions.set(slot, motion).expect("there is memory");
            }
            let end = motions.list.len();
            for slot in 0..4 * BLOCK {
                let expected = if slot <= dynamic { dynamic } else { slot.max(end) };
                assert_eq!(motions.next_dynamic(slot), expected, "from {slot}");
            }
        }
    }

    #[test]
    fn who_wakes_and_sleeps_again_leaves_the_list_as_it_is() {
        let mut motions = Motions::default();
        motions.set(99, Motion::Sleeping).expect("there is memory");
        motions.set(99, Motion::Dynamic).expect("nothing is needed");
        assert_eq!((motions.list.len(), motions.next_dynamic(7)), (100, 7));
        motions.assert_well_formed(100);
        motions.reorder(&mut [0, 1]);
        motions.try_reserve(100, 1 << 60).expect("nothing is needed while all are dynamic");
        motions.shrink_to_fit();
        assert_eq!(motions.memory_use(), 0);
    }
}
