//! Operations on single objects by key and on the whole grid, independent of the data type and
//! compiled once.

use alloc::vec::Vec;

use broadphase_core::{Aabb, IndexError, Motion, Scalar, Slabs, instances};

use super::data::MoveData;
use super::maintenance::bulk_load::LoadScratch;
use super::maintenance::margin;
use super::maintenance::merge::Insertion;
use super::pairs::near_cache::{NearCache, StateId};
use super::pairs::row_pairs::RowPairs;
use super::pairs::static_cache::StaticCache;
use super::storage::row::{self, Class, Row, RowId, SPARE};
use super::storage::store::Body;
use super::storage::tiers::Tier;
use super::update::parallel::UpdateLog;
use super::{Core, Hshg, PENDING};

instances! {
    /// Appends objects to the pending objects, up to the first that fails, with its error. Returns
    /// the number of appended objects. The caller appends their data.
    pub(super) fn insert<S, D>(
        core: &mut Core<S, D>,
        keys: &[u32],
        bounds: &[Aabb<S, D>],
        motions: &[Motion],
    ) -> (usize, Result<(), IndexError>) {
        for (count, ((key, bounds), motion)) in keys.iter().zip(bounds).zip(motions).enumerate() {
            if let Err(why) = core.insert(*key, bounds, *motion) {
                return (count, Err(why));
            }
        }
        (keys.len(), Ok(()))
    }

    /// Removes pending objects, the last one first, until `len` are left. The caller removes their
    /// data.
    pub(super) fn truncate_pending<S, D>(core: &mut Core<S, D>, len: usize) {
        while core.pending.len() > len {
            if let Some(body) = core.pending.pop() {
                core.slots.remove(body.key);
                core.len -= 1;
            }
        }
    }

    /// Implements [`Core::set_bounds`].
    pub(super) fn set_bounds<S, D>(
        core: &mut Core<S, D>,
        key: u32,
        bounds: &Aabb<S, D>,
        data: &mut dyn MoveData,
    ) -> Result<(), IndexError> {
        core.set_bounds(key, bounds, data)
    }

    /// Sets the motion class of an object.
    pub(super) fn set_motion<S, D>(
        core: &mut Core<S, D>,
        key: u32,
        motion: Motion,
        data: &mut dyn MoveData,
    ) -> Result<(), IndexError> {
        let slot = core.slots.get(key).ok_or(IndexError::UnknownKey { key })?;
        let class = Class::of(motion);
        if slot & PENDING != 0 {
            core.pending[slot & !PENDING].class = class;
            return Ok(());
        }
        let row = core.row_at(slot);
        if core.rows[row].id.class != class {
            core.pending.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
            data.try_reserve_pending(1).map_err(|_| IndexError::OutOfMemory)?;
            let body = core.store.body(slot, class);
            core.leave(slot, row);
            core.push_pending(body);
            data.push_pending(slot);
        }
        Ok(())
    }

    /// Returns the motion class of an object.
    pub(super) fn motion<S, D>(core: &Core<S, D>, key: u32) -> Option<Motion> {
        let slot = core.slots.get(key)?;
        let class = if slot & PENDING == 0 {
            core.rows[core.row_at(slot)].id.class
        } else {
            core.pending[slot & !PENDING].class
        };
        Some(class.motion())
    }

    /// Removes an object, given its key and the value of `Core::slots` for this key. The caller
    /// must remove the object's data.
    pub(super) fn remove<S, D>(core: &mut Core<S, D>, key: u32, slot: usize) {
        if slot & PENDING == 0 {
            core.leave(slot, core.row_at(slot));
        } else {
            core.remove_pending(slot & !PENDING);
        }
        core.slots.remove(key);
        core.len -= 1;
    }

    /// Returns the number of allocated bytes, without the data of the objects.
    pub(super) fn memory_use<S, D>(core: &Core<S, D>) -> usize {
        core.store.memory_use()
            + core.rows.capacity() * size_of::<Row<D>>()
            + core.tiers.capacity() * size_of::<Tier>()
            + core.pending.capacity() * size_of::<Body<S, D>>()
            + core.slots.memory_use()
            + core.insertions.capacity() * size_of::<Insertion>()
            + core.load.memory_use()
            + core.missing.capacity() * size_of::<RowId<D>>()
            + core.rows_by_slot.capacity() * size_of::<u32>()
            + core.row_pairs.memory_use()
            + core.near.memory_use()
            + core.static_cache.memory_use()
            + core.moves.capacity() * size_of::<[u32; 2]>()
            + core.logs.capacity() * size_of::<UpdateLog<S, D>>()
            + core.logs.iter().map(UpdateLog::memory_use).sum::<usize>()
    }

    /// Frees unused memory.
    pub(super) fn shrink_to_fit<S, D>(core: &mut Core<S, D>, data: &mut dyn MoveData) {
        core.maintain_all(data);
        core.rebuild_storage(data);
        core.pending.shrink_to_fit();
        data.shrink_pending(0);
        core.slots.shrink_to_fit();
        core.rows.shrink_to_fit();
        core.tiers.retain(|tier| core.rows.iter().any(|row| row.id.tier == tier.number));
        core.tiers.shrink_to_fit();
        core.insertions = Vec::new();
        core.load = LoadScratch::default();
        core.missing = Vec::new();
        core.rows_by_slot = Vec::new();
        core.row_pairs = RowPairs::default();
        core.near = NearCache::default();
        core.static_cache = StaticCache::default();
        core.moves = Vec::new();
        core.logs = Vec::new();
        core.rows_changed = true;
    }

    /// Removes all objects. The caller removes their data.
    pub(super) fn clear<S, D>(core: &mut Core<S, D>) {
        core.store.clear();
        core.rows.clear();
        core.pending.clear();
        core.slots.clear();
        (core.len, core.holes, core.unused, core.len_at_rebuild) = (0, 0, 0, 0);
        core.row_pairs.invalidate();
        core.static_cache.reset();
        core.margin_age.restart();
        core.rows_changed = true;
    }

    /// Implements [`Core::assert_well_formed`].
    pub(super) fn assert_well_formed<S, D>(core: &Core<S, D>) {
        core.assert_well_formed();
    }
}

