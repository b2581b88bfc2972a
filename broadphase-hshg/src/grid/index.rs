//! The grid as a structure like any other.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{
    Aabb, Backend, Entry, Flow, IndexError, Motion, Neighbors, Pair, Path, Region, Scalar, Slabs,
    SpatialIndex, Target, instances, pairs,
};

use super::data::MoveData;
use super::joins::Joins;
use super::level::Tier;
use super::merge::Arrival;
use super::pairs::sweep;
use super::query::query_keys;
use super::row::{self, KINDS, Row, RowId, SPARE};
use super::shares::collect;
use super::store::{Body, Store, View};
use super::surroundings::Surroundings;
use super::walkers::Log;
use super::with::Stage;
use super::{Core, Hshg, PENDING, skin};

/// The motion of each kind of rows: those that rest come last, static ones at the very end.
const MOTIONS: [Motion; KINDS as usize] = [Motion::Dynamic, Motion::Sleeping, Motion::Static];

const fn kind_of(motion: Motion) -> u8 {
    match motion {
        Motion::Dynamic => 0,
        Motion::Sleeping => 1,
        Motion::Static => 2,
    }
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> SpatialIndex<S, D>
    for Hshg<S, D, T>
{
    type Data = T;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: T,
    ) -> Result<(), IndexError> {
        self.data.pending.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
        insert(&mut self.core, key, &bounds.into())?;
        self.data.pending.push(data);
        Ok(())
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        set_bounds(&mut self.core, key, &bounds.into(), &mut self.data)
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        set_motion(&mut self.core, key, motion, &mut self.data)
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        motion(&self.core, key)
    }

    fn memory_use(&self) -> usize {
        memory_use(&self.core) + self.stage.memory_use() + self.data.memory_use()
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.make_room(additional)
    }

    fn shrink_to_fit(&mut self) {
        shrink_to_fit(&mut self.core, &mut self.data);
        self.data.logs = Vec::new();
        self.stage = Stage::new();
    }

    fn optimize(&mut self) {
        self.settle_all();
    }

    fn remove(&mut self, key: u32) -> Option<T> {
        let slot = self.core.slots.get(key)?;
        remove(&mut self.core, key, slot);
        Some(if slot & PENDING == 0 {
            self.data.placed[slot]
        } else {
            self.data.pending.swap_remove(slot & !PENDING)
        })
    }

    fn get(&self, key: u32) -> Option<Entry<'_, S, D, T>> {
        self.core.slots.get(key).map(|slot| self.entry(slot))
    }

    fn data_mut(&mut self, key: u32) -> Option<&mut T> {
        let slot = self.core.slots.get(key)?;
        Some(if slot & PENDING == 0 {
            &mut self.data.placed[slot]
        } else {
            &mut self.data.pending[slot & !PENDING]
        })
    }

    fn len(&self) -> usize {
        self.core.len
    }

    fn clear(&mut self) {
        clear(&mut self.core);
        self.data.placed.clear();
        self.data.pending.clear();
    }

    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        self.walk(KINDS, keep)
    }

    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut T, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        self.walk_at_once(|key: u32, data: &mut T, bounds: &mut Aabb<S, D>| {
            change(key, data, bounds);
            true
        })
    }

    fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut T, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.walk(1, |key: u32, data: &mut T, bounds: &mut Aabb<S, D>| {
            change(key, data, bounds);
            true
        })
    }

    fn renumber(&mut self, old: &mut Vec<u32>) {
        renumber(&mut self.core, old, &mut self.data);
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        Order::new(&self.core)
    }

    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        self.refresh();
        collect(&mut self.core, None, out);
    }

    fn pairs_where(&mut self, accept: impl Fn(&T, &T) -> bool + Sync, out: &mut Vec<Pair>) {
        self.refresh();
        let data = &self.data.placed;
        let filter = |store: &Store<S, D>, hits: &[[u32; 2]], found: &mut Vec<Pair>| {
            let view = View::new(store, data);
            for &hit in hits {
                let [a, b] = view.pair(hit);
                if accept(a.data, b.data) {
                    found.push([a.key, b.key]);
                }
            }
        };
        collect(&mut self.core, Some(&filter), out);
        pairs::sort(out);
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        self.refresh();
        let (data, mut answer) = (&self.data.placed, R::CONTINUE);
        let _ = sweep(&mut self.core, &mut |store, hits| {
            let view = View::new(store, data);
            for &hit in hits {
                let [a, b] = view.pair(hit);
                answer = visit(a, b);
                if answer.stops() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        answer
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let Some(region) = region.into().askable() else { return R::CONTINUE };
        self.query_region(&region, &mut visit)
    }

    fn query(&self, region: impl Into<Region<S, D>>, out: &mut Vec<u32>) {
        out.clear();
        if let Some(region) = region.into().askable() {
            query_keys(&self.core, &region, out);
        }
    }

    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        mut visit: impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        self.cast_path(&path, &mut visit)
    }

    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        self.find_nearest(target.into(), &mut visit)
    }

    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        self.find_neighbors(radius, out);
    }

    fn spacing(&self) -> Option<f64> {
        self.core.spacing
    }

    /// Visits the cells in which objects begin: twice as large on each level as on the one below.
    ///
    /// No object is larger than the cells of its level, unless it is too large for the highest
    /// one, or so far out that the next numbers are farther away than its ends. The outermost
    /// cells, 2^30 away from the origin, go on to the end of all numbers. Takes time and memory for
    /// every object.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, HshgConfig, SpatialIndex};
    ///
    /// let mut world: Hshg<i32, 2> = Hshg::with_config(HshgConfig::new().smallest_cell(4));
    /// world.insert(0, Aabb::new([-1, 5], [1, 7]), ())?;
    /// world.insert(1, Aabb::new([-3, 4], [1, 7]), ())?;
    /// world.insert(2, Aabb::new([5, 5], [25, 5]), ())?;
    /// let mut cells = Vec::new();
    /// world.cells(|level, cell| cells.push((level, cell)));
    /// let small = Aabb::new([-4, 4], [0, 8]);
    /// assert_eq!(cells, [(0, small), (3, Aabb::new([0, 0], [32, 32]))]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    fn cells<R: Flow>(&self, visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        self.visit_cells(visit)
    }

    fn set_backend(&mut self, backend: Backend) {
        self.core.backend = backend;
    }

    fn backend(&self) -> Option<Backend> {
        Some(self.core.backend)
    }

    fn assert_well_formed(&self) {
        assert_well_formed(&self.core);
        assert_eq!(self.data.placed.len(), self.core.store.len(), "each place has data");
        assert_eq!(self.data.pending.len(), self.core.pending.len(), "and each pending object");
    }
}

