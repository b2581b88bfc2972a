//! Where every object is: in the cells it touches and in a bin, or in the list of the oversized.

pub(crate) mod placement;
pub(crate) mod slot_set;
pub(crate) mod span;
pub(crate) mod table;

use alloc::vec::Vec;

use broadphase_core::{Aabb, IndexError, Scalar, SlabVec, Slabs};

use crate::cell::Grid;
use crate::hash::map::CellMap;
use crate::hash::queries::bins::Bins;
use crate::hash::queries::pages::ObjectId;
use crate::hash::tuning::storage_order::DISORDER_PER_INSERTION;
use placement::Placement;
use span::Span;
use table::Table;

/// What is known of an object, slot by slot: all that finding pairs reads, in one record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<const D: usize> {
    pub(crate) slabs: Slabs<D>,
    pub(crate) span: Span<D>,
    /// Its place in the bins, or its position among the oversized if it is one.
    position: u32,
    is_oversized: bool,
    /// Whether it is static.
    pub(crate) is_static: bool,
}

impl<const D: usize> Record<D> {
    #[inline(always)]
    pub(crate) const fn is_oversized(&self) -> bool {
        self.is_oversized
    }
}

/// How long an object is along each axis, rounded to the nearest.
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

/// All records, and the way from cells to them.
#[derive(Clone, Debug)]
pub(crate) struct Cells<const D: usize, M> {
    grid: Grid,
    side: f64,
    placement: Placement,
    pub(crate) records: Vec<Record<D>>,
    pub(crate) table: Table<D, M>,
    /// What questions ask: each object that is not oversized, once.
    pub(crate) bins: Bins<D, M>,
    /// The oversized: their slabs, and their slots.
    pub(crate) oversized: SlabVec<D>,
    pub(crate) oversized_slots: Vec<u32>,
    /// How many of them are not static.
    pub(crate) oversized_moving: usize,
    /// Through how many cells objects have gone since they were sorted.
    pub(crate) disorder: usize,
}

impl<const D: usize, M: CellMap<D>> Cells<D, M> {
    /// An object that touches more cells is oversized, if it is to be in every cell.
    const MAX_CELLS_PER_OBJECT: u64 = 1 << (3 * D);

    pub(crate) fn new(side: f64, map: M) -> Self {
        let mut cells = Self {
            grid: Grid::new(side),
            side,
            placement: Placement::EveryCell,
            records: Vec::new(),
            bins: Bins::new(&map),
            table: Table::new(map),
            oversized: SlabVec::new(),
            oversized_slots: Vec::new(),
            oversized_moving: 0,
            disorder: 0,
        };
        cells.table.set_side(side);
        cells.bins.set_side(side);
        cells
    }

    pub(crate) const fn placement(&self) -> Placement {
        self.placement
    }

    /// The side of a cell.
    pub(crate) const fn side(&self) -> f64 {
        self.side
    }

    /// Puts all objects into cells of another side, or otherwise.
    pub(crate) fn rebuild<S: Scalar>(
        &mut self,
        side: f64,
        placement: Placement,
        bounds: &[Aabb<S, D>],
        keys: &[u32],
    ) {
        self.placement = placement;
        self.table.clear();
        self.bins.clear();
        if side != self.side {
            self.grid = Grid::new(side);
            self.side = side;
            self.table.set_side(side);
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
        self.table.len()
    }

    pub(crate) fn oversized(&self) -> usize {
        self.oversized.len()
    }

    /// The cells that a box touches.
    #[inline(always)]
    pub(crate) fn span<S: Scalar>(&self, bounds: &Aabb<S, D>) -> Span<D> {
        Span::of(self.grid, bounds)
    }

    /// Whether what touches these cells is oversized.
    #[inline(always)]
    pub(crate) fn must_be_oversized(placement: Placement, span: &Span<D>) -> bool {
        match placement {
            Placement::EveryCell => span.count() > Self::MAX_CELLS_PER_OBJECT,
            Placement::FirstCell => !span.fits_two_cells_per_axis(),
        }
    }

    /// The cells in which an object is that touches these.
    #[inline(always)]
    fn entry_cells(&self, span: &Span<D>) -> Span<D> {
        match self.placement {
            Placement::EveryCell => *span,
            Placement::FirstCell => Span { low: span.low, high: span.low },
        }
    }

    /// The cells in which objects are that touch some of these.
    #[inline(always)]
    pub(crate) fn entry_cells_reaching(&self, span: &Span<D>) -> Span<D> {
        match self.placement {
            Placement::EveryCell => *span,
            Placement::FirstCell => span.extended_down(),
        }
    }

    /// Whether pairs are looked for in rows of cells, all at once, and not cell by cell: where
    /// every object is in one cell, unless most cells are without motion.
    pub(crate) fn sweeps_rows(&self) -> bool {
        matches!(self.placement, Placement::FirstCell)
            && 2 * self.table.active() >= self.table.len()
    }

    /// In how many cells of another side an object would be.
    pub(crate) fn entry_count_for_side<S: Scalar>(
        side: f64,
        placement: Placement,
        bounds: &Aabb<S, D>,
    ) -> u64 {
        let span = Span::of(Grid::new(side), bounds);
        let single = placement == Placement::FirstCell || Self::must_be_oversized(placement, &span);
        if single { 1 } else { span.count() }
    }

    /// Makes room for so many more objects, each in one cell.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.records.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        self.bins.try_reserve(additional)?;
        self.table.try_reserve(additional)
    }