/// The number of objects that are inserted by one call of a compiled function.
const OBJECTS_PER_CALL: usize = 32;

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Inserts objects, up to the first that fails. `motion` returns the motion class of the object
    /// with an index.
    // Not a part of the tuples: an option of such a tuple is copied in parts that overlap, and each
    // copy waits for the one before (11 ns an object in `mixed3:300000`).
    pub(super) fn insert_all(
        &mut self,
        mut objects: impl Iterator<Item = (u32, Aabb<S, D>, T)>,
        motion: impl Fn(usize) -> Motion,
    ) -> Result<(), IndexError> {
        let Some((key, first, data)) = objects.next() else { return Ok(()) };
        let (mut keys, mut bounds) = ([key; OBJECTS_PER_CALL], [first; OBJECTS_PER_CALL]);
        let (mut motions, mut all_data) = ([motion(0); OBJECTS_PER_CALL], [data; OBJECTS_PER_CALL]);
        let (mut len, mut done) = (1, 0);
        loop {
            while len < OBJECTS_PER_CALL
                && let Some((key, own, data)) = objects.next()
            {
                (keys[len], bounds[len], all_data[len]) = (key, own, data);
                motions[len] = motion(done + len);
                len += 1;
            }
            self.data.pending.try_reserve(len).map_err(|_| IndexError::OutOfMemory)?;
            let (count, inserted) =
                insert(&mut self.core, &keys[..len], &bounds[..len], &motions[..len]);
            self.data.pending.extend_from_slice(&all_data[..count]);
            inserted?;
            if len < OBJECTS_PER_CALL {
                return Ok(());
            }
            (len, done) = (0, done + len);
        }
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    #[inline(always)]
    fn insert(&mut self, key: u32, bounds: &Aabb<S, D>, motion: Motion) -> Result<(), IndexError> {
        let Some((bounds, _)) = bounds.checked_slabs() else {
            let why = bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why });
            return why.map(|_| ());
        };
        self.pending.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
        if !self.slots.try_claim(key, PENDING | self.pending.len())? {
            return Err(IndexError::KeyInUse { key });
        }
        self.pending.push(Body { key, class: Class::of(motion), bounds });
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
        if self.store.has_margins && self.store.slabs(slot).holds(&self.store.axes.slabs(&bounds)) {
            // The slabs stay, so rows stay sorted. Only results that use exact bounds change: exact
            // tests and distances.
            self.row_pairs.state = StateId::UNKNOWN;
            self.store.set_exact(slot, &bounds);
            return Ok(());
        }
        let class = |row: usize| self.rows[row].id.class;
        let margin = |row| self.margins.of(class(row));
        let margin = if self.store.has_margins { margin(self.row_at(slot)) } else { S::ZERO };
        if margin > S::ZERO {
            self.margin_age.record_escape();
        }
        let slabs = self.store.axes.exchange_slabs(margin::slabs(&bounds, margin));
        let order = &self.store.min[0];
        // A fence (a slot without an object) precedes each row, and free slots follow, so both
        // neighboring slots exist.
        let in_order = order[slot - 1] <= slabs.min[0] && slabs.min[0] <= order[slot + 1];
        // Most objects stay in their row, so look up the row of the new slabs first, and the row of
        // the old slabs only if the object must leave its slot.
        if let Some(row) = self.row_with(slot, &slabs).filter(|_| in_order) {
            self.invalidate_pairs(class(row));
            self.store.set_bounds(slot, &bounds, &slabs);
            self.rows[row].bounds_stale = true;
            return Ok(());
        }
        let row = self.row_at(slot);
        let body = Body { bounds, ..self.store.body(slot, self.rows[row].id.class) };
        self.leave(slot, row);
        self.push_pending(body);
        data.push_pending(slot);
        Ok(())
    }

    fn assert_well_formed(&self) {
        let mut live = 0;
        let mut holes = 0;
        assert!(self.rows.is_sorted_by(|a, b| a.id < b.id), "rows ascend by id");
        for row in &self.rows {
            if row.room == 0 {
                assert_eq!(row.len, 0, "a row without slots has no objects");
                continue;
            }
            assert!(row.len + SPARE <= row.room, "a row has free slots behind it");
            let order = &self.store.min[0];
            assert_eq!(order[row.begin - 1], i32::MIN, "a fence precedes the row");
            let free = row.begin + row.len..row.begin + row.room;
            assert!(
                order[free].iter().all(|&key| key == i32::MAX),
                "free slots follow the objects"
            );
            assert!(order[row.slots()].is_sorted(), "rows ascend along the first axis");
            let mut in_row = 0;
            for slot in row.slots() {
                if self.is_live(slot) {
                    let bounds = self.store.bounds(slot);
                    let slabs = self.store.slabs(slot);
                    let tier = self.tier_of(&slabs).expect("the tier of a row exists");
                    assert!(self.belongs(&slabs, tier, row), "objects belong in their row");
                    assert_eq!(
                        self.slots.get(self.store.keys[slot]),
                        Some(slot),
                        "the map has the slot of each object"
                    );
                    assert!(bounds.checked().is_ok(), "bounds of objects are valid");
                    let own = self.store.axes.slabs(&bounds);
                    assert!(slabs.holds(&own), "slabs contain the bounds");
                    assert!(
                        self.store.has_margins || slabs == own,
                        "slabs without a margin equal the bounds"
                    );
                    in_row += 1;
                }
            }
            assert_eq!(row.len - in_row, row.holes, "the number of holes is right");
            live += in_row;
            holes += row.holes;
        }
        for (index, body) in self.pending.iter().enumerate() {
            assert_eq!(
                self.slots.get(body.key),
                Some(PENDING | index),
                "the map has the index of each pending object"
            );
            assert!(body.bounds.checked().is_ok(), "bounds of pending objects are valid");
        }
        assert_eq!(holes, self.holes, "the number of holes is right");
        assert_eq!(live + self.pending.len(), self.len, "every object is in a row or pending");
        self.assert_static_cache_valid();
    }

    /// Returns the index of the row that contains a slot. The slot must have an object.
    fn row_at(&self, slot: usize) -> usize {
        self.row_with(slot, &self.store.slabs(slot)).expect("an object in a slot has a row")
    }

    /// Finds the row for objects with these slabs. Returns its index if the row contains the slot,
    /// otherwise `None`.
    fn row_with(&self, slot: usize, slabs: &Slabs<D>) -> Option<usize> {
        let tier = self.tier_of(slabs)?;
        let cell = tier.cell::<S, D>(slabs);
        let row = |class| {
            let index = row::find(&self.rows, &RowId { class, tier: tier.number, cell })?;
            self.rows[index].slots().contains(&slot).then_some(index)
        };
        Class::ALL.into_iter().find_map(row)
    }

    /// Turns a slot of a row into a hole. The caller stores the object elsewhere or removes it.
    fn leave(&mut self, slot: usize, row: usize) {
        self.invalidate_pairs(self.rows[row].id.class);
        self.rows[row].holes += 1;
        self.holes += 1;
        let first = self.store.min[0][slot];
        self.store.set_hole(slot, first);
    }
}

/// Iterator over the keys of all objects in storage order, pending objects last.
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
            let slot = row.begin + self.offset;
            self.offset += 1;
            if row.holes == 0 || self.core.is_live(slot) {
                self.left -= 1;
                return Some(self.core.store.keys[slot]);
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
