//! The data of objects, which follows wherever these go.
//!
//! Everything else in a grid is independent of the type of the data, and compiled once: it moves
//! data through [`MoveData`], at one virtual call for an object or a stretch of objects. Walks, where
//! that would be too much, note moves instead (see [`walker`](crate::grid::update::walker)).

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::Lanes;

/// Moves the last item to the front, and the others one place up.
#[inline(always)]
pub(super) fn lift<X: Copy>(items: &mut [X]) {
    if let [.., last] = *items {
        items.copy_within(..items.len() - 1, 1);
        items[0] = last;
    }
}

/// The size of a cache line in bytes.
pub(super) const LINE: usize = 64;

/// The data of all objects.
#[derive(Clone, Debug)]
pub(super) struct Payload<T> {
    /// By place in the store.
    pub(super) placed: Vec<T>,
    /// Of the pending objects.
    pub(super) pending: Vec<T>,
    /// Of each thread of a walk, that of the objects which left its rows.
    pub(super) logs: Vec<Vec<T>>,
    /// By place in the store before it is laid out again.
    aside: Vec<T>,
}

impl Payload<()> {
    /// Empty data for a number of places and pending objects.
    pub(super) fn of_nothing(slots: usize, pending: usize) -> Self {
        let [placed, pending] = [slots, pending].map(|len| alloc::vec![(); len]);
        Self { placed, pending, ..Self::new() }
    }
}

/// Moves the data of objects in a part of the store as a walk has moved their bounds.
pub(super) trait ApplyMoves {
    /// Where the data is, by place in the part.
    fn address(&self) -> DataAddress;

    /// Moves data from the first place to the second, lower one, and that between them one place up,
    /// for each pair of places in turn. If both are equal, the object there left its row: its data is
    /// appended to that of the pending objects.
    fn apply_moves(&mut self, moves: &[[u32; 2]]);
}

/// Moves the data of objects, whatever its type, as their bounds move.
pub(super) trait MoveData: ApplyMoves {
    /// The bytes of memory held.
    fn memory_use(&self) -> usize;

    /// Allocates room for exactly `more` further places.
    fn reserve(&mut self, more: usize);

    /// Makes places up to `len`, with any data in them. There is an object.
    fn grow(&mut self, len: usize);

    /// Gives up the places from `len` on, keeping the memory.
    fn truncate(&mut self, len: usize);

    /// Copies data from one place to another.
    fn copy(&mut self, from: usize, to: usize);

    /// Moves the data in some places to those from `to` on.
    fn shift(&mut self, slots: Range<usize>, to: usize);

    /// Puts the data of a pending object into a place.
    fn place_pending(&mut self, pending: usize, to: usize);

    /// Appends the data in a place to that of the pending objects.
    fn push_pending(&mut self, slot: usize);

    /// Appends data that a thread noted to that of the pending objects.
    fn push_logged(&mut self, log: usize, range: Range<usize>);

    /// Forgets the data of all pending objects, keeping the memory.
    fn clear_pending(&mut self);

    /// Allocates room for exactly `more` further pending objects.
    fn reserve_pending(&mut self, more: usize);

    /// Allocates room for `more` further pending objects, unless allocation fails.
    fn try_reserve_pending(&mut self, more: usize) -> Result<(), TryReserveError>;

    /// Releases room for more than `room` pending objects.
    fn shrink_pending(&mut self, room: usize);

    /// Puts all places aside: there are none then.
    fn set_aside(&mut self);

    /// Puts data that is aside into a place.
    fn restore_aside(&mut self, from: usize, to: usize);

    /// Frees what is aside.
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

/// See [`ApplyMoves::apply_moves`].
pub(super) fn apply_moves<T: Copy>(data: &mut [T], pending: &mut Vec<T>, moves: &[[u32; 2]]) {
    for &[from, to] in moves {
        let (from, to) = (from as usize, to as usize);
        if to + 1 == from {
            // Neighbours that change places are what happens most.
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
        // Vectors of nothing have the largest capacity there is.
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
        placed.resize(len, any.expect("there is an object"));
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

    fn place_pending(&mut self, pending: usize, to: usize) {
        self.placed[to] = self.pending[pending];
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

/// Where the data of objects is, whatever its type: enough to prefetch it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataAddress {
    address: usize,
    /// The size of the data of one object.
    size: usize,
}

impl DataAddress {
    pub(super) fn of<T>(data: &[T]) -> Self {
        Self { address: data.as_ptr().addr(), size: size_of::<T>() }
    }

    /// Prefetches the data of a place.
    #[inline(always)]
    pub(super) fn prefetch<L: Lanes>(self, lanes: L, slot: usize) {
        // A prefetch may be for any address: it is counted from the address of an empty slice.
        let none: &[u8] = &[];
        let base = self.address.wrapping_sub(none.as_ptr().addr());
        lanes.prefetch(none, base.wrapping_add(slot * self.size));
    }

    /// Prefetches the data of some places; there may be none.
    #[inline(always)]
    pub(super) fn prefetch_all<L: Lanes>(self, lanes: L, slots: Range<usize>) {
        // No data is not prefetched.
        let Some(of_line) = LINE.checked_div(self.size) else { return };
        for slot in slots.step_by(of_line.max(1)) {
            self.prefetch(lanes, slot);
        }
    }
}
