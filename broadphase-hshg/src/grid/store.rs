//! Where objects are kept: side by side in planes, in the order of rows.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::{Deref, DerefMut, Range};

use broadphase_core::slots::Slots;
use broadphase_core::{Aabb, Entry, LANES, Scalar, SlabPlanes, Slabs};

/// A place that no row has.
pub(super) const SCRATCH: usize = 0;

/// An object on its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body<S, const D: usize, T> {
    pub(super) key: u32,
    /// Which rows it belongs to.
    pub(super) kind: u8,
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
    /// The bounds themselves where slabs are not exact; else nothing.
    // In planes, walks would be a little faster, and looking at those who were near far slower.
    pub(super) exact: Vec<Aabb<S, D>>,
    /// Whether slabs of some are larger than the bounds in them.
    pub(super) skinned: bool,
}

impl<S: Scalar, const D: usize, T: Copy> Store<S, D, T> {
    pub(super) fn new(skinned: bool) -> Self {
        Self {
            skinned,
            min: from_fn(|_| Vec::new()),
            max: from_fn(|_| Vec::new()),
            keys: Vec::new(),
            data: Vec::new(),
            exact: Vec::new(),
        }
    }

    /// Whether slabs say all about bounds.
    #[inline(always)]
    pub(super) const fn is_exact(&self) -> bool {
        S::EXACT_KEYS && !self.skinned
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

    /// Makes room for so many places more, and no more.
    pub(super) fn reserve(&mut self, more: usize) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.reserve_exact(more + LANES);
        }
        self.keys.reserve_exact(more);
        self.data.reserve_exact(more);
        if !self.is_exact() {
            self.exact.reserve_exact(more);
        }
    }

    /// Makes room for so many places more, if the memory is to be had.
    pub(super) fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.try_reserve_exact(more.saturating_add(LANES))?;
        }
        self.keys.try_reserve_exact(more)?;
        self.data.try_reserve_exact(more)?;
        if !self.is_exact() {
            self.exact.try_reserve_exact(more)?;
        }
        Ok(())
    }

    pub(super) fn memory_use(&self) -> usize {
        let planes = self.min.iter().chain(&self.max);
        planes.map(|plane| plane.capacity() * size_of::<i32>()).sum::<usize>()
            + self.keys.capacity() * size_of::<u32>()
            + self.data.capacity() * size_of::<T>()
            + self.exact.capacity() * size_of::<Aabb<S, D>>()
    }

    /// Makes places up to `len`; what is in them does not matter, but `body` is there.
    pub(super) fn grow(&mut self, len: usize, body: &Body<S, D, T>) {
        for axis in 0..D {
            self.min[axis].resize(len + LANES, i32::MAX);
            self.max[axis].resize(len + LANES, i32::MIN);
        }
        self.keys.resize(len, body.key);
        self.data.resize(len, body.data);
        if !self.is_exact() {
            self.exact.resize(len, body.bounds);
        }
    }

    /// Gives up the places from `len` on, keeping the memory.
    pub(super) fn truncate(&mut self, len: usize) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.truncate(len + LANES);
        }
        self.keys.truncate(len);
        self.data.truncate(len);
        self.exact.truncate(len);
        self.set_free(len..len + LANES);
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
        if self.is_exact() { bounds(&self.slabs(place)) } else { self.exact[place] }
    }

    #[inline(always)]
    pub(super) fn entry(&self, place: usize) -> Entry<'_, S, D, T> {
        Entry { key: self.keys[place], bounds: self.bounds(place), data: &self.data[place] }
    }

    /// All places, to look many of them up.
    #[inline(always)]
    pub(super) fn view(&self) -> View<'_, S, D, T> {
        let len = self.len();
        View {
            min: from_fn(|axis| &self.min[axis][..len]),
            max: from_fn(|axis| &self.max[axis][..len]),
            keys: &self.keys[..len],
            data: &self.data[..len],
            exact: if self.is_exact() { &[] } else { &self.exact[..len] },
            is_exact: self.is_exact(),
        }
    }

    #[inline(always)]
    pub(super) fn body(&self, place: usize, kind: u8) -> Body<S, D, T> {
        let (key, bounds) = (self.keys[place], self.bounds(place));
        Body { key, kind, bounds, data: self.data[place] }
    }

    #[inline(always)]
    pub(super) fn set_bounds(&mut self, place: usize, bounds: &Aabb<S, D>, slabs: &Slabs<D>) {
        for axis in 0..D {
            self.min[axis][place] = slabs.min[axis];
            self.max[axis][place] = slabs.max[axis];
        }
        if !self.is_exact() {
            self.exact[place] = *bounds;
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, body: &Body<S, D, T>, slabs: &Slabs<D>) {
        self.set_bounds(place, &body.bounds, slabs);
        self.keys[place] = body.key;
        self.data[place] = body.data;
    }

    /// Puts other bounds into the slabs of a place.
    pub(super) fn set_exact(&mut self, place: usize, bounds: &Aabb<S, D>) {
        self.exact[place] = *bounds;
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
        if !self.is_exact() {
            self.exact[to] = self.exact[from];
        }
    }

    /// Copies what is in some places to those from `to` on.
    pub(super) fn shift(&mut self, places: Range<usize>, to: usize) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.copy_within(places.clone(), to);
        }
        self.keys.copy_within(places.clone(), to);
        self.data.copy_within(places.clone(), to);
        if !self.is_exact() {
            self.exact.copy_within(places, to);
        }
    }

    /// Makes a place a hole.
    #[inline(always)]
    pub(super) fn set_hole(&mut self, place: usize, first: i32) {
        set_hole(&mut self.min, &mut self.max, place, first);
    }

    /// Makes places free: behind all objects, and overlapping nothing.
    pub(super) fn set_free(&mut self, places: Range<usize>) {
        for axis in 0..D {
            self.min[axis][places.clone()].fill(i32::MAX);
            self.max[axis][places.clone()].fill(i32::MIN);
        }
    }

    /// Whether a place holds an object.
    #[inline(always)]
    pub(super) fn is_live(&self, place: usize, slots: &Slots) -> bool {
        !is_like_hole::<S, _, D>(&self.min, &self.max, place)
            || (S::INTEGER && D == 1 && slots.get(self.keys[place]) == Some(place))
    }

    /// Makes a place the fence before a row: lower than all that follows.
    #[inline(always)]
    pub(super) fn set_fence(&mut self, place: usize) {
        self.set_hole(place, i32::MIN);
    }
}

