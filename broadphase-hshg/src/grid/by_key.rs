//! Methods of [`SpatialIndex`](broadphase_core::SpatialIndex) by key and on the whole grid,
//! compiled once.

use alloc::vec::Vec;

use broadphase_core::{Aabb, IndexError, IndexObject, Motion, Scalar, Slabs, Walk, instances};

use super::maintenance::bulk_load::LoadScratch;
use super::maintenance::merge::Insertion;
use super::pairs::near::NearBuffers;
use super::pairs::row_pairs::RowPairs;
use super::pairs::static_cache::StaticCache;
use super::storage::pending::Pending;
use super::storage::row::{self, Class, Row, RowId, SPARE};
use super::storage::store::Body;
use super::storage::tiers::Tier;
use super::update::parallel::UpdateLog;
use super::update::walk::walk;
use super::{Hshg, PENDING};

/// The minimum number of objects for which memory is reserved: fewer fit on a page of keys.
const MIN_RESERVED: usize = 1024;

instances! {
    pub(super) fn insert_many<S, D>(
        grid: &mut Hshg<S, D>,
        objects: &[IndexObject<S, D>],
    ) -> Result<(), IndexError> {
        let before = grid.pending.len();
        if objects.len() >= MIN_RESERVED {
            try_reserve(grid, objects.len())?;
        }
        grid.pending.try_reserve(objects.len()).map_err(|_| IndexError::OutOfMemory)?;
        let inserted = objects.iter().try_for_each(|object| grid.insert_one(object));
        if inserted.is_err() {
            for &key in grid.pending.keys[before..].iter().rev() {
                grid.slots.remove(key);
                grid.len -= 1;
            }
            grid.pending.truncate(before);
        }
        inserted
    }

    /// Implements [`Maintenance::Reserve`](broadphase_core::Maintenance::Reserve).
    pub(super) fn try_reserve<S, D>(
        grid: &mut Hshg<S, D>,
        additional: usize,
    ) -> Result<(), IndexError> {
        if additional == 0 {
            return Ok(());
        }
        // A sixth more slots than objects: gaps in rows, and the fence and free slots of each row.
        let slots = additional.saturating_add(additional / 6);
        grid.slots.try_reserve(additional)?;
        grid.pending.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        grid.store.try_reserve(slots).map_err(|_| IndexError::OutOfMemory)
    }

    pub(super) fn set_bounds<S, D>(
        grid: &mut Hshg<S, D>,
        key: u32,
        bounds: &Aabb<S, D>,
    ) -> Result<(), IndexError> {
        let slot = grid.slots.get(key).ok_or(IndexError::UnknownKey { key })?;
        let bounds = bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why })?;
        if slot & PENDING != 0 {
            grid.pending.bounds[slot & !PENDING] = bounds;
            return Ok(());
        }
        let slabs = grid.store.axes.slabs(&bounds);
        let order = &grid.store.min[0];
        // A fence (a slot without an object) precedes each row, and free slots follow.
        let in_order = order[slot - 1] <= slabs.min[0] && slabs.min[0] <= order[slot + 1];
        // Most objects stay in their row: find the row of the new slabs first, and that of the old
        // slabs only if the object must leave its slot.
        if let Some(row) = grid.row_with(slot, &slabs).filter(|_| in_order) {
            grid.invalidate_pairs(grid.rows[row].id.class);
            grid.store.set_bounds(slot, &bounds, &slabs);
            grid.rows[row].bounds_stale = true;
            return Ok(());
        }
        let row = grid.row_at(slot);
        let body = Body { bounds, ..grid.store.body(slot, grid.rows[row].id.class) };
        grid.leave(slot, row);
        grid.push_pending(body);
        Ok(())
    }

    pub(super) fn set_motion<S, D>(
        grid: &mut Hshg<S, D>,
        key: u32,
        motion: Motion,
    ) -> Result<(), IndexError> {
        let slot = grid.slots.get(key).ok_or(IndexError::UnknownKey { key })?;
        let class = Class::of(motion);
        if slot & PENDING != 0 {
            grid.pending.classes[slot & !PENDING] = class;
            return Ok(());
        }
        let row = grid.row_at(slot);
        if grid.rows[row].id.class != class {
            grid.pending.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
            let body = grid.store.body(slot, class);
            grid.leave(slot, row);
            grid.push_pending(body);
        }
        Ok(())
    }

    pub(super) fn get<S, D>(grid: &Hshg<S, D>, key: u32) -> Option<IndexObject<S, D>> {
        let slot = grid.slots.get(key)?;
        let class = if slot & PENDING == 0 {
            grid.rows[grid.row_at(slot)].id.class
        } else {
            grid.pending.classes[slot & !PENDING]
        };
        Some(IndexObject { key, bounds: grid.entry(slot).bounds, motion: class.motion() })
    }

    pub(super) fn bounds_of<S, D>(grid: &Hshg<S, D>, keys: &[u32], out: &mut [[[S; D]; 2]]) {
        let bounds = grid.store.all_bounds();
        for (&key, out) in keys.iter().zip(out) {
            if let Some(slot) = grid.slots.get(key) {
                let is_placed = slot & PENDING == 0;
                let Aabb { min, max } =
                    if is_placed { bounds(slot) } else { grid.pending.bounds[slot & !PENDING] };
                *out = [min, max];
            }
        }
    }

    /// Returns the keys of all objects; pending objects are last.
    pub(super) fn keys<S, D>(grid: &Hshg<S, D>) -> Vec<u32> {
        let mut keys = Vec::with_capacity(grid.len);
        for row in &grid.rows {
            keys.extend(grid.live_slots(row).map(|slot| grid.store.keys[slot]));
        }
        keys.extend_from_slice(&grid.pending.keys);
        keys
    }

    pub(super) fn remove_many<S, D>(grid: &mut Hshg<S, D>, keys: &[u32]) -> Result<(), IndexError> {
        if let Some(&key) = keys.iter().find(|&&key| grid.slots.get(key).is_none()) {
            return Err(IndexError::UnknownKey { key });
        }
        let last = keys.iter().copied().max().unwrap_or(0) as usize;
        let mut is_removed: Vec<bool> = Vec::new();
        let walks = keys.len() > 1 && keys.len() >= grid.len / 8 && last / 16 <= grid.len;
        if !walks || is_removed.try_reserve(last + 1).is_err() {
            keys.iter().for_each(|&key| grid.remove_one(key));
            return Ok(());
        }
        is_removed.resize(last + 1, false);
        keys.iter().for_each(|&key| is_removed[key as usize] = true);
        let stays = |key: u32| !is_removed.get(key as usize).is_some_and(|&removed| removed);
        walk(grid, Walk::All(&mut |batch| batch.retain(|key, _| stays(key))))
    }

    pub(super) fn memory_use<S, D>(grid: &Hshg<S, D>) -> usize {
        grid.store.memory_use()
            + grid.rows.capacity() * size_of::<Row<D>>()
            + grid.tiers.capacity() * size_of::<Tier>()
            + grid.pending.memory_use()
            + grid.slots.memory_use()
            + grid.insertions.capacity() * size_of::<Insertion>()
            + grid.load.memory_use()
            + grid.missing.capacity() * size_of::<RowId<D>>()
            + grid.row_pairs.memory_use()
            + grid.near.memory_use()
            + grid.static_cache.memory_use()
            + grid.logs.capacity() * size_of::<UpdateLog<S, D>>()
            + grid.logs.iter().map(UpdateLog::memory_use).sum::<usize>()
    }

    pub(super) fn shrink_to_fit<S, D>(grid: &mut Hshg<S, D>) {
        grid.maintain_all();
        grid.rebuild_storage();
        grid.pending.shrink_to(0);
        grid.slots.shrink_to_fit();
        grid.rows.shrink_to_fit();
        grid.tiers.retain(|tier| grid.rows.iter().any(|row| row.id.tier == tier.number));
        grid.tiers.shrink_to_fit();
        grid.insertions = Vec::new();
        grid.load = LoadScratch::default();
        grid.missing = Vec::new();
        grid.row_pairs = RowPairs::default();
        grid.near = NearBuffers::default();
        grid.static_cache = StaticCache::default();
        grid.logs = Vec::new();
        grid.rows_changed = true;
    }

    pub(super) fn clear<S, D>(grid: &mut Hshg<S, D>) {
        grid.store.clear();
        grid.rows.clear();
        grid.pending.clear();
        grid.slots.clear();
        (grid.len, grid.holes, grid.unused, grid.len_at_rebuild) = (0, 0, 0, 0);
        grid.row_pairs.invalidate();
        grid.static_cache.reset();
        grid.rows_changed = true;
    }

    pub(super) fn assert_well_formed<S, D>(grid: &Hshg<S, D>) {
        let mut live = 0;
        let mut holes = 0;
        assert!(grid.rows.is_sorted_by(|a, b| a.id < b.id), "rows ascend by id");
        for row in &grid.rows {
            if row.room == 0 {
                assert_eq!(row.len, 0, "a row without slots has no objects");
                continue;
            }
            assert!(row.len + SPARE <= row.room, "a row has free slots behind it");
            let order = &grid.store.min[0];
            assert_eq!(order[row.begin - 1], i32::MIN, "a fence precedes the row");
            let free = row.begin + row.len..row.begin + row.room;
            assert!(
                order[free].iter().all(|&key| key == i32::MAX),
                "free slots follow the objects"
            );
            assert!(order[row.slots()].is_sorted(), "rows ascend along the first axis");
            let mut in_row = 0;
            for slot in row.slots() {
                if grid.is_live(slot) {
                    let bounds = grid.store.bounds(slot);
                    let slabs = grid.store.slabs(slot);
                    let tier = grid.tier_of(&slabs).expect("the tier of a row exists");
                    assert!(grid.belongs(&slabs, tier, row), "objects belong in their row");
                    assert_eq!(
                        grid.slots.get(grid.store.keys[slot]),
                        Some(slot),
                        "the map has the slot of each object"
                    );
                    assert!(bounds.checked().is_ok(), "bounds of objects are valid");
                    assert_eq!(slabs, grid.store.axes.slabs(&bounds), "slabs equal the bounds");
                    in_row += 1;
                }
            }
            assert_eq!(row.len - in_row, row.holes, "the number of holes is right");
            live += in_row;
            holes += row.holes;
        }
        let Pending { keys, bounds, .. } = &grid.pending;
        for (index, (&key, bounds)) in keys.iter().zip(bounds).enumerate() {
            assert_eq!(
                grid.slots.get(key),
                Some(PENDING | index),
                "the map has the index of each pending object"
            );
            assert!(bounds.checked().is_ok(), "bounds of pending objects are valid");
        }
        assert_eq!(holes, grid.holes, "the number of holes is right");
        assert_eq!(live + grid.pending.len(), grid.len, "every object is in a row or pending");
        grid.assert_static_cache_valid();
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Appends a pending object, for which memory is reserved.
    #[inline(always)]
    fn insert_one(&mut self, object: &IndexObject<S, D>) -> Result<(), IndexError> {
        let &IndexObject { key, bounds, motion } = object;
        let Some((bounds, _)) = bounds.checked_slabs() else {
            let why = bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why });
            return why.map(|_| ());
        };
        if !self.slots.try_claim(key, PENDING | self.pending.len())? {
            return Err(IndexError::KeyInUse { key });
        }
        self.pending.push(Body { key, class: Class::of(motion), bounds });
        self.len += 1;
        Ok(())
    }

    /// Removes an object; does nothing if the key is unknown.
    fn remove_one(&mut self, key: u32) {
        let Some(slot) = self.slots.get(key) else { return };
        if slot & PENDING == 0 {
            self.leave(slot, self.row_at(slot));
        } else {
            self.remove_pending(slot & !PENDING);
        }
        self.slots.remove(key);
        self.len -= 1;
    }

    /// Returns the index of the row that contains a slot. The slot must have an object.
    fn row_at(&self, slot: usize) -> usize {
        self.row_with(slot, &self.store.slabs(slot)).expect("an object in a slot has a row")
    }

    /// Returns the index of the row for objects with these slabs, if it contains the slot.
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
