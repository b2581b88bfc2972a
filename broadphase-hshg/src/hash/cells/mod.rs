//! Stores where each object is: in the cells it touches and in a bin, or in the list of oversized
//! objects.
//!
//! `set_bounds`, the hot path, works in steps:
//!
//! 1. Compute the box of touched cells ([`Span`]). If this box of cells equals the old one, only
//!    the stored bounds change, without map access.
//! 2. Otherwise remove the object's entry from the cells that are only in the old box, and add it
//!    to the cells that are only in the new box.
//! 3. Move the object to another bin if its new first cell or size belongs to another bin.
//!
//! Cost: proportional to the number of cells that the object leaves and enters. This number is
//! limited: an object that touches more than 8 cells per axis, on average, has no entries and is in
//! the list of oversized objects.

pub(crate) mod entries;
mod slot_set;
pub(crate) mod span;
pub(crate) mod table;

use alloc::vec::Vec;

use broadphase_core::{Aabb, IndexError, Scalar, SlabVec, Slabs};

use crate::cell::Grid;
use crate::hash::queries::bins::Bins;
use crate::hash::queries::pages::ObjectId;
use crate::hash::{make_room, try_make_room};
use span::Span;
use table::Table;

/// The disorder that an insertion or a removal adds, in cell changes. An inserted object is at a
/// random position in storage. So is the last object after a removal, which moves it into the gap.
pub(crate) const DISORDER_PER_INSERTION: usize = 4;

/// The record of an object, indexed by slot: all data that searches read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<const D: usize> {
    pub(crate) slabs: Slabs<D>,
    pub(crate) span: Span<D>,
    /// The position of the object in the bins, or in the list of oversized objects if it is
    /// oversized.
    position: u32,
    is_oversized: bool,
    /// Whether the object is static.
    pub(crate) is_static: bool,
}

impl<const D: usize> Record<D> {
    #[inline(always)]
    pub(crate) const fn is_oversized(&self) -> bool {
        self.is_oversized
    }
}

/// Returns the length of a box along each axis, rounded to nearest.
#[inline(always)]
fn extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> [f64; D] {
    let mut extent = [0.0; D];
    let mut axis = 0;
    while axis < D {
        extent[axis] = bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
        axis += 1;
    }
    extent
}

/// The record of each object, the objects of each cell, and the objects of each bin.
#[derive(Clone, Debug)]
pub(crate) struct Cells<const D: usize> {
    grid: Grid,
    side: f64,
    pub(crate) records: Vec<Record<D>>,
    pub(crate) table: Table<D>,
    /// The grid that queries use. It stores each object once, except oversized objects.
    pub(crate) bins: Bins<D>,
    /// The key bounds of the oversized objects (`oversized`), and their slots (`oversized_slots`).
    pub(crate) oversized: SlabVec<D>,
    pub(crate) oversized_slots: Vec<u32>,
    /// The number of oversized objects that are not static.
    pub(crate) oversized_moving: usize,
    /// Disorder counter: the number of cell changes since the objects were last sorted in storage.
    /// An insertion or removal counts as [`DISORDER_PER_INSERTION`] changes.
    pub(crate) disorder: usize,
}

impl<const D: usize> Cells<D> {
    /// Maximum number of cells of an object. An object that touches more is oversized.
    const MAX_CELLS_PER_OBJECT: u64 = 1 << (3 * D);

    pub(crate) fn new(side: f64) -> Self {
        Self {
            grid: Grid::new(side),
            side,
            records: Vec::new(),
            bins: Bins::new(side),
            table: Table::new(),
            oversized: SlabVec::new(),
            oversized_slots: Vec::new(),
            oversized_moving: 0,
            disorder: 0,
        }
    }

    /// Returns the side of a cell.
    pub(crate) const fn side(&self) -> f64 {
        self.side
    }

    /// Sets the cell side, and rebuilds all entries and bins.
    pub(crate) fn rebuild<S: Scalar>(&mut self, side: f64, bounds: &[Aabb<S, D>], keys: &[u32]) {
        self.table.clear();
        self.bins.clear();
        if side != self.side {
            self.grid = Grid::new(side);
            self.side = side;
            self.bins.set_side(side);
        }
        self.oversized.clear();
        self.oversized_slots.clear();
        self.oversized_moving = 0;
        for (slot, bounds) in bounds.iter().enumerate() {
            self.records[slot].span = self.span(bounds);
            self.add_to_cells(slot, bounds, keys);
        }
    }

    pub(crate) fn in_use(&self) -> usize {
        self.table.cells().len()
    }

    pub(crate) fn oversized(&self) -> usize {
        self.oversized.len()
    }

