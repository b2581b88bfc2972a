//! The location of every object: a position in a layer, or an index in the pending list.
//!
//! 1. An inserted or changed object moves to the pending list and leaves a vacant position.
//! 2. A walk marks the layers of objects whose bounds it changes as stale.
//! 3. `refresh` sorts pending objects, and the objects of stale layers, into the layers. It
//!    rebuilds the static layer only if that is stale or many of its objects have changed. Until
//!    then a few static objects may be in the moving layer.

use alloc::vec::Vec;

use broadphase_core::motions::Motions;
use broadphase_core::objects::Objects;
use broadphase_core::{Aabb, Backend, IndexError, Motion, Scalar, instances};

use super::layer::{Layer, VACANT};
use super::layer_build::LayerBuilder;
use super::sort::Sorter;

/// The layer of dynamic and sleeping objects.
pub(super) const MOVING: usize = 0;
/// The layer of static objects, rebuilt only if it is stale or many of its objects have changed.
pub(super) const STATIC: usize = 1;

/// Marks a location in the pending list.
const PENDING: u32 = 1 << 31;
/// Marks a location in the static layer.
const IN_STATIC: u32 = 1 << 30;
/// Maximum number of static objects in the moving layer, even if the static layer is small.
const MAX_MISPLACED_STATICS: usize = 16;

/// Both layers, the pending list, and the location of every object.
#[derive(Clone, Debug)]
pub(super) struct LayerStore<const D: usize> {
    pub(super) layers: [Layer<D>; 2],
    /// The slots of objects inserted or changed since the last refresh.
    pub(super) pending: Vec<u32>,
    /// For each slot, its position in a layer, or its index in `pending`, marked by `IN_STATIC` and
    /// `PENDING`.
    location: Vec<u32>,
    pub(super) sorter: Sorter,
    /// Whether `sorter` has the valid codes of the moving layer, by position.
    codes_valid: bool,
}

/// The outcome of [`update_layers`].
#[derive(Clone, Copy, Debug)]
enum Update {
    /// Nothing has changed since the last update.
    UpToDate,
    /// Layers were rebuilt, and locations are up to date.
    Done,
    /// The moving layer was rebuilt, but neighbors in it are far apart in memory. The caller must
    /// store the objects in its order and reset all locations.
    Scattered,
}

instances! {
    /// Rebuilds the layers whose objects have changed.
    fn update_layers<S, D>(
        store: &mut LayerStore<D>,
        bounds: &[Aabb<S, D>],
        motions: &Motions,
        backend: Backend,
    ) -> Update {
        let LayerStore { layers: [moving, statics], pending, location, sorter, .. } = store;
        let codes_valid = &mut store.codes_valid;
        let mut coded_len = 0;
        let misplaced = motions.statics() - statics.live().min(motions.statics());
        let is_over_limit = |count: usize| count > MAX_MISPLACED_STATICS.max(statics.live() / 8);
        let is_static =
            |slot: u32| slot != VACANT && motions.get(slot as usize) == Motion::Static;
        if statics.stale || is_over_limit(misplaced) || is_over_limit(statics.vacant) {
            statics.slots.retain(|&slot| slot != VACANT);
            let all = moving.slots.iter().chain(&*pending).copied();
            statics.slots.extend(all.filter(|&slot| is_static(slot)));
            moving.slots.retain(|&slot| slot != VACANT && !is_static(slot));
            moving.slots.extend(pending.iter().filter(|&&slot| !is_static(slot)));
            pending.clear();
            *codes_valid = false;
            LayerBuilder { bounds, sorter: &mut *sorter, backend }.build(statics, 0);
            for (position, &slot) in (0..).zip(&statics.slots) {
                location[slot as usize] = IN_STATIC | position;
            }
        } else if moving.stale || moving.vacant > 0 || !pending.is_empty() {
            let codes_valid = core::mem::take(codes_valid) && !moving.stale;
            if moving.vacant > 0 && codes_valid {
                sorter.retain(&mut moving.slots, |slot| slot != VACANT);
            } else if moving.vacant > 0 {
                moving.slots.retain(|&slot| slot != VACANT);
            }
            coded_len = if codes_valid { moving.slots.len() } else { 0 };
            moving.slots.extend_from_slice(pending);
        } else {
            return Update::UpToDate;
        }
        pending.clear();
        // The pending list is empty during the sort: its memory is used as scratch buffer.
        core::mem::swap(pending, &mut sorter.other_slots);
        let builder = LayerBuilder { bounds, sorter: &mut *sorter, backend };
        *codes_valid = builder.build(moving, coded_len);
        core::mem::swap(pending, &mut sorter.other_slots);
        pending.clear();
        if statics.slots.is_empty() && moving.scattered > moving.slots.len() / 4 {
            return Update::Scattered;
        }
        for (position, &slot) in (0..).zip(&moving.slots) {
            location[slot as usize] = position;
        }
        Update::Done
    }
}

impl<const D: usize> LayerStore<D> {
    pub(super) fn new() -> Self {
        Self {
            layers: [Layer::new(), Layer::new()],
            pending: Vec::new(),
            location: Vec::new(),
            sorter: Sorter::default(),
            codes_valid: false,
        }
    }

    pub(super) fn clear(&mut self) {
        self.layers.iter_mut().for_each(Layer::clear);
        self.pending.clear();
        self.location.clear();
        self.codes_valid = false;
    }

    pub(super) fn memory_use(&self) -> usize {
        self.layers.iter().map(Layer::memory_use).sum::<usize>()
            + (self.pending.capacity() + self.location.capacity()) * size_of::<u32>()
            + self.sorter.memory_use()
    }

