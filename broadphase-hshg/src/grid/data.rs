//! The data of objects, stored by slot and moved whenever objects move.
//!
//! All other code is independent of the data type and is compiled once. It moves data through
//! [`MoveData`], with one virtual call per object or range of objects. Walks would need too many
//! calls, so they record moves and apply them per chunk (see
//! [`walker`](crate::grid::update::walker)).

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use core::ops::Range;

use broadphase_core::DataAddress;

use super::maintenance::row_sort::{Item, index_of};
use super::storage::row::GAP_PERIOD;

/// Moves the last item to the front and shifts the other items up by one.
#[inline(always)]
pub(super) fn lift<X: Copy>(items: &mut [X]) {
    if let [.., last] = *items {
        items.copy_within(..items.len() - 1, 1);
        items[0] = last;
    }
}

/// The data of all objects.
#[derive(Clone, Debug)]
pub(super) struct Payload<T> {
    /// The data of objects in rows, by slot.
    pub(super) placed: Vec<T>,
    /// The data of pending objects.
    pub(super) pending: Vec<T>,
    /// For each thread of a parallel walk, the data of objects that left its rows.
    pub(super) logs: Vec<Vec<T>>,
    /// While the store is rebuilt: the data of objects in rows, by their old slots.
    aside: Vec<T>,
}

impl Payload<()> {
    /// Returns data of a zero-sized type for this number of slots and of pending objects.
    pub(super) fn of_nothing(slots: usize, pending: usize) -> Self {
        let [placed, pending] = [slots, pending].map(|len| alloc::vec![(); len]);
        Self { placed, pending, ..Self::new() }
    }
}

/// Applies recorded moves to the data of a part of the store.
pub(super) trait ApplyMoves {
    /// Returns the address of the data in the part's first slot.
    fn address(&self) -> DataAddress;

    /// Applies moves in order. A move `[from, to]` with `to < from` puts the data at `from` into
    /// `to`, and shifts the data between the two up by one. A move with `from == to` means that the
    /// object left its row: its data is appended to the data of pending objects.
    fn apply_moves(&mut self, moves: &[[u32; 2]]);
}

/// Moves the data of objects. Code that uses this trait does not depend on the data type.
pub(super) trait MoveData: ApplyMoves {
    /// Returns the number of allocated bytes.
    fn memory_use(&self) -> usize;

    /// Allocates room for exactly `more` further slots.
    fn reserve(&mut self, more: usize);

    /// Grows to `len` slots. New slots get a copy of the data of an arbitrary object, so the grid
    /// must have an object.
    fn grow(&mut self, len: usize);

    /// Shrinks to `len` slots without freeing memory.
    fn truncate(&mut self, len: usize);

    /// Copies data from one slot to another.
    fn copy(&mut self, from: usize, to: usize);

    /// Moves the data of a range of slots to the slots from `to` on.
    fn shift(&mut self, slots: Range<usize>, to: usize);

    /// Returns the address of the data of the first pending object.
    fn pending_address(&self) -> DataAddress;

    /// Copies the data of a pending object into a slot.
    fn place_pending(&mut self, pending: usize, to: usize);

    /// Copies the data of sorted pending objects into the slots of a row that begins at `begin`,
    /// leaving out one slot in [`GAP_PERIOD`].
    fn place_row(&mut self, items: &[Item], begin: usize);

    /// Appends the data of a slot to the data of pending objects.
    fn push_pending(&mut self, slot: usize);

    /// Appends a range of the data in a log to the data of pending objects.
    fn push_logged(&mut self, log: usize, range: Range<usize>);

    /// Removes the data of all pending objects without freeing memory.
    fn clear_pending(&mut self);

    /// Allocates room for exactly `more` further pending objects.
    fn reserve_pending(&mut self, more: usize);

    /// Allocates room for `more` further pending objects, or returns the error of the allocator.
    fn try_reserve_pending(&mut self, more: usize) -> Result<(), TryReserveError>;

    /// Shrinks the capacity for pending objects to at least `room`.
    fn shrink_pending(&mut self, room: usize);

