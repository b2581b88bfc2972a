//! [`Required`]: a structure reduced to the required methods of `SpatialIndex`, like the smallest
//! implementation that a user can write.

use core::ops::ControlFlow;

use broadphase_core::{
    Aabb, Backend, IndexError, IndexObject, IndexState, Maintenance, Motion, Scalar, Search,
    SpatialIndex, Visit, Walk, query,
};

/// Wrapper that forwards the required methods, and methods for the laws of backends and memory.
/// All other methods are the default implementations of the trait. Paths and targets are searched
/// by regions.
#[derive(Clone, Debug, Default)]
pub struct Required<I>(pub I);

impl<S: Scalar, const D: usize, I: SpatialIndex<S, D> + Clone> SpatialIndex<S, D> for Required<I> {
    fn insert_many(&mut self, objects: &[IndexObject<S, D>]) -> Result<(), IndexError> {
        self.0.insert_many(objects)
    }
    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        self.0.set_bounds(key, bounds)
    }
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.0.set_motion(key, motion)
    }
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        self.0.remove_many(keys)
    }
    fn get(&self, key: u32) -> Option<IndexObject<S, D>> {
        self.0.get(key)
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn keys(&self) -> Vec<u32> {
        self.0.keys()
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn walk(&mut self, walk: Walk<'_, S, D>) -> Result<(), IndexError> {
        self.0.walk(walk)
    }
    fn visit(&self, search: &Search<S, D>, visit: &mut Visit<'_, S, D>) -> ControlFlow<()> {
        match search {
            Search::Region(_) => self.0.visit(search, visit),
            _ => query::visit_by_regions(self, search, visit),
        }
    }
    fn memory_use(&self) -> usize {
        self.0.memory_use()
    }
    fn boxed_clone(&self) -> Box<dyn SpatialIndex<S, D>> {
        Box::new(self.clone())
    }

    fn state(&self) -> IndexState {
        IndexState { backend: self.0.state().backend, ..IndexState::default() }
    }
    fn set_backend(&mut self, backend: Backend) {
        self.0.set_backend(backend);
    }
    fn maintain(&mut self, task: Maintenance) -> Result<(), IndexError> {
        self.0.maintain(task)
    }
}
