//! Objects in dense slots with a table from key to slot: the storage that structures build on.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Scalar, instances};

use crate::motions::Motions;
use crate::slots::KeySlots;
use crate::{Entry, FirstError, IndexError, IndexObject, Motion, WalkBatch, apply_order, tasks};

/// Minimum number of objects per thread of a walk.
const MIN_OBJECTS_PER_THREAD: usize = 8192;

/// Keys, bounds and motion classes of all objects, each in its own array.
///
/// Slots are `0..len` without gaps: removal moves the last object to the free slot, in O(1). All
/// stored bounds are valid.
///
/// ```
/// use broadphase_core::{Aabb, IndexObject, objects::Objects};
///
/// let mut objects: Objects<f32, 1> = Objects::new();
/// objects.insert(&IndexObject::new(40, Aabb::new([0.0], [1.0])))?;
/// objects.insert(&IndexObject::new(2, Aabb::new([0.0], [1.0])))?;
/// assert_eq!(objects.slot(2), Some(1));
/// objects.swap_remove(0);
/// assert_eq!(objects.slot(2), Some(0));
/// # Ok::<(), broadphase_core::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Objects<S, const D: usize> {
    keys: Vec<u32>,
    bounds: Vec<Aabb<S, D>>,
    motions: Motions,
    slots: KeySlots,
}

/// Change to an object, passed to the `follow` argument of [`Objects::walk`].
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// The bounds of the object in this slot were replaced.
    Bounds { slot: usize },
    /// The object in this slot was removed, and the last object was moved there.
    Removal { slot: usize },
}

impl<S: Scalar, const D: usize> Default for Objects<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> Objects<S, D> {
    /// Creates an empty collection without allocating.
    #[must_use]
    pub fn new() -> Self {
        Self {
            keys: Vec::new(),
            bounds: Vec::new(),
            motions: Motions::default(),
            slots: KeySlots::default(),
        }
    }

    /// Returns the number of objects.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether there are no objects.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the keys by slot.
    #[inline(always)]
    #[must_use]
    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// Returns the bounds of all objects, indexed by slot.
    #[inline(always)]
    #[must_use]
    pub fn bounds(&self) -> &[Aabb<S, D>] {
        &self.bounds
    }

    /// Returns the motion classes by slot.
    #[inline(always)]
    #[must_use]
    pub const fn motions(&self) -> &Motions {
        &self.motions
    }

    /// Returns the slot of a key, `None` if the key is unknown.
    #[inline(always)]
    #[must_use]
    pub fn slot(&self, key: u32) -> Option<usize> {
        self.slots.get(key)
    }

    /// Returns the object in a slot.
    ///
    /// # Panics
    /// If the slot is empty.
    #[inline(always)]
    #[must_use]
    pub fn entry(&self, slot: usize) -> Entry<S, D> {
        Entry { key: self.keys[slot], bounds: self.bounds[slot] }
    }

    /// Returns the object with this key, `None` if the key is unknown.
    #[must_use]
    pub fn get(&self, key: u32) -> Option<IndexObject<S, D>> {
        let slot = self.slots.get(key)?;
        Some(IndexObject { key, bounds: self.bounds[slot], motion: self.motions.get(slot) })
    }

    /// Appends an object and returns its slot, the old length.
    ///
    /// # Errors
    /// If the bounds are invalid, the key is in use, or allocation fails. Then nothing has changed.
    pub fn insert(&mut self, object: &IndexObject<S, D>) -> Result<usize, IndexError> {
        let &IndexObject { key, bounds, motion } = object;
        let bounds = validated(key, bounds)?;
        let slot = self.len();
        self.try_reserve_slots(1)?;
        if !self.slots.try_claim(key, slot)? {
            return Err(IndexError::KeyInUse { key });
        }
        self.keys.push(key);
        self.bounds.push(bounds);
        self.motions.push(motion);
        Ok(slot)
    }

