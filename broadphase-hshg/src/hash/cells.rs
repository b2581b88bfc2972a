//! Where every object is: in the cells it touches, or in the list of the oversized.

use alloc::vec::Vec;

use broadphase_core::{Aabb, IndexError, Scalar, SlabVec, Slabs};

use super::span::Span;
use super::table::Table;
use crate::cell::Grid;

const NONE: u32 = u32::MAX;

/// What is known of an object, slot by slot: all that finding pairs reads, in one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<const D: usize> {
    pub(super) slabs: Slabs<D>,
    pub(super) span: Span<D>,
    /// Its position among the oversized, or `NONE` if it is in cells.
    oversized: u32,
}

impl<const D: usize> Place<D> {
    #[inline(always)]
    pub(super) const fn is_oversized(&self) -> bool {
        self.oversized != NONE
    }
}

/// All places, and the way from cells to them.
#[derive(Clone, Debug)]
pub(super) struct Cells<const D: usize> {
    grid: Grid,
    pub(super) places: Vec<Place<D>>,
    pub(super) table: Table<D>,
    /// The oversized: their slabs, and their slots.
    pub(super) large: SlabVec<D>,
    pub(super) large_slots: Vec<u32>,
}

impl<const D: usize> Cells<D> {
    /// An object that touches more cells is oversized.
    const MOST: u64 = 1 << (3 * D);

    pub(super) fn new(grid: Grid) -> Self {
        Self {
            grid,
            places: Vec::new(),
            table: Table::new(),
            large: SlabVec::new(),
            large_slots: Vec::new(),
        }
    }

    pub(super) fn set_grid(&mut self, grid: Grid) {
        self.grid = grid;
    }

    pub(super) fn in_use(&self) -> usize {
        self.table.len()
    }

    pub(super) fn oversized(&self) -> usize {
        self.large.len()
    }

    /// The cells that a box touches.
    #[inline(always)]
    pub(super) fn span<S: Scalar>(&self, bounds: &Aabb<S, D>) -> Span<D> {
        Span::of(self.grid, bounds)
    }

    /// Makes room for so many more objects, each in one cell.
    pub(super) fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.places.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        self.table.try_reserve(additional)
    }

    /// Makes room for one more object with these bounds.
    pub(super) fn try_reserve_for<S: Scalar>(
        &mut self,
        bounds: &Aabb<S, D>,
    ) -> Result<(), IndexError> {
        self.places.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
        let cells = self.span(bounds).count();
        if cells <= Self::MOST {
            return self.table.try_reserve(cells as usize);
        }
        self.large
            .try_reserve(1)
            .and_then(|()| self.large_slots.try_reserve(1))
            .map_err(|_| IndexError::OutOfMemory)
    }

    /// The bytes of memory held.
    pub(super) fn memory_use(&self) -> usize {
        self.places.capacity() * size_of::<Place<D>>()
            + self.table.memory_use()
            + self.large.memory_use()
            + self.large_slots.capacity() * size_of::<u32>()
    }

    /// Gives back the memory that is not needed.
    pub(super) fn shrink_to_fit(&mut self) {
        self.places.shrink_to_fit();
        self.table.shrink_to_fit();
        self.large.shrink_to_fit();
        self.large_slots.shrink_to_fit();
    }

    /// Appends an object.
    pub(super) fn push<S: Scalar>(&mut self, bounds: &Aabb<S, D>) {
        let slot = self.places.len();
        let span = Span::of(self.grid, bounds);
        self.places.push(Place { slabs: bounds.slabs(), span, oversized: NONE });
        self.enter(slot);
    }

    /// Gives an object other bounds.
    #[inline]
    pub(super) fn set<S: Scalar>(&mut self, slot: usize, bounds: &Aabb<S, D>) {
        let (slabs, span) = (bounds.slabs(), Span::of(self.grid, bounds));
        let old = self.places[slot];
        if span == old.span {
            self.places[slot].slabs = slabs;
            if old.is_oversized() {
                self.large.set(old.oversized as usize, slabs);
            }
        } else if old.is_oversized() || span.count() > Self::MOST {
            self.leave(slot);
            self.places[slot] = Place { slabs, span, oversized: NONE };
            self.enter(slot);
        } else {
            let table = &mut self.table;
            old.span.each(|cell| {
                if !span.contains(&cell) {
                    table.remove(&cell, slot as u32);
                }
            });
            span.each(|cell| {
                if !old.span.contains(&cell) {
                    table.insert(&cell, slot as u32);
                }
            });
            self.places[slot] = Place { slabs, span, oversized: NONE };
        }
    }

    /// Removes an object and puts the last one in its slot.
    pub(super) fn swap_remove(&mut self, slot: usize) {
        self.leave(slot);
        let last = self.places.len() - 1;
        if slot != last {
            let moved = self.places[last];
            if moved.is_oversized() {
                self.large_slots[moved.oversized as usize] = slot as u32;
            } else {
                moved.span.each(|cell| self.table.rename(&cell, last as u32, slot as u32));
            }
        }
        self.places.swap_remove(slot);
    }

    /// Removes all objects, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.table.clear();
        self.large.clear();
        self.large_slots.clear();
    }

    /// Puts an object into its cells, or among the oversized.
    fn enter(&mut self, slot: usize) {
        let place = &mut self.places[slot];
        if place.span.count() > Self::MOST {
            place.oversized = self.large.len() as u32;
            self.large.push(place.slabs);
            self.large_slots.push(slot as u32);
        } else {
            let table = &mut self.table;
            place.span.each(|cell| table.insert(&cell, slot as u32));
        }
    }

    /// Takes an object out of wherever it is.
    fn leave(&mut self, slot: usize) {
        let place = self.places[slot];
        if place.is_oversized() {
            let position = place.oversized as usize;
            self.large.swap_remove(position);
            self.large_slots.swap_remove(position);
            if let Some(&moved) = self.large_slots.get(position) {
                self.places[moved as usize].oversized = position as u32;
            }
        } else {
            place.span.each(|cell| self.table.remove(&cell, slot as u32));
        }
    }

    /// Checks that every object is exactly where it belongs; for tests.
    pub(super) fn assert_well_formed<S: Scalar>(&self, bounds: &[Aabb<S, D>]) {
        assert_eq!(self.places.len(), bounds.len(), "as many places as objects");
        assert_eq!(self.large.len(), self.large_slots.len(), "as many slabs as slots");
        self.table.assert_well_formed();
        let mut entries = 0;
        for (slot, (place, bounds)) in self.places.iter().zip(bounds).enumerate() {
            assert_eq!(place.slabs, bounds.slabs(), "slabs follow the bounds");
            assert_eq!(place.span, Span::of(self.grid, bounds), "cells follow the bounds");
            assert_eq!(place.is_oversized(), place.span.count() > Self::MOST);
            if place.is_oversized() {
                let position = place.oversized as usize;
                assert_eq!(
                    self.large_slots[position], slot as u32,
                    "large objects know their place"
                );
                assert_eq!(self.large.get(position), place.slabs, "large slabs follow the bounds");
            } else {
                place.span.each(|cell| {
                    let mut found = self.table.entries(&cell).flatten();
                    assert!(found.any(|&entry| entry == slot as u32), "slot {slot} is in {cell:?}");
                    entries += 1;
                });
            }
        }
        let counts = (0..self.table.len()).map(|number| self.table.cell(number).1);
        assert_eq!(counts.sum::<usize>(), entries, "no cell has an entry that does not belong");
    }
}
