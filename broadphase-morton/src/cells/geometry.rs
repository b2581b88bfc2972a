//! A view of the structure without the caller's payload.

use broadphase_core::motions::Motions;
use broadphase_core::objects::Objects;
use broadphase_core::{Aabb, Backend, Scalar};

use super::MortonCells;
use super::layer_store::LayerStore;
use super::pair_state::PairState;

/// The data that is read by queries and by searches for pairs.
///
/// The view is independent of the payload type, so its functions are compiled once, in this crate.
/// Callers look up the payload by slot afterwards.
#[derive(Debug)]
pub(super) struct Geometry<'a, S, const D: usize> {
    pub(super) store: &'a LayerStore<D>,
    /// The keys, by slot.
    pub(super) keys: &'a [u32],
    /// The bounds, by slot.
    pub(super) bounds: &'a [Aabb<S, D>],
    /// The motion classes, by slot.
    pub(super) motions: &'a Motions,
    /// The enlargement of the key bounds on every side.
    pub(super) margin: S,
    pub(super) backend: Backend,
}

impl<S: Copy, const D: usize> Clone for Geometry<'_, S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Copy, const D: usize> Copy for Geometry<'_, S, D> {}

impl<'a, S: Scalar, const D: usize> Geometry<'a, S, D> {
    #[inline]
    fn new<T: Copy>(
        objects: &'a Objects<S, D, T>,
        store: &'a LayerStore<D>,
        margin: S,
        backend: Backend,
    ) -> Self {
        let (keys, bounds, motions) = (objects.keys(), objects.bounds(), objects.motions());
        Self { store, keys, bounds, motions, margin, backend }
    }
}

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// Returns the structure without the caller's payload.
    #[inline]
    pub(super) fn geometry(&self) -> Geometry<'_, S, D> {
        Geometry::new(&self.objects, &self.store, self.margin, self.backend)
    }

    /// Refreshes the layers and invalidates stale cached pairs. Returns the objects, the view, and
    /// the state of pair finding.
    #[inline]
    pub(super) fn refresh_for_pairs(
        &mut self,
    ) -> (&Objects<S, D, T>, Geometry<'_, S, D>, &mut PairState<D>) {
        self.refresh();
        if core::mem::take(&mut self.store.pairs_stale) {
            self.pair_state.invalidate();
        }
        (self.pair_state.tests, self.pair_state.hits) = (0, 0);
        let Self { objects, store, pair_state, margin, backend, .. } = self;
        (objects, Geometry::new(objects, store, *margin, *backend), pair_state)
    }
}
