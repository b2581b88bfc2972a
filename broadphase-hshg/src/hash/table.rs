//! The table from cells to the objects that touch them.
//!
//! Open addressing over a dense list of the cells in use; the first entries of a cell lie in its
//! record, more of them in chunks from a pool. Nothing is freed unasked but all is reused, so memory
//! stays at its peak and steady movement does not allocate.

use alloc::vec::Vec;

use broadphase_core::IndexError;

const NONE: u32 = u32::MAX;
/// Entries in a chunk, which makes it half a cache line.
const ENTRIES: usize = 6;

/// A few entries of a cell, and where more are.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    entries: [u32; ENTRIES],
    len: u32,
    next: u32,
}

impl Chunk {
    const EMPTY: Self = Self { entries: [NONE; ENTRIES], len: 0, next: NONE };

    #[inline(always)]
    fn entries(&self) -> &[u32] {
        &self.entries[..self.len as usize]
    }
}

/// A cell in use.
#[derive(Clone, Copy, Debug)]
struct Cell<const D: usize> {
    at: [i32; D],
    /// How many objects touch it.
    count: u32,
    /// The chunk that still has room, unless it is just full; older ones hang on it, all full.
    first: Chunk,
}

/// For each cell in use the slots of the objects that touch it.
#[derive(Clone, Debug)]
pub(super) struct Table<const D: usize> {
    /// Positions in `cells`, by hash; a power of two of them, at most half in use.
    index: Vec<u32>,
    cells: Vec<Cell<D>>,
    pool: Vec<Chunk>,
    /// The first of the unused chunks in the pool.
    unused: u32,
}

