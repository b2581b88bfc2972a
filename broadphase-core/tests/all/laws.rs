//! Brute force obeys the laws of all structures, and so does what the trait provides.

use broadphase_core::{
    Aabb, Backend, BruteForce, Entry, Flow, IndexError, Motion, Region, Scalar, SpatialIndex,
};

#[cfg(all(feature = "wide", feature = "pulp"))]
laws::spatial_index!(brute_force, BruteForce::default());
#[cfg(all(feature = "wide", feature = "pulp"))]
laws::spatial_index!(what_is_provided, Plain(BruteForce::default()));

// With fewer features only kernels are others.
#[cfg(not(all(feature = "wide", feature = "pulp")))]
laws::spatial_index!(few brute_force, BruteForce::default());
#[cfg(not(all(feature = "wide", feature = "pulp")))]
laws::spatial_index!(few what_is_provided, Plain(BruteForce::default()));

/// Brute force as a structure that has only what is required, and its own account of memory.
#[derive(Clone)]
struct Plain<S, const D: usize>(BruteForce<S, D, u32>);

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for Plain<S, D> {
    type Data = u32;

    fn insert(&mut self, key: u32, at: impl Into<Aabb<S, D>>, data: u32) -> Result<(), IndexError> {
        self.0.insert(key, at, data)
    }
    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        self.0.set_bounds(key, bounds)
    }
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.0.set_motion(key, motion)
    }
    fn motion(&self, key: u32) -> Option<Motion> {
        self.0.motion(key)
    }
    fn remove(&mut self, key: u32) -> Option<u32> {
        self.0.remove(key)
    }
    fn get(&self, key: u32) -> Option<Entry<'_, S, D, u32>> {
        self.0.get(key)
    }
    fn data_mut(&mut self, key: u32) -> Option<&mut u32> {
        self.0.data_mut(key)
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut u32, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        self.0.retain(keep)
    }
    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.0.order()
    }
    fn memory_use(&self) -> usize {
        self.0.memory_use()
    }
    fn pairs_unordered<R: Flow>(
        &mut self,
        visit: impl FnMut(Entry<'_, S, D, u32>, Entry<'_, S, D, u32>) -> R,
    ) -> R {
        self.0.pairs_unordered(visit)
    }
    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, u32>) -> R,
    ) -> R {
        self.0.query_unordered(region, visit)
    }

    // Provided, but of no use to the laws of backends and memory.
    fn set_backend(&mut self, backend: Backend) {
        self.0.set_backend(backend);
    }
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.0.try_reserve(additional)
    }
    fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
    }
}