instances! {
    /// [`Core::insert`], compiled once.
    fn insert<S, D>(core: &mut Core<S, D>, key: u32, bounds: &Aabb<S, D>) -> Result<(), IndexError> {
        core.insert(key, bounds)
    }

    /// [`Core::set_bounds`], compiled once.
    fn set_bounds<S, D>(
        core: &mut Core<S, D>,
        key: u32,
        bounds: &Aabb<S, D>,
        data: &mut dyn MoveData,
    ) -> Result<(), IndexError> {
        core.set_bounds(key, bounds, data)
    }

    /// [`Core::set_motion`], compiled once.
    fn set_motion<S, D>(
        core: &mut Core<S, D>,
        key: u32,
        motion: Motion,
        data: &mut dyn MoveData,
    ) -> Result<(), IndexError> {
        core.set_motion(key, motion, data)
    }

    /// [`Core::motion`], compiled once.
    fn motion<S, D>(core: &Core<S, D>, key: u32) -> Option<Motion> {
        core.motion(key)
    }

    /// Removes an object from its slot, but not its data.
    fn remove<S, D>(core: &mut Core<S, D>, key: u32, slot: usize) {
        if slot & PENDING == 0 {
            core.leave(slot, core.row_at(slot));
        } else {
            core.remove_pending(slot & !PENDING);
        }
        core.slots.remove(key);
        core.len -= 1;
    }

    /// [`Core::memory_use`], compiled once.
    fn memory_use<S, D>(core: &Core<S, D>) -> usize {
        core.memory_use()
    }

    /// [`Core::shrink_to_fit`], compiled once.
    fn shrink_to_fit<S, D>(core: &mut Core<S, D>, data: &mut dyn MoveData) {
        core.shrink_to_fit(data);
    }

    /// [`Core::clear`], compiled once.
    fn clear<S, D>(core: &mut Core<S, D>) {
        core.clear();
    }

    /// [`Core::renumber`], compiled once.
    fn renumber<S, D>(core: &mut Core<S, D>, old: &mut Vec<u32>, data: &mut dyn MoveData) {
        core.renumber(old, data);
    }

    /// [`Core::assert_well_formed`], compiled once.
    fn assert_well_formed<S, D>(core: &Core<S, D>) {
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
        let slabs = skin::slabs(&bounds, margin);
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
struct Order<'a, S, const D: usize> {
    core: &'a Core<S, D>,
    row: usize,
    offset: usize,
    pending: usize,
    left: usize,
}

impl<'a, S: Scalar, const D: usize> Order<'a, S, D> {
    const fn new(core: &'a Core<S, D>) -> Self {
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
