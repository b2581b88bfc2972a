//! The sink of changes that a walker makes outside of its rows.

use alloc::vec::Vec;

use broadphase_core::slots::KeySlots;

use crate::grid::PENDING;

/// Records a walker's changes to the key-to-slot map, and to the counts of objects and holes.
pub(super) enum UpdateSink<'a> {
    /// Applies changes immediately. Requires that no other walker is running.
    Immediate { slots: &'a mut KeySlots, len: &'a mut usize, holes: &'a mut usize },
    /// Logs moved objects with their new slots, and removed objects.
    Logged { moved: &'a mut Vec<(u32, usize)>, removed: &'a mut Vec<u32> },
}

impl UpdateSink<'_> {
    /// Records that an object is in another slot.
    #[inline(always)]
    pub(super) fn relocate(&mut self, key: u32, slot: usize) {
        match self {
            Self::Immediate { slots, .. } => slots.relocate(key, slot),
            Self::Logged { moved, .. } => moved.push((key, slot)),
        }
    }

    /// Returns whether the object with this key is stored in `slot`; for one-dimensional integer
    /// bounds, which cannot mark vacant slots.
    #[inline(always)]
    pub(super) fn is_at(&self, key: u32, slot: usize) -> bool {
        match self {
            Self::Immediate { slots, .. } => slots.get(key) == Some(slot),
            Self::Logged { .. } => unreachable!("one-dimensional integers are walked serially"),
        }
    }

    /// Records that an object was removed and left a hole.
    pub(super) fn remove(&mut self, key: u32) {
        match self {
            Self::Immediate { slots, len, holes, .. } => {
                slots.remove(key);
                **len -= 1;
                **holes += 1;
            }
            Self::Logged { removed, .. } => removed.push(key),
        }
    }

    /// Records that an object left a hole and became the pending object with index `pending`. If
    /// `key` is `None`, the map stays unchanged. Logs need no entry: their walkers list these
    /// objects.
    #[inline(always)]
    pub(super) fn move_to_pending(&mut self, key: Option<u32>, pending: usize) {
        if let Self::Immediate { slots, holes, .. } = self {
            if let Some(key) = key {
                slots.set(key, PENDING | pending);
            }
            **holes += 1;
        }
    }
}