    /// Moves the data of all slots into a separate buffer, `aside`; afterwards there are no slots.
    fn set_aside(&mut self);

    /// Copies the data of the old slot `from` out of `aside` into the slot `to`.
    fn restore_aside(&mut self, from: usize, to: usize);

    /// Frees `aside`.
    fn drop_aside(&mut self);
}

impl<T> Payload<T> {
    pub(super) const fn new() -> Self {
        let logs = Vec::new();
        Self { placed: Vec::new(), pending: Vec::new(), logs, aside: Vec::new() }
    }
}

impl<T: Copy> ApplyMoves for Payload<T> {
    fn address(&self) -> DataAddress {
        DataAddress::of(&self.placed)
    }

    fn apply_moves(&mut self, moves: &[[u32; 2]]) {
        apply_moves(&mut self.placed, &mut self.pending, moves);
    }
}

/// Implements [`ApplyMoves::apply_moves`] for slices.
pub(super) fn apply_moves<T: Copy>(data: &mut [T], pending: &mut Vec<T>, moves: &[[u32; 2]]) {
    for &[from, to] in moves {
        let (from, to) = (from as usize, to as usize);
        if to + 1 == from {
            // The most frequent move: neighbors swap.
            data.swap(to, from);
        } else if to < from {
            lift(&mut data[to..=from]);
        } else {
            pending.push(data[from]);
        }
    }
}

impl<T: Copy> MoveData for Payload<T> {
    fn memory_use(&self) -> usize {
        // The capacity of a vector of a zero-sized type is `usize::MAX`, but its bytes are 0.
        let bytes = |data: &Vec<T>| data.capacity() * size_of::<T>();
        bytes(&self.placed)
            + bytes(&self.pending)
            + self.logs.iter().map(bytes).sum::<usize>()
            + self.logs.capacity() * size_of::<Vec<T>>()
    }

    fn reserve(&mut self, more: usize) {
        self.placed.reserve_exact(more);
    }

    fn grow(&mut self, len: usize) {
        let Self { placed, pending, aside, .. } = self;
        let any = placed.first().or(pending.first()).or(aside.first()).copied();
        placed.resize(len, any.expect("there is at least one object"));
    }

    fn truncate(&mut self, len: usize) {
        self.placed.truncate(len);
    }

    fn copy(&mut self, from: usize, to: usize) {
        self.placed[to] = self.placed[from];
    }

    fn shift(&mut self, slots: Range<usize>, to: usize) {
        self.placed.copy_within(slots, to);
    }

    fn pending_address(&self) -> DataAddress {
        DataAddress::of(&self.pending)
    }

    fn place_pending(&mut self, pending: usize, to: usize) {
        self.placed[to] = self.pending[pending];
    }

    fn place_row(&mut self, items: &[Item], begin: usize) {
        if size_of::<T>() == 0 {
            return;
        }
        let slots = self.placed[begin..].chunks_mut(GAP_PERIOD);
        for (slots, items) in slots.zip(items.chunks(GAP_PERIOD - 1)) {
            for (slot, &item) in slots.iter_mut().zip(items) {
                *slot = self.pending[index_of(item)];
            }
        }
    }

    fn push_pending(&mut self, slot: usize) {
        self.pending.push(self.placed[slot]);
    }

    fn push_logged(&mut self, log: usize, range: Range<usize>) {
        self.pending.extend_from_slice(&self.logs[log][range]);
    }

    fn clear_pending(&mut self) {
        self.pending.clear();
    }

    fn reserve_pending(&mut self, more: usize) {
        self.pending.reserve_exact(more);
    }

    fn try_reserve_pending(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.pending.try_reserve(more)
    }

    fn shrink_pending(&mut self, room: usize) {
        self.pending.shrink_to(room);
    }

    fn set_aside(&mut self) {
        self.aside = core::mem::take(&mut self.placed);
    }

    fn restore_aside(&mut self, from: usize, to: usize) {
        self.placed[to] = self.aside[from];
    }

    fn drop_aside(&mut self) {
        self.aside = Vec::new();
    }
}
