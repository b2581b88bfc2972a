//! Where objects are kept: side by side in planes, in the order of rows.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut, Range};

use broadphase_core::slots::Slots;
use broadphase_core::{Aabb, Entry, LANES, Scalar, SlabPlanes, Slabs, array_of};

/// A place that no row has.
pub(in crate::grid) const RESERVED_SLOT: usize = 0;

/// An object on its own, without its data.
#[derive(Clone, Copy, Debug)]
pub(in crate::grid) struct Body<S, const D: usize> {
    pub(in crate::grid) key: u32,
    /// Which rows it belongs to.
    pub(in crate::grid) class: u8,
    pub(in crate::grid) bounds: Aabb<S, D>,
}

/// The keys and bounds of many objects, by place. Behind the last place there are always eight lanes
/// more.
#[derive(Clone, Debug)]
pub(in crate::grid) struct Store<S, const D: usize> {
    pub(in crate::grid) min: [Vec<i32>; D],
    pub(in crate::grid) max: [Vec<i32>; D],
    pub(in crate::grid) keys: Vec<u32>,
    /// The bounds themselves where slabs are not exact; otherwise empty.
    // In planes, walks would be a little faster, and looking at those who were near far slower.
    pub(in crate::grid) exact: Vec<Aabb<S, D>>,
    /// Whether slabs of some are larger than the bounds in them.
    pub(in crate::grid) has_margins: bool,
}

impl<S: Scalar, const D: usize> Store<S, D> {
    pub(in crate::grid) fn new(has_margins: bool) -> Self {
        let planes = || [const { Vec::new() }; D];
        let (min, max) = (planes(), planes());
        Self { has_margins, min, max, keys: Vec::new(), exact: Vec::new() }
    }

    /// Whether slabs are equal to the bounds.
    #[inline(always)]
    pub(in crate::grid) const fn is_exact(&self) -> bool {
        S::EXACT_KEYS && !self.has_margins
    }

    /// The number of places.
    pub(in crate::grid) const fn len(&self) -> usize {
        self.keys.len()
    }

    pub(in crate::grid) fn planes(&self) -> SlabPlanes<'_, D> {
        let mut planes = SlabPlanes { min: [&[]; D], max: [&[]; D] };
        for axis in 0..D {
            (planes.min[axis], planes.max[axis]) = (&self.min[axis], &self.max[axis]);
        }
        planes
    }

    #[inline(always)]
    pub(in crate::grid) fn slabs(&self, slot: usize) -> Slabs<D> {
        let mut slabs = Slabs::PADDING;
        for axis in 0..D {
            slabs.min[axis] = self.min[axis][slot];
            slabs.max[axis] = self.max[axis][slot];
        }
        slabs
    }

    #[inline(always)]
    pub(in crate::grid) fn bounds(&self, slot: usize) -> Aabb<S, D> {
        if self.is_exact() { bounds(&self.slabs(slot)) } else { self.exact[slot] }
    }

    #[inline(always)]
    pub(in crate::grid) fn set_bounds(
        &mut self,
        slot: usize,
        bounds: &Aabb<S, D>,
        slabs: &Slabs<D>,
    ) {
        for axis in 0..D {
            self.min[axis][slot] = slabs.min[axis];
            self.max[axis][slot] = slabs.max[axis];
        }
        if !self.is_exact() {
            self.exact[slot] = *bounds;
        }
    }

    /// Puts other bounds into the slabs of a place.
    pub(in crate::grid) fn set_exact(&mut self, slot: usize, bounds: &Aabb<S, D>) {
        self.exact[slot] = *bounds;
    }

    /// Copies keys and bounds from one place to another.
    #[inline(always)]
    pub(in crate::grid) fn copy(&mut self, from: usize, to: usize) {
        for axis in 0..D {
            self.min[axis][to] = self.min[axis][from];
            self.max[axis][to] = self.max[axis][from];
        }
        self.keys[to] = self.keys[from];
        if !self.is_exact() {
            self.exact[to] = self.exact[from];
        }
    }

    /// Makes a place a hole.
    #[inline(always)]
    pub(in crate::grid) fn set_hole(&mut self, slot: usize, first: i32) {
        set_hole(&mut self.min, &mut self.max, slot, first);
    }

    /// Whether a place holds an object.
    #[inline(always)]
    pub(in crate::grid) fn is_live(&self, slot: usize, slots: &Slots) -> bool {
        !is_like_hole::<S, _, D>(&self.min, &self.max, slot)
            || (S::INTEGER && D == 1 && slots.get(self.keys[slot]) == Some(slot))
    }

    /// Makes a place the fence before a row: lower than all that follows.
    #[inline(always)]
    pub(in crate::grid) fn set_fence(&mut self, slot: usize) {
        self.set_hole(slot, i32::MIN);
    }

    pub(in crate::grid) fn clear(&mut self) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.clear();
        }
        self.keys.clear();
        self.exact.clear();
    }

    /// Makes room for so many places more, and no more.
    pub(in crate::grid) fn reserve(&mut self, more: usize) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.reserve_exact(more + LANES);
        }
        self.keys.reserve_exact(more);
        if !self.is_exact() {
            self.exact.reserve_exact(more);
        }
    }

    /// Allocates room for `more` further places, unless allocation fails.
    pub(in crate::grid) fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.try_reserve_exact(more.saturating_add(LANES))?;
        }
        self.keys.try_reserve_exact(more)?;
        if !self.is_exact() {
            self.exact.try_reserve_exact(more)?;
        }
        Ok(())
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        let planes = self.min.iter().chain(&self.max);
        planes.map(|plane| plane.capacity() * size_of::<i32>()).sum::<usize>()
            + self.keys.capacity() * size_of::<u32>()
            + self.exact.capacity() * size_of::<Aabb<S, D>>()
    }

    /// Makes places up to `len`; their values do not matter, but `body` is there.
    pub(in crate::grid) fn grow(&mut self, len: usize, body: &Body<S, D>) {
        for axis in 0..D {
            self.min[axis].resize(len + LANES, i32::MAX);
            self.max[axis].resize(len + LANES, i32::MIN);
        }
        self.keys.resize(len, body.key);
        if !self.is_exact() {
            self.exact.resize(len, body.bounds);
        }
    }

    /// Gives up the places from `len` on, keeping the memory.
    pub(in crate::grid) fn truncate(&mut self, len: usize) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.truncate(len + LANES);
        }
        self.keys.truncate(len);
        self.exact.truncate(len);
        self.set_free(len..len + LANES);
    }

    #[inline(always)]
    pub(in crate::grid) fn body(&self, slot: usize, class: u8) -> Body<S, D> {
        Body { key: self.keys[slot], class, bounds: self.bounds(slot) }
    }

    #[inline(always)]
    pub(in crate::grid) fn set(&mut self, slot: usize, body: &Body<S, D>, slabs: &Slabs<D>) {
        self.set_bounds(slot, &body.bounds, slabs);
        self.keys[slot] = body.key;
    }

    /// Moves the keys and bounds in some places to those from `to` on.
    pub(in crate::grid) fn shift(&mut self, slots: Range<usize>, to: usize) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.copy_within(slots.clone(), to);
        }
        self.keys.copy_within(slots.clone(), to);
        if !self.is_exact() {
            self.exact.copy_within(slots, to);
        }
    }

    /// Makes places free: behind all objects, and overlapping nothing.
    pub(in crate::grid) fn set_free(&mut self, slots: Range<usize>) {
        for axis in 0..D {
            self.min[axis][slots.clone()].fill(i32::MAX);
            self.max[axis][slots.clone()].fill(i32::MIN);
        }
    }
}