    /// Makes room for one more object with these bounds.
    pub(crate) fn try_reserve_for<S: Scalar>(
        &mut self,
        bounds: &Aabb<S, D>,
    ) -> Result<(), IndexError> {
        self.records.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
        let span = self.span(bounds);
        if !Self::must_be_oversized(self.placement, &span) {
            self.bins.try_reserve_for(&span)?;
            return self.table.try_reserve(self.entry_cells(&span).count() as usize);
        }
        self.oversized
            .try_reserve(1)
            .and_then(|()| self.oversized_slots.try_reserve(1))
            .map_err(|_| IndexError::OutOfMemory)
    }

    /// The bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.records.capacity() * size_of::<Record<D>>()
            + self.table.memory_use()
            + self.bins.memory_use()
            + self.oversized.memory_use()
            + self.oversized_slots.capacity() * size_of::<u32>()
    }

    /// Gives back the memory that is not needed.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.records.shrink_to_fit();
        self.table.shrink_to_fit();
        let records = &mut self.records;
        self.bins.shrink_to_fit(|slot, position| records[slot as usize].position = position);
        self.oversized.shrink_to_fit();
        self.oversized_slots.shrink_to_fit();
    }

    /// Appends an object, which is not static.
    pub(crate) fn push<S: Scalar>(&mut self, bounds: &Aabb<S, D>, keys: &[u32]) {
        let slot = self.records.len();
        let (slabs, span) = (bounds.slabs(), self.span(bounds));
        self.disorder += DISORDER_PER_INSERTION;
        self.records.push(Record {
            slabs,
            span,
            position: 0,
            is_oversized: false,
            is_static: false,
        });
        self.add_to_cells(slot, bounds, keys);
    }

    /// Gives an object other bounds.
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
        if old.is_oversized() || Self::must_be_oversized(self.placement, &span) {
            self.remove_from_cells(slot);
            self.records[slot] = Record { slabs, span, ..old };
            self.add_to_cells(slot, bounds, keys);
        } else {
            let (from, to) = (self.entry_cells(&old.span), self.entry_cells(&span));
            let table = &mut self.table;
            from.each(|cell| {
                if !to.contains(&cell) {
                    table.remove(&cell, slot as u32, old.is_static);
                }
            });
            to.each(|cell| {
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

    /// Takes an object out of its bin.
    #[inline]
    fn remove_from_bin(&mut self, record: &Record<D>) {
        if let Some(moved) = self.bins.remove(&record.span, record.position) {
            self.records[moved as usize].position = record.position;
        }
    }

    /// Says whether an object is static.
    pub(crate) fn set_static(&mut self, slot: usize, is_static: bool) {
        let record = self.records[slot];
        if record.is_static == is_static {
            return;
        }
        self.records[slot].is_static = is_static;
        if !record.is_oversized() {
            let entry_cells = self.entry_cells(&record.span);
            entry_cells.each(|cell| self.table.set_static(&cell, is_static));
        } else if is_static {
            self.oversized_moving -= 1;
        } else {
            self.oversized_moving += 1;
        }
    }

    /// Says that all objects have other keys.
    pub(crate) fn renumber(&mut self, keys: &[u32]) {
        for (record, &key) in self.records.iter().zip(keys) {
            if !record.is_oversized() {
                self.bins.set_key(record.position, key);
            }
        }
    }

    /// Removes an object and puts the last one in its slot.
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
                let entry_cells = self.entry_cells(&moved.span);
                entry_cells.each(|cell| self.table.set_slot(&cell, last as u32, slot as u32));
            }
        }
        self.records.swap_remove(slot);
    }

    /// Removes all objects, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.table.clear();
        self.bins.clear();
        self.oversized.clear();
        self.oversized_slots.clear();
        self.oversized_moving = 0;
        self.disorder = 0;
    }

    /// Puts an object into its cells, or among the oversized.
    fn add_to_cells<S: Scalar>(&mut self, slot: usize, bounds: &Aabb<S, D>, keys: &[u32]) {
        let record = self.records[slot];
        if Self::must_be_oversized(self.placement, &record.span) {
            self.records[slot].position = self.oversized.len() as u32;
            self.records[slot].is_oversized = true;
            self.oversized.push(record.slabs);
            self.oversized_slots.push(slot as u32);
            self.oversized_moving += usize::from(!record.is_static);
        } else {
            let entry_cells = self.entry_cells(&record.span);
            entry_cells.each(|cell| self.table.insert(&cell, slot as u32, record.is_static));
            let id = ObjectId { slot: slot as u32, key: keys[slot] };
            let Record { span, slabs, .. } = &record;
            self.records[slot].position = self.bins.insert(span, &extent(bounds), slabs, id);
            self.records[slot].is_oversized = false;
        }
    }

    /// Takes an object out of wherever it is.
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
            let entry_cells = self.entry_cells(&record.span);
            entry_cells.each(|cell| self.table.remove(&cell, slot as u32, record.is_static));
            self.remove_from_bin(&record);
        }
    }

    /// Checks that every object is exactly where it belongs; for tests.
    pub(crate) fn assert_well_formed<S: Scalar>(&self, bounds: &[Aabb<S, D>], keys: &[u32]) {
        assert_eq!(self.records.len(), bounds.len(), "as many records as objects");
        assert_eq!(self.oversized.len(), self.oversized_slots.len(), "as many slabs as slots");
        self.table.assert_well_formed(|slot| self.records[slot as usize].is_static);
        let (mut entries, mut moving) = (0, 0);
        for (slot, (record, bounds)) in self.records.iter().zip(bounds).enumerate() {
            assert_eq!(record.slabs, bounds.slabs(), "slabs follow the bounds");
            assert_eq!(record.span, self.span(bounds), "cells follow the bounds");
            assert_eq!(
                record.is_oversized(),
                Self::must_be_oversized(self.placement, &record.span)
            );
            if record.is_oversized() {
                let position = record.position as usize;
                let known = self.oversized_slots[position];
                assert_eq!(known, slot as u32, "large objects know their place");
                assert_eq!(
                    self.oversized.get(position),
                    record.slabs,
                    "large slabs follow the bounds"
                );
                moving += usize::from(!record.is_static);
            } else {
                self.entry_cells(&record.span).each(|cell| {
                    let number = self.table.number(&cell).expect("its cell is in use");
                    let mut found = self.table.entries_of(number).flatten();
                    assert!(found.any(|&entry| entry == slot as u32), "slot {slot} is in {cell:?}");
                    entries += 1;
                });
            }
        }
        self.bins.assert_well_formed(|slot| {
            let record = &self.records[slot as usize];
            assert!(!record.is_oversized(), "what is oversized is in no bin");
            let slot = slot as usize;
            (record.span, extent(&bounds[slot]), record.slabs, [keys[slot], record.position])
        });
        let in_bins = self.bins.objects();
        assert_eq!(
            in_bins + self.oversized.len(),
            self.records.len(),
            "each is in one bin, or large"
        );
        assert_eq!(self.oversized_moving, moving, "large ones that move are counted");
        let counts = (0..self.table.len()).map(|number| self.table.cell(number).count as usize);
        assert_eq!(counts.sum::<usize>(), entries, "no cell has an entry that does not belong");
    }
}
