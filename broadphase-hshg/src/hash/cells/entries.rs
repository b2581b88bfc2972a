//! The entries of each cell in use: the slots of the objects that touch the cell.
//!
//! The cells are a dense list. Each cell stores its entries in one of three forms, selected by the
//! number of entries:
//!
//! * up to [`CHUNK_LEN`]: in the [`Cell`] itself;
//! * up to [`TO_SET_ABOVE`]: in a chain of chunks from a shared pool;
//! * more: in a [`SlotSet`], which removes an entry in constant time; the chain of a cell with
//!   100,000 entries has 33,000 chunks. The cell returns to chunks at [`TO_CHUNKS_AT`] entries, far
//!   fewer, so that it does not convert back and forth.
//!
//! Freed chunks and sets are reused, so memory stays at its peak and steady movement does not
//! allocate.

use alloc::vec::Vec;

use broadphase_core::IndexError;

use super::slot_set::SlotSet;
use crate::hash::{make_room, try_make_room};

const NONE: u32 = u32::MAX;
/// The number of entries in a full chunk.
const CHUNK_LEN: usize = 3;
/// A cell with more entries than this is converted to a set.
const TO_SET_ABOVE: u32 = 48;
/// A set is converted back to chunks when its cell has no more entries than this.
const TO_CHUNKS_AT: u32 = 16;
/// This bit is set in a cell's `first.next` if the other bits are the index of a [`SlotSet`] and
/// not of a chunk. [`NONE`] has this bit, too.
const IS_SET: u32 = 1 << 31;

/// Some entries of a cell, and the index of the cell's next chunk.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    slots: [u32; CHUNK_LEN],
    next: u32,
}

impl Chunk {
    const EMPTY: Self = Self { slots: [NONE; CHUNK_LEN], next: NONE };
}

/// A cell in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell<const D: usize> {
    pub(crate) at: [i32; D],
    /// The number of objects that touch the cell.
    pub(crate) count: u32,
    /// The number of objects that touch the cell and are not static.
    pub(crate) moving: u32,
    /// The first chunk of entries, which may be partly filled. The chunks that follow it are full.
    first: Chunk,
}

impl<const D: usize> Cell<D> {
    /// Returns a cell without entries.
    pub(crate) const fn empty(at: [i32; D]) -> Self {
        Self { at, count: 0, moving: 0, first: Chunk::EMPTY }
    }

    /// Returns the index of the cell's set, or `None` if the entries of the cell are in chunks.
    #[inline(always)]
    const fn set(&self) -> Option<usize> {
        let next = self.first.next;
        if next & IS_SET != 0 && next != NONE { Some((next ^ IS_SET) as usize) } else { None }
    }

    /// Returns the number of entries in the first chunk of a cell that has `count` entries in
    /// chunks.
    #[inline(always)]
    const fn first_len(count: u32) -> usize {
        if count == 0 { 0 } else { (count as usize - 1) % CHUNK_LEN + 1 }
    }
}

/// All cells in use, with their entries.
#[derive(Clone, Debug)]
pub(crate) struct CellEntries<const D: usize> {
    pub(crate) cells: Vec<Cell<D>>,
    pool: Vec<Chunk>,
    /// The index of the first unused chunk in the pool, which links to the next unused chunk, or
    /// `NONE`.
    unused: u32,
    sets: Vec<SlotSet>,
    unused_sets: Vec<u32>,
}

impl<const D: usize> CellEntries<D> {
    pub(crate) const fn new() -> Self {
        Self {
            cells: Vec::new(),
            pool: Vec::new(),
            unused: NONE,
            sets: Vec::new(),
            unused_sets: Vec::new(),
        }
    }

