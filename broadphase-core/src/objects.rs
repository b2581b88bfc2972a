//! Objects in dense slots, found by key: what structures are built on.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Scalar, instances};

use crate::motions::Motions;
use crate::slots::Slots;
use crate::{Entry, IndexError, Motion, apply_order, tasks};

/// So many objects to be walked over are worth another thread.
const LEAST: usize = 8192;

/// Keys, bounds, data and motion of all objects, each kind in an array of its own.
///
/// Slots are `0..len` without gaps: removing an object puts the last one in its slot. Bounds are
/// checked on the way in, so everything in here is finite and in order.
///
/// ```
/// use broadphase_core::{Aabb, objects::Objects};
///
/// let mut objects: Objects<f32, 1, char> = Objects::new();
/// objects.insert(40, Aabb::new([0.0], [1.0]), 'a')?;
/// objects.insert(2, Aabb::new([0.0], [1.0]), 'b')?;
/// assert_eq!(objects.slot(2), Some(1));
/// assert_eq!(objects.swap_remove(0).data, 'a');
/// assert_eq!(objects.slot(2), Some(0));
/// # Ok::<(), broadphase_core::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Objects<S, const D: usize, T> {
    keys: Vec<u32>,
    bounds: Vec<Aabb<S, D>>,
    data: Vec<T>,
    motions: Motions,
    slots: Slots,
}

/// What was stored of an object that has been removed.
#[derive(Clone, Copy, Debug)]
pub struct Removed<S, const D: usize, T> {
    /// Its key.
    pub key: u32,
    /// Its bounds.
    pub bounds: Aabb<S, D>,
    /// Its data.
    pub data: T,
}

/// What happened to an object during [`Objects::retain`].
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// The object in this slot has other bounds.
    Bounds {
        /// The slot.
        slot: usize,
    },
    /// The object in this slot was removed, and the last one took its place.
    Removal {
        /// The slot.
        slot: usize,
    },
}

impl<S: Scalar, const D: usize, T: Copy> Default for Objects<S, D, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize, T: Copy> Objects<S, D, T> {
    /// No objects.
    #[must_use]
    pub fn new() -> Self {
        Self {
            keys: Vec::new(),
            bounds: Vec::new(),
            data: Vec::new(),
            motions: Motions::default(),
            slots: Slots::default(),
        }
    }

    /// How many objects there are.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys, slot by slot.
    #[inline(always)]
    #[must_use]
    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// The bounds, slot by slot.
    #[inline(always)]
    #[must_use]
    pub fn bounds(&self) -> &[Aabb<S, D>] {
        &self.bounds
    }

    /// The data, slot by slot.
    #[inline(always)]
    pub fn data_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// How the objects move, slot by slot.
    #[inline(always)]
    #[must_use]
    pub const fn motions(&self) -> &Motions {
        &self.motions
    }

    /// The slot of a key.
    #[inline(always)]
    #[must_use]
    pub fn slot(&self, key: u32) -> Option<usize> {
        self.slots.get(key)
    }