/// Mixes all coordinates into all bits; neighbours end up anywhere.
#[inline(always)]
fn hash<const D: usize>(at: &[i32; D]) -> usize {
    let mut hash = 0u64;
    for &coordinate in at {
        hash = (hash ^ u64::from(coordinate as u32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 32;
    }
    hash as usize
}

/// How long an index with at least so many places is.
fn index_size(places: usize) -> usize {
    places.next_power_of_two().max(16)
}

impl<const D: usize> Table<D> {
    pub(super) fn new() -> Self {
        Self { index: Vec::new(), cells: Vec::new(), pool: Vec::new(), unused: NONE }
    }

    /// How many cells are in use.
    #[inline(always)]
    pub(super) const fn len(&self) -> usize {
        self.cells.len()
    }

    /// Where the cell with this number is, how many objects touch it, and which.
    #[inline(always)]
    pub(super) fn cell(&self, number: usize) -> (&[i32; D], usize, Entries<'_>) {
        let cell = &self.cells[number];
        (&cell.at, cell.count as usize, Entries { chunk: Some(&cell.first), pool: &self.pool })
    }

    /// The objects that touch a cell.
    #[inline(always)]
    pub(super) fn entries(&self, at: &[i32; D]) -> Entries<'_> {
        let chunk = self.find(at).map(|place| &self.cells[self.index[place] as usize].first);
        Entries { chunk, pool: &self.pool }
    }

    /// Adds an object to a cell. It must not be there.
    pub(super) fn insert(&mut self, at: &[i32; D], slot: u32) {
        if 2 * (self.cells.len() + 1) > self.index.len() {
            self.rebuild_index(2 * self.index.len());
        }
        let place = self.place(at);
        if self.index[place] == NONE {
            self.index[place] = self.cells.len() as u32;
            self.cells.push(Cell { at: *at, count: 0, first: Chunk::EMPTY });
        }
        let cell = &mut self.cells[self.index[place] as usize];
        if cell.first.len as usize == ENTRIES {
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
        cell.count += 1;
    }

    /// Takes an object out of a cell, in which it must be.
    pub(super) fn remove(&mut self, at: &[i32; D], slot: u32) {
        let place = self.place(at);
        let number = self.index[place] as usize;
        *self.entry(number, slot) = self.last_entry(number);
        let cell = &mut self.cells[number];
        cell.count -= 1;
        cell.first.len -= 1;
        if cell.first.len == 0 {
            if cell.first.next == NONE {
                self.vacate(place, number);
                return;
            }
            // The chunk that is full takes the place of the empty one and goes unused.
            let next = cell.first.next;
            let chunk = &mut self.pool[next as usize];
            cell.first = *chunk;
            chunk.next = self.unused;
            self.unused = next;
        }
    }

    /// Says that an object of a cell has another slot now.
    pub(super) fn rename(&mut self, at: &[i32; D], from: u32, to: u32) {
        let number = self.index[self.place(at)] as usize;
        *self.entry(number, from) = to;
    }

    /// Makes room for so many more entries, were each in a cell of its own.
    #[inline]
    pub(super) fn try_reserve(&mut self, entries: usize) -> Result<(), IndexError> {
        self.cells
            .try_reserve(entries)
            .and_then(|()| self.pool.try_reserve(entries))
            .map_err(|_| IndexError::OutOfMemory)?;
        let places = 2 * (self.cells.len() + entries);
        if places > self.index.len() {
            self.index
                .try_reserve_exact(index_size(places) - self.index.len())
                .map_err(|_| IndexError::OutOfMemory)?;
            self.rebuild_index(places);
        }
        Ok(())
    }

    /// The bytes of memory held.
    pub(super) fn memory_use(&self) -> usize {
        self.index.capacity() * size_of::<u32>()
            + self.cells.capacity() * size_of::<Cell<D>>()
            + self.pool.capacity() * size_of::<Chunk>()
    }

    /// Gives back the memory that is not needed.
    pub(super) fn shrink_to_fit(&mut self) {
        self.pack_pool();
        self.pool.shrink_to_fit();
        self.cells.shrink_to_fit();
        self.index = Vec::new();
        if !self.cells.is_empty() {
            self.rebuild_index(2 * self.cells.len());
        }
    }

    /// Leaves no chunk in the pool unused.
    fn pack_pool(&mut self) {
        let mut packed = Vec::new();
        for cell in &mut self.cells {
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

    /// Removes all, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.index.fill(NONE);
        self.cells.clear();
        self.pool.clear();
        self.unused = NONE;
    }

    /// The entry for an object that touches a cell.
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

    fn last_entry(&self, number: usize) -> u32 {
        let first = &self.cells[number].first;
        first.entries[first.len as usize - 1]
    }

    /// The place of a cell in the index, or the empty place where it would be.
    #[inline(always)]
    fn place(&self, at: &[i32; D]) -> usize {
        let mask = self.index.len() - 1;
        let mut place = hash(at) & mask;
        loop {
            let number = self.index[place];
            if number == NONE || self.cells[number as usize].at == *at {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    #[inline(always)]
    fn find(&self, at: &[i32; D]) -> Option<usize> {
        if self.index.is_empty() {
            return None;
        }
        let place = self.place(at);
        (self.index[place] != NONE).then_some(place)
    }

    /// Forgets an empty cell and puts the last one in its place.
    fn vacate(&mut self, place: usize, number: usize) {
        let last = self.cells.len() - 1;
        let moved = self.place(&self.cells[last].at);
        self.index[moved] = number as u32;
        self.cells.swap_remove(number);
        // Later cells of the same run move up, so that no search stops short.
        let mask = self.index.len() - 1;
        let (mut hole, mut probe) = (place, place);
        loop {
            probe = (probe + 1) & mask;
            let number = self.index[probe];
            if number == NONE {
                break;
            }
            let home = hash(&self.cells[number as usize].at) & mask;
            if (probe.wrapping_sub(home) & mask) >= (probe.wrapping_sub(hole) & mask) {
                self.index[hole] = number;
                hole = probe;
            }
        }
        self.index[hole] = NONE;
    }

    /// Makes at least so many places in the index.
    #[cold]
    fn rebuild_index(&mut self, places: usize) {
        self.index.clear();
        self.index.resize(index_size(places), NONE);
        for number in 0..self.cells.len() {
            let place = self.place(&self.cells[number].at);
            self.index[place] = number as u32;
        }
    }

    /// Checks that every cell can be found and has as many entries as it says; for tests.
    pub(super) fn assert_well_formed(&self) {
        assert!(2 * self.cells.len() <= self.index.len(), "at most half of the index in use");
        for (number, cell) in self.cells.iter().enumerate() {
            assert_eq!(self.find(&cell.at).map(|place| self.index[place]), Some(number as u32));
            assert_eq!(self.entries(&cell.at).flatten().count(), cell.count as usize);
            assert!(cell.count > 0, "cells in use are not empty");
        }
        let in_use = self.index.iter().filter(|&&number| number != NONE).count();
        assert_eq!(in_use, self.cells.len(), "the index has every cell once");
    }
}

/// The slots of the objects that touch a cell, a few at a time.
pub(super) struct Entries<'a> {
    chunk: Option<&'a Chunk>,
    pool: &'a [Chunk],
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a [u32];

    #[inline(always)]
    fn next(&mut self) -> Option<&'a [u32]> {
        let chunk = self.chunk?;
        self.chunk = if chunk.next == NONE { None } else { Some(&self.pool[chunk.next as usize]) };
        Some(chunk.entries())
    }
}