/// Bounds that slabs say all about.
#[inline(always)]
pub(super) fn bounds<S: Scalar, const D: usize>(slabs: &Slabs<D>) -> Aabb<S, D> {
    Aabb { min: slabs.min.map(S::of_key), max: slabs.max.map(S::of_key) }
}

/// Whether a place looks as if it held no object, in planes however they are held.
#[inline(always)]
pub(super) fn is_like_hole<S: Scalar, P: Deref<Target = [i32]>, const D: usize>(
    min: &[P; D],
    max: &[P; D],
    place: usize,
) -> bool {
    // No float has the least key, no interval ends before it begins; an integer on a line may
    // look like a hole.
    max[0][place] == i32::MIN && !(S::INTEGER && D > 1 && min[1][place] <= max[1][place])
}

/// Makes a place a hole: it keeps its place in the order and overlaps nothing (except that on a
/// line, or in integers, it may seem to overlap what spans everything).
#[inline(always)]
pub(super) fn set_hole<P: DerefMut<Target = [i32]>, const D: usize>(
    min: &mut [P; D],
    max: &mut [P; D],
    place: usize,
    first: i32,
) {
    min[0][place] = first;
    max[0][place] = i32::MIN;
    for axis in 1..D {
        min[axis][place] = i32::MAX;
        max[axis][place] = i32::MIN;
    }
}

/// What is in all places, as slices of one length: so a place is checked once, not once for each
/// of them.
#[derive(Clone, Copy)]
pub(super) struct View<'a, S, const D: usize, T> {
    min: [&'a [i32]; D],
    max: [&'a [i32]; D],
    keys: &'a [u32],
    data: &'a [T],
    exact: &'a [Aabb<S, D>],
    is_exact: bool,
}

impl<'a, S: Scalar, const D: usize, T> View<'a, S, D, T> {
    #[inline(always)]
    pub(super) fn entry(&self, place: usize) -> Entry<'a, S, D, T> {
        let bounds = if self.is_exact {
            Aabb {
                min: from_fn(|axis| S::of_key(self.min[axis][place])),
                max: from_fn(|axis| S::of_key(self.max[axis][place])),
            }
        } else {
            self.exact[place]
        };
        Entry { key: self.keys[place], bounds, data: &self.data[place] }
    }

    /// The objects of two places, that of the smaller key first.
    ///
    /// Both are looked up before it is known which is which: with a sixth fewer instructions than
    /// for places in their order.
    #[inline(always)]
    pub(super) fn pair(&self, [a, b]: [u32; 2]) -> [Entry<'a, S, D, T>; 2] {
        Entry::in_order(self.entry(a as usize), self.entry(b as usize))
    }
}
