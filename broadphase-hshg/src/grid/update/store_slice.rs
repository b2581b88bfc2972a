//! A stretch of the store in the hands of a walk: all of it, or what one thread has.
//!
//! Places are counted from the beginning of the part.

use broadphase_core::{Aabb, Backend, Scalar, SlabPlanes, Slabs};

use crate::grid::data::{DataAddress, lift};
use crate::grid::storage::store::{self, Store};
use crate::grid::update::chunk::{Chunk, Holes, Marks, Read, mark};

/// Places side by side, as slices of the planes of a store; their data is a slice of its own.
pub(in crate::grid) struct Part<'a, S, const D: usize> {
    /// The first place in the store.
    first: usize,
    pub(in crate::grid) min: [&'a mut [i32]; D],
    pub(in crate::grid) max: [&'a mut [i32]; D],
    pub(in crate::grid) keys: &'a mut [u32],
    exact: &'a mut [Aabb<S, D>],
    pub(in crate::grid) skinned: bool,
}

/// Cuts off what is in front of a place.
pub(in crate::grid) fn front<'a, X>(slice: &mut &'a mut [X], len: usize) -> &'a mut [X] {
    let (front, rest) = core::mem::take(slice).split_at_mut(len);
    *slice = rest;
    front
}

impl<'a, S: Scalar, const D: usize> Part<'a, S, D> {
    /// The whole store.
    #[inline(always)]
    pub(in crate::grid) fn new(store: &'a mut Store<S, D>) -> Self {
        let Store { min, max, keys, exact, skinned } = store;
        Self {
            first: 0,
            min: min.each_mut().map(|plane| &mut plane[..]),
            max: max.each_mut().map(|plane| &mut plane[..]),
            keys,
            exact,
            skinned: *skinned,
        }
    }

    /// Cuts off the places in front of a place of the store.
    pub(in crate::grid) fn cut(&mut self, place: usize) -> Self {
        let (first, len) = (self.first, place - self.first);
        self.first = place;
        let exact = len.min(self.exact.len());
        Self {
            first,
            min: self.min.each_mut().map(|plane| front(plane, len)),
            max: self.max.each_mut().map(|plane| front(plane, len)),
            keys: front(&mut self.keys, len),
            exact: front(&mut self.exact, exact),
            skinned: self.skinned,
        }
    }

    /// Where in the part a place of the store is.
    #[inline(always)]
    pub(in crate::grid) const fn inside(&self, place: usize) -> usize {
        place - self.first
    }

    /// Where in the store a place of the part is.
    #[inline(always)]
    pub(in crate::grid) const fn outside(&self, place: usize) -> usize {
        place + self.first
    }

    #[inline(always)]
    const fn is_exact(&self) -> bool {
        S::EXACT_KEYS && !self.skinned
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
    pub(in crate::grid) fn slabs(&self, place: usize) -> Slabs<D> {
        self.planes().get(place)
    }

    #[inline(always)]
    pub(in crate::grid) fn bounds(&self, place: usize) -> Aabb<S, D> {
        if self.is_exact() { store::bounds(&self.slabs(place)) } else { self.exact[place] }
    }

    /// Changes bounds, and slabs only where these are the bounds.
    pub(in crate::grid) fn set_bounds(&mut self, place: usize, bounds: &Aabb<S, D>) {
        if !self.is_exact() {
            self.exact[place] = *bounds;
            return;
        }
        self.set_slabs(place, &bounds.slabs());
    }

    #[inline(always)]
    pub(in crate::grid) fn set_slabs(&mut self, place: usize, slabs: &Slabs<D>) {
        for axis in 0..D {
            self.min[axis][place] = slabs.min[axis];
            self.max[axis][place] = slabs.max[axis];
        }
    }

    /// Copies the bounds of a stretch, and prefetches the data of the next one.
    #[inline(always)]
    pub(in crate::grid) fn read(
        &self,
        backend: Backend,
        begin: usize,
        len: usize,
        chunk: &mut Chunk<S, D>,
        data: DataAddress,
    ) {
        if self.is_exact() {
            let (planes, keys) = (self.planes(), &*self.keys);
            backend.dispatch(Read { chunk, planes, keys, data, begin, len });
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
    pub(in crate::grid) fn is_inverted(&self, place: usize) -> bool {
        self.min[0][place - 1] > self.min[0][place]
    }

    /// Whether a place looks like a hole, which only an integer on a line does without being one.
    #[inline(always)]
    pub(in crate::grid) fn is_like_hole(&self, place: usize) -> bool {
        store::is_like_hole::<S, _, D>(&self.min, &self.max, place)
    }

    /// Makes a place a hole.
    #[inline(always)]
    pub(in crate::grid) fn set_hole(&mut self, place: usize, first: i32) {
        store::set_hole(&mut self.min, &mut self.max, place, first);
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
                let place = begin + offset;
                if self.is_like_hole(place) && !is_there(place) {
                    mark(found, offset);
                }
            }
        } else {
            backend.dispatch(Holes { last: &*self.max[0], begin, len, found });
        }
    }
}
