//! Reads objects in blocks, ascending by handle: one virtual call per block, and the cache misses
//! of a block overlap, because the structure stores objects in another order.

use broadphase_core::{Aabb, Filter, Motion, Scalar};

use super::Core;
use crate::Handle;
use crate::registry::Registry;
use crate::snapshot::Plain;

/// Maximum number of objects per block.
const BLOCK: usize = 32;

/// The state of an object, without its user data and volume.
#[derive(Clone, Copy)]
pub(crate) struct ObjectState<S, const D: usize> {
    pub(crate) handle: Handle,
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) filter: Filter,
    pub(crate) motion: Motion,
    pub(crate) swept: bool,
}

/// Consecutive objects, ascending by handle.
pub(crate) struct ObjectBlock<S, const D: usize> {
    objects: [ObjectState<S, D>; BLOCK],
    len: usize,
    /// The slot behind the last object of the block.
    end: u32,
}

impl<S: Scalar, const D: usize> ObjectBlock<S, D> {
    /// Creates an empty block in front of the first object.
    pub(crate) fn new() -> Self {
        let bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        let (handle, filter, motion) = (Handle::new(0, 0), Filter::ALL, Motion::Dynamic);
        let object = ObjectState { handle, bounds, filter, motion, swept: false };
        Self { objects: [object; BLOCK], len: 0, end: 0 }
    }

    pub(crate) fn objects(&self) -> &[ObjectState<S, D>] {
        &self.objects[..self.len]
    }
}

impl<S: Scalar + Plain, const D: usize> Core<S, D> {
    /// Replaces a block by the next objects; by none if it contains the last object.
    pub(super) fn read_next_objects(&self, registry: &Registry, block: &mut ObjectBlock<S, D>) {
        let Registry { slots, filters, .. } = registry;
        let (mut keys, mut boxes) = ([0; BLOCK], [[[S::ZERO; D]; 2]; BLOCK]);
        let ObjectBlock { objects, len, end } = block;
        *len = 0;
        for ((object, key), (handle, content)) in
            objects.iter_mut().zip(&mut keys).zip(slots.used_in(*end as usize..slots.capacity()))
        {
            *key = handle.index();
            object.handle = handle;
            object.filter = filters.get(content.filter);
            object.motion = content.motion;
            object.swept = self.swept.contains(*key);
            *len += 1;
        }
        if let Some(last) = keys[..*len].last() {
            *end = last + 1;
        }
        self.current.structure().bounds_of(&keys[..*len], &mut boxes[..*len]);
        for (object, &[min, max]) in objects.iter_mut().zip(&boxes[..*len]) {
            object.bounds = Aabb { min, max };
        }
    }
}
