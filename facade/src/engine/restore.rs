//! Writes the boxes of a snapshot, and restores a world from a parsed snapshot.

use alloc::vec::Vec;
use core::mem::take;
use core::ops::Range;

use broadphase_core::{
    Aabb, IndexObject, Prefetch, Scalar, SpatialIndex, SpatialIndexExt, Walk, WalkBatch, tasks,
};

use super::Core;
use crate::Handle;
use crate::registry::Registry;
use crate::slots::SlotData;
use crate::snapshot::{ParsedSnapshot, Plain, SnapshotError, fill_by_slot, read_one};

/// Minimum number of slots per thread.
const MIN_SLOTS_PER_TASK: usize = 4096;
/// Number of objects per virtual call.
const BLOCK: usize = 64;

/// Calls `visit` with the boxes of up to [`BLOCK`] objects at a time, in the order of the keys.
fn each_block<S: Scalar, const D: usize>(
    structure: &dyn SpatialIndex<S, D>,
    mut keys: impl Iterator<Item = u32>,
    mut visit: impl FnMut(&[[[S; D]; 2]]),
) {
    let (mut block, mut boxes) = ([0; BLOCK], [[[S::ZERO; D]; 2]; BLOCK]);
    loop {
        let mut len = 0;
        for (slot, key) in block.iter_mut().zip(&mut keys) {
            *slot = key;
            len += 1;
        }
        if len == 0 {
            return;
        }
        structure.bounds_of(&block[..len], &mut boxes[..len]);
        visit(&boxes[..len]);
    }
}

/// Writes the parts of a snapshot that depend on the structure, and restores them.
pub(crate) trait Saving<S: Scalar, const D: usize> {
    /// Appends the boxes of all objects, ascending by handle, on the threads of the current pool.
    fn write_boxes(&self, registry: &Registry, out: &mut Vec<u8>);
    /// Appends the slots of swept objects, and their boxes at the last step.
    fn write_swept(&self, out: &mut Vec<u8>);
    /// Returns the boxes of a snapshot by slot.
    fn read_boxes(&self, saved: &ParsedSnapshot<'_>) -> Result<Vec<Aabb<S, D>>, SnapshotError>;
    /// Replaces all objects with those of the snapshot, whose boxes must be valid. On error nothing
    /// has changed.
    fn restore(
        &mut self,
        registry: &mut Registry,
        saved: ParsedSnapshot<'_>,
        boxes: &[Aabb<S, D>],
    ) -> Result<(), SnapshotError>;
}

impl<S: Scalar + Plain, const D: usize> Saving<S, D> for Core<S, D> {
    fn write_boxes(&self, registry: &Registry, out: &mut Vec<u8>) {
        let slots = &registry.slots;
        let ranges = tasks::even(slots.capacity(), MIN_SLOTS_PER_TASK);
        if ranges.len() < 2 {
            let keys = slots.iter().map(Handle::index);
            return each_block(self.current.structure(), keys, |boxes| {
                <[[S; D]; 2]>::write_all(boxes, out);
            });
        }
        let (begin, size) = (out.len(), <[[S; D]; 2]>::SIZE);
        out.resize(begin + slots.len() * size, 0);
        let mut rest = &mut out[begin..];
        let mut parts: Vec<(Range<usize>, &mut [u8])> = Vec::with_capacity(ranges.len());
        for range in ranges {
            let objects = slots.used_in(range.clone()).count();
            let (part, others) = take(&mut rest).split_at_mut(objects * size);
            rest = others;
            parts.push((range, part));
        }
        tasks::each(&mut parts, |(range, part)| {
            let keys = slots.used_in(range.clone()).map(|(object, _)| object.index());
            let mut bytes = Vec::new();
            each_block(self.current.structure(), keys, |boxes| {
                bytes.clear();
                <[[S; D]; 2]>::write_all(boxes, &mut bytes);
                let (block, rest) = take(part).split_at_mut(bytes.len());
                block.copy_from_slice(&bytes);
                *part = rest;
            });
        });
    }

