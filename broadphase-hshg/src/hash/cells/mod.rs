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
use crate::hash::queries::pages::Name;
use crate::hash::tuning::storage_order::ANYWHERE;
use placement::Placement;
use span::Span;
use table::Table;

/// What is known of an object, slot by slot: all that finding pairs reads, in one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<const D: usize> {
    pub(crate) slabs: Slabs<D>,
    pub(crate) span: Span<D>,
    /// Its place in the bins, or its position among the oversized if it is one.
    at: u32,
    is_oversized: bool,
    /// Whether it is static.
    pub(crate) stays: bool,
}

impl<const D: usize> Place<D> {
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

/// All places, and the way from cells to them.
#[derive(Clone, Debug)]
pub(crate) struct Cells<const D: usize, M> {
    grid: Grid,
    side: f64,
    placement: Placement,
    pub(crate) places: Vec<Place<D>>,
    pub(crate) table: Table<D, M>,
    /// What questions ask: each object that is not oversized, once.
    pub(crate) bins: Bins<D, M>,
    /// The oversized: their slabs, and their slots.
    pub(crate) large: SlabVec<D>,
    pub(crate) large_slots: Vec<u32>,
    /// How many of them are not static.
    pub(crate) large_moving: usize,
    /// Through how many cells objects have gone since they were sorted.
    pub(crate) strayed: usize,
}

impl<const D: usize, M: CellMap<D>> Cells<D, M> {
    /// An object that touches more cells is oversized, if it is to be in every cell.
    const MOST: u64 = 1 << (3 * D);

    pub(crate) fn new(side: f64, map: M) -> Self {
        let mut cells = Self {
            grid: Grid::new(side),
            side,
            placement: Placement::EveryCell,
            places: Vec::new(),
            bins: Bins::new(&map),
            table: Table::new(map),
            large: SlabVec::new(),
            large_slots: Vec::new(),
            large_moving: 0,
            strayed: 0,
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
    pub(crate) fn rearrange<S: Scalar>(
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
        self.large.clear();
        self.large_slots.clear();
        self.large_moving = 0;
        for (slot, bounds) in bounds.iter().enumerate() {
            self.places[slot].span = self.span(bounds);
            self.enter(slot, bounds, keys);
        }
    }

    pub(crate) fn in_use(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn oversized(&self) -> usize {
        self.large.len()
    }

    /// The cells that a box touches.
    #[inline(always)]
    pub(crate) fn span<S: Scalar>(&self, bounds: &Aabb<S, D>) -> Span<D> {
        Span::of(self.grid, bounds)
    }

    /// Whether what touches these cells is oversized.
    #[inline(always)]
    pub(crate) fn is_too_much(placement: Placement, span: &Span<D>) -> bool {
        match placement {
            Placement::EveryCell => span.count() > Self::MOST,
            Placement::FirstCell => !span.is_within_neighbours(),
        }
    }

    /// The cells in which an object is that touches these.
    #[inline(always)]
    fn homes(&self, span: &Span<D>) -> Span<D> {
        match self.placement {
            Placement::EveryCell => *span,
            Placement::FirstCell => Span { low: span.low, high: span.low },
        }
    }

    /// The cells in which objects are that touch some of these.
    #[inline(always)]
    pub(crate) fn homes_of_those_in(&self, span: &Span<D>) -> Span<D> {
        match self.placement {
            Placement::EveryCell => *span,
            Placement::FirstCell => span.and_before(),
        }
    }

    /// Whether pairs are looked for in rows of cells, all at once, and not cell by cell: where
    /// every object is in one cell, unless most cells are without motion.
    pub(crate) fn are_in_rows(&self) -> bool {
        matches!(self.placement, Placement::FirstCell)
            && 2 * self.table.active() >= self.table.len()
    }

    /// In how many cells of another side an object would be.
    pub(crate) fn entries_at<S: Scalar>(
        side: f64,
        placement: Placement,
        bounds: &Aabb<S, D>,
    ) -> u64 {
        let span = Span::of(Grid::new(side), bounds);
        let single = placement == Placement::FirstCell || Self::is_too_much(placement, &span);
        if single { 1 } else { span.count() }
    }

    /// Makes room for so many more objects, each in one cell.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.places.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        self.bins.try_reserve(additional)?;
        self.table.try_reserve(additional)
    }

    /// Makes room for one more object with these bounds.
    pub(crate) fn try_reserve_for<S: Scalar>(
        &mut self,
        bounds: &Aabb<S, D>,
    ) -> Result<(), IndexError> {
        self.places.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
        let span = self.span(bounds);
        if !Self::is_too_much(self.placement, &span) {
            self.bins.try_reserve_for(&span)?;
            return self.table.try_reserve(self.homes(&span).count() as usize);
        }
        self.large
            .try_reserve(1)
            .and_then(|()| self.large_slots.try_reserve(1))
            .map_err(|_| IndexError::OutOfMemory)
    }

    /// The bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.places.capacity() * size_of::<Place<D>>()
            + self.table.memory_use()
            + self.bins.memory_use()
            + self.large.memory_use()
            + self.large_slots.capacity() * size_of::<u32>()
    }

    /// Gives back the memory that is not needed.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.places.shrink_to_fit();
        self.table.shrink_to_fit();
        let places = &mut self.places;
        self.bins.shrink_to_fit(|slot, place| places[slot as usize].at = place);
        self.large.shrink_to_fit();
        self.large_slots.shrink_to_fit();
    }