    /// The object in a slot.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    #[must_use]
    pub fn entry(&self, slot: usize) -> Entry<'_, S, D, T> {
        Entry { key: self.keys[slot], bounds: self.bounds[slot], data: &self.data[slot] }
    }

    /// Two objects, the one with the smaller key first.
    ///
    /// # Panics
    /// If there is none in one of the slots.
    #[inline(always)]
    #[must_use]
    pub fn entries(&self, a: usize, b: usize) -> [Entry<'_, S, D, T>; 2] {
        Entry::in_order(self.entry(a), self.entry(b))
    }

    /// Appends a dynamic object; its slot is the old length.
    ///
    /// # Errors
    /// If the bounds are not valid, the key is in use, or the memory is not to be had. Nothing has
    /// changed then.
    pub fn insert(&mut self, key: u32, bounds: Aabb<S, D>, data: T) -> Result<usize, IndexError> {
        let bounds = check(key, bounds)?;
        if self.slots.get(key).is_some() {
            return Err(IndexError::KeyInUse { key });
        }
        let slot = self.len();
        self.try_reserve_places(1)?;
        self.slots.try_set(key, slot)?;
        self.keys.push(key);
        self.bounds.push(bounds);
        self.data.push(data);
        Ok(slot)
    }

    /// Says how the object of that key moves; yields its slot.
    ///
    /// # Errors
    /// If there is no such object, or the memory is not to be had. Nothing has changed then.
    pub fn set_motion(&mut self, key: u32, motion: Motion) -> Result<usize, IndexError> {
        let slot = self.slots.get(key).ok_or(IndexError::UnknownKey { key })?;
        self.motions.set(slot, motion)?;
        Ok(slot)
    }

    /// How the object of that key moves.
    #[must_use]
    pub fn motion(&self, key: u32) -> Option<Motion> {
        self.slots.get(key).map(|slot| self.motions.get(slot))
    }

    /// Gives the object of that key other bounds; yields its slot.
    ///
    /// # Errors
    /// If the bounds are not valid, or there is no such object. Nothing has changed then.
    #[inline]
    pub fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<usize, IndexError> {
        let slot = self.slots.get(key).ok_or(IndexError::UnknownKey { key })?;
        self.set_bounds_at(slot, bounds)?;
        Ok(slot)
    }

    /// Gives the object in a slot other bounds.
    ///
    /// # Errors
    /// If the bounds are not valid. Nothing has changed then.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn set_bounds_at(&mut self, slot: usize, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        self.bounds[slot] = check(self.keys[slot], bounds)?;
        Ok(())
    }

    /// Removes the object in a slot and puts the last one in its place.
    ///
    /// # Panics
    /// If there is none.
    pub fn swap_remove(&mut self, slot: usize) -> Removed<S, D, T> {
        let key = self.keys.swap_remove(slot);
        self.slots.remove(key);
        if let Some(&moved) = self.keys.get(slot) {
            self.slots.set(moved, slot);
        }
        self.motions.swap_remove(slot, self.keys.len());
        let (bounds, data) = (self.bounds.swap_remove(slot), self.data.swap_remove(slot));
        Removed { key, bounds, data }
    }

    /// Walks over all objects; `keep` may change data and bounds, and removes the object by
    /// answering `false`. `follow` is told each change just after it happened.
    ///
    /// # Errors
    /// Invalid bounds leave that object's bounds as they were and the walk goes on; the error
    /// names the smallest such key.
    pub fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
        follow: impl FnMut(&Self, Change),
    ) -> Result<(), IndexError> {
        self.walk::<true>(keep, follow)
    }

    /// Walks over all objects that are dynamic; `change` may change data and bounds. `follow` is
    /// told each change just after it happened.
    ///
    /// # Errors
    /// As [`retain`](Self::retain).
    pub fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut T, &mut Aabb<S, D>),
        follow: impl FnMut(&Self, Change),
    ) -> Result<(), IndexError> {
        let keep = |key, data: &mut T, bounds: &mut Aabb<S, D>| {
            change(key, data, bounds);
            true
        };
        self.walk::<false>(keep, follow)
    }

    #[inline]
    fn walk<const ALL: bool>(
        &mut self,
        mut keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
        mut follow: impl FnMut(&Self, Change),
    ) -> Result<(), IndexError> {
        let mut worst: Option<IndexError> = None;
        let mut worst_key = u32::MAX;
        let mut slot = 0;
        loop {
            if !ALL {
                slot = self.motions.next_dynamic(slot);
            }
            if slot >= self.len() {
                break;
            }
            let key = self.keys[slot];
            let mut bounds = self.bounds[slot];
            if !keep(key, &mut self.data[slot], &mut bounds) {
                self.swap_remove(slot);
                follow(self, Change::Removal { slot });
                continue;
            }
            if bounds != self.bounds[slot] {
                match self.set_bounds_at(slot, bounds) {
                    Ok(()) => follow(self, Change::Bounds { slot }),
                    Err(why) if worst.is_none() || key < worst_key => {
                        (worst, worst_key) = (Some(why), key);
                    }
                    Err(_) => {}
                }
            }
            slot += 1;
        }
        worst.map_or(Ok(()), Err)
    }

    /// Walks over all objects, on several threads where there are; `change` may change data and
    /// bounds. `follow` is asked about the slot of each object with other bounds just after they
    /// are, and the bits of all it answers are yielded.
    ///
    /// # Errors
    /// As [`retain`](Self::retain).
    ///
    /// ```
    /// use broadphase_core::{Aabb, objects::Objects};
    ///
    /// let mut objects: Objects<f32, 1, f32> = Objects::new();
    /// for key in 0..4 {
    ///     objects.insert(key, Aabb::point([0.0]), key as f32)?;
    /// }
    /// let go = |_, speed: &mut f32, bounds: &mut Aabb<f32, 1>| *bounds = bounds.translated([*speed]);
    /// let (walked, moved) = objects.update_at_once(go, |slot, _| 1 << slot);
    /// assert_eq!((walked, moved), (Ok(()), 0b1110));
    /// # Ok::<(), broadphase_core::IndexError>(())
    /// ```
    pub fn update_at_once(
        &mut self,
        change: impl Fn(u32, &mut T, &mut Aabb<S, D>) + Sync,
        follow: impl Fn(usize, &Aabb<S, D>) -> u8 + Sync,
    ) -> (Result<(), IndexError>, u8)
    where
        T: Send,
    {
        let mut stretches = tasks::even(self.len(), LEAST);
        if stretches.is_empty() {
            stretches.push(0..self.len());
        }
        let (mut bounds, mut data) = (&mut self.bounds[..], &mut self.data[..]);
        let mut parts = Vec::with_capacity(stretches.len());
        for slots in stretches {
            let (own_bounds, rest) = core::mem::take(&mut bounds).split_at_mut(slots.len());
            let (own_data, others) = core::mem::take(&mut data).split_at_mut(slots.len());
            (bounds, data) = (rest, others);
            let keys = &self.keys[slots.clone()];
            parts.push((slots.start, keys, own_bounds, own_data, None, 0));
        }
        tasks::each(&mut parts, |(first, keys, bounds, data, worst, answers)| {
            let objects = keys.iter().zip(bounds.iter_mut()).zip(data.iter_mut());
            for (slot, ((&key, bounds), data)) in (*first..).zip(objects) {
                let mut new = *bounds;
                change(key, data, &mut new);
                if new == *bounds {
                    continue;
                }
                match check(key, new) {
                    Ok(new) => {
                        *bounds = new;
                        *answers |= follow(slot, bounds);
                    }
                    Err(why) if worst.is_none_or(|(smallest, _)| key < smallest) => {
                        *worst = Some((key, why));
                    }
                    Err(_) => {}
                }
            }
        });
        let worst = parts.iter().filter_map(|part| part.4).min_by_key(|&(key, _)| key);
        let answers = parts.iter().fold(0, |all, part| all | part.5);
        (worst.map_or(Ok(()), |(_, why)| Err(why)), answers)
    }

    /// Gives the objects the keys 0, 1, 2, … slot by slot; `old[new key]` is the key each had.
    pub fn renumber(&mut self, old: &mut Vec<u32>) {
        renumber(&mut self.keys, &mut self.slots, old);
    }

    /// Puts the objects into other slots: into slot `i` that of slot `order[i]`.
    ///
    /// Takes memory only if some objects are not dynamic. `order` is as it was afterwards.
    ///
    /// # Panics
    /// If `order` does not have every slot once, or there are more than 2^30.
    ///
    /// ```
    /// use broadphase_core::{Aabb, objects::Objects};
    ///
    /// let mut objects: Objects<f32, 1, ()> = Objects::new();
    /// for key in [7, 8, 9] {
    ///     objects.insert(key, Aabb::point([0.0]), ())?;
    /// }
    /// objects.reorder(&mut [2, 0, 1]);
    /// assert_eq!(objects.keys(), [9, 7, 8]);
    /// assert_eq!(objects.slot(9), Some(0));
    /// # Ok::<(), broadphase_core::IndexError>(())
    /// ```
    pub fn reorder(&mut self, order: &mut [u32]) {
        assert_eq!(order.len(), self.len(), "every slot once");
        let Self { keys, bounds, data, motions, slots } = self;
        apply_order(order, data);
        reorder(order, keys, bounds, motions, slots);
    }

    /// Removes all objects, keeping the memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.bounds.clear();
        self.data.clear();
        self.motions.clear();
        self.slots.clear();
    }

    /// Makes room for so many more objects.
    ///
    /// # Errors
    /// If the memory is not to be had. No object has changed then.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.try_reserve_places(additional)?;
        self.motions.try_reserve(self.len(), additional)?;
        self.slots.try_reserve(additional)
    }

    #[inline]
    fn try_reserve_places(&mut self, additional: usize) -> Result<(), IndexError> {
        self.keys
            .try_reserve(additional)
            .and_then(|()| self.bounds.try_reserve(additional))
            .and_then(|()| self.data.try_reserve(additional))
            .map_err(|_| IndexError::OutOfMemory)
    }

    /// The bytes of memory held.
    #[must_use]
    pub fn memory_use(&self) -> usize {
        self.keys.capacity() * size_of::<u32>()
            + self.bounds.capacity() * size_of::<Aabb<S, D>>()
            + self.data.capacity() * size_of::<T>()
            + self.motions.memory_use()
            + self.slots.memory_use()
    }

    /// Gives back the memory that is not needed.
    pub fn shrink_to_fit(&mut self) {
        self.keys.shrink_to_fit();
        self.bounds.shrink_to_fit();
        self.data.shrink_to_fit();
        self.motions.shrink_to_fit();
        self.slots.shrink_to_fit();
    }

    /// Checks that slots and keys agree and bounds are in order; for tests.
    ///
    /// # Panics
    /// If not.
    pub fn assert_well_formed(&self) {
        assert_eq!(self.keys.len(), self.bounds.len(), "as many bounds as keys");
        assert_eq!(self.keys.len(), self.data.len(), "as many data as keys");
        self.motions.assert_well_formed(self.len());
        for (slot, (&key, bounds)) in self.keys.iter().zip(&self.bounds).enumerate() {
            assert_eq!(self.slots.get(key), Some(slot), "key {key} knows its slot");
            assert!(bounds.checked().is_ok(), "object {key} has valid bounds");
        }
    }
}

/// Gives the objects the keys 0, 1, 2, … slot by slot, and writes their old keys to `old`.
fn renumber(keys: &mut [u32], slots: &mut Slots, old: &mut Vec<u32>) {
    old.clear();
    old.extend_from_slice(keys);
    slots.clear();
    for (slot, key) in keys.iter_mut().enumerate() {
        *key = slot as u32;
        slots.set(*key, slot);
    }
}

instances! {
    /// Puts all of the objects but their data into other slots.
    fn reorder<S, D>(
        order: &mut [u32],
        keys: &mut [u32],
        bounds: &mut [Aabb<S, D>],
        motions: &mut Motions,
        slots: &mut Slots,
    ) {
        apply_order(order, keys);
        apply_order(order, bounds);
        motions.reorder(order);
        for (slot, &key) in keys.iter().enumerate() {
            slots.relocate(key, slot);
        }
    }
}

/// Bounds as they are stored, or an error that names the object.
#[inline]
fn check<S: Scalar, const D: usize>(
    key: u32,
    bounds: Aabb<S, D>,
) -> Result<Aabb<S, D>, IndexError> {
    bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why })
}
