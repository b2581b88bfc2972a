//! The search of all queries: a descent into the tree of each layer, then all pending objects.

use core::ops::ControlFlow;

use broadphase_core::{Backend, Slabs, instances};

use super::layer::VACANT;
use super::layer_store::LayerStore;
use super::tree::{Descent, FindObjects, PathTest};

/// The search volume, and optionally a path.
#[derive(Debug)]
pub(super) struct LayerSearch<'a, const D: usize> {
    pub(super) store: &'a LayerStore<D>,
    pub(super) volume: &'a Slabs<D>,
    pub(super) path: Option<PathTest<'a, D>>,
    pub(super) backend: Backend,
    /// Scratch buffer for slots; its length is the batch size.
    pub(super) buffer: &'a mut [i32],
}

/// Receives a batch of slots, and whether the key bounds of their objects certainly overlap the
/// search volume. Returns `Break` to stop.
pub(super) type VisitSlots<'a> = dyn FnMut(&[i32], bool) -> ControlFlow<()> + 'a;

instances! {
    /// Visits, in batches, the slots of all objects that may overlap a box and may touch a path.
    pub(super) fn search_layers<D>(
        search: LayerSearch<'_, D>,
        visit: &mut VisitSlots<'_>,
    ) -> ControlFlow<()> {
        let LayerSearch { store, volume, path, backend, buffer } = search;
        if store.layers.iter().any(|layer| layer.stale) {
            return visit_all(store.len(), buffer, visit);
        }
        for layer in &store.layers {
            let mut descent = Descent::DONE;
            descent.begin(&layer.tree);
            while !descent.is_done() {
                let (tree, descent, out) = (&layer.tree, &mut descent, &mut *buffer);
                let filled = backend.dispatch(FindObjects { tree, volume, path, descent, out });
                let mut kept = 0;
                for at in 0..filled {
                    let slot = layer.slots[buffer[at] as usize];
                    buffer[kept] = slot.cast_signed();
                    kept += usize::from(slot != VACANT);
                }
                visit(&buffer[..kept], true)?;
            }
        }
        for slots in store.pending.chunks(buffer.len()) {
            for (out, &slot) in buffer.iter_mut().zip(slots) {
                *out = slot.cast_signed();
            }
            visit(&buffer[..slots.len()], false)?;
        }
        ControlFlow::Continue(())
    }
}

/// Visits all slots. Used if the trees are stale because a panic has interrupted an update.
#[cold]
fn visit_all(len: usize, buffer: &mut [i32], visit: &mut VisitSlots<'_>) -> ControlFlow<()> {
    for begin in (0..len).step_by(buffer.len()) {
        let count = buffer.len().min(len - begin);
        for (slot, out) in (begin..).zip(&mut *buffer) {
            *out = slot as i32;
        }
        visit(&buffer[..count], false)?;
    }
    ControlFlow::Continue(())
}
