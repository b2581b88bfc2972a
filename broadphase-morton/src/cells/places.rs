//! Where every object is: in a layer, or among those that have changed since layers were made.

use alloc::vec::Vec;

use broadphase_core::motions::Motions;
use broadphase_core::objects::Objects;
use broadphase_core::{Aabb, Backend, IndexError, Motion, Scalar, Slabs, instances};

use super::layer::{GONE, Layer};
use super::make::Maker;
use super::sort::Sorter;

/// The layer of what may move.
pub(super) const BUSY: usize = 0;
/// The layer of what is static, made anew only when much of that has changed.
pub(super) const STILL: usize = 1;

/// Marks a home among those that have changed.
const ASIDE: u32 = 1 << 31;
/// Marks a home in the still layer.
const IN_STILL: u32 = 1 << 30;
/// So few static objects may stay among those that move, whatever their share.
const STRAYS: usize = 16;

/// The order of objects in layers, and the side list.
#[derive(Clone, Debug)]
pub(super) struct Places<const D: usize> {
    pub(super) layers: [Layer<D>; 2],
    /// The slots of what was inserted or changed since its layer was made.
    pub(super) aside: Vec<u32>,
    /// For each slot its place in a layer, or among those aside.
    home: Vec<u32>,
    pub(super) sorter: Sorter,
    /// Whether that has the codes of the busy layer still, place by place. Never with a skin: who
    /// moves within it is not set aside.
    coded: bool,
    /// Whether anything has changed that pairs may depend on.
    pub(super) changed: bool,
}

/// The outcome of [`update_layers`].
#[derive(Clone, Copy, Debug)]
enum Update {
    /// Nothing has changed since the last update.
    UpToDate,
    Done,
    /// Neighbors in the layer are far apart in memory: objects should be stored in its order.
    Scattered,
}

instances! {
    /// Brings layers up to date.
    fn update_layers<S, D>(
        places: &mut Places<D>,
        bounds: &[Aabb<S, D>],
        motions: &Motions,
        margin: S,
        backend: Backend,
    ) -> Update {
        let Places { layers: [busy, still], aside, home, sorter, coded, .. } = places;
        let mut known = 0;
        let strays = motions.statics() - still.live().min(motions.statics());
        let many = |part: usize| part > STRAYS.max(still.live() / 8);
        let is_static =
            |slot: u32| slot != GONE && motions.get(slot as usize) == Motion::Static;
        if still.stale || many(strays) || many(still.gone) {
            still.slots.retain(|&slot| slot != GONE);
            let all = busy.slots.iter().chain(&*aside).copied();
            still.slots.extend(all.filter(|&slot| is_static(slot)));
            busy.slots.retain(|&slot| slot != GONE && !is_static(slot));
            busy.slots.extend(aside.iter().filter(|&&slot| !is_static(slot)));
            aside.clear();
            *coded = false;
            let maker = Maker { bounds, margin: S::ZERO, sorter: &mut *sorter, backend };
            maker.make(still, 0);
            for (place, &slot) in (0..).zip(&still.slots) {
                home[slot as usize] = IN_STILL | place;
            }
        } else if busy.stale || busy.gone > 0 || !aside.is_empty() {
            let coded = core::mem::take(coded) && !busy.stale;
            if busy.gone > 0 && coded {
                sorter.retain(&mut busy.slots, |slot| slot != GONE);
            } else if busy.gone > 0 {
                busy.slots.retain(|&slot| slot != GONE);
            }
            known = if coded { busy.slots.len() } else { 0 };
            busy.slots.extend_from_slice(aside);
        } else {
            return Update::UpToDate;
        }
        aside.clear();
        // Nothing waits while all are sorted: the memory serves both.
        core::mem::swap(aside, &mut sorter.other_slots);
        let maker = Maker { bounds, margin, sorter: &mut *sorter, backend };
        *coded = maker.make(busy, known) && !busy.skinned;
        core::mem::swap(aside, &mut sorter.other_slots);
        aside.clear();
        if still.slots.is_empty() && busy.scattered > busy.slots.len() / 4 {
            return Update::Scattered;
        }
        for (place, &slot) in (0..).zip(&busy.slots) {
            home[slot as usize] = place;
        }
        Update::Done
    }
}

impl<const D: usize> Places<D> {
    pub(super) fn new() -> Self {
        Self {
            layers: [Layer::new(), Layer::new()],
            aside: Vec::new(),
            home: Vec::new(),
            sorter: Sorter::default(),
            coded: false,
            changed: false,
        }
    }

    pub(super) fn clear(&mut self) {
        self.layers.iter_mut().for_each(Layer::clear);
        self.aside.clear();
        self.home.clear();
        (self.coded, self.changed) = (false, true);
    }

    pub(super) fn memory_use(&self) -> usize {
        self.layers.iter().map(Layer::memory_use).sum::<usize>()
            + (self.aside.capacity() + self.home.capacity()) * size_of::<u32>()
            + self.sorter.memory_use()
    }

    /// Returns the number of objects.
    pub(super) const fn len(&self) -> usize {
        self.home.len()
    }

    /// Makes room for so many more objects to wait.
    pub(super) fn try_reserve(&mut self, more: usize) -> Result<(), IndexError> {
        self.aside
            .try_reserve(more)
            .and_then(|()| self.home.try_reserve(more))
            .map_err(|_| IndexError::OutOfMemory)
    }