    /// Sets the motion class of the object with this key; returns its slot.
    ///
    /// # Errors
    /// If the key is unknown. On error nothing has changed.
    pub fn set_motion(&mut self, key: u32, motion: Motion) -> Result<usize, IndexError> {
        let slot = self.slots.get(key).ok_or(IndexError::UnknownKey { key })?;
        self.motions.set(slot, motion);
        Ok(slot)
    }

    /// Replaces the bounds of the object with this key; returns its slot.
    ///
    /// # Errors
    /// If the bounds are invalid or the key is unknown. On error nothing has changed.
    #[inline]
    pub fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<usize, IndexError> {
        let slot = self.slots.get(key).ok_or(IndexError::UnknownKey { key })?;
        self.set_bounds_at(slot, bounds)?;
        Ok(slot)
    }

    #[inline]
    fn set_bounds_at(&mut self, slot: usize, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        self.bounds[slot] = validated(self.keys[slot], bounds)?;
        Ok(())
    }

    /// Removes the object in a slot and moves the last object there.
    ///
    /// # Panics
    /// If the slot is empty.
    pub fn swap_remove(&mut self, slot: usize) {
        let key = self.keys.swap_remove(slot);
        self.slots.remove(key);
        if let Some(&moved) = self.keys.get(slot) {
            self.slots.set(moved, slot);
        }
        self.motions.swap_remove(slot);
        self.bounds.swap_remove(slot);
    }

