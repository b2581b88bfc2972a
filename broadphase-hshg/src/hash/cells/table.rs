//! The table from cells to the objects that touch them.
//!
//! The cells in use are a dense list ([`CellEntries`]), found through a hash map of
//! [blocks](Blocks) of cells. Cells with at least one mover come first, so that a search for pairs
//! runs over a prefix of the list.
//!
//! Cost: insertion takes one map access and constant time; removal also scans at most 48 entries.

use broadphase_core::IndexError;

use super::entries::{Cell, CellEntries, Slices};
use crate::hash::make_room;
use crate::hash::map::blocks::Blocks;

/// For each cell in use, the slots of the objects that touch it.
#[derive(Clone, Debug)]
pub(crate) struct Table<const D: usize> {
    /// Maps cells to their *numbers*, which are indices into the list of cells.
    pub(crate) blocks: Blocks<D>,
    pub(crate) entries: CellEntries<D>,
    /// The number of cells with at least one mover. They come first in the list.
    active: usize,
}

impl<const D: usize> Table<D> {
    pub(crate) fn new() -> Self {
        Self { blocks: Blocks::default(), entries: CellEntries::new(), active: 0 }
    }

    /// Returns the number of cells with at least one mover. They have the lowest numbers.
    #[inline(always)]
    pub(crate) const fn active(&self) -> usize {
        self.active
    }

    /// Returns the cells in use.
    #[inline(always)]
    pub(crate) fn cells(&self) -> &[Cell<D>] {
        &self.entries.cells
    }

    /// Returns the slots of the objects that touch a cell, or `None` if the cell is not in use.
    pub(crate) fn entries_at(&self, at: &[i32; D]) -> Option<Slices<'_>> {
        self.blocks.get(at).map(|number| self.entries.of(number as usize))
    }

    /// Adds an entry of an object to a cell. The cell must not have an entry of the object.
    pub(crate) fn insert(&mut self, at: &[i32; D], slot: u32, is_static: bool) {
        let cells = &mut self.entries.cells;
        let fresh = cells.len();
        let mut number = self.blocks.get_or_insert(at, fresh as u32) as usize;
        if number == fresh {
            make_room(cells, 1);
            cells.push(Cell::empty(*at));
        }
        if !is_static {
            number = self.add_mover(number);
        }
        self.entries.add(number, slot);
    }

    /// Removes the entry of an object from a cell. The cell must have an entry of the object.
    pub(crate) fn remove(&mut self, at: &[i32; D], slot: u32, is_static: bool) {
        let number = self.number_in_use(at);
        self.entries.remove(number, slot);
        if self.entries.cells[number].count == 0 {
            self.remove_cell(number);
        } else if !is_static {
            self.remove_mover(number);
        }
    }

    /// Replaces the entry `from` of a cell with `to`, because an object moved to another slot.
    pub(crate) fn set_slot(&mut self, at: &[i32; D], from: u32, to: u32) {
        self.entries.replace(self.number_in_use(at), from, to);
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

    /// Reserves memory for `entries` entries, whether each is in a cell of its own or all are in
    /// one cell, and for `blocks` blocks of cells.
    #[inline]
    pub(crate) fn try_reserve(&mut self, entries: usize, blocks: usize) -> Result<(), IndexError> {
        self.entries.try_reserve(entries)?;
        self.blocks.try_reserve(blocks)
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.blocks.memory_use() + self.entries.memory_use()
    }

    /// Frees unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.entries.shrink_to_fit();
        self.blocks.shrink_to_fit();
    }

    /// Removes all entries without freeing memory.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.entries.clear();
        self.active = 0;
    }

    fn number_in_use(&self, at: &[i32; D]) -> usize {
        self.blocks.get(at).unwrap_or_else(|| panic!("cell {at:?} is in use")) as usize
    }

    /// Counts one more mover in a cell. If the cell had no mover, moves the cell to the end of the
    /// active cells. Returns the new number of the cell.
    #[inline(always)]
    fn add_mover(&mut self, number: usize) -> usize {
        self.entries.cells[number].moving += 1;
        if self.entries.cells[number].moving > 1 {
            return number;
        }
        let place = self.active;
        self.active += 1;
        self.swap_cells(number, place);
        place
    }

    /// Counts one mover less in a cell. If the cell has no mover left, moves the cell out of the
    /// active cells.
    #[inline(always)]
    fn remove_mover(&mut self, number: usize) {
        self.entries.cells[number].moving -= 1;
        if self.entries.cells[number].moving == 0 {
            self.active -= 1;
            self.swap_cells(number, self.active);
        }
    }

    fn swap_cells(&mut self, a: usize, b: usize) {
        let cells = &mut self.entries.cells;
        if a != b {
            cells.swap(a, b);
            self.blocks.replace(&cells[a].at, a as u32);
            self.blocks.replace(&cells[b].at, b as u32);
        }
    }

    /// Removes a cell without entries. If the cell is active, the last active cell takes its
    /// number. The last cell of the list then takes the free number.
    fn remove_cell(&mut self, number: usize) {
        self.blocks.remove(&self.entries.cells[number].at);
        let mut hole = number;
        if hole < self.active {
            self.active -= 1;
            self.move_cell(self.active, hole);
            hole = self.active;
        }
        self.move_cell(self.entries.cells.len() - 1, hole);
        self.entries.cells.pop();
    }

    fn move_cell(&mut self, from: usize, to: usize) {
        let cells = &mut self.entries.cells;
        if from != to {
            cells[to] = cells[from];
            self.blocks.replace(&cells[to].at, to as u32);
        }
    }

    /// Checks that every cell is found and that all counts match the entries. For tests.
    pub(crate) fn assert_well_formed(&self, is_static: impl Fn(u32) -> bool) {
        self.blocks.assert_well_formed(self.cells().len());
        for (number, cell) in (0..).zip(self.cells()) {
            assert_eq!(self.blocks.get(&cell.at), Some(number), "{:?} is found", cell.at);
            let is_active = (number as usize) < self.active;
            assert_eq!(is_active, cell.moving > 0, "cells without movers are last");
        }
        self.entries.assert_well_formed(is_static);
    }
}