/// Bounds that slabs say all about.
#[inline(always)]
pub(in crate::grid) fn bounds<S: Scalar, const D: usize>(slabs: &Slabs<D>) -> Aabb<S, D> {
    Aabb {
        min: array_of(|axis| S::of_key(slabs.min[axis])),
        max: array_of(|axis| S::of_key(slabs.max[axis])),
    }
}

/// Whether a place looks as if it held no object, in planes however they are held.
#[inline(always)]
pub(in crate::grid) fn is_like_hole<S: Scalar, P: Deref<Target = [i32]>, const D: usize>(
    min: &[P; D],
    max: &[P; D],
    slot: usize,
) -> bool {
    // No float has the least key, no interval ends before it begins; an integer on a line may
    // look like a hole.
    max[0][slot] == i32::MIN && !(S::INTEGER && D > 1 && min[1][slot] <= max[1][slot])
}

/// Makes a place a hole: it keeps its place in the order and overlaps nothing (except that on a
/// line, or in integers, it may seem to overlap what spans everything).
#[inline(always)]
pub(in crate::grid) fn set_hole<P: DerefMut<Target = [i32]>, const D: usize>(
    min: &mut [P; D],
    max: &mut [P; D],
    slot: usize,
    first: i32,
) {
    min[0][slot] = first;
    max[0][slot] = i32::MIN;
    for axis in 1..D {
        min[axis][slot] = i32::MAX;
        max[axis][slot] = i32::MIN;
    }
}

/// The objects in all places, as slices of one length: so a place is checked once, not once for each
/// of them.
#[derive(Clone, Copy)]
pub(in crate::grid) struct View<'a, S, const D: usize, T> {
    min: [&'a [i32]; D],
    max: [&'a [i32]; D],
    keys: &'a [u32],
    data: &'a [T],
    exact: &'a [Aabb<S, D>],
    is_exact: bool,
}

impl<'a, S: Scalar, const D: usize, T> View<'a, S, D, T> {
    /// All places, to look many of them up.
    // Inlined, or it is not known there that all slices are of one length (+33 %, `clustered:100000`).
    #[inline(always)]
    pub(in crate::grid) fn new(store: &'a Store<S, D>, data: &'a [T]) -> Self {
        let len = store.len();
        let (mut min, mut max) = ([&[][..]; D], [&[][..]; D]);
        for axis in 0..D {
            (min[axis], max[axis]) = (&store.min[axis][..len], &store.max[axis][..len]);
        }
        let is_exact = store.is_exact();
        let exact = if is_exact { &[] } else { &store.exact[..len] };
        Self { min, max, keys: &store.keys[..len], data: &data[..len], exact, is_exact }
    }

    #[inline(always)]
    pub(in crate::grid) fn entry(&self, slot: usize) -> Entry<'a, S, D, T> {
        let bounds = if self.is_exact {
            Aabb {
                min: array_of(|axis| S::of_key(self.min[axis][slot])),
                max: array_of(|axis| S::of_key(self.max[axis][slot])),
            }
        } else {
            self.exact[slot]
        };
        Entry { key: self.keys[slot], bounds, data: &self.data[slot] }
    }

    /// The objects of two places, that of the smaller key first.
    ///
    /// Both are looked up before it is known which is which: with a sixth fewer instructions than
    /// for places in their order.
    #[inline(always)]
    pub(in crate::grid) fn pair(&self, [a, b]: [u32; 2]) -> [Entry<'a, S, D, T>; 2] {
        Entry::in_order(self.entry(a as usize), self.entry(b as usize))
    }
}
