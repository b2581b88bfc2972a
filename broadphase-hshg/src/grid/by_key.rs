//! Operations on single objects by key, and on the whole grid, without the data of objects: compiled
//! in this crate.

use alloc::vec::Vec;

use broadphase_core::{Aabb, IndexError, Motion, Scalar, Slabs, instances};

use super::data::MoveData;
use super::maintenance::margin;
use super::maintenance::merge::Arrival;
use super::pairs::row_pairs::Joins;
use super::pairs::static_cache::Surroundings;
use super::storage::row::{self, KINDS, Row, RowId, SPARE};
use super::storage::store::Body;
use super::storage::tiers::Tier;
use super::update::parallel::Log;
use super::{Core, PENDING};

/// The motion class of each kind of rows; rows of static objects come last.
const MOTIONS: [Motion; KINDS as usize] = [Motion::Dynamic, Motion::Sleeping, Motion::Static];

const fn kind_of(motion: Motion) -> u8 {
    match motion {
        Motion::Dynamic => 0,
        Motion::Sleeping => 1,
        Motion::Static => 2,
    }
}

instances! {
    /// [`Core::insert`], compiled once.
    pub(super) fn insert<S, D>(core: &mut Core<S, D>, key: u32, bounds: &Aabb<S, D>) -> Result<(), IndexError> {
        core.insert(key, bounds)
    }

    /// [`Core::set_bounds`], compiled once.
    pub(super) fn set_bounds<S, D>(
        core: &mut Core<S, D>,
        key: u32,
        bounds: &Aabb<S, D>,
        data: &mut dyn MoveData,
    ) -> Result<(), IndexError> {
        core.set_bounds(key, bounds, data)
    }

    /// [`Core::set_motion`], compiled once.
    pub(super) fn set_motion<S, D>(
        core: &mut Core<S, D>,
        key: u32,
        motion: Motion,
        data: &mut dyn MoveData,
    ) -> Result<(), IndexError> {
        core.set_motion(key, motion, data)
    }

    /// [`Core::motion`], compiled once.
    pub(super) fn motion<S, D>(core: &Core<S, D>, key: u32) -> Option<Motion> {
        core.motion(key)
    }

    /// Removes an object from its slot, but not its data.
    pub(super) fn remove<S, D>(core: &mut Core<S, D>, key: u32, slot: usize) {
        if slot & PENDING == 0 {
            core.leave(slot, core.row_at(slot));
        } else {
            core.remove_pending(slot & !PENDING);
        }
        core.slots.remove(key);
        core.len -= 1;
    }

    /// [`Core::memory_use`], compiled once.
    pub(super) fn memory_use<S, D>(core: &Core<S, D>) -> usize {
        core.memory_use()
    }

    /// [`Core::shrink_to_fit`], compiled once.
    pub(super) fn shrink_to_fit<S, D>(core: &mut Core<S, D>, data: &mut dyn MoveData) {
        core.shrink_to_fit(data);
    }

    /// [`Core::clear`], compiled once.
    pub(super) fn clear<S, D>(core: &mut Core<S, D>) {
        core.clear();
    }

    /// [`Core::renumber`], compiled once.
    pub(super) fn renumber<S, D>(core: &mut Core<S, D>, old: &mut Vec<u32>, data: &mut dyn MoveData) {
        core.renumber(old, data);
    }

    /// [`Core::assert_well_formed`], compiled once.
    pub(super) fn assert_well_formed<S, D>(core: &Core<S, D>) {
        core.assert_well_formed();
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Adds an object to the pending ones; its data has to follow.
    fn insert(&mut self, key: u32, bounds: &Aabb<S, D>) -> Result<(), IndexError> {
        let bounds = bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why })?;
        if self.slots.get(key).is_some() {
            return Err(IndexError::KeyInUse { key });
        }
        self.pending.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
        self.slots.try_set(key, PENDING | self.pending.len())?;
        self.pending.push(Body { key, kind: kind_of(Motion::Dynamic), bounds });
        self.len += 1;
        Ok(())
    }

    fn set_bounds(
        &mut self,
        key: u32,
        bounds: &Aabb<S, D>,
        data: &mut dyn MoveData,
    ) -> Result<(), IndexError> {
        let slot = self.slots.get(key).ok_or(IndexError::UnknownKey { key })?;
        let bounds = bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why })?;
        if slot & PENDING != 0 {
            self.pending[slot & !PENDING].bounds = bounds;
            return Ok(());
        }
        if self.store.skinned && self.store.slabs(slot).holds(&bounds.slabs()) {
            self.store.set_exact(slot, &bounds);
            return Ok(());
        }
        let kind = |row: usize| self.rows[row].id.kind;
        let margin = |row| self.margins.of(kind(row));
        let margin = if self.store.skinned { margin(self.row_at(slot)) } else { S::ZERO };
        if margin > S::ZERO {
            self.wear.strayed();
        }
        let slabs = margin::slabs(&bounds, margin);
        let order = &self.store.min[0];
        // Fences stand at both ends of every row.
        let in_order = order[slot - 1] <= slabs.min[0] && slabs.min[0] <= order[slot + 1];
        // Most stay in their rows, so where it was is not looked for before.
        if let Some(row) = self.row_with(slot, &slabs).filter(|_| in_order) {
            self.touch(kind(row));
            self.store.set_bounds(slot, &bounds, &slabs);
            self.rows[row].loose = true;
            return Ok(());
        }
        let row = self.row_at(slot);
        let body = Body { bounds, ..self.store.body(slot, self.rows[row].id.kind) };
        self.leave(slot, row);
        self.await_row(body);
        data.await_row(slot);
        Ok(())
    }

    fn set_motion(
        &mut self,
        key: u32,
        motion: Motion,
        data: &mut dyn MoveData,
    ) -> Result<(), IndexError> {
        let slot = self.slots.get(key).ok_or(IndexError::UnknownKey { key })?;
        let kind = kind_of(motion);
        if slot & PENDING != 0 {
            self.pending[slot & !PENDING].kind = kind;
            return Ok(());
        }
        let row = self.row_at(slot);
        if self.rows[row].id.kind != kind {
            self.pending.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
            data.try_reserve_pending(1).map_err(|_| IndexError::OutOfMemory)?;
            let body = self.store.body(slot, kind);
            self.leave(slot, row);
            self.await_row(body);
            data.await_row(slot);
        }
        Ok(())
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        let slot = self.slots.get(key)?;
        Some(if slot & PENDING == 0 {
            MOTIONS[usize::from(self.rows[self.row_at(slot)].id.kind)]
        } else {
            MOTIONS[usize::from(self.pending[slot & !PENDING].kind)]
        })
    }

    fn memory_use(&self) -> usize {
        self.store.memory_use()
            + self.rows.capacity() * size_of::<Row<D>>()
            + self.tiers.capacity() * size_of::<Tier>()
            + self.pending.capacity() * size_of::<Body<S, D>>()
            + self.slots.memory_use()
            + self.arrivals.capacity() * size_of::<Arrival>()
            + self.missing.capacity() * size_of::<RowId<D>>()
            + self.stored.capacity() * size_of::<u32>()
            + self.joins.memory_use()
            + self.surroundings.memory_use()
            + self.moves.capacity() * size_of::<[u32; 2]>()
            + self.logs.capacity() * size_of::<Log<S, D>>()
            + self.logs.iter().map(Log::memory_use).sum::<usize>()
    }

    fn shrink_to_fit(&mut self, data: &mut dyn MoveData) {
        self.settle_all(data);
        self.compact(data);
        self.pending.shrink_to_fit();
        data.shrink_pending(0);
        self.slots.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.tiers.retain(|tier| self.rows.iter().any(|row| row.id.tier == tier.number));
        self.tiers.shrink_to_fit();
        self.arrivals = Vec::new();
        self.missing = Vec::new();
        self.stored = Vec::new();
        self.joins = Joins::default();
        self.surroundings = Surroundings::default();
        self.moves = Vec::new();
        self.logs = Vec::new();
        self.rows_changed = true;
    }

    fn clear(&mut self) {
        self.store.clear();
        self.rows.clear();
        self.pending.clear();
        self.slots.clear();
        (self.len, self.holes, self.unused, self.tuned) = (0, 0, 0, 0);
        self.joins.forget();
        self.surroundings.begin_anew();
        self.wear.made();
        self.rows_changed = true;
    }

    fn renumber(&mut self, old: &mut Vec<u32>, data: &mut dyn MoveData) {
        self.refresh(data);
        for index in 0..self.rows.len() {
            self.close_holes(index, data);
        }
        old.clear();
        old.extend(Order::new(self));
        self.slots.clear();
        let places = self.rows.iter().flat_map(Row::places);
        for (new, place) in (0..).zip(places) {
            self.store.keys[place] = new;
            self.slots.set(new, place);
        }
        self.compact(data);
    }

    fn assert_well_formed(&self) {
        let mut live = 0;
        let mut holes = 0;
        assert!(self.rows.is_sorted_by(|a, b| a.id < b.id), "rows ascend");
        for row in &self.rows {
            if row.room == 0 {
                assert_eq!(row.len, 0, "no objects without places");
                continue;
            }
            assert!(row.len + SPARE <= row.room, "a row has free places");
            let order = &self.store.min[0];
            assert_eq!(order[row.begin - 1], i32::MIN, "a fence before the row");
            let free = row.begin + row.len..row.begin + row.room;
            assert!(order[free].iter().all(|&key| key == i32::MAX), "free places are last");
            assert!(order[row.places()].is_sorted(), "rows ascend along the first axis");
            let mut in_row = 0;
            for place in row.places() {
                if self.is_live(place) {
                    let bounds = self.store.bounds(place);
                    let slabs = self.store.slabs(place);
                    let tier = self.tier_of(&slabs).expect("the tier of a row is known");
                    assert!(self.belongs(&slabs, tier, row), "its row holds it");
                    assert_eq!(self.slots.get(self.store.keys[place]), Some(place), "it is found");
                    assert!(bounds.checked().is_ok(), "bounds are valid");
                    assert!(slabs.holds(&bounds.slabs()), "slabs hold bounds");
                    assert!(self.store.skinned || slabs == bounds.slabs(), "and are no larger");
                    in_row += 1;
                }
            }
            assert_eq!(row.len - in_row, row.holes, "holes are counted");
            live += in_row;
            holes += row.holes;
        }
        for (index, body) in self.pending.iter().enumerate() {
            assert_eq!(self.slots.get(body.key), Some(PENDING | index), "the pending are found");
            assert!(body.bounds.checked().is_ok(), "the pending have valid bounds");
        }
        assert_eq!(holes, self.holes, "holes are counted");
        assert_eq!(live + self.pending.len(), self.len, "every object is somewhere");
        self.assert_surroundings_are_true();
    }

    /// The row in which a place with an object is.
    fn row_at(&self, place: usize) -> usize {
        self.row_with(place, &self.store.slabs(place)).expect("what is in a row has one")
    }

    /// The row with this place, if objects with such slabs belong into it.
    fn row_with(&self, place: usize, slabs: &Slabs<D>) -> Option<usize> {
        let tier = self.tier_of(slabs)?;
        let cell = tier.cell::<S, D>(slabs);
        let row = |kind| {
            let index = row::find(&self.rows, &RowId { kind, tier: tier.number, cell })?;
            self.rows[index].places().contains(&place).then_some(index)
        };
        (0..KINDS).find_map(row)
    }

    /// Leaves a hole in a row.
    fn leave(&mut self, place: usize, row: usize) {
        self.touch(self.rows[row].id.kind);
        self.rows[row].holes += 1;
        self.holes += 1;
        let first = self.store.min[0][place];
        self.store.set_hole(place, first);
    }
}

/// The keys of all objects, as they are stored.
pub(super) struct Order<'a, S, const D: usize> {
    core: &'a Core<S, D>,
    row: usize,
    offset: usize,
    pending: usize,
    left: usize,
}

impl<'a, S: Scalar, const D: usize> Order<'a, S, D> {
    pub(super) const fn new(core: &'a Core<S, D>) -> Self {
        Self { core, row: 0, offset: 0, pending: 0, left: core.len }
    }
}

impl<S: Scalar, const D: usize> Iterator for Order<'_, S, D> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        while let Some(row) = self.core.rows.get(self.row) {
            if self.offset == row.len {
                (self.row, self.offset) = (self.row + 1, 0);
                continue;
            }
            let place = row.begin + self.offset;
            self.offset += 1;
            if row.holes == 0 || self.core.is_live(place) {
                self.left -= 1;
                return Some(self.core.store.keys[place]);
            }
        }
        let body = self.core.pending.get(self.pending)?;
        self.pending += 1;
        self.left -= 1;
        Some(body.key)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<S: Scalar, const D: usize> ExactSizeIterator for Order<'_, S, D> {}
