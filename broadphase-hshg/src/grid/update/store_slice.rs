//! A stretch of the store in the hands of a walk: all of it, or what one thread has.
//!
//! Places are counted from the beginning of the part.

use broadphase_core::{Aabb, Backend, Scalar, SlabPlanes, Slabs};

use crate::grid::data::{DataAddress, lift};
use crate::grid::storage::store::{self, Store};
use crate::grid::update::chunk::{Chunk, FindHoles, Marks, ReadBounds, mark};

/// Places side by side, as slices of the planes of a store; their data is a slice of its own.
pub(in crate::grid) struct StoreSlice<'a, S, const D: usize> {
    /// The first place in the store.
    first: usize,
    pub(in crate::grid) min: [&'a mut [i32]; D],
    pub(in crate::grid) max: [&'a mut [i32]; D],
    pub(in crate::grid) keys: &'a mut [u32],
    exact: &'a mut [Aabb<S, D>],
    pub(in crate::grid) has_margins: bool,
}

/// Cuts off what is in front of a place.
pub(in crate::grid) fn split_front<'a, X>(slice: &mut &'a mut [X], len: usize) -> &'a mut [X] {
    let (split_front, rest) = core::mem::take(slice).split_at_mut(len);
    *slice = rest;
    split_front
}

impl<'a, S: Scalar, const D: usize> StoreSlice<'a, S, D> {
    /// The whole store.
    #[inline(always)]
    pub(in crate::grid) fn new(store: &'a mut Store<S, D>) -> Self {
        let Store { min, max, keys, exact, has_margins } = store;
        Self {
            first: 0,
            min: min.each_mut().map(|plane| &mut plane[..]),
            max: max.each_mut().map(|plane| &mut plane[..]),
            keys,
            exact,
            has_margins: *has_margins,
        }
    }

    /// Cuts off the places in front of a place of the store.
    pub(in crate::grid) fn split_before(&mut self, slot: usize) -> Self {
        let (first, len) = (self.first, slot - self.first);
        self.first = slot;
        let exact = len.min(self.exact.len());
        Self {
            first,
            min: self.min.each_mut().map(|plane| split_front(plane, len)),
            max: self.max.each_mut().map(|plane| split_front(plane, len)),
            keys: split_front(&mut self.keys, len),
            exact: split_front(&mut self.exact, exact),
            has_margins: self.has_margins,
        }
    }

    /// Where in the part a place of the store is.
    #[inline(always)]
    pub(in crate::grid) const fn to_local(&self, slot: usize) -> usize {
        slot - self.first
    }

    /// Where in the store a place of the part is.
    #[inline(always)]
    pub(in crate::grid) const fn to_global(&self, slot: usize) -> usize {
        slot + self.first
    }

    #[inline(always)]
    const fn is_exact(&self) -> bool {
        S::EXACT_KEYS && !self.has_margins
    }

    #[inline(always)]
    pub(in crate::grid) fn planes(&self) -> SlabPlanes<'_, D> {
        let mut planes = SlabPlanes { min: [&[]; D], max: [&[]; D] };
        for axis in 0..D {
            (planes.min[axis], planes.max[axis]) = (&*self.min[axis], &*self.max[axis]);
        }
        planes
    }

    #[inline(always)]
    pub(in crate::grid) fn slabs(&self, slot: usize) -> Slabs<D> {
        self.planes().get(slot)
    }

    #[inline(always)]
    pub(in crate::grid) fn bounds(&self, slot: usize) -> Aabb<S, D> {
        if self.is_exact() { store::bounds(&self.slabs(slot)) } else { self.exact[slot] }
    }

    /// Changes bounds, and slabs only where these are the bounds.
    pub(in crate::grid) fn set_bounds(&mut self, slot: usize, bounds: &Aabb<S, D>) {
        if !self.is_exact() {
            self.exact[slot] = *bounds;
            return;
        }
        self.set_slabs(slot, &bounds.slabs());
    }

    #[inline(always)]
    pub(in crate::grid) fn set_slabs(&mut self, slot: usize, slabs: &Slabs<D>) {
        for axis in 0..D {
            self.min[axis][slot] = slabs.min[axis];
            self.max[axis][slot] = slabs.max[axis];
        }
    }

    /// Copies the bounds of a stretch, and prefetches the data of the next one.
    #[inline(always)]
    pub(in crate::grid) fn read_bounds(
        &self,
        backend: Backend,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        data: DataAddress,
    ) {
        if self.is_exact() {
            let (planes, keys) = (self.planes(), &*self.keys);
            backend.dispatch(ReadBounds { chunk, planes, keys, data, begin, len });
        } else {
            for (offset, bounds) in self.exact[begin..][..len].iter().enumerate() {
                chunk.set_bounds_at(offset, bounds);
            }
        }
    }

    /// Puts the bounds of a stretch back where slabs do not tell them.
    #[inline(always)]
    pub(in crate::grid) fn write_exact(&mut self, begin: usize, len: usize, chunk: &Chunk<S, D>) {
        if !self.is_exact() {
            for (offset, bounds) in self.exact[begin..][..len].iter_mut().enumerate() {
                *bounds = chunk.bounds_at(offset);
            }
        }
    }

    /// Exchanges what is in two places.
    #[inline(always)]
    pub(in crate::grid) fn swap(&mut self, a: usize, b: usize) {
        for axis in 0..D {
            self.min[axis].swap(a, b);
            self.max[axis].swap(a, b);
        }
        self.keys.swap(a, b);
        if !self.is_exact() {
            self.exact.swap(a, b);
        }
    }

    /// Moves what is in a place to one farther in front, and what is between one place up.
    pub(in crate::grid) fn move_back(&mut self, from: usize, to: usize) {
        for axis in 0..D {
            lift(&mut self.min[axis][to..=from]);
            lift(&mut self.max[axis][to..=from]);
        }
        lift(&mut self.keys[to..=from]);
        if !self.is_exact() {
            lift(&mut self.exact[to..=from]);
        }
    }

    /// Whether a place begins before the one in front of it.
    #[inline(always)]
    pub(in crate::grid) fn is_inverted(&self, slot: usize) -> bool {
        self.min[0][slot - 1] > self.min[0][slot]
    }

    /// Whether a place looks like a hole, which only an integer on a line does without being one.
    #[inline(always)]
    pub(in crate::grid) fn is_like_hole(&self, slot: usize) -> bool {
        store::is_like_hole::<S, _, D>(&self.min, &self.max, slot)
    }

    /// Makes a place a hole.
    #[inline(always)]
    pub(in crate::grid) fn set_hole(&mut self, slot: usize, first: i32) {
        store::set_hole(&mut self.min, &mut self.max, slot, first);
    }

    /// Marks the places of a stretch, no longer than a chunk, that hold no object; `is_there` tells
    /// of those that look like holes.
    #[inline(always)]
    pub(in crate::grid) fn find_holes(
        &self,
        backend: Backend,
        begin: usize,
        len: usize,
        found: &mut Marks,
        is_there: impl Fn(usize) -> bool,
    ) {
        if S::INTEGER {
            *found = Marks::default();
            for offset in 0..len {
                let slot = begin + offset;
                if self.is_like_hole(slot) && !is_there(slot) {
                    mark(found, offset);
                }
            }
        } else {
            backend.dispatch(FindHoles { last: &*self.max[0], begin, len, found });
        }
    }
}