    /// Puts a new object, in the slot behind the last, aside; there must be room.
    pub(super) fn add(&mut self) {
        let slot = self.home.len() as u32;
        self.home.push(ASIDE | self.aside.len() as u32);
        self.aside.push(slot);
        self.changed = true;
    }

    /// Takes an object out of its layer, since it has changed.
    pub(super) fn set_aside(&mut self, slot: usize) {
        self.changed = true;
        if self.home[slot] & ASIDE == 0 {
            self.leave(slot);
            self.home[slot] = ASIDE | self.aside.len() as u32;
            self.aside.push(slot as u32);
        }
    }

    /// The layer, as a bit, whose volumes hold an object no more, whose bounds are now others; 0 if
    /// there is none.
    #[inline(always)]
    pub(super) fn outgrown(&self, slot: usize, slabs: impl FnOnce() -> Slabs<D>) -> u8 {
        let home = self.home[slot];
        if home & ASIDE != 0 {
            return 0;
        }
        if home & IN_STILL != 0 {
            return 1 << STILL;
        }
        let layer = &self.layers[BUSY];
        let is_held =
            layer.skinned && layer.tree.heights[0].view().get(home as usize).holds(&slabs());
        u8::from(!is_held) << BUSY
    }

    /// Takes note that the bounds of an object have changed while all are walked over.
    #[inline(always)]
    pub(super) fn touch(&mut self, slot: usize, slabs: impl FnOnce() -> Slabs<D>) {
        let outgrown = self.outgrown(slot, slabs);
        for layer in [BUSY, STILL] {
            self.layers[layer].stale |= outgrown & 1 << layer != 0;
        }
        self.changed |= outgrown != 0;
    }

    /// Forgets an object; the last one takes its slot.
    pub(super) fn remove(&mut self, slot: usize) {
        self.leave(slot);
        self.home.swap_remove(slot);
        if let Some(&home) = self.home.get(slot) {
            *self.slot_at(home) = slot as u32;
        }
    }

    /// Takes an object away from where it is.
    fn leave(&mut self, slot: usize) {
        self.changed = true;
        let home = self.home[slot];
        if home & ASIDE == 0 {
            *self.slot_at(home) = GONE;
            self.layers[usize::from(home & IN_STILL != 0)].gone += 1;
            return;
        }
        let at = (home & !ASIDE) as usize;
        self.aside.swap_remove(at);
        if let Some(&moved) = self.aside.get(at) {
            self.home[moved as usize] = home;
        }
    }

    fn slot_at(&mut self, home: u32) -> &mut u32 {
        let place = (home & !(ASIDE | IN_STILL)) as usize;
        if home & ASIDE != 0 {
            &mut self.aside[place]
        } else if home & IN_STILL != 0 {
            &mut self.layers[STILL].slots[place]
        } else {
            &mut self.layers[BUSY].slots[place]
        }
    }

    /// Brings layers up to date; yields whether there was anything to do.
    pub(super) fn refresh<S: Scalar, T: Copy>(
        &mut self,
        objects: &mut Objects<S, D, T>,
        margin: S,
        backend: Backend,
    ) -> bool {
        let (bounds, motions) = (objects.bounds(), objects.motions());
        match update_layers(self, bounds, motions, margin, backend) {
            Update::UpToDate => return false,
            Update::Done => {}
            Update::Scattered => {
                objects.reorder(&mut self.layers[BUSY].slots);
                self.number_slots();
            }
        }
        true
    }

    /// Makes slots ascend from place to place, as objects have been stored in that order.
    #[inline(never)]
    fn number_slots(&mut self) {
        let busy = &mut self.layers[BUSY];
        for ((place, slot), home) in (0..).zip(&mut busy.slots).zip(&mut self.home) {
            (*slot, *home) = (place, place);
        }
        busy.scattered = 0;
    }

    /// Gives back the memory that is not needed; everything must be in a layer.
    pub(super) fn shrink_to_fit(&mut self) {
        self.aside = Vec::new();
        self.home.shrink_to_fit();
        self.sorter.clear();
        self.coded = false;
        for layer in &mut self.layers {
            layer.shrink_to_fit();
        }
    }

    pub(super) fn assert_well_formed<S: Scalar, T: Copy>(&self, objects: &Objects<S, D, T>) {
        assert_eq!(self.home.len(), objects.len(), "every object is somewhere");
        for (slot, &home) in self.home.iter().enumerate() {
            let place = (home & !(ASIDE | IN_STILL)) as usize;
            let found = if home & ASIDE != 0 {
                self.aside[place]
            } else {
                self.layers[usize::from(home & IN_STILL != 0)].slots[place]
            };
            assert_eq!(found as usize, slot, "and is found there");
        }
        let live: usize = self.layers.iter().map(Layer::live).sum();
        assert_eq!(live + self.aside.len(), objects.len(), "and nowhere else");
        if self.coded {
            let codes = &self.sorter.codes[..self.layers[BUSY].slots.len()];
            assert!(codes.is_sorted(), "places are in the order of their codes");
        }
        for layer in &self.layers {
            let gone = layer.slots.iter().filter(|&&slot| slot == GONE).count();
            assert_eq!(gone, layer.gone, "what has gone is counted");
            layer.assert_well_formed(objects);
        }
    }
}
