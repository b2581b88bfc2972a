//! The table from cells to the objects that touch them.
//!
//! Layout: a dense list of the cells in use, found through a hash map of [blocks](Blocks) of cells.
//! Cells with at least one mover come first, so that a search for pairs runs over a prefix of the
//! list. Each cell stores its entries (slots) in one of three forms, by their number:
//!
//! * up to 6: in the cell's own record;
//! * up to 48: in a chain of chunks of 6 from a shared pool;
//! * more: in a [`SlotSet`], which removes an entry in constant time. The cell returns to chunks at
//!   16, so that a count near 48 does not convert back and forth.
//!
//! Cost: insertion takes one map access and constant time; removal also scans at most 48 entries.
//! Freed chunks, sets and cells are reused, so memory stays at its peak and steady movement does
//! not allocate; `shrink_to_fit` frees it.

use alloc::vec::Vec;

use broadphase_core::IndexError;

use super::slot_set::SlotSet;
use crate::hash::map::CellMap;
use crate::hash::map::blocks::Blocks;

const NONE: u32 = u32::MAX;
/// Entries in a chunk, so that a chunk takes 32 bytes, half a cache line.
const CHUNK_LEN: usize = 6;
/// A cell with more entries than this is converted to a set.
const TO_SET_ABOVE: u32 = 48;
/// A set is converted back to chunks when its cell has no more entries than this.
const TO_CHUNKS_AT: u32 = 16;
/// Marks, as the length of a cell's first chunk, that the entries are in the set with index `next`.
const IN_SET: u32 = u32::MAX;

/// Some entries of a cell, and the index of the next chunk.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    entries: [u32; CHUNK_LEN],
    len: u32,
    next: u32,
}

impl Chunk {
    const EMPTY: Self = Self { entries: [NONE; CHUNK_LEN], len: 0, next: NONE };

    #[inline(always)]
    fn entries(&self) -> &[u32] {
        &self.entries[..self.len as usize]
    }
}

/// A cell in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell<const D: usize> {
    pub(crate) at: [i32; D],
    /// The number of objects that touch the cell.
    pub(crate) count: u32,
    /// The number of them that are not static.
    pub(crate) moving: u32,
    /// The only chunk that may be partly filled; the chunks it links to are full.
    first: Chunk,
}

/// For each cell in use, the slots of the objects that touch it.
#[derive(Clone, Debug)]
pub(crate) struct Table<const D: usize, M> {
    /// From cells to their numbers, which are indices into `cells`.
    blocks: Blocks<D, M>,
    cells: Vec<Cell<D>>,
    /// The number of cells with at least one mover; they come first.
    active: usize,
    pool: Vec<Chunk>,
    /// The first of the unused chunks in the pool.
    unused: u32,
    slot_sets: Vec<SlotSet>,
    unused_sets: Vec<u32>,
}

impl<const D: usize, M: CellMap<D>> Table<D, M> {
    pub(crate) const fn new(map: M) -> Self {
        Self {
            blocks: Blocks::new(map),
            cells: Vec::new(),
            active: 0,
            pool: Vec::new(),
            unused: NONE,
            slot_sets: Vec::new(),
            unused_sets: Vec::new(),
        }
    }

    /// Sets the side of the cells. The table must be empty.
    pub(crate) fn set_side(&mut self, side: f64) {
        self.blocks.set_side(side);
    }

    /// Returns the number of cells in use.
    #[inline(always)]
    pub(crate) const fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the number of cells with at least one mover; they have the smallest numbers.
    #[inline(always)]
    pub(crate) const fn active(&self) -> usize {
        self.active
    }

    /// Returns the cell with this number.
    #[inline(always)]
    pub(crate) fn cell(&self, number: usize) -> &Cell<D> {
        &self.cells[number]
    }

    /// Returns the number of a cell, or `None` if it is not in use.
    #[inline(always)]
    pub(crate) fn number(&self, at: &[i32; D]) -> Option<usize> {
        self.blocks.get(at).map(|number| number as usize)
    }

