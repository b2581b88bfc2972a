//! What a trace takes from a world.

use bounds_hexprism::Bounds;
use broadphase_core::{Filter, Scalar};

use super::BroadPhase;
use crate::structure::Body;
use crate::{Handle, Options};

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    pub(crate) const fn options(&self) -> &Options<S, D> {
        &self.options
    }

    /// What is in each slot: the object, the box around it with its motion, its filter, and
    /// whether it is swept.
    pub(crate) fn in_slots(
        &self,
    ) -> impl ExactSizeIterator<Item = Option<(Handle, Body<S, D>, Filter, bool)>> + '_ {
        (0..self.slots.capacity() as u32).map(|slot| {
            let (object, _) = self.slots.occupant(slot)?;
            let body = self.structure.get(slot)?;
            let filter = self.filters.get(body.proxy.filter);
            Some((object, body, filter, self.swept.contains(slot)))
        })
    }
}