    /// Returns the slots of the objects that touch the cell with this number, in slices.
    #[inline(always)]
    pub(crate) fn of(&self, number: usize) -> Slices<'_> {
        let cell = &self.cells[number];
        if let Some(set) = cell.set() {
            return Slices { slots: self.sets[set].slots(), next: NONE, pool: &self.pool };
        }
        let slots = &cell.first.slots[..Cell::<D>::first_len(cell.count)];
        Slices { slots, next: cell.first.next, pool: &self.pool }
    }

    /// Adds an entry to the cell with this number. The cell must not have an entry of this slot.
    #[inline(always)]
    pub(crate) fn add(&mut self, number: usize, slot: u32) {
        let cell = &mut self.cells[number];
        let len = Cell::<D>::first_len(cell.count);
        cell.count += 1;
        if let Some(set) = cell.set() {
            self.sets[set].insert(slot);
        } else if len < CHUNK_LEN {
            cell.first.slots[len] = slot;
        } else if cell.count > TO_SET_ABOVE {
            self.chunks_to_set(number, slot);
        } else {
            let full = cell.first;
            let next = if self.unused == NONE {
                make_room(&mut self.pool, 1);
                self.pool.push(full);
                (self.pool.len() - 1) as u32
            } else {
                let chunk = self.unused;
                self.unused = core::mem::replace(&mut self.pool[chunk as usize], full).next;
                chunk
            };
            cell.first = Chunk { next, ..Chunk::EMPTY };
            cell.first.slots[0] = slot;
        }
    }

    /// Removes an entry from the cell with this number. The cell must have an entry of this slot.
    #[inline(always)]
    pub(crate) fn remove(&mut self, number: usize, slot: u32) {
        let cell = &mut self.cells[number];
        let len = Cell::<D>::first_len(cell.count);
        cell.count -= 1;
        if let Some(set) = cell.set() {
            let count = cell.count;
            self.sets[set].remove(slot);
            if count <= TO_CHUNKS_AT {
                self.set_to_chunks(number, set);
            }
            return;
        }
        let last = cell.first.slots[len - 1];
        *self.find(number, len, slot) = last;
        let first = &mut self.cells[number].first;
        if len == 1 && first.next != NONE {
            // The next chunk, which is full, is copied into the cell; its place in the pool becomes
            // unused.
            let next = first.next;
            let chunk = &mut self.pool[next as usize];
            *first = *chunk;
            chunk.next = self.unused;
            self.unused = next;
        }
    }

    /// Replaces the entry `from` with `to` in the cell with this number.
    pub(crate) fn replace(&mut self, number: usize, from: u32, to: u32) {
        let cell = &self.cells[number];
        if let Some(set) = cell.set() {
            self.sets[set].remove(from);
            self.sets[set].insert(to);
        } else {
            let len = Cell::<D>::first_len(cell.count);
            *self.find(number, len, from) = to;
        }
    }

    /// Returns the entry of a slot in a cell with chunks, of which the first has `len` entries.
    #[inline(always)]
    fn find(&mut self, number: usize, len: usize, slot: u32) -> &mut u32 {
        let first = &mut self.cells[number].first;
        if let Some(index) = first.slots[..len].iter().position(|&entry| entry == slot) {
            return &mut first.slots[index];
        }
        let mut next = first.next;
        loop {
            assert_ne!(next, NONE, "slot {slot} is not in its cell");
            let chunk = &self.pool[next as usize];
            if let Some(index) = chunk.slots.iter().position(|&entry| entry == slot) {
                return &mut self.pool[next as usize].slots[index];
            }
            next = chunk.next;
        }
    }

    /// Moves the entries of a cell from chunks into a set, and adds an entry. All chunks must be
    /// full, and `count` already includes the added entry.
    #[cold]
    fn chunks_to_set(&mut self, number: usize, slot: u32) {
        let set = self.unused_sets.pop().unwrap_or_else(|| {
            self.sets.push(SlotSet::default());
            (self.sets.len() - 1) as u32
        });
        let slots = &mut self.sets[set as usize];
        slots.insert(slot);
        let mut chunk = core::mem::replace(&mut self.cells[number].first, Chunk::EMPTY);
        self.cells[number].first.next = set | IS_SET;
        loop {
            chunk.slots.iter().for_each(|&slot| slots.insert(slot));
            let freed = chunk.next;
            let Some(next) = self.pool.get_mut(freed as usize) else { break };
            chunk = *next;
            next.next = self.unused;
            self.unused = freed;
        }
    }

    /// Moves the entries of a cell from the set with this index into chunks. The set becomes
    /// unused.
    #[cold]
    fn set_to_chunks(&mut self, number: usize, set: usize) {
        let mut slots = [NONE; TO_CHUNKS_AT as usize];
        let count = self.sets[set].slots().len();
        slots[..count].copy_from_slice(self.sets[set].slots());
        self.sets[set].clear();
        self.unused_sets.push(set as u32);
        self.cells[number].first = Chunk::EMPTY;
        self.cells[number].count = 0;
        slots[..count].iter().for_each(|&slot| self.add(number, slot));
    }

    /// Reserves memory for this number of entries; it suffices both if each entry is in a cell of
    /// its own and if all are in one cell.
    #[inline]
    pub(crate) fn try_reserve(&mut self, entries: usize) -> Result<(), IndexError> {
        try_make_room(&mut self.cells, entries)?;
        try_make_room(&mut self.pool, entries)?;
        if entries > TO_SET_ABOVE as usize { self.reserve_set(entries) } else { Ok(()) }
    }

    #[cold]
    fn reserve_set(&mut self, entries: usize) -> Result<(), IndexError> {
        if self.unused_sets.is_empty() {
            let room = self.sets.try_reserve(1).and_then(|()| self.unused_sets.try_reserve(1));
            room.map_err(|_| IndexError::OutOfMemory)?;
            self.unused_sets.push(self.sets.len() as u32);
            self.sets.push(SlotSet::default());
        }
        let spare = self.unused_sets[self.unused_sets.len() - 1];
        // The set also receives the entries that the cell already has in chunks.
        self.sets[spare as usize].try_reserve(entries.saturating_add(TO_SET_ABOVE as usize))
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.cells.capacity() * size_of::<Cell<D>>()
            + self.pool.capacity() * size_of::<Chunk>()
            + self.sets.capacity() * size_of::<SlotSet>()
            + self.sets.iter().map(SlotSet::memory_use).sum::<usize>()
            + self.unused_sets.capacity() * size_of::<u32>()
    }

    /// Frees unused memory: rebuilds the pool without unused chunks, and drops unused sets.
    pub(crate) fn shrink_to_fit(&mut self) {
        let (mut pool, mut sets, mut len) = (Vec::new(), Vec::new(), 0);
        for cell in &mut self.cells {
            if let Some(set) = cell.set() {
                let mut set = core::mem::take(&mut self.sets[set]);
                set.shrink_to_fit();
                cell.first.next = sets.len() as u32 | IS_SET;
                sets.push(set);
                continue;
            }
            let mut link = &mut cell.first.next;
            while *link != NONE {
                let chunk = self.pool[*link as usize];
                *link = len as u32;
                pool.push(chunk);
                link = &mut pool[len].next;
                len += 1;
            }
        }
        pool.shrink_to_fit();
        sets.shrink_to_fit();
        self.cells.shrink_to_fit();
        (self.pool, self.unused) = (pool, NONE);
        (self.sets, self.unused_sets) = (sets, Vec::new());
    }

    /// Removes all cells without freeing memory.
    pub(crate) fn clear(&mut self) {
        for set in self.cells.iter().filter_map(Cell::set) {
            self.sets[set].clear();
            self.unused_sets.push(set as u32);
        }
        self.cells.clear();
        self.pool.clear();
        self.unused = NONE;
    }

    /// Checks that all counts match the entries. For tests.
    pub(crate) fn assert_well_formed(&self, is_static: impl Fn(u32) -> bool) {
        for (number, cell) in self.cells.iter().enumerate() {
            let entries = || self.of(number).flatten();
            assert_eq!(entries().count(), cell.count as usize, "entries are counted");
            let moving = entries().filter(|&&slot| !is_static(slot)).count();
            assert_eq!(moving, cell.moving as usize, "movers are counted");
            assert!(cell.count > 0, "cells in use are not empty");
        }
        let sets = self.cells.iter().filter_map(Cell::set);
        let used = sets.inspect(|&set| self.sets[set].assert_well_formed()).count();
        assert_eq!(used + self.unused_sets.len(), self.sets.len(), "every set is used or unused");
    }
}

/// Iterator over the entries of a cell, one slice at a time.
pub(crate) struct Slices<'a> {
    slots: &'a [u32],
    /// The index of the chunk that follows `slots`, or `NONE`.
    next: u32,
    pool: &'a [Chunk],
}

impl<'a> Iterator for Slices<'a> {
    type Item = &'a [u32];

    #[inline(always)]
    fn next(&mut self) -> Option<&'a [u32]> {
        let next = match self.pool.get(self.next as usize) {
            Some(chunk) => {
                self.next = chunk.next;
                &chunk.slots[..]
            }
            None => &[],
        };
        let slots = core::mem::replace(&mut self.slots, next);
        (!slots.is_empty()).then_some(slots)
    }
}