    /// Returns the slots of the objects that touch the cell with this number.
    #[inline(always)]
    pub(crate) fn entries_of(&self, number: usize) -> Entries<'_> {
        let first = &self.cells[number].first;
        if first.len == IN_SET {
            let set = self.slot_sets[first.next as usize].slots();
            return Entries { set, chunk: None, pool: &self.pool };
        }
        Entries { set: &[], chunk: Some(first), pool: &self.pool }
    }

    /// Adds an object to a cell. It must not be there already.
    pub(crate) fn insert(&mut self, at: &[i32; D], slot: u32, is_static: bool) {
        let fresh = self.cells.len();
        let mut number = self.blocks.get_or_insert(at, fresh as u32) as usize;
        if number == fresh {
            self.cells.push(Cell { at: *at, count: 0, moving: 0, first: Chunk::EMPTY });
        }
        if !is_static {
            number = self.add_mover(number);
        }
        self.add_entry(number, slot);
    }

    /// Removes an object from a cell, in which it must be.
    pub(crate) fn remove(&mut self, at: &[i32; D], slot: u32, is_static: bool) {
        let number = self.number_in_use(at);
        self.remove_entry(number, slot);
        if self.cells[number].count == 0 {
            self.remove_cell(number);
        } else if !is_static {
            self.remove_mover(number);
        }
    }

    /// Replaces the slot of an object in a cell.
    pub(crate) fn set_slot(&mut self, at: &[i32; D], from: u32, to: u32) {
        let number = self.number_in_use(at);
        let first = &self.cells[number].first;
        if first.len == IN_SET {
            self.slot_sets[first.next as usize].replace(from, to);
        } else {
            *self.entry(number, from) = to;
        }
    }

    /// Updates a cell after one of its objects became static or stopped being static.
    pub(crate) fn set_static(&mut self, at: &[i32; D], is_static: bool) {
        let number = self.number_in_use(at);
        if is_static {
            self.remove_mover(number);
        } else {
            self.add_mover(number);
        }
    }

    /// Reserves memory for this number of entries, whether each is in a cell of its own or all in
    /// one.
    #[inline]
    pub(crate) fn try_reserve(&mut self, entries: usize) -> Result<(), IndexError> {
        self.cells
            .try_reserve(entries)
            .and_then(|()| self.pool.try_reserve(entries))
            .map_err(|_| IndexError::OutOfMemory)?;
        self.blocks.try_reserve(entries)?;
        if entries > TO_SET_ABOVE as usize { self.reserve_set(entries) } else { Ok(()) }
    }

    #[cold]
    fn reserve_set(&mut self, entries: usize) -> Result<(), IndexError> {
        if self.unused_sets.is_empty() {
            let room = self.slot_sets.try_reserve(1).and_then(|()| self.unused_sets.try_reserve(1));
            room.map_err(|_| IndexError::OutOfMemory)?;
            self.unused_sets.push(self.slot_sets.len() as u32);
            self.slot_sets.push(SlotSet::default());
        }
        let spare = self.unused_sets[self.unused_sets.len() - 1];
        self.slot_sets[spare as usize].try_reserve(entries.saturating_add(TO_SET_ABOVE as usize))
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.blocks.memory_use()
            + self.cells.capacity() * size_of::<Cell<D>>()
            + self.pool.capacity() * size_of::<Chunk>()
            + self.slot_sets.capacity() * size_of::<SlotSet>()
            + self.slot_sets.iter().map(SlotSet::memory_use).sum::<usize>()
            + self.unused_sets.capacity() * size_of::<u32>()
    }

    /// Frees unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.pack_pool();
        self.pack_sets();
        self.pool.shrink_to_fit();
        self.cells.shrink_to_fit();
        self.blocks.shrink_to_fit();
    }

    /// Rebuilds the pool without unused chunks.
    fn pack_pool(&mut self) {
        let mut packed = Vec::new();
        for cell in self.cells.iter_mut().filter(|cell| cell.first.len != IN_SET) {
            let mut next = cell.first.next;
            if next != NONE {
                cell.first.next = packed.len() as u32;
            }
            while next != NONE {
                let mut chunk = self.pool[next as usize];
                next = chunk.next;
                if next != NONE {
                    chunk.next = packed.len() as u32 + 1;
                }
                packed.push(chunk);
            }
        }
        self.pool = packed;
        self.unused = NONE;
    }

    /// Drops unused sets.
    fn pack_sets(&mut self) {
        let mut packed = Vec::new();
        for cell in self.cells.iter_mut().filter(|cell| cell.first.len == IN_SET) {
            let mut set = core::mem::take(&mut self.slot_sets[cell.first.next as usize]);
            set.shrink_to_fit();
            cell.first.next = packed.len() as u32;
            packed.push(set);
        }
        packed.shrink_to_fit();
        self.slot_sets = packed;
        self.unused_sets = Vec::new();
    }

    /// Removes all entries and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        for cell in self.cells.iter().filter(|cell| cell.first.len == IN_SET) {
            self.slot_sets[cell.first.next as usize].clear();
            self.unused_sets.push(cell.first.next);
        }
        self.cells.clear();
        self.active = 0;
        self.pool.clear();
        self.unused = NONE;
    }

    fn number_in_use(&self, at: &[i32; D]) -> usize {
        self.number(at).unwrap_or_else(|| panic!("cell {at:?} is in use"))
    }

    /// Adds an entry to the cell with this number.
    #[inline(always)]
    fn add_entry(&mut self, number: usize, slot: u32) {
        let cell = &mut self.cells[number];
        cell.count += 1;
        if cell.first.len as usize >= CHUNK_LEN {
            if cell.first.len == IN_SET {
                self.slot_sets[cell.first.next as usize].insert(slot);
                return;
            }
            if cell.count > TO_SET_ABOVE {
                self.chunks_to_set(number);
                self.slot_sets[self.cells[number].first.next as usize].insert(slot);
                return;
            }
            let full = cell.first;
            let next = if self.unused == NONE {
                self.pool.push(full);
                (self.pool.len() - 1) as u32
            } else {
                let chunk = self.unused;
                self.unused = core::mem::replace(&mut self.pool[chunk as usize], full).next;
                chunk
            };
            cell.first = Chunk { next, ..Chunk::EMPTY };
        }
        cell.first.entries[cell.first.len as usize] = slot;
        cell.first.len += 1;
    }

    /// Removes an entry from the cell with this number.
    #[inline(always)]
    fn remove_entry(&mut self, number: usize, slot: u32) {
        let cell = &mut self.cells[number];
        cell.count -= 1;
        if cell.first.len == IN_SET {
            let count = cell.count;
            self.slot_sets[cell.first.next as usize].remove(slot);
            if count <= TO_CHUNKS_AT {
                self.set_to_chunks(number);
            }
            return;
        }
        let last = cell.first.entries[cell.first.len as usize - 1];
        *self.entry(number, slot) = last;
        let cell = &mut self.cells[number];
        cell.first.len -= 1;
        if cell.first.len == 0 && cell.first.next != NONE {
            // The next chunk, which is full, is copied into the record and becomes unused.
            let next = cell.first.next;
            let chunk = &mut self.pool[next as usize];
            cell.first = *chunk;
            chunk.next = self.unused;
            self.unused = next;
        }
    }

    /// Moves the entries of a cell from chunks into a set.
    #[cold]
    fn chunks_to_set(&mut self, number: usize) {
        let set = self.unused_sets.pop().unwrap_or_else(|| {
            self.slot_sets.push(SlotSet::default());
            (self.slot_sets.len() - 1) as u32
        });
        let mut chunk = self.cells[number].first;
        loop {
            for &slot in chunk.entries() {
                self.slot_sets[set as usize].insert(slot);
            }
            let Some(next) = self.pool.get_mut(chunk.next as usize) else { break };
            let freed = chunk.next;
            chunk = *next;
            next.next = self.unused;
            self.unused = freed;
        }
        self.cells[number].first = Chunk { len: IN_SET, next: set, ..Chunk::EMPTY };
    }

    /// Moves the entries of a cell from a set into chunks.
    #[cold]
    fn set_to_chunks(&mut self, number: usize) {
        let set = self.cells[number].first.next;
        let mut slots_left = [NONE; TO_CHUNKS_AT as usize];
        let slots = self.slot_sets[set as usize].slots();
        let count = slots.len();
        slots_left[..count].copy_from_slice(slots);
        self.slot_sets[set as usize].clear();
        self.unused_sets.push(set);
        self.cells[number].first = Chunk::EMPTY;
        self.cells[number].count = 0;
        for &slot in &slots_left[..count] {
            self.add_entry(number, slot);
        }
    }

    /// Returns the entry of an object in a cell whose entries are in chunks.
    fn entry(&mut self, number: usize, slot: u32) -> &mut u32 {
        let first = &mut self.cells[number].first;
        if let Some(index) = first.entries().iter().position(|&entry| entry == slot) {
            return &mut first.entries[index];
        }
        let mut chunk = first.next;
        loop {
            assert_ne!(chunk, NONE, "slot {slot} is not in its cell");
            let entries = self.pool[chunk as usize].entries();
            if let Some(index) = entries.iter().position(|&entry| entry == slot) {
                return &mut self.pool[chunk as usize].entries[index];
            }
            chunk = self.pool[chunk as usize].next;
        }
    }

    /// Counts one more mover in a cell. If it is the first, moves the cell to the end of the active
    /// prefix. Returns the cell's number afterwards.
    #[inline(always)]
    fn add_mover(&mut self, number: usize) -> usize {
        self.cells[number].moving += 1;
        if self.cells[number].moving > 1 {
            return number;
        }
        let place = self.active;
        self.active += 1;
        self.swap_cells(number, place);
        place
    }

    /// Counts one mover less in a cell. If it was the last, moves the cell out of the active
    /// prefix.
    #[inline(always)]
    fn remove_mover(&mut self, number: usize) {
        self.cells[number].moving -= 1;
        if self.cells[number].moving == 0 {
            self.active -= 1;
            self.swap_cells(number, self.active);
        }
    }

    fn swap_cells(&mut self, a: usize, b: usize) {
        if a != b {
            self.cells.swap(a, b);
            self.blocks.replace(&self.cells[a].at, a as u32);
            self.blocks.replace(&self.cells[b].at, b as u32);
        }
    }

    /// Removes an empty cell and fills its position from the active prefix and from the end.
    fn remove_cell(&mut self, number: usize) {
        self.blocks.remove(&self.cells[number].at);
        let mut hole = number;
        if hole < self.active {
            self.active -= 1;
            self.move_cell(self.active, hole);
            hole = self.active;
        }
        self.move_cell(self.cells.len() - 1, hole);
        self.cells.pop();
    }

    fn move_cell(&mut self, from: usize, to: usize) {
        if from != to {
            self.cells[to] = self.cells[from];
            self.blocks.replace(&self.cells[to].at, to as u32);
        }
    }

    /// Checks that every cell is found and that all counts match the entries. For tests.
    pub(crate) fn assert_well_formed(&self, is_static: impl Fn(u32) -> bool) {
        let mut slot_sets = 0;
        self.blocks.assert_well_formed(self.cells.len());
        for (number, cell) in self.cells.iter().enumerate() {
            assert_eq!(self.number(&cell.at), Some(number), "{:?} is found", cell.at);
            let entries = || self.entries_of(number).flatten();
            assert_eq!(entries().count(), cell.count as usize);
            let moving = entries().filter(|&&slot| !is_static(slot)).count();
            assert_eq!(moving, cell.moving as usize, "movers are counted");
            assert!(cell.count > 0, "cells in use are not empty");
            assert_eq!(number < self.active, cell.moving > 0, "cells without movers are last");
            if cell.first.len == IN_SET {
                self.slot_sets[cell.first.next as usize].assert_well_formed();
                slot_sets += 1;
            }
        }
        assert_eq!(
            slot_sets + self.unused_sets.len(),
            self.slot_sets.len(),
            "every set is used or in the unused list"
        );
    }
}

/// Iterator over the entries of a cell, one slice at a time.
pub(crate) struct Entries<'a> {
    set: &'a [u32],
    chunk: Option<&'a Chunk>,
    pool: &'a [Chunk],
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a [u32];

    #[inline(always)]
    fn next(&mut self) -> Option<&'a [u32]> {
        let Some(chunk) = self.chunk else {
            let set = core::mem::take(&mut self.set);
            return if set.is_empty() { None } else { Some(set) };
        };
        self.chunk = if chunk.next == NONE { None } else { Some(&self.pool[chunk.next as usize]) };
        Some(chunk.entries())
    }
}