    /// Returns the cells that a box touches.
    #[inline(always)]
    pub(crate) fn span<S: Scalar>(&self, bounds: &Aabb<S, D>) -> Span<D> {
        Span::of(self.grid, bounds)
    }

    /// Returns whether an object that touches these cells is oversized.
    #[inline(always)]
    fn must_be_oversized(span: &Span<D>) -> bool {
        span.count() > Self::MAX_CELLS_PER_OBJECT
    }

    /// Reserves memory for `additional` object records.
    pub(crate) fn try_reserve_records(&mut self, additional: usize) -> Result<(), IndexError> {
        try_make_room(&mut self.records, additional)
    }

    /// Reserves memory for `additional` objects. Assumes that each object has one entry, and that
    /// each block of cells and each bin has two of the objects.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.try_reserve_records(additional)?;
        self.bins.try_reserve(additional.div_ceil(2))?;
        self.table.try_reserve(additional, additional.div_ceil(2))
    }

    /// Reserves memory for one more object with these bounds.
    pub(crate) fn try_reserve_for<S: Scalar>(
        &mut self,
        bounds: &Aabb<S, D>,
    ) -> Result<(), IndexError> {
        try_make_room(&mut self.records, 1)?;
        let span = self.span(bounds);
        if !Self::must_be_oversized(&span) {
            self.bins.try_reserve_for(&span)?;
            let count = span.count() as usize;
            return self.table.try_reserve(count, count);
        }
        self.oversized
            .try_reserve(1)
            .and_then(|()| self.oversized_slots.try_reserve(1))
            .map_err(|_| IndexError::OutOfMemory)
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.records.capacity() * size_of::<Record<D>>()
            + self.table.memory_use()
            + self.bins.memory_use()
            + self.oversized.memory_use()
            + self.oversized_slots.capacity() * size_of::<u32>()
    }

    /// Frees unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.records.shrink_to_fit();
        self.table.shrink_to_fit();
        let records = &mut self.records;
        self.bins.shrink_to_fit(|slot, position| records[slot as usize].position = position);
        self.oversized.shrink_to_fit();
        self.oversized_slots.shrink_to_fit();
    }

    /// Appends an object.
    pub(crate) fn push<S: Scalar>(&mut self, bounds: &Aabb<S, D>, is_static: bool, keys: &[u32]) {
        let slot = self.records.len();
        let (slabs, span) = (bounds.slabs(), self.span(bounds));
        self.disorder += DISORDER_PER_INSERTION;
        make_room(&mut self.records, 1);
        self.records.push(Record { slabs, span, position: 0, is_oversized: false, is_static });
        self.add_to_cells(slot, bounds, keys);
    }

    /// Sets the bounds of an object and updates its entries.
    #[inline]
    pub(crate) fn set_bounds<S: Scalar>(&mut self, slot: usize, bounds: &Aabb<S, D>, keys: &[u32]) {
        let (slabs, span) = (bounds.slabs(), self.span(bounds));
        let old = self.records[slot];
        if span == old.span {
            self.records[slot].slabs = slabs;
            if old.is_oversized() {
                self.oversized.set(old.position as usize, slabs);
            } else {
                self.bins.set_bounds(&span, &extent(bounds), old.position, &slabs);
            }
            return;
        }
        self.disorder += 1;
        if old.is_oversized() || Self::must_be_oversized(&span) {
            self.remove_from_cells(slot);
            self.records[slot] = Record { slabs, span, ..old };
            self.add_to_cells(slot, bounds, keys);
        } else {
            let (from, table) = (old.span, &mut self.table);
            from.each(|cell| {
                if !span.contains(&cell) {
                    table.remove(&cell, slot as u32, old.is_static);
                }
            });
            span.each(|cell| {
                if !from.contains(&cell) {
                    table.insert(&cell, slot as u32, old.is_static);
                }
            });
            self.records[slot] = Record { slabs, span, ..old };
            let extent = extent(bounds);
            if !self.bins.try_move_within_bin(&old.span, &span, &extent, old.position, &slabs) {
                self.remove_from_bin(&old);
                let id = ObjectId { slot: slot as u32, key: keys[slot] };
                self.records[slot].position = self.bins.insert(&span, &extent, &slabs, id);
            }
        }
    }

    /// Removes an object from its bin.
    #[inline]
    fn remove_from_bin(&mut self, record: &Record<D>) {
        if let Some(moved) = self.bins.remove(&record.span, record.position) {
            self.records[moved as usize].position = record.position;
        }
    }

    /// Sets whether an object is static.
    pub(crate) fn set_static(&mut self, slot: usize, is_static: bool) {
        let record = self.records[slot];
        if record.is_static == is_static {
            return;
        }
        self.records[slot].is_static = is_static;
        if !record.is_oversized() {
            record.span.each(|cell| self.table.set_static(&cell, is_static));
        } else if is_static {
            self.oversized_moving -= 1;
        } else {
            self.oversized_moving += 1;
        }
    }

    /// Removes an object and moves the last one into its slot.
    pub(crate) fn swap_remove(&mut self, slot: usize) {
        self.remove_from_cells(slot);
        self.disorder += DISORDER_PER_INSERTION;
        let last = self.records.len() - 1;
        if slot != last {
            let moved = self.records[last];
            if moved.is_oversized() {
                self.oversized_slots[moved.position as usize] = slot as u32;
            } else {
                self.bins.set_slot(moved.position, slot as u32);
                moved.span.each(|cell| self.table.set_slot(&cell, last as u32, slot as u32));
            }
        }
        self.records.swap_remove(slot);
    }

    /// Removes all objects without freeing memory.
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.table.clear();
        self.bins.clear();
        self.oversized.clear();
        self.oversized_slots.clear();
        self.oversized_moving = 0;
        self.disorder = 0;
    }

    /// Adds an object to its cells and its bin, or to the oversized list.
    fn add_to_cells<S: Scalar>(&mut self, slot: usize, bounds: &Aabb<S, D>, keys: &[u32]) {
        let record = self.records[slot];
        if Self::must_be_oversized(&record.span) {
            self.records[slot].position = self.oversized.len() as u32;
            self.records[slot].is_oversized = true;
            self.oversized.push(record.slabs);
            self.oversized_slots.push(slot as u32);
            self.oversized_moving += usize::from(!record.is_static);
        } else {
            record.span.each(|cell| self.table.insert(&cell, slot as u32, record.is_static));
            let id = ObjectId { slot: slot as u32, key: keys[slot] };
            let Record { span, slabs, .. } = &record;
            self.records[slot].position = self.bins.insert(span, &extent(bounds), slabs, id);
            self.records[slot].is_oversized = false;
        }
    }

    /// Removes an object from its cells and its bin, or from the oversized list.
    fn remove_from_cells(&mut self, slot: usize) {
        let record = self.records[slot];
        if record.is_oversized() {
            let position = record.position as usize;
            self.oversized_moving -= usize::from(!record.is_static);
            self.oversized.swap_remove(position);
            self.oversized_slots.swap_remove(position);
            if let Some(&moved) = self.oversized_slots.get(position) {
                self.records[moved as usize].position = position as u32;
            }
        } else {
            record.span.each(|cell| self.table.remove(&cell, slot as u32, record.is_static));
            self.remove_from_bin(&record);
        }
    }

    /// Checks that every object is in its cells and its bin, or in the list of oversized objects,
    /// and nowhere else. For tests.
    pub(crate) fn assert_well_formed<S: Scalar>(&self, bounds: &[Aabb<S, D>], keys: &[u32]) {
        assert_eq!(self.records.len(), bounds.len(), "one record for each object");
        assert_eq!(
            self.oversized.len(),
            self.oversized_slots.len(),
            "one slot for each oversized object"
        );
        self.table.assert_well_formed(|slot| self.records[slot as usize].is_static);
        let (mut entries, mut moving) = (0, 0);
        for (slot, (record, bounds)) in self.records.iter().zip(bounds).enumerate() {
            assert_eq!(record.slabs, bounds.slabs(), "key bounds match the bounds");
            assert_eq!(record.span, self.span(bounds), "cells match the bounds");
            assert_eq!(record.is_oversized(), Self::must_be_oversized(&record.span));
            if record.is_oversized() {
                let position = record.position as usize;
                let known = self.oversized_slots[position];
                assert_eq!(known, slot as u32, "oversized objects know their position");
                assert_eq!(
                    self.oversized.get(position),
                    record.slabs,
                    "oversized key bounds match the bounds"
                );
                moving += usize::from(!record.is_static);
            } else {
                record.span.each(|cell| {
                    let mut found = self.table.entries_at(&cell).expect("it is in use").flatten();
                    assert!(found.any(|&entry| entry == slot as u32), "slot {slot} is in {cell:?}");
                    entries += 1;
                });
            }
        }
        self.bins.assert_well_formed(|slot| {
            let record = &self.records[slot as usize];
            assert!(!record.is_oversized(), "oversized objects are in no bin");
            let slot = slot as usize;
            (record.span, extent(&bounds[slot]), record.slabs, [keys[slot], record.position])
        });
        let in_bins = self.bins.objects();
        assert_eq!(
            in_bins + self.oversized.len(),
            self.records.len(),
            "each object is in one bin or oversized"
        );
        assert_eq!(self.oversized_moving, moving, "oversized movers are counted");
        let counts = self.table.cells().iter().map(|cell| cell.count as usize);
        assert_eq!(counts.sum::<usize>(), entries, "no cell has extra entries");
    }
}
