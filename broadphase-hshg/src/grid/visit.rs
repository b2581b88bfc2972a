//! What a walk does to objects: to one after the other, or to a chunk of them.

use broadphase_core::{Aabb, Backend, Scalar};

use super::chunk::{CHUNK, Chunk, mark, marked};

/// What is done to objects on a walk.
pub(super) trait Visit<S, const D: usize, T> {
    /// Changes an object on its own; yields whether it stays.
    fn one(&mut self, key: u32, data: &mut T, bounds: &mut Aabb<S, D>) -> bool;

    /// Changes the objects of a chunk, whose holes are known; those that do not stay leave others.
    fn chunk(&mut self, on: Backend, keys: &[u32], data: &mut [T], chunk: &mut Chunk<S, D>);
}

impl<S, const D: usize, T, F> Visit<S, D, T> for F
where
    S: Scalar,
    F: FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
{
    #[inline(always)]
    fn one(&mut self, key: u32, data: &mut T, bounds: &mut Aabb<S, D>) -> bool {
        self(key, data, bounds)
    }

    #[inline(always)]
    fn chunk(&mut self, _: Backend, keys: &[u32], data: &mut [T], chunk: &mut Chunk<S, D>) {
        let len = keys.len();
        let holes = chunk.holes;
        let mut from = 0;
        for hole in marked(&holes).chain([len]) {
            for offset in from..hole.min(CHUNK).min(len) {
                let mut bounds = chunk.bounds_at(offset);
                if !self(keys[offset], &mut data[offset], &mut bounds) {
                    mark(&mut chunk.holes, offset);
                }
                chunk.set_bounds_at(offset, &bounds);
            }
            from = hole + 1;
        }
    }
}
