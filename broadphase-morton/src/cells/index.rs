//! The implementation of `SpatialIndex` for `MortonCells`.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::kernel::rank::Sort;
use broadphase_core::query::visit_by_regions;
use broadphase_core::{
    Aabb, Backend, Entry, IndexError, IndexObject, IndexState, Maintenance, Motion, Pair,
    PairSearch, Region, Scalar, Search, SpatialIndex, Visit, Walk, insert_each, instances, pairs,
    remove_each,
};

use super::pairs::{PairTask, find_pairs};
use super::walk::{par_walk, walk};
use super::{MortonCells, SortedObjects};

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for MortonCells<S, D> {
    fn insert_many(&mut self, objects: &[IndexObject<S, D>]) -> Result<(), IndexError> {
        insert_many(&mut self.sorted, objects)
    }

    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        let SortedObjects { objects, store, .. } = &mut self.sorted;
        let slot = objects.set_bounds(key, bounds)?;
        store.push_pending(slot);
        Ok(())
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        let SortedObjects { objects, store, .. } = &mut self.sorted;
        let before = objects.slot(key).map(|slot| objects.motions().get(slot));
        let changes_layer = (before == Some(Motion::Static)) != (motion == Motion::Static);
        if changes_layer {
            store.try_reserve_pending()?;
        }
        let slot = objects.set_motion(key, motion)?;
        if changes_layer {
            store.push_pending(slot);
        }
        Ok(())
    }

    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        remove_each(self, keys, |cells, key| cells.sorted.remove_one(key))
    }

    fn get(&self, key: u32) -> Option<IndexObject<S, D>> {
        self.sorted.objects.get(key)
    }

    fn len(&self) -> usize {
        self.sorted.objects.len()
    }

    fn keys(&self) -> Vec<u32> {
        self.sorted.objects.keys().to_vec()
    }

    fn clear(&mut self) {
        self.sorted.objects.clear();
        self.sorted.store.clear();
        self.sorted.spacing = None;
    }

    fn walk(&mut self, walked: Walk<'_, S, D>) -> Result<(), IndexError> {
        match walked {
            Walk::All(change) => walk(&mut self.sorted, false, change),
            Walk::Dynamic(change) => walk(&mut self.sorted, true, change),
            Walk::Parallel(change) => par_walk(&mut self.sorted, change),
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
        find_keys(&self.sorted, region, out);
    }

    fn state(&self) -> IndexState {
        IndexState {
            pending: self.sorted.store.pending.len(),
            spacing: self.sorted.spacing,
            backend: Some(self.sorted.backend),
            search: (self.last_search.tests > 0).then_some(self.last_search),
        }
    }

    fn memory_use(&self) -> usize {
        let SortedObjects { objects, store, .. } = &self.sorted;
        objects.memory_use()
            + store.memory_use()
            + self.jobs.capacity() * size_of::<PairTask<D>>()
            + self.jobs.iter().map(PairTask::memory_use).sum::<usize>()
    }

    fn set_backend(&mut self, backend: Backend) {
        self.sorted.backend = backend;
    }

    fn maintain(&mut self, task: Maintenance) -> Result<(), IndexError> {
        match task {
            Maintenance::Optimize => self.sorted.refresh(),
            Maintenance::Reserve(additional) => self.sorted.try_reserve(additional)?,
            Maintenance::Shrink => {
                self.sorted.refresh();
                self.sorted.objects.shrink_to_fit();
                self.sorted.store.shrink_to_fit();
                self.jobs = Vec::new();
            }
        }
        Ok(())
    }

    fn assert_well_formed(&self) {
        self.sorted.objects.assert_well_formed();
        self.sorted.store.assert_well_formed(&self.sorted.objects);
    }

    fn boxed_clone(&self) -> Box<dyn SpatialIndex<S, D>> {
        Box::new(self.clone())
    }
}

instances! {
    fn insert_many<S, D>(
        sorted: &mut SortedObjects<S, D>,
        objects: &[IndexObject<S, D>],
    ) -> Result<(), IndexError> {
        let (insert, remove) = (SortedObjects::insert_one, SortedObjects::remove_one);
        insert_each(sorted, objects, SortedObjects::try_reserve, insert, remove)
    }

    fn visit<S, D>(
        cells: &MortonCells<S, D>,
        search: &Search<S, D>,
        visitor: &mut Visit<'_, S, D>,
    ) -> ControlFlow<()> {
        let sorted = &cells.sorted;
        match search {
            Search::Region(region) => sorted.for_each_in_region(region, &mut |slot, &bounds| {
                visitor(Entry { key: sorted.objects.keys()[slot], bounds }, S::Real::ZERO)
            }),
            Search::Path(path) => sorted.visit_path(path, visitor),
            Search::Nearest(target) => sorted.visit_nearest(target, visitor),
            other => visit_by_regions(cells, other, visitor),
        }
    }

    /// Writes the keys of the objects that overlap a region to `out`, ascending.
    fn find_keys<S, D>(
        sorted: &SortedObjects<S, D>,
        region: &Region<S, D>,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        let keys = sorted.objects.keys();
        let _ = sorted.for_each_in_region(region, &mut |slot, _| {
            out.push(keys[slot]);
            ControlFlow::Continue(())
        });
        if out.len() > 1 {
            sorted.backend.dispatch(Sort(out));
        }
    }
}

impl<S: Scalar, const D: usize> SortedObjects<S, D> {
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.store.try_reserve(additional)?;
        self.objects.try_reserve(additional)
    }

    fn insert_one(&mut self, object: &IndexObject<S, D>) -> Result<(), IndexError> {
        self.store.try_reserve(1)?;
        self.objects.insert(object)?;
        self.store.push_new();
        Ok(())
    }

    fn remove_one(&mut self, key: u32) {
        if let Some(slot) = self.objects.slot(key) {
            self.remove_at(slot);
        }
    }

    /// Removes the object in a slot and moves the last object there.
    pub(super) fn remove_at(&mut self, slot: usize) {
        self.store.remove(slot);
        self.objects.swap_remove(slot);
    }
}
