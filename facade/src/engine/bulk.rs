//! Insertion of objects, and changes of many objects at once: all of them or none.

use alloc::vec::Vec;

use broadphase_core::{
    Aabb, Filter, IndexError, IndexObject, InvalidBounds, Motion, Scalar, SpatialIndex,
    SpatialIndexExt, Walk, WalkBatch,
};

use super::current::Current;
use super::errors::{object_error, update_error};
use super::{Core, Reason};
use crate::filters::Filters;
use crate::prefetch::Prefetch;
use crate::registry::Registry;
use crate::slots::SlotData;
use crate::snapshot::Plain;
use crate::{Error, Handle};

/// Bounds are changed by a walk over all dynamic objects if at least 1 / `MIN_WALK_SHARE` of the
/// objects change, otherwise by key. A walk takes about 8 ns per object of the world; a change by
/// key takes 30 ns, and more at the next search (`discs:500000`).
const MIN_WALK_SHARE: usize = 4;
/// Minimum number of changes for a walk.
const MIN_WALK_CHANGES: usize = 64;

/// Number of objects that are inserted by one call: they stay in the level-1 cache.
const BLOCK: usize = 64;

/// New bounds by slot.
#[derive(Clone, Debug)]
pub(super) struct StagedBounds<S, const D: usize> {
    bounds: Vec<Option<Aabb<S, D>>>,
}

impl<S, const D: usize> Default for StagedBounds<S, D> {
    fn default() -> Self {
        Self { bounds: Vec::new() }
    }
}

impl<S: Copy, const D: usize> StagedBounds<S, D> {
    /// Removes all bounds and grows to `slots` slots. Returns `false` if allocation fails.
    fn reset(&mut self, slots: usize) -> bool {
        self.bounds.clear();
        let reserved = self.bounds.try_reserve(slots).is_ok();
        if reserved {
            self.bounds.resize(slots, None);
        }
        reserved
    }

    pub(super) const fn memory_use(&self) -> usize {
        self.bounds.capacity() * size_of::<Option<Aabb<S, D>>>()
    }
}

/// An object to insert, without its user data and volume.
pub(crate) struct NewObject<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) motion: Motion,
    pub(crate) filter: Filter,
}

impl<S: Scalar + Plain, const D: usize> Core<S, D> {
    /// Inserts an object.
    pub(super) fn insert_one(
        &mut self,
        registry: &mut Registry,
        NewObject { bounds, motion, filter }: NewObject<S, D>,
    ) -> Result<Handle, Error> {
        let handle = registry.slots.next_handle()?;
        let filter = registry.filters.acquire(filter);
        let structure = self.current.structure_mut();
        if let Err(why) = structure.insert_with(handle.index(), bounds, motion) {
            registry.filters.release(filter);
            return Err(match why {
                IndexError::InvalidBounds { why, .. } => Error::InvalidBounds { object: None, why },
                why => object_error(why, handle),
            });
        }
        registry.slots.occupy(handle, SlotData { filter, motion });
        let Current { options, backend, .. } = self.current;
        let selected = self.current.selected_mut();
        if selected.choice.reason == Reason::New {
            selected.select_after_insertion(&options, backend, registry.slots.len());
        }
        Ok(handle)
    }

