//! Spatial hashes of different types, as one type.

use broadphase_hshg::{
    Aabb, Backend, Dense, Entry, Flow, IndexError, Motion, Path, Placement, Region, Scalar,
    SpatialHash, SpatialIndex,
};

use super::together::Together;

/// A hash of an unbounded world, or of a bounded one.
#[derive(Clone, Debug)]
pub(crate) enum Any<S, const D: usize> {
    Sparse(SpatialHash<S, D, u32>),
    Dense(SpatialHash<S, D, u32, Dense<D>>),
}

impl<S: Scalar, const D: usize> Any<S, D> {
    /// Hashes that are configured in every way there is.
    pub(crate) fn every_kind() -> Together<Self, 7> {
        let [fine, side, coarse] =
            [if S::INTEGER { 1.0 } else { 0.0625 }, 3.0, 1e6].map(S::from_f64);
        // Smaller than what the laws put in, so that some of it is outside.
        let world = Aabb::new([S::from_f64(-12.0); D], [S::from_f64(15.0); D]);
        let all = [
            // Cells far smaller than the objects: nearly everything is oversized.
            Self::Sparse(SpatialHash::new(fine)),
            // Cells far larger than the objects: nearly everything is in one cell.
            Self::Sparse(SpatialHash::new(coarse)),
            // One cell for each object.
            Self::Sparse(SpatialHash::new(side).with_placement(Placement::FirstCell)),
            Self::Sparse(SpatialHash::new(coarse).with_placement(Placement::FirstCell)),
            // Cells in an array.
            Self::Dense(SpatialHash::bounded(side, world)),
            Self::Dense(SpatialHash::bounded(side, world).with_placement(Placement::FirstCell)),
            // Cells of ever other sizes.
            Self::Sparse(SpatialHash::new(coarse).self_tuning()),
        ];
        Together { all }
    }
}

/// Asks whichever it is.
macro_rules! either {
    ($any:expr, $hash:ident => $ask:expr) => {
        match $any {
            Any::Sparse($hash) => $ask,
            Any::Dense($hash) => $ask,
        }
    };
}

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for Any<S, D> {
    type Data = u32;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: u32,
    ) -> Result<(), IndexError> {
        either!(self, hash => hash.insert(key, bounds, data))
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        either!(self, hash => hash.set_bounds(key, bounds))
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        either!(self, hash => hash.set_motion(key, motion))
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        either!(self, hash => hash.motion(key))
    }

    fn remove(&mut self, key: u32) -> Option<u32> {
        either!(self, hash => hash.remove(key))
    }

    fn get(&self, key: u32) -> Option<Entry<'_, S, D, u32>> {
        either!(self, hash => hash.get(key))
    }

    fn data_mut(&mut self, key: u32) -> Option<&mut u32> {
        either!(self, hash => hash.data_mut(key))
    }

    fn len(&self) -> usize {
        either!(self, hash => hash.len())
    }

    fn clear(&mut self) {
        either!(self, hash => hash.clear());
    }

    fn retain(
        &mut self,
        mut keep: impl FnMut(u32, &mut u32, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        let keep: &mut dyn FnMut(u32, &mut u32, &mut Aabb<S, D>) -> bool = &mut keep;
        either!(self, hash => hash.retain(keep))
    }

    fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut u32, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        let change: &mut dyn FnMut(u32, &mut u32, &mut Aabb<S, D>) = &mut change;
        either!(self, hash => hash.update_dynamic(change))
    }

    fn renumber(&mut self, old: &mut Vec<u32>) {
        either!(self, hash => hash.renumber(old));
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        let order: Box<dyn ExactSizeIterator<Item = u32> + '_> =
            either!(self, hash => Box::new(hash.order()));
        order
    }

    fn memory_use(&self) -> usize {
        either!(self, hash => hash.memory_use())
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        visit: impl FnMut(Entry<'_, S, D, u32>, Entry<'_, S, D, u32>) -> R,
    ) -> R {
        either!(self, hash => hash.pairs_unordered(visit))
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, u32>) -> R,
    ) -> R {
        either!(self, hash => hash.query_unordered(region, visit))
    }

    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        visit: impl FnMut(Entry<'_, S, D, u32>, S::Real) -> R,
    ) -> R {
        either!(self, hash => hash.cast(path, visit))
    }

    fn spacing(&self) -> Option<f64> {
        either!(self, hash => hash.spacing())
    }

    fn set_backend(&mut self, backend: Backend) {
        either!(self, hash => hash.set_backend(backend));
    }

    fn backend(&self) -> Option<Backend> {
        either!(self, hash => hash.backend())
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        either!(self, hash => hash.try_reserve(additional))
    }

    fn shrink_to_fit(&mut self) {
        either!(self, hash => hash.shrink_to_fit());
    }

    fn optimize(&mut self) {
        either!(self, hash => hash.optimize());
    }

    fn assert_well_formed(&self) {
        either!(self, hash => hash.assert_well_formed());
    }
}
