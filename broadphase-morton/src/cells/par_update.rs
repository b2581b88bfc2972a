//! Parallel walk over all objects. Each thread updates a range of slots and reports whether an
//! object has left its key bounds.

use broadphase_core::{Aabb, IndexError, Scalar};

use super::MortonCells;

impl<S: Scalar, const D: usize, T: Copy + Send> MortonCells<S, D, T> {
    /// Calls `change` for all objects, on all threads of the pool, then refreshes the layers.
    pub(super) fn update_parallel(
        &mut self,
        change: impl Fn(u32, &mut T, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        let Self { objects, store, .. } = self;
        let stale = store.layers.each_ref().map(|layer| layer.stale);
        let pairs_stale = store.pairs_stale;
        // If `change` panics, it is unknown which objects have moved. So both layers and the cached
        // pairs are marked stale first.
        store.layers.iter_mut().for_each(|layer| layer.stale = true);
        store.pairs_stale = true;
        let still = &*store;
        let (walked, outgrown_layer) = objects
            .update_at_once(change, |slot, bounds| still.outgrown_layer(slot, || bounds.slabs()));
        for (number, (layer, stale)) in store.layers.iter_mut().zip(stale).enumerate() {
            layer.stale = stale || outgrown_layer & 1 << number != 0;
        }
        store.pairs_stale = pairs_stale || outgrown_layer != 0;
        self.refresh();
        walked
    }
}
