//! Implements [`SpatialIndex`] for [`SpatialHash`].

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::objects::{Change, Objects};
use broadphase_core::{
    Aabb, Backend, IndexError, IndexObject, IndexState, Motion, Pair, PairSearch, Region, Scalar,
    Search, SpatialIndex, Visit, Walk, WalkBatch, insert_each, instances, pairs, remove_each,
};

use super::SpatialHash;
use super::cells::Cells;
use super::pairs::gather::Gathered;
use super::pairs::{Job, find_pairs};
use super::queries::{find_keys, visit};
use super::storage_order::SortScratch;

/// The minimum number of objects for which memory is reserved before the first one is inserted.
const MIN_RESERVED: usize = 65;

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for SpatialHash<S, D> {
    fn insert_many(&mut self, objects: &[IndexObject<S, D>]) -> Result<(), IndexError> {
        insert_many(self, objects)
    }

    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        let slot = self.objects.set_bounds(key, bounds)?;
        self.cells.set_bounds(slot, &self.objects.bounds()[slot], self.objects.keys());
        Ok(())
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        let slot = self.objects.set_motion(key, motion)?;
        self.cells.set_static(slot, motion == Motion::Static);
        Ok(())
    }

    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        remove_each(self, keys, Self::remove_one)
    }

    fn get(&self, key: u32) -> Option<IndexObject<S, D>> {
        self.objects.get(key)
    }

    fn len(&self) -> usize {
        self.objects.len()
    }

    fn keys(&self) -> Vec<u32> {
        self.objects.keys().to_vec()
    }

    fn clear(&mut self) {
        self.objects.clear();
        self.cells.clear();
    }

    fn walk(&mut self, walk: Walk<'_, S, D>) -> Result<(), IndexError> {
        match walk {
            Walk::All(change) => walk_objects(self, false, change),
            Walk::Dynamic(change) => walk_objects(self, true, change),
            Walk::Parallel(change) => walk_objects(self, false, &mut |batch| change(batch)),
        }
    }

    fn find_pairs(&mut self, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        if search.distance.is_some() {
            return pairs::find_by_queries(self, search, out);
        }
        find_pairs(self, search, out);
    }

    fn visit(&self, search: &Search<S, D>, visitor: &mut Visit<'_, S, D>) -> ControlFlow<()> {
        visit(self, search, visitor)
    }

    fn find_keys(&self, region: &Region<S, D>, out: &mut Vec<u32>) {
        find_keys(self, region, out);
    }

    fn state(&self) -> IndexState {
        let (spacing, backend) = (Some(self.cell.to_f64()), Some(self.backend));
        IndexState { spacing, backend, ..IndexState::default() }
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

    fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
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

    fn boxed_clone(&self) -> Box<dyn SpatialIndex<S, D>> {
        Box::new(self.clone())
    }
}

instances! {
    /// Implements [`SpatialIndex::insert_many`].
    fn insert_many<S, D>(
        hash: &mut SpatialHash<S, D>,
        objects: &[IndexObject<S, D>],
    ) -> Result<(), IndexError> {
        if objects.len() >= MIN_RESERVED {
            hash.try_reserve_objects(objects.len())?;
        }
        insert_each(hash, objects, SpatialHash::insert_one, SpatialHash::remove_one)
    }

    /// Visits all objects, or all dynamic ones, on the calling thread.
    fn walk_objects<S, D>(
        hash: &mut SpatialHash<S, D>,
        only_dynamic: bool,
        change: &mut dyn FnMut(&mut WalkBatch<'_, S, D>),
    ) -> Result<(), IndexError> {
        let cells = &mut hash.cells;
        let follow = |objects: &Objects<S, D>, change| apply_change(cells, objects, change);
        hash.objects.walk(only_dynamic, change, follow)
    }
}

/// Applies a change of one object to the cells.
#[inline(always)]
fn apply_change<S: Scalar, const D: usize>(
    cells: &mut Cells<D>,
    objects: &Objects<S, D>,
    change: Change,
) {
    match change {
        Change::Bounds { slot } => cells.set_bounds(slot, &objects.bounds()[slot], objects.keys()),
        Change::Removal { slot } => cells.swap_remove(slot),
    }
}

impl<S: Scalar, const D: usize> SpatialHash<S, D> {
    fn insert_one(&mut self, object: &IndexObject<S, D>) -> Result<(), IndexError> {
        self.cells.try_reserve_for(&object.bounds)?;
        let slot = self.objects.insert(object)?;
        let is_static = object.motion == Motion::Static;
        self.cells.push(&self.objects.bounds()[slot], is_static, self.objects.keys());
        Ok(())
    }

    fn remove_one(&mut self, key: u32) {
        if let Some(slot) = self.objects.slot(key) {
            self.cells.swap_remove(slot);
            self.objects.swap_remove(slot);
        }
    }
}
