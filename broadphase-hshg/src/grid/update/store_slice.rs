//! A contiguous part of the store that one walker may write.
//!
//! *Local* slots are counted from the beginning of the slice, *global* ones from that of the store.

use broadphase_core::{Aabb, Backend, Keys, LANES, Lanes, Scalar};

use crate::grid::storage::store::{ObjectArrays, Store};
use crate::grid::update::batch::ReadBoxes;
use crate::grid::update::chunk::{Chunk, FindHoles, Marks, mark};

pub(crate) type StoreSlice<'a, S, const D: usize> =
    ObjectArrays<&'a mut [i32], &'a mut [u32], &'a mut [Aabb<S, D>], D>;

pub(crate) fn split_front<'a, X>(slice: &mut &'a mut [X], len: usize) -> &'a mut [X] {
    let (split_front, rest) = core::mem::take(slice).split_at_mut(len);
    *slice = rest;
    split_front
}

/// Moves the last item to the front and shifts the other items up by one.
#[inline(always)]
fn lift<X: Copy>(items: &mut [X]) {
    if let [.., last] = *items {
        items.copy_within(..items.len() - 1, 1);
        items[0] = last;
    }
}

impl<'a, S: Scalar, const D: usize> StoreSlice<'a, S, D> {
    #[inline(always)]
    pub(crate) fn new(store: &'a mut Store<S, D>) -> Self {
        let Store { min, max, keys, exact, axes, .. } = store;
        Self {
            first: 0,
            min: min.each_mut().map(|plane| &mut plane[..]),
            max: max.each_mut().map(|plane| &mut plane[..]),
            keys,
            exact,
            axes: *axes,
        }
    }

    /// Splits off and returns the slots in front of a global slot.
    pub(crate) fn split_before(&mut self, slot: usize) -> Self {
        let (first, len) = (self.first, slot - self.first);
        self.first = slot;
        let exact = len.min(self.exact.len());
        Self {
            first,
            min: self.min.each_mut().map(|plane| split_front(plane, len)),
            max: self.max.each_mut().map(|plane| split_front(plane, len)),
            keys: split_front(&mut self.keys, len),
            exact: split_front(&mut self.exact, exact),
            axes: self.axes,
        }
    }

    /// Converts a global slot to a local one.
    #[inline(always)]
    pub(crate) const fn to_local(&self, slot: usize) -> usize {
        slot - self.first
    }

    /// Converts a local slot to a global one.
    #[inline(always)]
    pub(super) const fn to_global(&self, slot: usize) -> usize {
        slot + self.first
    }

    /// Writes eight objects, with their slabs in lanes, into consecutive slots.
    #[inline(always)]
    pub(crate) fn set_eight<L: Lanes>(
        &mut self,
        lanes: L,
        begin: usize,
        keys: [u32; LANES],
        bounds: [&Aabb<S, D>; LANES],
        low: &[L::I; D],
        high: &[L::I; D],
    ) {
        let mut axis = 0;
        while axis < D {
            lanes.store_at(low[axis], self.min[axis], begin);
            lanes.store_at(high[axis], self.max[axis], begin);
            axis += 1;
        }
        self.keys[begin..][..LANES].copy_from_slice(&keys);
        if !S::EXACT_KEYS {
            for (to, &from) in self.exact[begin..][..LANES].iter_mut().zip(bounds) {
                *to = from;
            }
        }
    }

    /// Reads the bounds of consecutive slots as boxes.
    #[inline(always)]
    pub(super) fn read_boxes(&self, backend: Backend, begin: usize, boxes: &mut [Aabb<S, D>]) {
        if S::EXACT_KEYS {
            let (planes, keys) = (self.axes.exchange_planes(self.planes()), &*self.keys);
            backend.dispatch(ReadBoxes { planes, keys, begin, boxes });
        } else {
            boxes.copy_from_slice(&self.exact[begin..][..boxes.len()]);
        }
    }

    /// Writes the boxes of a chunk as exact bounds, with 0 instead of −0, unless slabs are exact.
    #[inline(always)]
    pub(super) fn write_exact(&mut self, chunk: &Chunk<S, D>) {
        if !S::EXACT_KEYS {
            let exact = &mut self.exact[chunk.begin..][..chunk.len];
            for (exact, bounds) in exact.iter_mut().zip(&chunk.boxes) {
                for axis in 0..D {
                    exact.min[axis] = bounds.min[axis].canonical();
                    exact.max[axis] = bounds.max[axis].canonical();
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        for axis in 0..D {
            self.min[axis].swap(a, b);
            self.max[axis].swap(a, b);
        }
        self.keys.swap(a, b);
        if !S::EXACT_KEYS {
            self.exact.swap(a, b);
        }
    }

    /// Moves the object in `from` to the lower slot `to`; shifts objects in `to..from` up by one.
    pub(super) fn move_back(&mut self, from: usize, to: usize) {
        for axis in 0..D {
            lift(&mut self.min[axis][to..=from]);
            lift(&mut self.max[axis][to..=from]);
        }
        lift(&mut self.keys[to..=from]);
        if !S::EXACT_KEYS {
            lift(&mut self.exact[to..=from]);
        }
    }

    /// Returns whether a slot begins before the previous slot on the first axis.
    #[inline(always)]
    pub(super) fn is_inverted(&self, slot: usize) -> bool {
        self.min[0][slot - 1] > self.min[0][slot]
    }

    /// Marks the holes in a range of at most one chunk. For integers, `is_there` returns whether a
    /// slot that looks like a hole has an object.
    #[inline(always)]
    pub(super) fn find_holes(
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