    pub(super) const fn len(&self) -> usize {
        self.location.len()
    }

    /// Allocates room for `more` pending objects.
    pub(super) fn try_reserve(&mut self, more: usize) -> Result<(), IndexError> {
        self.pending
            .try_reserve(more)
            .and_then(|()| self.location.try_reserve(more))
            .map_err(|_| IndexError::OutOfMemory)
    }

    /// Allocates room for one pending object.
    pub(super) fn try_reserve_pending(&mut self) -> Result<(), IndexError> {
        self.pending.try_reserve(1).map_err(|_| IndexError::OutOfMemory)
    }

    /// Adds a new object, with the next slot, to the pending list, which must have room.
    pub(super) fn push_new(&mut self) {
        let slot = self.location.len() as u32;
        self.location.push(PENDING | self.pending.len() as u32);
        self.pending.push(slot);
    }

    /// Moves a changed object from its layer to the pending list.
    pub(super) fn push_pending(&mut self, slot: usize) {
        if self.location[slot] & PENDING == 0 {
            self.vacate(slot);
            self.location[slot] = PENDING | self.pending.len() as u32;
            self.pending.push(slot as u32);
        }
    }

    /// Returns a mask with the bit of the layer of an object; 0 if the object is pending.
    #[inline(always)]
    pub(super) fn layer_mask(&self, slot: usize) -> u8 {
        let location = self.location[slot];
        let layer = if location & IN_STATIC != 0 { STATIC } else { MOVING };
        u8::from(location & PENDING == 0) << layer
    }

    #[inline(always)]
    pub(super) fn mark_stale(&mut self, layers: u8) {
        for layer in [MOVING, STATIC] {
            self.layers[layer].stale |= layers & 1 << layer != 0;
        }
    }

    /// Removes an object. The last object moves to its slot.
    pub(super) fn remove(&mut self, slot: usize) {
        self.vacate(slot);
        self.location.swap_remove(slot);
        if let Some(&location) = self.location.get(slot) {
            *self.slot_at(location) = slot as u32;
        }
    }

    /// Removes an object from its layer or the pending list.
    fn vacate(&mut self, slot: usize) {
        let location = self.location[slot];
        if location & PENDING == 0 {
            *self.slot_at(location) = VACANT;
            self.layers[usize::from(location & IN_STATIC != 0)].vacant += 1;
            return;
        }
        let at = (location & !PENDING) as usize;
        self.pending.swap_remove(at);
        if let Some(&moved) = self.pending.get(at) {
            self.location[moved as usize] = location;
        }
    }

    fn slot_at(&mut self, location: u32) -> &mut u32 {
        let position = (location & !(PENDING | IN_STATIC)) as usize;
        if location & PENDING != 0 {
            &mut self.pending[position]
        } else if location & IN_STATIC != 0 {
            &mut self.layers[STATIC].slots[position]
        } else {
            &mut self.layers[MOVING].slots[position]
        }
    }

    /// Rebuilds layers that have changed, and stores scattered objects in sorted order. Returns
    /// whether any layer was rebuilt.
    pub(super) fn refresh<S: Scalar>(
        &mut self,
        objects: &mut Objects<S, D>,
        backend: Backend,
    ) -> bool {
        let (bounds, motions) = (objects.bounds(), objects.motions());
        match update_layers(self, bounds, motions, backend) {
            Update::UpToDate => return false,
            Update::Done => {}
            Update::Scattered => {
                objects.reorder(&mut self.layers[MOVING].slots);
                self.reset_slots();
            }
        }
        true
    }

    /// Sets slot and location at each position to the position, after objects were stored in order.
    #[inline(never)]
    fn reset_slots(&mut self) {
        let moving = &mut self.layers[MOVING];
        for ((position, slot), location) in (0..).zip(&mut moving.slots).zip(&mut self.location) {
            (*slot, *location) = (position, position);
        }
        moving.scattered = 0;
    }

    /// Frees unused memory. Requires an empty pending list.
    pub(super) fn shrink_to_fit(&mut self) {
        self.pending = Vec::new();
        self.location.shrink_to_fit();
        self.sorter.clear();
        self.codes_valid = false;
        for layer in &mut self.layers {
            layer.shrink_to_fit();
        }
    }

    pub(super) fn assert_well_formed<S: Scalar>(&self, objects: &Objects<S, D>) {
        assert_eq!(self.location.len(), objects.len(), "every object has a location");
        for (slot, &location) in self.location.iter().enumerate() {
            let position = (location & !(PENDING | IN_STATIC)) as usize;
            let found = if location & PENDING != 0 {
                self.pending[position]
            } else {
                self.layers[usize::from(location & IN_STATIC != 0)].slots[position]
            };
            assert_eq!(found as usize, slot, "the location of slot {slot} holds another object");
        }
        let live: usize = self.layers.iter().map(Layer::live).sum();
        assert_eq!(
            live + self.pending.len(),
            objects.len(),
            "every object has exactly one location"
        );
        if self.codes_valid {
            let codes = &self.sorter.codes[..self.layers[MOVING].slots.len()];
            assert!(codes.is_sorted(), "the codes of the moving layer are not sorted");
        }
        for layer in &self.layers {
            let vacant = layer.slots.iter().filter(|&&slot| slot == VACANT).count();
            assert_eq!(vacant, layer.vacant, "wrong number of vacant positions");
            layer.assert_well_formed(objects);
        }
    }
}
