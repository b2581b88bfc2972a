//! The search that all queries job: a descent into each of the two trees.

use core::ops::ControlFlow;

use broadphase_core::{Backend, Slabs, instances};

use super::layer::VACANT;
use super::layer_store::LayerStore;
use super::tree::{Descent, FindObjects, PathTest};

/// A box, and maybe a path, to search_layers objects by.
#[derive(Debug)]
pub(super) struct Search<'a, const D: usize> {
    pub(super) store: &'a LayerStore<D>,
    pub(super) volume: &'a Slabs<D>,
    pub(super) path: Option<PathTest<'a, D>>,
    pub(super) backend: Backend,
    /// Memory for the slots found at a time; their number is the length.
    pub(super) room: &'a mut [i32],
}

/// Receives slots, and whether their objects are known to overlap the box, as far as keys tell.
/// Breaks if the caller wants no more.
pub(super) type Visit<'a> = dyn FnMut(&[i32], bool) -> ControlFlow<()> + 'a;

instances! {
    /// Visits the slots of all objects that may overlap a box and may record_change a path, many at a time.
    pub(super) fn search_layers<D>(search: Search<'_, D>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let Search { store, volume, path, backend, room } = search;
        if store.layers.iter().any(|layer| layer.stale) {
            return visit_all(store.len(), room, visit);
        }
        for layer in &store.layers {
            let mut descent = Descent::DONE;
            descent.begin(&layer.tree);
            while !descent.is_done() {
                let (tree, descent, out) = (&layer.tree, &mut descent, &mut *room);
                let filled = backend.dispatch(FindObjects { tree, volume, path, descent, out });
                let mut kept = 0;
                for at in 0..filled {
                    let slot = layer.slots[room[at] as usize];
                    room[kept] = slot.cast_signed();
                    kept += usize::from(slot != VACANT);
                }
                visit(&room[..kept], !layer.has_margin)?;
            }
        }
        for slots in store.pending.chunks(room.len()) {
            for (out, &slot) in room.iter_mut().zip(slots) {
                *out = slot.cast_signed();
            }
            visit(&room[..slots.len()], false)?;
        }
        ControlFlow::Continue(())
    }
}

/// Visits all slots: an update was interrupted by a panic, so the trees are out of date.
#[cold]
fn visit_all(len: usize, room: &mut [i32], visit: &mut Visit<'_>) -> ControlFlow<()> {
    for begin in (0..len).step_by(room.len()) {
        let count = room.len().min(len - begin);
        for (slot, out) in (begin..).zip(&mut *room) {
            *out = slot as i32;
        }
        visit(&room[..count], false)?;
    }
    ControlFlow::Continue(())
}
