//! Iterates over the objects of a world, ascending by handle.

use core::iter::FusedIterator;

use bounds_hexprism::Bounds;
use broadphase_core::Scalar;

use super::{BroadPhase, Object};
use crate::engine::ObjectBlock;
use crate::{Handle, UserData};

/// The objects of a world with their handles, read in blocks.
pub(super) struct Objects<'a, S, const D: usize, U, B> {
    world: &'a BroadPhase<S, D, U, B>,
    block: ObjectBlock<S, D>,
    /// Number of objects of the block that were returned.
    done: usize,
    /// Number of objects that were not returned yet.
    left: usize,
}

impl<'a, S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> Objects<'a, S, D, U, B> {
    pub(super) fn new(world: &'a BroadPhase<S, D, U, B>) -> Self {
        Self { world, block: ObjectBlock::new(), done: 0, left: world.len() }
    }
}

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> Iterator for Objects<'_, S, D, U, B> {
    type Item = (Handle, Object<B, U>);

    fn next(&mut self) -> Option<(Handle, Object<B, U>)> {
        let Self { world, block, done, left } = self;
        if *left == 0 {
            return None;
        }
        if *done == block.objects().len() {
            world.engine.read_next_objects(&world.registry, block);
            *done = 0;
        }
        let object = block.objects()[*done];
        (*done, *left) = (*done + 1, *left - 1);
        let slot = object.handle.index();
        let (bounds, user) = (world.volume(slot, object.bounds), world.users.now[slot as usize]);
        let (filter, motion, swept) = (object.filter, object.motion, object.swept);
        Some((object.handle, Object { bounds, user, filter, motion, swept }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> FusedIterator
    for Objects<'_, S, D, U, B>
{
}
