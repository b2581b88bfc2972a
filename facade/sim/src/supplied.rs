//! A structure that a caller supplies to a world.

use hexphase::{
    Aabb, Backend, BruteForce, Entry, Flow, IndexError, Motion, Proxy, Region, Scalar, SpatialIndex,
};

/// Brute force with only the required methods of [`SpatialIndex`], and those for its backend. All
/// other methods are the defaults of the trait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Supplied<S: Scalar, const D: usize>(BruteForce<S, D, Proxy>);

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for Supplied<S, D> {
    type Data = Proxy;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: Proxy,
    ) -> Result<(), IndexError> {
        self.0.insert(key, bounds, data)
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
    fn remove(&mut self, key: u32) -> Option<Proxy> {
        self.0.remove(key)
    }
    fn get(&self, key: u32) -> Option<Entry<'_, S, D, Proxy>> {
        self.0.get(key)
    }
    fn data_mut(&mut self, key: u32) -> Option<&mut Proxy> {
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
        keep: impl FnMut(u32, &mut Proxy, &mut Aabb<S, D>) -> bool,
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
        visit: impl FnMut(Entry<'_, S, D, Proxy>, Entry<'_, S, D, Proxy>) -> R,
    ) -> R {
        self.0.pairs_unordered(visit)
    }
    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, Proxy>) -> R,
    ) -> R {
        self.0.query_unordered(region, visit)
    }
    fn set_backend(&mut self, backend: Backend) {
        self.0.set_backend(backend);
    }
    fn backend(&self) -> Option<Backend> {
        self.0.backend()
    }
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.0.try_reserve(additional)
    }
}
