//! Walks over all objects on several threads: each has a stretch of them, and looks whether they are
//! still where they were.

use broadphase_core::{Aabb, IndexError, Scalar};

use super::MortonCells;

impl<S: Scalar, const D: usize, T: Copy + Send> MortonCells<S, D, T> {
    /// Lets `change` change all objects, on all threads, and does the upkeep.
    pub(super) fn update_parallel(
        &mut self,
        change: impl Fn(u32, &mut T, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        let Self { objects, store, .. } = self;
        let stale = store.layers.each_ref().map(|layer| layer.stale);
        let pairs_stale = store.pairs_stale;
        // Should `change` panic, nobody knows who has moved.
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
