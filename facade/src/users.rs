//! User data of objects.

use alloc::vec::Vec;

use broadphase_core::Pair;

use crate::Error;
use crate::registry::Registry;

/// The requirements for user data of a [`BroadPhase`](crate::BroadPhase): `Copy + Send + Sync`.
///
/// A world copies the data of removed objects into its events, and snapshots overwrite it. Strings,
/// vectors and other values that cannot be copied stay in the program, by slot:
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase<f32, 2> = BroadPhase::new();
/// let mut names: Vec<String> = Vec::new(); // by slot
/// for (x, name) in [(0.0, "ship"), (1.0, "rock")] {
///     let object = world.insert(Aabb::of_ball([x, 0.0], 1.0), ())?;
///     let slot = object.index() as usize;
///     names.resize(names.len().max(slot + 1), String::new());
///     names[slot] = name.to_string();
/// }
/// world.step();
/// for overlap in world.pairs() {
///     let pair = overlap.handles.map(|object| names[object.index() as usize].as_str());
///     assert_eq!(pair, ["ship", "rock"]);
/// }
/// # Ok::<(), hexphase::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the user data of a world: it must be `Copy + Send + Sync`. Keep \
               other values in a `Vec` of the program, at index `handle.index()`"
)]
pub trait UserData: Copy + Send + Sync {}

#[diagnostic::do_not_recommend]
impl<U: Copy + Send + Sync> UserData for U {}

/// User data by slot.
#[derive(Clone, Debug)]
pub(crate) struct UserTable<U> {
    /// User data by slot. The entry of a free slot is stale; free slots at the end may have no
    /// entry.
    pub(crate) now: Vec<U>,
    /// User data of kept objects, by index in [`Slots`](crate::slots::Slots). For a removed object,
    /// it is the last user data.
    pub(crate) past: Vec<U>,
    /// Last user data of objects that were removed before the last step, by
    /// [`PastMember::user`](crate::registry::PastMember::user).
    pub(crate) ended: Vec<U>,
}

impl<U: Copy> UserTable<U> {
    pub(crate) const fn new() -> Self {
        Self { now: Vec::new(), past: Vec::new(), ended: Vec::new() }
    }

    pub(crate) const fn memory_use(&self) -> usize {
        // Multiply before adding: the capacity of zero-sized data is `usize::MAX`, so a sum of
        // capacities would overflow.
        self.now.capacity() * size_of::<U>()
            + self.past.capacity() * size_of::<U>()
            + self.ended.capacity() * size_of::<U>()
    }

    pub(crate) fn try_reserve(&mut self, slots: usize) -> Result<(), Error> {
        let more = slots.saturating_sub(self.now.len());
        self.now.try_reserve(more).map_err(|_| Error::OutOfMemory)
    }

    /// Reserves memory for the user data of kept objects.
    pub(crate) fn try_reserve_past(&mut self, kept: usize) -> Result<(), Error> {
        let more = kept.saturating_sub(self.past.len());
        self.past.try_reserve(more).map_err(|_| Error::OutOfMemory)
    }

    /// Sets the user data of a slot.
    pub(crate) fn set(&mut self, slot: u32, user: U) {
        set_or_push(&mut self.now, slot as usize, user);
    }

    /// Copies the current user data of a slot to index `place` of `past`, if any.
    pub(crate) fn keep(&mut self, slot: u32, place: Option<usize>) {
        if let Some(place) = place {
            set_or_push(&mut self.past, place, self.now[slot as usize]);
        }
    }

    /// Completes a step: user data of kept objects become those of the members of ended pairs.
    pub(crate) fn complete_step(&mut self) {
        core::mem::swap(&mut self.past, &mut self.ended);
        self.past.clear();
    }

    /// Returns the user data of both objects of a pair of the last step: the current user data, or
    /// for a removed object the last.
    #[inline]
    pub(crate) fn at_last_step(&self, registry: &Registry, [a, b]: Pair) -> [U; 2] {
        [*self.one_at_last_step(registry, a), *self.one_at_last_step(registry, b)]
    }

    #[inline]
    pub(crate) fn one_at_last_step(&self, registry: &Registry, slot: u32) -> &U {
        match registry.slots.past_index(slot) {
            Some(place) => &self.past[place],
            None => &self.now[slot as usize],
        }
    }
}

/// Writes an element at index `place`, extending a list that is too short with copies of it.
pub(crate) fn set_or_push<U: Copy>(list: &mut Vec<U>, place: usize, user: U) {
    if place < list.len() {
        list[place] = user;
    } else {
        list.resize(place + 1, user);
    }
}
