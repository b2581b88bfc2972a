//! The implementation of [`SpatialIndex`] for the grid: forwards each operation to its module.

use alloc::vec::Vec;

use broadphase_core::{
    Aabb, Backend, Entry, Flow, IndexError, Motion, Neighbors, Pair, Path, Region, Scalar,
    SearchStats, SpatialIndex, Target, query,
};

use super::data::MoveData;
use super::pairs::find::{find_pairs, find_sorted_pairs, visit_pairs};
use super::pairs::sink::visit_hits;
use super::queries::neighbors::all_bounds;
use super::queries::region::query_keys;
use super::storage::row::Class;
use super::storage::store::{Store, View};
use super::{Core, Hshg, PENDING, by_key};

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
        self.insert_with(key, bounds, data, Motion::Dynamic)
    }

    fn insert_with(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: T,
        motion: Motion,
    ) -> Result<(), IndexError> {
        self.data.pending.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
        by_key::insert(&mut self.core, &[key], &[bounds.into()], &[motion]).1?;
        self.data.pending.push(data);
        Ok(())
    }

    /// Inserts many objects. The next search sorts all of them at once if they are most of the
    /// objects, in O(n).
    fn extend<B: Into<Aabb<S, D>>>(
        &mut self,
        objects: impl IntoIterator<Item = (u32, B, T)>,
    ) -> Result<(), IndexError> {
        let objects = objects.into_iter();
        self.try_reserve(objects.size_hint().0)?;
        let objects = objects.map(|(key, bounds, data)| (key, bounds.into(), data));
        self.insert_all(objects, |_| Motion::Dynamic)
    }

    /// Inserts many objects: all of them or none. See [`extend`](Self::extend).
    fn insert_many(&mut self, objects: &[(u32, Aabb<S, D>, T, Motion)]) -> Result<(), IndexError> {
        self.try_reserve(objects.len())?;
        let before = self.core.pending.len();
        let bodies = objects.iter().map(|&(key, bounds, data, _)| (key, bounds, data));
        let inserted = self.insert_all(bodies, |index| objects[index].3);
        if inserted.is_err() {
            by_key::truncate_pending(&mut self.core, before);
            self.data.pending.truncate(before);
        }
        inserted
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        by_key::set_bounds(&mut self.core, key, &bounds.into(), &mut self.data)
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        by_key::set_motion(&mut self.core, key, motion, &mut self.data)
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        by_key::motion(&self.core, key)
    }

    fn memory_use(&self) -> usize {
        by_key::memory_use(&self.core) + self.data.memory_use()
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.reserve_all(additional)
    }

    fn shrink_to_fit(&mut self) {
        by_key::shrink_to_fit(&mut self.core, &mut self.data);
        self.data.logs = Vec::new();
    }

    fn optimize(&mut self) {
        self.maintain_all();
    }

    fn remove(&mut self, key: u32) -> Option<T> {
        let slot = self.core.slots.get(key)?;
        by_key::remove(&mut self.core, key, slot);
        Some(if slot & PENDING == 0 {
            self.data.placed[slot]
        } else {
            self.data.pending.swap_remove(slot & !PENDING)
        })
    }

    /// Removes objects in one walk over all objects if at least one in eight is removed, and the
    /// largest key is at most about 16 times the number of objects; otherwise one by one. A walk
    /// takes about 10 ns per object of the grid, a single removal about 300 ns.
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        if let Some(&key) = keys.iter().find(|&&key| self.core.slots.get(key).is_none()) {
            return Err(IndexError::UnknownKey { key });
        }
        let last = keys.iter().copied().max().unwrap_or(0) as usize;
        let mut is_removed: Vec<bool> = Vec::new();
        let walks = keys.len() >= self.len() / 8 && last / 16 <= self.len();
        if !walks || is_removed.try_reserve(last + 1).is_err() {
            keys.iter().for_each(|&key| _ = self.remove(key));
            return Ok(());
        }
        is_removed.resize(last + 1, false);
        keys.iter().for_each(|&key| is_removed[key as usize] = true);
        self.retain(|key, _, _| !is_removed.get(key as usize).is_some_and(|&removed| removed))
    }

    fn get(&self, key: u32) -> Option<Entry<'_, S, D, T>> {
        self.core.slots.get(key).map(|slot| self.entry(slot))
    }

    /// Reads the coordinates directly. Passing them through [`Entry`]s in memory would take 60 %
    /// longer.
    fn bounds_of(&self, keys: &[u32], out: &mut [[[S; D]; 2]]) {
        let Core { slots, pending, store, .. } = &self.core;
        let bounds = store.all_bounds();
        for (&key, out) in keys.iter().zip(out) {
            if let Some(slot) = slots.get(key) {
                let is_placed = slot & PENDING == 0;
                let Aabb { min, max } =
                    if is_placed { bounds(slot) } else { pending[slot & !PENDING].bounds };
                *out = [min, max];
            }
        }
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
        by_key::clear(&mut self.core);
        self.data.placed.clear();
        self.data.pending.clear();
    }

    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        self.walk(Class::Static, keep)
    }

    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut T, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        self.walk_parallel(Class::Static, |key: u32, data: &mut T, bounds: &mut Aabb<S, D>| {
            change(key, data, bounds);
            true
        })
    }

    fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut T, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.walk(Class::Dynamic, |key: u32, data: &mut T, bounds: &mut Aabb<S, D>| {
            change(key, data, bounds);
            true
        })
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        by_key::Order::new(&self.core)
    }

    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        self.refresh();
        find_pairs(&mut self.core, None, out);
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.refresh();
        find_sorted_pairs(&mut self.core, None, out);
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
        find_sorted_pairs(&mut self.core, Some(&filter), out);
    }

    fn pairs_within(
        &mut self,
        distance: S,
        accept: impl Fn(&T, &T) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        self.find_pairs_within(distance, accept, out);
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        self.refresh();
        let (data, mut answer) = (&self.data.placed, R::CONTINUE);
        let _ = visit_pairs(&mut self.core, &mut |store, hits| {
            let view = View::new(store, data);
            visit_hits(hits, &mut answer, |hit| {
                let [a, b] = view.pair(hit);
                visit(a, b)
            })
        });
        answer
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let Some(region) = region.into().normalized() else { return R::CONTINUE };
        self.query_region(&region, &mut visit)
    }

    fn query(&self, region: impl Into<Region<S, D>>, out: &mut Vec<u32>) {
        out.clear();
        if let Some(region) = region.into().normalized() {
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

    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        let objects = all_bounds(&self.core);
        query::nearest_to_each_in_tree(self, self.core.backend, objects, count, out);
    }

    fn pending(&self) -> usize {
        self.core.pending.len()
    }

    fn spacing(&self) -> Option<f64> {
        self.core.spacing
    }

    /// Visits each cell that contains the low corner of an object, with its level. Cells of each
    /// level are twice as large as those of the level below.
    ///
    /// An object is at most as large as the cells of its level, except objects so far from the
    /// origin that the spacing of floating-point numbers there determines their level. The
    /// outermost cells, 2^30 cells from the origin, are unbounded. Takes O(n log n) time and O(n) memory.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let mut world: Hshg<i32, 2> = Hshg::with_smallest_cell(4);
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

    fn search_stats(&self) -> Option<SearchStats> {
        self.core.search_stats()
    }

    fn assert_well_formed(&self) {
        by_key::assert_well_formed(&self.core);
        assert_eq!(self.data.placed.len(), self.core.store.len(), "each slot has data");
        assert_eq!(
            self.data.pending.len(),
            self.core.pending.len(),
            "each pending object has data"
        );
    }
}
