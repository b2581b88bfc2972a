//! [`SpatialIndex`] for the grid: calls functions that are compiled once, in this crate.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{
    Aabb, Backend, IndexError, IndexObject, IndexState, Maintenance, Motion, Near, Neighbors, Pair,
    PairSearch, Region, Scalar, Search, SpatialIndex, Visit, Walk, instances,
};

use super::pairs::find::find_pairs;
use super::queries::neighbors::find_neighbors;
use super::queries::region::find_keys;
use super::queries::visit;
use super::update::walk::walk;
use super::{Hshg, by_key};

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for Hshg<S, D> {
    /// The next search sorts all new objects at once if they are most of the objects, in O(n).
    fn insert_many(&mut self, objects: &[IndexObject<S, D>]) -> Result<(), IndexError> {
        by_key::insert_many(self, objects)
    }

    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        by_key::set_bounds(self, key, &bounds)
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        by_key::set_motion(self, key, motion)
    }

    /// Removes objects in a walk (10 ns per object of the grid) if at least one in eight is removed
    /// and the largest key is at most about 16 times the number of objects, else one by one (300 ns
    /// each).
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        by_key::remove_many(self, keys)
    }

    fn get(&self, key: u32) -> Option<IndexObject<S, D>> {
        by_key::get(self, key)
    }

    fn bounds_of(&self, keys: &[u32], out: &mut [[[S; D]; 2]]) {
        by_key::bounds_of(self, keys, out);
    }

    fn len(&self) -> usize {
        self.len
    }

    fn keys(&self) -> Vec<u32> {
        by_key::keys(self)
    }

    fn clear(&mut self) {
        by_key::clear(self);
    }

    fn walk(&mut self, objects: Walk<'_, S, D>) -> Result<(), IndexError> {
        walk(self, objects)
    }

    /// A search within a distance takes about twice as long as one for overlapping pairs if the
    /// distance is at most that between neighboring objects. It needs memory for a copy of all
    /// bounds; see [`find_pairs_between`](Hshg::find_pairs_between).
    fn find_pairs(&mut self, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        find_pairs(self, search, out);
    }

    fn visit(&self, search: &Search<S, D>, visitor: &mut Visit<'_, S, D>) -> ControlFlow<()> {
        visit(self, search, visitor)
    }

    fn find_keys(&self, region: &Region<S, D>, out: &mut Vec<u32>) {
        find_keys(self, region, out);
    }

    fn find_neighbors(&self, near: Near<S>, out: &mut Neighbors) {
        find_neighbors(self, near, out);
    }

    fn state(&self) -> IndexState {
        state(self)
    }

    fn memory_use(&self) -> usize {
        by_key::memory_use(self)
    }

    fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    fn maintain(&mut self, task: Maintenance) -> Result<(), IndexError> {
        match task {
            Maintenance::Optimize => optimize(self),
            Maintenance::Reserve(additional) => by_key::try_reserve(self, additional)?,
            Maintenance::Shrink => by_key::shrink_to_fit(self),
        }
        Ok(())
    }

    fn assert_well_formed(&self) {
        by_key::assert_well_formed(self);
    }

    fn boxed_clone(&self) -> Box<dyn SpatialIndex<S, D>> {
        boxed_clone(self)
    }
}

instances! {
    fn state<S, D>(grid: &Hshg<S, D>) -> IndexState {
        IndexState {
            pending: grid.pending.len(),
            spacing: grid.spacing,
            backend: Some(grid.backend),
            search: grid.search_stats(),
        }
    }

    /// Implements [`Maintenance::Optimize`].
    fn optimize<S, D>(grid: &mut Hshg<S, D>) {
        grid.maintain_all();
    }

    fn boxed_clone<S, D>(grid: &Hshg<S, D>) -> Box<dyn SpatialIndex<S, D>> {
        Box::new(grid.clone())
    }
}
