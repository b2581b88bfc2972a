//! Insertion and removal of objects: one, or many at once, all of them or none.

use alloc::vec::Vec;

use broadphase_core::{
    Aabb, Filter, IndexError, IndexObject, InvalidBounds, Motion, Scalar, SpatialIndexExt,
};

use super::current::Current;
use super::errors::object_error;
use super::{Core, Reason};
use crate::filters::Filters;
use crate::registry::Registry;
use crate::slots::SlotData;
use crate::snapshot::Plain;
use crate::{Error, Handle};

/// An object to insert, without its user data and volume.
pub(crate) struct NewObject<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) motion: Motion,
    pub(crate) filter: Filter,
}

/// Inserts and removes objects.
pub(crate) trait Objects<S: Scalar, const D: usize> {
    fn insert(&mut self, registry: &mut Registry, object: NewObject<S, D>)
    -> Result<Handle, Error>;
    /// Inserts `count` objects, all of them or none, and replaces the contents of `out` with their
    /// handles. `object` returns the object at an index, or the reason it is invalid.
    ///
    /// 1. Determine the handles. The slots stay free, so their generations are unchanged on error.
    /// 2. Insert the objects in order and in blocks. If one fails, remove those before it.
    /// 3. Occupy the slots.
    fn insert_many(
        &mut self,
        registry: &mut Registry,
        count: usize,
        object: &dyn Fn(usize) -> Result<NewObject<S, D>, InvalidBounds>,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error>;
    /// Removes the objects in these slots, which must be in use.
    fn remove_many(&mut self, slots: &[u32]);
    fn clear(&mut self);
    fn set_swept(&mut self, slot: u32, swept: bool);
}

impl<S: Scalar + Plain, const D: usize> Objects<S, D> for Core<S, D> {
    fn insert(
        &mut self,
        registry: &mut Registry,
        NewObject { bounds, motion, filter }: NewObject<S, D>,
    ) -> Result<Handle, Error> {
        let handle = registry.slots.next_handle()?;
        let filter = registry.filters.acquire(filter);
        let structure = self.current.structure_mut();
        let object = IndexObject { key: handle.index(), bounds, motion };
        if let Err(why) = structure.insert_many(&[object]) {
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

    fn insert_many(
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
        match structure.extend(objects) {
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
                // The structure has inserted no object of the block that it rejected.
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

    fn remove_many(&mut self, slots: &[u32]) {
        slots.iter().for_each(|&slot| self.swept.remove(slot));
        self.current.structure_mut().remove_many(slots).expect("the slots were in use");
    }

    fn clear(&mut self) {
        self.swept.clear();
        self.current.structure_mut().clear();
    }

    fn set_swept(&mut self, slot: u32, swept: bool) {
        if !swept {
            self.swept.remove(slot);
        } else if let Some(object) = self.current.structure().get(slot) {
            self.swept.insert(slot, object.bounds);
        }
    }
}

/// Returns the number of a filter and increments its reference count. `last` is the filter of the
/// previous object, mostly equal, with its number.
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