    fn write_swept(&self, out: &mut Vec<u8>) {
        let Self { current: _, swept } = self;
        for was in swept.was() {
            was.write(out);
        }
    }

    fn read_boxes(&self, saved: &ParsedSnapshot<'_>) -> Result<Vec<Aabb<S, D>>, SnapshotError> {
        let mut bytes = saved.volumes;
        fill_by_slot(saved, |_| {
            let bounds: Option<Aabb<S, D>> = read_one(&mut bytes);
            bounds.and_then(|bounds| bounds.checked().ok()).ok_or(SnapshotError::Corrupt)
        })
    }

    fn restore(
        &mut self,
        registry: &mut Registry,
        saved: ParsedSnapshot<'_>,
        boxes: &[Aabb<S, D>],
    ) -> Result<(), SnapshotError> {
        let swept = self.read_swept(&saved).ok_or(SnapshotError::Corrupt)?;
        // Volumes and user data are restored by the caller.
        let ParsedSnapshot {
            slots: new,
            tail_generation,
            filters,
            volumes: _,
            users: _,
            kept,
            past: _,
            swept: _,
            pairs,
        } = saved;
        // Allocate before changing anything.
        let live = new.iter().filter(|(_, content)| content.is_some()).count();
        let missing = live.saturating_sub(registry.slots.len());
        let out_of_memory = |_| SnapshotError::OutOfMemory;
        self.current
            .structure_mut()
            .try_reserve(missing)
            .map_err(|_| SnapshotError::OutOfMemory)?;
        registry.slots.try_reserve_slots(new.len()).map_err(out_of_memory)?;

        let prefetch = Prefetch::new(self.current.backend, boxes);
        let (structure, slots) = (self.current.structure_mut(), &mut registry.slots);
        let at = |slot: u32| new.get(slot as usize).and_then(|(_, content)| *content);
        // Objects in slots that are free now are inserted last, from the lowest such slot on.
        let mut first_new = new.len();
        for slot in (0..slots.capacity().max(new.len()) as u32).rev() {
            match (slots.motion(slot), at(slot)) {
                (Some(_), None) => {
                    structure.remove(slot);
                }
                (Some(now), Some(SlotData { motion, .. })) if now != motion => {
                    structure.set_motion(slot, motion).expect("a live object is missing");
                }
                (None, Some(_)) => first_new = slot as usize,
                _ => {}
            }
        }
        let change = |batch: &mut WalkBatch<'_, S, D>| {
            prefetch.at(batch.keys());
            batch.each(|slot, bounds| *bounds = boxes[slot as usize]);
        };
        structure.walk(Walk::Parallel(&change)).expect("validated bounds were rejected");
        let inserted = (0..).zip(&new).skip(first_new).filter_map(|(slot, &(_, content))| {
            let motion = content.filter(|_| slots.motion(slot).is_none())?.motion;
            Some(IndexObject { key: slot, bounds: boxes[slot as usize], motion })
        });
        structure.extend(inserted).expect("a validated object was rejected");
        slots.restore(new.iter().copied(), tail_generation, kept.into_iter());
        self.swept.restore(swept.into_iter());
        registry.filters = filters;
        registry.pairs = pairs;
        registry.pairs_before.clear();
        registry.began.clear();
        registry.ended.clear();
        registry.ended_past.clear();
        Ok(())
    }
}

impl<S: Scalar + Plain, const D: usize> Core<S, D> {
    fn read_swept(&self, saved: &ParsedSnapshot<'_>) -> Option<Vec<(u32, Aabb<S, D>)>> {
        let (mut bytes, mut swept) = (saved.swept, Vec::new());
        while !bytes.is_empty() {
            let (slot, was) = <(u32, Aabb<S, D>)>::read(&mut bytes)?;
            let in_order = swept.last().is_none_or(|&(before, _)| before < slot);
            // In a world that wraps, bounds are stored in the home range.
            let home = self.current.options.world().reduced(was).ok()?;
            if !saved.is_live(slot) || !in_order || home != was {
                return None;
            }
            swept.push((slot, home));
        }
        Some(swept)
    }
}
