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
use super::pairs::{Job, find_pairs};
use super::queries::{find_keys, visit};
use super::storage_order::SortScratch;

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for SpatialHash<S, D> {
    fn insert_many(&mut self, objects: &[IndexObject<S, D>]) -> Result<(), IndexError> {
        insert_many(self, objects)
    }

    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        let slot = self.objects.set_bounds(key, bounds)?;
        self.bins.set_bounds(slot, &self.objects);
        Ok(())
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        let slot = self.objects.set_motion(key, motion)?;
        self.bins.set_static(slot, motion == Motion::Static);
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
        self.bins.clear();
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
        IndexState {
            spacing: Some(self.cell.to_f64()),
            backend: Some(self.backend),
            search: (self.last_search.tests > 0).then_some(self.last_search),
            ..IndexState::default()
        }
    }

    fn memory_use(&self) -> usize {
        self.objects.memory_use()
            + self.bins.memory_use()
            + self.jobs.capacity() * size_of::<Job<D>>()
            + self.jobs.iter().map(Job::memory_use).sum::<usize>()
            + self.sort_scratch.memory_use()
    }

    fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.objects.try_reserve(additional)?;
        self.bins.try_reserve(additional)
    }

    fn shrink_to_fit(&mut self) {
        self.objects.shrink_to_fit();
        self.bins.shrink_to_fit();
        // Scratch buffers have no results between searches: all can be freed.
        self.jobs = Vec::new();
        self.sort_scratch = SortScratch::default();
    }

    fn optimize(&mut self) {
        self.sort_if_worthwhile();
    }

    fn assert_well_formed(&self) {
        self.objects.assert_well_formed();
        self.bins.assert_well_formed(&self.objects);
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
        let (insert, remove) = (SpatialHash::insert_one, SpatialHash::remove_one);
        insert_each(hash, objects, SpatialHash::try_reserve_objects, insert, remove)
    }

    /// Visits all objects, or all dynamic ones, on the calling thread.
    fn walk_objects<S, D>(
        hash: &mut SpatialHash<S, D>,
        only_dynamic: bool,
        change: &mut dyn FnMut(&mut WalkBatch<'_, S, D>),
    ) -> Result<(), IndexError> {
        let bins = &mut hash.bins;
        let follow = |objects: &Objects<S, D>, change| match change {
            Change::Bounds { slot } => bins.set_bounds(slot, objects),
            Change::Removal { slot } => bins.swap_remove(slot),
        };
        hash.objects.walk(only_dynamic, change, follow)
    }
}

impl<S: Scalar, const D: usize> SpatialHash<S, D> {
    fn insert_one(&mut self, object: &IndexObject<S, D>) -> Result<(), IndexError> {
        self.bins.try_reserve_for(&object.bounds)?;
        self.objects.insert(object)?;
        self.bins.push(&self.objects);
        Ok(())
    }

    fn remove_one(&mut self, key: u32) {
        if let Some(slot) = self.objects.slot(key) {
            self.bins.swap_remove(slot);
            self.objects.swap_remove(slot);
        }
    }
}
