//! Two traits of the caller's closure: [`Visit`] depends on the data type, [`VisitObjects`]
//! does not.

use alloc::vec::Vec;

use broadphase_core::{Aabb, DataAddress, Scalar};

use crate::grid::data::{ApplyMoves, apply_moves};
use crate::grid::update::chunk::{CHUNK, Chunk, mark, marked};

/// The caller's closure, which changes objects during a walk.
pub(in crate::grid) trait Visit<S, const D: usize, T> {
    /// Changes one object. Returns whether the object is kept.
    fn update_one(&mut self, key: u32, data: &mut T, bounds: &mut Aabb<S, D>) -> bool;

    /// Changes the objects of a chunk. `chunk.holes` must be set; removed objects are marked there
    /// as further holes.
    fn update_chunk(&mut self, keys: &[u32], data: &mut [T], chunk: &mut Chunk<S, D>);
}

impl<S, const D: usize, T, F> Visit<S, D, T> for F
where
    S: Scalar,
    F: FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
{
    #[inline(always)]
    fn update_one(&mut self, key: u32, data: &mut T, bounds: &mut Aabb<S, D>) -> bool {
        self(key, data, bounds)
    }

    #[inline(always)]
    fn update_chunk(&mut self, keys: &[u32], data: &mut [T], chunk: &mut Chunk<S, D>) {
        let len = keys.len();
        // Slices of equal length, so that the compiler checks each index once.
        let data = &mut data[..len];
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

/// A closure and the data that it changes, independent of the data type: one virtual call per chunk
/// and per pending object.
pub(in crate::grid) trait VisitObjects<S, const D: usize>: ApplyMoves {
    /// Changes a pending object. Returns whether the object is kept.
    fn update_pending(&mut self, index: usize, key: u32, bounds: &mut Aabb<S, D>) -> bool;

    /// Removes the data of a pending object. The data of the last pending object takes its index.
    fn remove_pending(&mut self, index: usize);

    /// Changes the objects of the chunk that begins in slot `begin`. `chunk.holes` must be set;
    /// removed objects are marked there as further holes.
    fn update_chunk(&mut self, keys: &[u32], begin: usize, chunk: &mut Chunk<S, D>);
}

/// A [`Visit`], with the data of pending objects and of the objects in a part of the store.
pub(in crate::grid) struct Visitor<'a, S, const D: usize, T> {
    pub(in crate::grid) data: &'a mut [T],
    pub(in crate::grid) pending: &'a mut Vec<T>,
    pub(in crate::grid) visit: &'a mut dyn Visit<S, D, T>,
}

impl<S, const D: usize, T: Copy> ApplyMoves for Visitor<'_, S, D, T> {
    fn address(&self) -> DataAddress {
        DataAddress::of(self.data)
    }

    fn apply_moves(&mut self, moves: &[[u32; 2]]) {
        apply_moves(self.data, self.pending, moves);
    }
}

impl<S, const D: usize, T: Copy> VisitObjects<S, D> for Visitor<'_, S, D, T> {
    fn update_pending(&mut self, index: usize, key: u32, bounds: &mut Aabb<S, D>) -> bool {
        self.visit.update_one(key, &mut self.pending[index], bounds)
    }

    fn remove_pending(&mut self, index: usize) {
        self.pending.swap_remove(index);
    }

    fn update_chunk(&mut self, keys: &[u32], begin: usize, chunk: &mut Chunk<S, D>) {
        self.visit.update_chunk(keys, &mut self.data[begin..][..keys.len()], chunk);
    }
}