    /// Appends an object, which is not static.
    pub(crate) fn push<S: Scalar>(&mut self, bounds: &Aabb<S, D>, keys: &[u32]) {
        let slot = self.places.len();
        let (slabs, span) = (bounds.slabs(), self.span(bounds));
        self.strayed += ANYWHERE;
        self.places.push(Place { slabs, span, at: 0, is_oversized: false, stays: false });
        self.enter(slot, bounds, keys);
    }

    /// Gives an object other bounds.
    #[inline]
    pub(crate) fn set<S: Scalar>(&mut self, slot: usize, bounds: &Aabb<S, D>, keys: &[u32]) {
        let (slabs, span) = (bounds.slabs(), self.span(bounds));
        let old = self.places[slot];
        if span == old.span {
            self.places[slot].slabs = slabs;
            if old.is_oversized() {
                self.large.set(old.at as usize, slabs);
            } else {
                self.bins.set(&span, &extent(bounds), old.at, &slabs);
            }
            return;
        }
        self.strayed += 1;
        if old.is_oversized() || Self::is_too_much(self.placement, &span) {
            self.leave(slot);
            self.places[slot] = Place { slabs, span, ..old };
            self.enter(slot, bounds, keys);
        } else {
            let (from, to) = (self.homes(&old.span), self.homes(&span));
            let table = &mut self.table;
            from.each(|cell| {
                if !to.contains(&cell) {
                    table.remove(&cell, slot as u32, old.stays);
                }
            });
            to.each(|cell| {
                if !from.contains(&cell) {
                    table.insert(&cell, slot as u32, old.stays);
                }
            });
            self.places[slot] = Place { slabs, span, ..old };
            let extent = extent(bounds);
            if !self.bins.follow(&old.span, &span, &extent, old.at, &slabs) {
                self.hide(&old);
                let name = Name { slot: slot as u32, key: keys[slot] };
                self.places[slot].at = self.bins.insert(&span, &extent, &slabs, name);
            }
        }
    }

    /// Takes an object out of its bin.
    #[inline]
    fn hide(&mut self, place: &Place<D>) {
        if let Some(moved) = self.bins.remove(&place.span, place.at) {
            self.places[moved as usize].at = place.at;
        }
    }

    /// Says whether an object is static.
    pub(crate) fn set_stays(&mut self, slot: usize, stays: bool) {
        let place = self.places[slot];
        if place.stays == stays {
            return;
        }
        self.places[slot].stays = stays;
        if !place.is_oversized() {
            let homes = self.homes(&place.span);
            homes.each(|cell| self.table.set_stays(&cell, stays));
        } else if stays {
            self.large_moving -= 1;
        } else {
            self.large_moving += 1;
        }
    }

    /// Says that all objects have other keys.
    pub(crate) fn renumber(&mut self, keys: &[u32]) {
        for (place, &key) in self.places.iter().zip(keys) {
            if !place.is_oversized() {
                self.bins.set_key(place.at, key);
            }
        }
    }

