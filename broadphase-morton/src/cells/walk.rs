//! Walks over all objects on several threads: each has a stretch of them, and looks whether they are
//! still where they were.

use broadphase_core::{Aabb, IndexError, Scalar};

use super::MortonCells;

impl<S: Scalar, const D: usize, T: Copy + Send> MortonCells<S, D, T> {
    /// Lets `change` change all objects, on all threads, and does the upkeep.
    pub(super) fn walk_at_once(
        &mut self,
        change: impl Fn(u32, &mut T, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        let Self { objects, places, .. } = self;
        let stale = places.layers.each_ref().map(|layer| layer.stale);
        let changed = places.changed;
        // Should `change` panic, nobody knows who has moved.
        places.layers.iter_mut().for_each(|layer| layer.stale = true);
        places.changed = true;
        let still = &*places;
        let (walked, outgrown) =
            objects.update_at_once(change, |slot, bounds| still.outgrown(slot, || bounds.slabs()));
        for (number, (layer, stale)) in places.layers.iter_mut().zip(stale).enumerate() {
            layer.stale = stale || outgrown & 1 << number != 0;
        }
        places.changed = changed || outgrown != 0;
        self.refresh();
        walked
    }
}