    /// Inserts `count` objects, all of them or none.
    ///
    /// 1. Determine the handles. The slots stay free, so their generations are unchanged on error.
    /// 2. Insert the objects into the structure, in order and in blocks. If one fails, remove those
    ///    before it.
    /// 3. Occupy the slots.
    pub(super) fn insert_many(
        &mut self,
        registry: &mut Registry,
        count: usize,
        object: &dyn Fn(usize) -> Result<NewObject<S, D>, InvalidBounds>,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error> {
        registry.slots.next_handles(count, out)?;
        let mut contents = Vec::new();
        contents.try_reserve(count).map_err(|_| Error::OutOfMemory)?;
        let Current { options, backend, .. } = self.current;
        let replaced =
            self.current.selected_mut().select_before_insertion(&options, backend, count);
        let Registry { slots, filters, .. } = registry;
        let (mut last, mut failure) = (None, None);
        let objects = out.iter().enumerate().map_while(|(index, handle)| match object(index) {
            Ok(NewObject { bounds, motion, filter }) => {
                contents.push(SlotData { filter: acquire(filters, filter, &mut last), motion });
                Some(IndexObject { key: handle.index(), bounds, motion })
            }
            Err(why) => {
                failure = Some(Error::InvalidAt { index, why });
                None
            }
        });
        let objects = objects.fuse();
        let structure = self.current.structure_mut();
        match insert_in_blocks(structure, objects) {
            Ok(()) => {}
            // If `object` has failed too, this object precedes it: return its error.
            Err(IndexError::InvalidBounds { key, why }) => {
                let index = out.iter().position(|handle| handle.index() == key);
                failure = Some(Error::InvalidAt { index: index.unwrap_or_default(), why });
            }
            Err(_) => failure = Some(Error::OutOfMemory),
        }
        if let Some(why) = failure {
            contents.iter().for_each(|content| filters.release(content.filter));
            for handle in out[..contents.len()].iter().rev() {
                // The objects of a block that the structure has rejected are not there.
                structure.remove(handle.index());
            }
            if let Some(replaced) = replaced {
                *self.current.selected_mut() = replaced;
            }
            out.clear();
            return Err(why);
        }
        slots.occupy_next(&contents);
        Ok(())
    }

    /// Sets the bounds of many objects, after validating all of them: by key, or by a walk over all
    /// dynamic objects if many of them change.
    pub(super) fn set_bounds_many(
        &mut self,
        registry: &Registry,
        changes: &[(Handle, Aabb<S, D>)],
    ) -> Result<(), Error> {
        for (object, bounds) in changes {
            registry.live(*object)?;
            let checked = bounds.checked();
            checked.map_err(|why| Error::InvalidBounds { object: Some(*object), why })?;
        }
        let is_dynamic =
            |object: Handle| registry.slots.motion(object.index()) == Some(Motion::Dynamic);
        let many = |count: usize| {
            count >= MIN_WALK_CHANGES && count >= self.current.structure().len() / MIN_WALK_SHARE
        };
        let walks = many(changes.len())
            && many(changes.iter().filter(|&&(object, _)| is_dynamic(object)).count())
            && self.staged.reset(registry.slots.capacity());
        for &(object, bounds) in changes {
            if walks && is_dynamic(object) {
                self.staged.bounds[object.index() as usize] = Some(bounds);
            } else {
                let set = self.current.structure_mut().set_bounds(object.index(), bounds);
                set.map_err(|why| object_error(why, object))?;
            }
        }
        if !walks {
            return Ok(());
        }
        let staged = &*self.staged.bounds;
        let prefetch = Prefetch::new(self.current.backend, staged);
        let change = &mut |batch: &mut WalkBatch<'_, S, D>| {
            prefetch.at(batch.keys());
            batch.each(|slot, bounds| {
                if let Some(new) = staged[slot as usize] {
                    *bounds = new;
                }
            });
        };
        let walked = self.current.structure_mut().walk(Walk::Dynamic(change));
        walked.map_err(|why| update_error(why, registry))
    }
}

/// Inserts objects into a structure, in order and in blocks. On error, the block that has failed is
/// not inserted.
pub(super) fn insert_in_blocks<S: Scalar, const D: usize>(
    structure: &mut dyn SpatialIndex<S, D>,
    mut objects: impl Iterator<Item = IndexObject<S, D>>,
) -> Result<(), IndexError> {
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        block.clear();
        block.extend(objects.by_ref().take(BLOCK));
        if block.is_empty() {
            return Ok(());
        }
        structure.insert_many(&block)?;
    }
}

/// Returns the number of a filter and increments its reference count. `last` is the filter of the
/// previous object, with its number: consecutive objects mostly have equal filters.
fn acquire(filters: &mut Filters, filter: Filter, last: &mut Option<(Filter, u32)>) -> u32 {
    match *last {
        Some((same, number)) if same == filter => filters.acquire_number(number),
        _ => {
            let number = filters.acquire(filter);
            *last = Some((filter, number));
            number
        }
    }
}