    /// Removes an object and puts the last one in its slot.
    pub(crate) fn swap_remove(&mut self, slot: usize) {
        self.leave(slot);
        self.strayed += ANYWHERE;
        let last = self.places.len() - 1;
        if slot != last {
            let moved = self.places[last];
            if moved.is_oversized() {
                self.large_slots[moved.at as usize] = slot as u32;
            } else {
                self.bins.rename(moved.at, slot as u32);
                let homes = self.homes(&moved.span);
                homes.each(|cell| self.table.rename(&cell, last as u32, slot as u32));
            }
        }
        self.places.swap_remove(slot);
    }

    /// Removes all objects, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.table.clear();
        self.bins.clear();
        self.large.clear();
        self.large_slots.clear();
        self.large_moving = 0;
        self.strayed = 0;
    }

    /// Puts an object into its cells, or among the oversized.
    fn enter<S: Scalar>(&mut self, slot: usize, bounds: &Aabb<S, D>, keys: &[u32]) {
        let place = self.places[slot];
        if Self::is_too_much(self.placement, &place.span) {
            self.places[slot].at = self.large.len() as u32;
            self.places[slot].is_oversized = true;
            self.large.push(place.slabs);
            self.large_slots.push(slot as u32);
            self.large_moving += usize::from(!place.stays);
        } else {
            let homes = self.homes(&place.span);
            homes.each(|cell| self.table.insert(&cell, slot as u32, place.stays));
            let name = Name { slot: slot as u32, key: keys[slot] };
            let Place { span, slabs, .. } = &place;
            self.places[slot].at = self.bins.insert(span, &extent(bounds), slabs, name);
            self.places[slot].is_oversized = false;
        }
    }

    /// Takes an object out of wherever it is.
    fn leave(&mut self, slot: usize) {
        let place = self.places[slot];
        if place.is_oversized() {
            let position = place.at as usize;
            self.large_moving -= usize::from(!place.stays);
            self.large.swap_remove(position);
            self.large_slots.swap_remove(position);
            if let Some(&moved) = self.large_slots.get(position) {
                self.places[moved as usize].at = position as u32;
            }
        } else {
            let homes = self.homes(&place.span);
            homes.each(|cell| self.table.remove(&cell, slot as u32, place.stays));
            self.hide(&place);
        }
    }

    /// Checks that every object is exactly where it belongs; for tests.
    pub(crate) fn assert_well_formed<S: Scalar>(&self, bounds: &[Aabb<S, D>], keys: &[u32]) {
        assert_eq!(self.places.len(), bounds.len(), "as many places as objects");
        assert_eq!(self.large.len(), self.large_slots.len(), "as many slabs as slots");
        self.table.assert_well_formed(|slot| self.places[slot as usize].stays);
        let (mut entries, mut moving) = (0, 0);
        for (slot, (place, bounds)) in self.places.iter().zip(bounds).enumerate() {
            assert_eq!(place.slabs, bounds.slabs(), "slabs follow the bounds");
            assert_eq!(place.span, self.span(bounds), "cells follow the bounds");
            assert_eq!(place.is_oversized(), Self::is_too_much(self.placement, &place.span));
            if place.is_oversized() {
                let position = place.at as usize;
                let known = self.large_slots[position];
                assert_eq!(known, slot as u32, "large objects know their place");
                assert_eq!(self.large.get(position), place.slabs, "large slabs follow the bounds");
                moving += usize::from(!place.stays);
            } else {
                self.homes(&place.span).each(|cell| {
                    let number = self.table.number(&cell).expect("its cell is in use");
                    let mut found = self.table.entries_of(number).flatten();
                    assert!(found.any(|&entry| entry == slot as u32), "slot {slot} is in {cell:?}");
                    entries += 1;
                });
            }
        }
        self.bins.assert_well_formed(|slot| {
            let place = &self.places[slot as usize];
            assert!(!place.is_oversized(), "what is oversized is in no bin");
            let slot = slot as usize;
            (place.span, extent(&bounds[slot]), place.slabs, [keys[slot], place.at])
        });
        let in_bins = self.bins.objects();
        assert_eq!(in_bins + self.large.len(), self.places.len(), "each is in one bin, or large");
        assert_eq!(self.large_moving, moving, "large ones that move are counted");
        let counts = (0..self.table.len()).map(|number| self.table.cell(number).count as usize);
        assert_eq!(counts.sum::<usize>(), entries, "no cell has an entry that does not belong");
    }
}
