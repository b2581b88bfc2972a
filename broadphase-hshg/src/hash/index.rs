//! Implements [`SpatialIndex`] for [`SpatialHash`].

use alloc::vec::Vec;

use broadphase_core::objects::{Change, Objects};
use broadphase_core::{
    Aabb, Backend, Entry, Flow, IndexError, Motion, Neighbors, Pair, Path, Region, Scalar,
    SpatialIndex, insert_each, pairs, query,
};

use super::SpatialHash;
use super::cells::Cells;
use super::pairs::Job;
use super::pairs::gather::Gathered;
use super::storage_order::SortScratch;
use crate::cell::sides;

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> SpatialIndex<S, D>
    for SpatialHash<S, D, T>
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
        let bounds = bounds.into();
        self.cells.try_reserve_for(&bounds)?;
        let slot = self.objects.insert_with(key, bounds, data, motion)?;
        let is_static = motion == Motion::Static;
        self.cells.push(&self.objects.bounds()[slot], is_static, self.objects.keys());
        Ok(())
    }

    /// Inserts objects one by one.
    fn extend<B: Into<Aabb<S, D>>>(
        &mut self,
        objects: impl IntoIterator<Item = (u32, B, T)>,
    ) -> Result<(), IndexError> {
        let mut objects = objects.into_iter();
        self.try_reserve_objects(objects.size_hint().0)?;
        objects.try_for_each(|(key, bounds, data)| self.insert(key, bounds, data))
    }

    fn insert_many(&mut self, objects: &[(u32, Aabb<S, D>, T, Motion)]) -> Result<(), IndexError> {
        self.try_reserve_objects(objects.len())?;
        insert_each(self, objects)
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        let slot = self.objects.set_bounds(key, bounds.into())?;
        self.cells.set_bounds(slot, &self.objects.bounds()[slot], self.objects.keys());
        Ok(())
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        let slot = self.objects.set_motion(key, motion)?;
        self.cells.set_static(slot, motion == Motion::Static);
        Ok(())
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        self.objects.motion(key)
    }

    fn remove(&mut self, key: u32) -> Option<T> {
        let slot = self.objects.slot(key)?;
        self.cells.swap_remove(slot);
        Some(self.objects.swap_remove(slot).data)
    }

    fn get(&self, key: u32) -> Option<Entry<'_, S, D, T>> {
        self.objects.slot(key).map(|slot| self.objects.entry(slot))
    }

    fn data_mut(&mut self, key: u32) -> Option<&mut T> {
        let slot = self.objects.slot(key)?;
        Some(&mut self.objects.data_mut()[slot])
    }

    fn len(&self) -> usize {
        self.objects.len()
    }

    fn clear(&mut self) {
        self.objects.clear();
        self.cells.clear();
    }

    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        let cells = &mut self.cells;
        self.objects.retain(keep, |objects, change| apply_change(cells, objects, change))
    }

    fn update_dynamic(
        &mut self,
        change: impl FnMut(u32, &mut T, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        let cells = &mut self.cells;
        self.objects.update_dynamic(change, |objects, change| apply_change(cells, objects, change))
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.objects.keys().iter().copied()
    }

    fn memory_use(&self) -> usize {
        self.objects.memory_use()
            + self.cells.memory_use()
            + self.gathered.memory_use()
            + self.jobs.capacity() * size_of::<Job<D>>()
            + self.jobs.iter().map(Job::memory_use).sum::<usize>()
            + self.movers.capacity() * size_of::<u32>()
            + self.sort_scratch.memory_use()
    }

    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        self.find_pairs(&|_, _| true, out);
    }

    fn pairs_where(&mut self, accept: impl Fn(&T, &T) -> bool + Sync, out: &mut Vec<Pair>) {
        self.find_pairs(&accept, out);
        pairs::sort(out);
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        self.visit_pairs(visit)
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let Some(region) = region.into().normalized() else { return R::CONTINUE };
        self.query_region(&region, &mut visit)
    }

    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        mut visit: impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        self.cast_path(&path, &mut visit)
    }

    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        if !query::neighbors_in_strips(self, self.backend, self.all_bounds(), radius, out) {
            query::neighbors(self, radius, out);
        }
    }

    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        query::nearest_to_each_in_tree(self, self.backend, self.all_bounds(), count, out);
    }

    fn spacing(&self) -> Option<f64> {
        Some(self.cell.to_f64())
    }

    /// Visits the cells in use, each with level 0, in ascending order of their positions.
    ///
    /// Oversized objects are in no cell. The outermost cells, 2^30 cells from the origin, extend to
    /// the ends of the number range. Time and memory are proportional to the number of cells.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
    ///
    /// let mut world: SpatialHash<f32, 1> = SpatialHash::new(4.0);
    /// world.insert(0, Aabb::new([3.0], [5.0]), ())?;
    /// let mut cells = Vec::new();
    /// world.cells(|_, cell| cells.push(cell));
    /// assert_eq!(cells, [Aabb::new([0.0], [4.0]), Aabb::new([4.0], [8.0])]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    fn cells<R: Flow>(&self, mut visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        let mut positions: Vec<_> = self.cells.table.cells().iter().map(|cell| cell.at).collect();
        positions.sort_unstable();
        for position in positions {
            let answer = visit(0, sides(position, self.cells.side()));
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }

    fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    fn backend(&self) -> Option<Backend> {
        Some(self.backend)
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.objects.try_reserve(additional)?;
        self.cells.try_reserve(additional)
    }

    fn shrink_to_fit(&mut self) {
        self.objects.shrink_to_fit();
        self.cells.shrink_to_fit();
        // Scratch buffers hold no results between searches, so all can be freed.
        self.gathered = Gathered::default();
        self.jobs = Vec::new();
        self.movers = Vec::new();
        self.sort_scratch = SortScratch::default();
    }

    fn optimize(&mut self) {
        self.sort_if_worthwhile();
    }

    fn assert_well_formed(&self) {
        self.objects.assert_well_formed();
        self.cells.assert_well_formed(self.objects.bounds(), self.objects.keys());
        for (slot, record) in self.cells.records.iter().enumerate() {
            let is_static = self.objects.motions().get(slot) == Motion::Static;
            assert_eq!(record.is_static, is_static, "records know which objects are static");
        }
    }
}

/// Applies a change of one object to the cells.
#[inline(always)]
fn apply_change<S: Scalar, const D: usize, T: Copy>(
    cells: &mut Cells<D>,
    objects: &Objects<S, D, T>,
    change: Change,
) {
    match change {
        Change::Bounds { slot } => cells.set_bounds(slot, &objects.bounds()[slot], objects.keys()),
        Change::Removal { slot } => cells.swap_remove(slot),
    }
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> SpatialHash<S, D, T> {
    /// Returns the keys and bounds of all objects.
    fn all_bounds(&self) -> Vec<(u32, Aabb<S, D>)> {
        let entries = self.order().filter_map(|key| self.get(key));
        entries.map(|entry| (entry.key, entry.bounds)).collect()
    }
}