    /// Visits all objects, or all dynamic objects; each is a batch. `follow` is called after each
    /// change of bounds and after each removal.
    ///
    /// # Errors
    /// If `change` sets invalid bounds: that object's bounds are unchanged, the walk continues, and
    /// the error names the smallest such key.
    #[inline]
    pub fn walk(
        &mut self,
        only_dynamic: bool,
        change: &mut dyn FnMut(&mut WalkBatch<'_, S, D>),
        mut follow: impl FnMut(&Self, Change),
    ) -> Result<(), IndexError> {
        let mut first_error = FirstError::default();
        let mut slot = 0;
        loop {
            if only_dynamic {
                slot = self.motions.next_dynamic(slot);
            }
            if slot >= self.len() {
                break;
            }
            let key = self.keys[slot];
            let mut bounds = self.bounds[slot];
            if !WalkBatch::one(key, &mut bounds, &mut *change) {
                self.swap_remove(slot);
                follow(self, Change::Removal { slot });
                continue;
            }
            if bounds != self.bounds[slot] {
                match self.set_bounds_at(slot, bounds) {
                    Ok(()) => follow(self, Change::Bounds { slot }),
                    Err(error) => first_error.record(key, error),
                }
            }
            slot += 1;
        }
        first_error.result()
    }

    /// Visits all objects, possibly on several threads; each is a batch. `follow` is called with
    /// the slot after each change of bounds. Returns the result of the walk, the bitwise or of the
    /// results of `follow`, and the keys of the objects that the caller must remove, in the order
    /// of slots.
    ///
    /// # Errors
    /// In the same cases as [`walk`](Self::walk).
    pub fn par_walk(
        &mut self,
        change: &(dyn Fn(&mut WalkBatch<'_, S, D>) + Sync),
        follow: impl Fn(usize) -> u8 + Sync,
    ) -> (Result<(), IndexError>, u8, Vec<u32>) {
        let mut ranges = tasks::even(self.len(), MIN_OBJECTS_PER_THREAD);
        if ranges.is_empty() {
            ranges.push(0..self.len());
        }
        let mut bounds = &mut self.bounds[..];
        let mut parts = Vec::with_capacity(ranges.len());
        for slots in ranges {
            let (own, rest) = core::mem::take(&mut bounds).split_at_mut(slots.len());
            bounds = rest;
            let keys = &self.keys[slots.clone()];
            parts.push((slots.start, keys, own, FirstError::default(), 0, Vec::new()));
        }
        tasks::each(&mut parts, |(first, keys, bounds, first_error, result_bits, removed)| {
            for (slot, (&key, bounds)) in (*first..).zip(keys.iter().zip(bounds.iter_mut())) {
                let mut new = *bounds;
                if !WalkBatch::one(key, &mut new, change) {
                    removed.push(key);
                    continue;
                }
                if new == *bounds {
                    continue;
                }
                match validated(key, new) {
                    Ok(new) => {
                        *bounds = new;
                        *result_bits |= follow(slot);
                    }
                    Err(error) => first_error.record(key, error),
                }
            }
        });
        let mut first_error = FirstError::default();
        parts.iter().for_each(|part| first_error.merge(part.3));
        let result_bits = parts.iter().fold(0, |all, part| all | part.4);
        let removed = parts.into_iter().flat_map(|part| part.5).collect();
        (first_error.result(), result_bits, removed)
    }

    /// Moves the object of slot `order[i]` to slot `i`, for all `i`, without allocation. `order` is
    /// unchanged afterwards.
    ///
    /// # Panics
    /// If an index is out of range, the length differs, or there are more than 2^31 objects.
    pub fn reorder(&mut self, order: &mut [u32]) {
        assert_eq!(order.len(), self.len(), "order has every slot once");
        let Self { keys, bounds, motions, slots } = self;
        reorder(order, keys, bounds, motions, slots);
    }

    /// Removes all objects without freeing memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.bounds.clear();
        self.motions.clear();
        self.slots.clear();
    }

    /// Reserves memory for `additional` more objects with consecutive keys.
    ///
    /// # Errors
    /// If allocation fails. On error no object has changed.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.try_reserve_slots(additional)?;
        self.slots.try_reserve(additional)
    }

    #[inline]
    fn try_reserve_slots(&mut self, additional: usize) -> Result<(), IndexError> {
        self.keys
            .try_reserve(additional)
            .and_then(|()| self.bounds.try_reserve(additional))
            .map_err(|_| IndexError::OutOfMemory)?;
        self.motions.try_reserve(additional)
    }

    /// Returns the number of bytes allocated.
    #[must_use]
    pub fn memory_use(&self) -> usize {
        self.keys.capacity() * size_of::<u32>()
            + self.bounds.capacity() * size_of::<Aabb<S, D>>()
            + self.motions.memory_use()
            + self.slots.memory_use()
    }

    /// Frees unused memory.
    pub fn shrink_to_fit(&mut self) {
        self.keys.shrink_to_fit();
        self.bounds.shrink_to_fit();
        self.motions.shrink_to_fit();
        self.slots.shrink_to_fit();
    }

    /// Checks that slots and keys agree and all bounds are valid; for tests.
    ///
    /// # Panics
    /// If slots and keys disagree, or bounds are invalid.
    pub fn assert_well_formed(&self) {
        assert_eq!(self.keys.len(), self.bounds.len(), "numbers of bounds and keys are equal");
        self.motions.assert_well_formed(self.len());
        for (slot, (&key, bounds)) in self.keys.iter().zip(&self.bounds).enumerate() {
            assert_eq!(self.slots.get(key), Some(slot), "the slot table has the slot of key {key}");
            assert!(bounds.checked().is_ok(), "object {key} has valid bounds");
        }
    }
}

instances! {
    fn reorder<S, D>(
        order: &mut [u32],
        keys: &mut [u32],
        bounds: &mut [Aabb<S, D>],
        motions: &mut Motions,
        slots: &mut KeySlots,
    ) {
        apply_order(order, keys);
        apply_order(order, bounds);
        motions.reorder(order);
        for (slot, &key) in keys.iter().enumerate() {
            slots.relocate(key, slot);
        }
    }
}

/// Returns the bounds as they are to be stored, or an error with the key.
#[inline]
fn validated<S: Scalar, const D: usize>(
    key: u32,
    bounds: Aabb<S, D>,
) -> Result<Aabb<S, D>, IndexError> {
    bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why })
}
