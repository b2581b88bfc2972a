//! Walks over all objects, on one or several threads. A walk ends with a refresh of the layers.

use broadphase_core::objects::Change;
use broadphase_core::{IndexError, WalkBatch, instances};

use super::SortedObjects;

instances! {
    /// Visits all objects, or all dynamic ones, on the calling thread.
    pub(super) fn walk<S, D>(
        sorted: &mut SortedObjects<S, D>,
        only_dynamic: bool,
        change: &mut dyn FnMut(&mut WalkBatch<'_, S, D>),
    ) -> Result<(), IndexError> {
        let SortedObjects { objects, store, .. } = sorted;
        let answer = objects.walk(only_dynamic, change, |_, change| match change {
            Change::Bounds { slot } => store.mark_stale(store.layer_mask(slot)),
            Change::Removal { slot } => store.remove(slot),
        });
        sorted.refresh();
        answer
    }

    /// Visits all objects on all threads, each a range of slots, and reports the layers whose
    /// objects have changed.
    pub(super) fn par_walk<S, D>(
        sorted: &mut SortedObjects<S, D>,
        change: &(dyn Fn(&mut WalkBatch<'_, S, D>) + Sync),
    ) -> Result<(), IndexError> {
        let SortedObjects { objects, store, .. } = sorted;
        let stale = store.layers.each_ref().map(|layer| layer.stale);
        // If `change` panics, it is unknown which objects have moved: both layers are stale.
        store.layers.iter_mut().for_each(|layer| layer.stale = true);
        let still = &*store;
        let (answer, changed, removed) = objects.par_walk(change, |slot| still.layer_mask(slot));
        store.layers.iter_mut().zip(stale).for_each(|(layer, stale)| layer.stale = stale);
        store.mark_stale(changed);
        // A removal moves the last object to the free slot. If that is to be removed as well, it is
        // next, as on one thread.
        let mut left = &removed[..];
        while let [key, rest @ ..] = left {
            left = rest;
            let Some(slot) = sorted.objects.slot(*key) else { continue };
            sorted.remove_at(slot);
            while let [before @ .., key] = left
                && sorted.objects.keys().get(slot) == Some(key)
            {
                left = before;
                sorted.remove_at(slot);
            }
        }
        sorted.refresh();
        answer
    }
}
