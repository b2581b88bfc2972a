//! Insertion of objects, and changes of many objects at once: all of them or none.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Filter, IndexError, InvalidBounds, Motion, Scalar};

use super::current::Current;
use super::errors::{object_error, update_error};
use super::{Core, Reason};
use crate::filters::Filters;
use crate::registry::Registry;
use crate::slots::SlotData;
use crate::snapshot::Plain;
use crate::structure::{Body, Insertions, Proxy, address_to_prefetch};
use crate::{Error, Handle};

/// Bounds are changed by a walk over all dynamic objects if at least 1 / `MIN_WALK_SHARE` of the
/// objects change, otherwise by key. A walk takes about 8 ns per object of the world; a change by
/// key takes 30 ns, and more at the next search (`discs:500000`).
const MIN_WALK_SHARE: usize = 4;
/// Minimum number of changes for a walk.
const MIN_WALK_CHANGES: usize = 64;

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
        let proxy = Proxy { filter, generation: handle.generation() };
        let body = Body { bounds, proxy, motion };
        if let Err(why) = self.current.structure_mut().insert(handle.index(), body) {
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
        let (mut last, mut block, mut inserted) = (None, Insertions::new(), 0);
        for (index, &handle) in out.iter().enumerate() {
            let mut failure = None;
            let is_full = match object(index) {
                Ok(NewObject { bounds, motion, filter }) => {
                    let number = acquire(filters, filter, &mut last);
                    contents.push(SlotData { filter: number, motion });
                    let proxy = Proxy { filter: number, generation: handle.generation() };
                    block.push((handle.index(), bounds, proxy, motion))
                }
                Err(why) => {
                    failure = Some(Error::InvalidAt { index, why });
                    true
                }
            };
            if is_full || index + 1 == count {
                let added = block.objects().len();
                match block.flush(self.current.structure_mut()) {
                    Ok(()) => inserted += added,
                    // If `object` has failed too, this object precedes it: return its error.
                    Err(IndexError::InvalidBounds { key, why }) => {
                        let place = block.objects().iter().position(|one| one.0 == key);
                        let index = inserted + place.unwrap_or_default();
                        failure = Some(Error::InvalidAt { index, why });
                    }
                    Err(_) => failure = Some(Error::OutOfMemory),
                }
            }
            if let Some(why) = failure {
                contents.iter().for_each(|content| filters.release(content.filter));
                out[..inserted].iter().rev().for_each(|handle| {
                    self.current.structure_mut().remove(handle.index());
                });
                if let Some(replaced) = replaced {
                    *self.current.selected_mut() = replaced;
                }
                out.clear();
                return Err(why);
            }
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
        let updated = self.current.structure_mut().update_dynamic(
            address_to_prefetch(staged),
            &mut |movers| {
                movers.each(|slot, _, bounds| {
                    if let Some(new) = staged[slot as usize] {
                        *bounds = new;
                    }
                });
            },
        );
        updated.map_err(|why| update_error(why, registry))
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
