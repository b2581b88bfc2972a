//! Where objects are kept: side by side in planes, in the order of rows.

use alloc::vec::Vec;
use core::array::from_fn;

use broadphase_core::{Aabb, Entry, LANES, Scalar, SlabPlanes, Slabs};

/// An object on its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body<S, const D: usize, T> {
    pub(super) key: u32,
    pub(super) bounds: Aabb<S, D>,
    pub(super) data: T,
}

/// Many objects, by place. Behind the last place there are always eight lanes more.
#[derive(Clone, Debug)]
pub(super) struct Store<S, const D: usize, T> {
    pub(super) min: [Vec<i32>; D],
    pub(super) max: [Vec<i32>; D],
    pub(super) keys: Vec<u32>,
    pub(super) data: Vec<T>,
    /// The bounds themselves where keys are not exact; else nothing.
    exact: Vec<Aabb<S, D>>,
}

impl<S: Scalar, const D: usize, T: Copy> Store<S, D, T> {
    pub(super) fn new() -> Self {
        Self {
            min: from_fn(|_| Vec::new()),
            max: from_fn(|_| Vec::new()),
            keys: Vec::new(),
            data: Vec::new(),
            exact: Vec::new(),
        }
    }

    /// How many places there are.
    pub(super) const fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn clear(&mut self) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.clear();
        }
        self.keys.clear();
        self.data.clear();
        self.exact.clear();
    }

    pub(super) fn planes(&self) -> SlabPlanes<'_, D> {
        SlabPlanes {
            min: from_fn(|axis| self.min[axis].as_slice()),
            max: from_fn(|axis| self.max[axis].as_slice()),
        }
    }

    /// Makes so many more places; what is in them does not matter, but `body` is there.
    pub(super) fn extend(&mut self, places: usize, body: &Body<S, D, T>) {
        let len = self.len() + places;
        for axis in 0..D {
            self.min[axis].resize(len + LANES, i32::MAX);
            self.max[axis].resize(len + LANES, i32::MIN);
        }
        self.keys.resize(len, body.key);
        self.data.resize(len, body.data);
        if !S::EXACT_KEYS {
            self.exact.resize(len, body.bounds);
        }
    }

    #[inline(always)]
    pub(super) fn slabs(&self, place: usize) -> Slabs<D> {
        let mut slabs = Slabs::PADDING;
        for axis in 0..D {
            slabs.min[axis] = self.min[axis][place];
            slabs.max[axis] = self.max[axis][place];
        }
        slabs
    }

    #[inline(always)]
    pub(super) fn bounds(&self, place: usize) -> Aabb<S, D> {
        if S::EXACT_KEYS {
            let Slabs { min, max } = self.slabs(place);
            Aabb { min: min.map(S::of_key), max: max.map(S::of_key) }
        } else {
            self.exact[place]
        }
    }

    #[inline(always)]
    pub(super) fn entry(&self, place: usize) -> Entry<'_, S, D, T> {
        Entry { key: self.keys[place], bounds: self.bounds(place), data: &self.data[place] }
    }

    #[inline(always)]
    pub(super) fn body(&self, place: usize) -> Body<S, D, T> {
        Body { key: self.keys[place], bounds: self.bounds(place), data: self.data[place] }
    }

    #[inline(always)]
    pub(super) fn set_bounds(&mut self, place: usize, bounds: &Aabb<S, D>, slabs: &Slabs<D>) {
        for axis in 0..D {
            self.min[axis][place] = slabs.min[axis];
            self.max[axis][place] = slabs.max[axis];
        }
        if !S::EXACT_KEYS {
            self.exact[place] = *bounds;
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, body: &Body<S, D, T>) {
        self.set_bounds(place, &body.bounds, &body.bounds.slabs());
        self.keys[place] = body.key;
        self.data[place] = body.data;
    }

    /// Copies what is in one place to another.
    #[inline(always)]
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        for axis in 0..D {
            self.min[axis][to] = self.min[axis][from];
            self.max[axis][to] = self.max[axis][from];
        }
        self.keys[to] = self.keys[from];
        self.data[to] = self.data[from];
        if !S::EXACT_KEYS {
            self.exact[to] = self.exact[from];
        }
    }

    /// Makes a place a hole: it keeps its place in the order and overlaps nothing (except that
    /// on a line, or in integers, it may seem to overlap what spans everything).
    #[inline(always)]
    pub(super) fn set_hole(&mut self, place: usize, first: i32) {
        self.min[0][place] = first;
        self.max[0][place] = i32::MIN;
        if D > 1 {
            self.min[1][place] = i32::MAX;
            self.max[1][place] = i32::MIN;
        }
    }

    /// Whether a place may be a hole; holes always may.
    #[inline(always)]
    pub(super) fn may_be_hole(&self, place: usize) -> bool {
        self.max[0][place] == i32::MIN
    }

    /// Makes a place a fence: lower than all on the way in, higher than all on the way out.
    #[inline(always)]
    pub(super) fn set_fence(&mut self, place: usize, key: i32) {
        self.min[0][place] = key;
        self.max[0][place] = i32::MIN;
    }
}
