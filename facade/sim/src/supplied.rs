//! A structure that a caller supplies to a world.

use core::ops::ControlFlow;

use hexphase::{
    Aabb, Backend, BruteForce, IndexError, IndexObject, IndexState, Motion, Scalar, Search,
    SpatialIndex, Visit, Walk,
};

/// Brute force with only the required methods of [`SpatialIndex`], and those for its backend. All
/// other methods are the defaults of the trait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Supplied<S: Scalar, const D: usize>(BruteForce<S, D>);

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for Supplied<S, D> {
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
        self.0.visit(search, visit)
    }
    fn state(&self) -> IndexState {
        self.0.state()
    }
    fn memory_use(&self) -> usize {
        self.0.memory_use()
    }
    fn set_backend(&mut self, backend: Backend) {
        self.0.set_backend(backend);
    }
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.0.try_reserve(additional)
    }
    fn boxed_clone(&self) -> Box<dyn SpatialIndex<S, D>> {
        Box::new(self.clone())
    }
}
