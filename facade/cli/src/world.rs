//! Worlds with the objects of a scene, for the commands that show or measure worlds.

use hexphase::{Aabb, BroadPhase, Options};

use crate::memory::OutOfMemory;
use crate::scene::{Number, Objects};

/// Peak memory in bytes per object, without its boxes, while a world is built and searched.
const BYTES_PER_OBJECT: usize = 120;
/// Number of copies of each box at the peak of memory.
const COPIES: usize = 4;
/// Additional memory in bytes per object if the structure is the hash.
const BYTES_IN_HASH: usize = 500;

/// Returns the peak memory in bytes, without pairs, while a world with these objects is built and
/// searched.
pub(crate) fn bytes<S, const D: usize>(objects: &Objects<S, D>, in_hash: bool) -> usize {
    let more = if in_hash { BYTES_IN_HASH } else { 0 };
    let each = BYTES_PER_OBJECT + COPIES * size_of::<Aabb<S, D>>() + more;
    objects.bounds.len().saturating_mul(each)
}

/// Returns a world with these objects; the user data of an object is its row.
pub(crate) fn build<S: Number, const D: usize>(
    objects: &Objects<S, D>,
    options: Options<S, D>,
) -> Result<BroadPhase<S, D, u32>, OutOfMemory> {
    let mut world = BroadPhase::with_options(options);
    for (row, bounds) in (0..).zip(&objects.bounds) {
        world.insert(*bounds, row)?;
    }
    Ok(world)
}
