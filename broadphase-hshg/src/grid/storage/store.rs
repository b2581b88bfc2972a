//! The arrays of objects: keys, and bounds as one plane of integer keys per axis and end.
//!
//! Bounds are stored as *slabs*: each coordinate as an `i32` key that sorts like the number (`f64`
//! is rounded outwards to `f32`), compared eight lanes at a time. Exact bounds are also stored for
//! `f64`.
//!
//! Slots belong to [rows](super::row). A slot without an object is either a *hole* inside a row,
//! which begins in the order of the row, or a *free* slot after a row. Both are empty intervals,
//! for which kernels need no test; [`set_hole`](ObjectArrays::set_hole) describes exceptions.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::ops::{DerefMut, Range};

use broadphase_core::slots::KeySlots;
use broadphase_core::{Aabb, Keys, LANES, Scalar, SlabPlanes, Slabs, array_of, tasks};

use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::row::Class;

/// The first slot of the store, before all rows.
pub(crate) const RESERVED_SLOT: usize = 0;

/// An object outside the store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<S, const D: usize> {
    pub(crate) key: u32,
    pub(crate) class: Class,
    pub(crate) bounds: Aabb<S, D>,
}

/// Keys and bounds of objects by slot: the arrays of a [`Store`] or slices of them. `P` is an array
/// of one plane, `K` of keys and `E` of exact bounds.
#[derive(Clone, Debug)]
pub(crate) struct ObjectArrays<P, K, E, const D: usize> {
    /// The slot of the store to which index 0 belongs.
    pub(crate) first: usize,
    pub(crate) min: [P; D],
    pub(crate) max: [P; D],
    pub(crate) keys: K,
    /// The bounds by slot, where slabs are not exact; else empty.
    /// Rejected: one array per axis and end; walks gain little, the exact test of cached pairs
    /// loses far more.
    pub(crate) exact: E,
    /// The order of axes in the planes.
    pub(crate) axes: AxisOrder,
}

/// The objects of a grid, with [`LANES`] padding slots: kernels may read whole blocks.
pub(crate) type Store<S, const D: usize> = ObjectArrays<Vec<i32>, Vec<u32>, Vec<Aabb<S, D>>, D>;

impl<S: Scalar, P, K, E, const D: usize> ObjectArrays<P, K, E, D>
where
    P: DerefMut<Target = [i32]>,
    K: DerefMut<Target = [u32]>,
    E: DerefMut<Target = [Aabb<S, D>]>,
{
    #[inline(always)]
    pub(crate) fn planes(&self) -> SlabPlanes<'_, D> {
        let mut planes = SlabPlanes { min: [&[]; D], max: [&[]; D] };
        for axis in 0..D {
            (planes.min[axis], planes.max[axis]) = (&self.min[axis], &self.max[axis]);
        }
        planes
    }

    #[inline(always)]
    pub(crate) fn slabs(&self, slot: usize) -> Slabs<D> {
        let mut slabs = Slabs::PADDING;
        for axis in 0..D {
            slabs.min[axis] = self.min[axis][slot];
            slabs.max[axis] = self.max[axis][slot];
        }
        slabs
    }

    #[inline(always)]
    pub(crate) fn bounds(&self, slot: usize) -> Aabb<S, D> {
        if !S::EXACT_KEYS {
            return self.exact[slot];
        }
        let plane = |axis| self.axes.exchange_axis(axis);
        Aabb {
            min: array_of(|axis| S::from_key(self.min[plane(axis)][slot])),
            max: array_of(|axis| S::from_key(self.max[plane(axis)][slot])),
        }
    }

    #[inline(always)]
    pub(crate) fn set_slabs(&mut self, slot: usize, slabs: &Slabs<D>) {
        for axis in 0..D {
            self.min[axis][slot] = slabs.min[axis];
            self.max[axis][slot] = slabs.max[axis];
        }
    }

    /// Writes the slabs of padding to consecutive slots.
    #[inline(always)]
    pub(crate) fn set_padding(&mut self, begin: usize, len: usize) {
        for axis in 0..D {
            self.min[axis][begin..][..len].fill(Slabs::<D>::PADDING.min[axis]);
            self.max[axis][begin..][..len].fill(Slabs::<D>::PADDING.max[axis]);
        }
    }

    #[inline(always)]
    pub(crate) fn set_bounds(&mut self, slot: usize, bounds: &Aabb<S, D>, slabs: &Slabs<D>) {
        self.set_slabs(slot, slabs);
        if !S::EXACT_KEYS {
            self.exact[slot] = *bounds;
        }
    }

    /// Turns a slot into a hole, which overlaps nothing and begins at `first` on the first axis.
    /// Exception: in one dimension, or with integers, kernels can report that it overlaps an
    /// interval of all numbers.
    #[inline(always)]
    pub(crate) fn set_hole(&mut self, slot: usize, first: i32) {
        self.set_slabs(slot, &Slabs::PADDING);
        self.min[0][slot] = first;
    }

    /// Returns whether a slot has no object. Exception: `true` for a one-dimensional integer object
    /// that ends at `i32::MIN`.
    #[inline(always)]
    pub(crate) fn is_like_hole(&self, slot: usize) -> bool {
        let Self { min, max, .. } = self;
        // No float has the upper end `i32::MIN`, which marks a hole. An integer object can have it,
        // but unlike a hole's its interval on the second axis, if any, is not empty.
        max[0][slot] == i32::MIN && !(S::INTEGER && D > 1 && min[1][slot] <= max[1][slot])
    }

    /// Marks slots as free: they sort after all objects and overlap nothing.
    pub(crate) fn set_free(&mut self, slots: Range<usize>) {
        for axis in 0..D {
            self.min[axis][slots.clone()].fill(i32::MAX);
            self.max[axis][slots.clone()].fill(i32::MIN);
        }
    }
}

impl<S: Scalar, const D: usize> Store<S, D> {
    pub(crate) fn new(axes: AxisOrder) -> Self {
        let planes = || [const { Vec::new() }; D];
        let (min, max) = (planes(), planes());
        Self { first: 0, min, max, keys: Vec::new(), exact: Vec::new(), axes }
    }

    pub(crate) const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns a function that computes the bounds of a slot, faster for many slots than
    /// [`bounds`](Self::bounds).
    #[inline(always)]
    pub(crate) fn all_bounds(&self) -> impl Fn(usize) -> Aabb<S, D> {
        let planes = self.axes.exchange_planes(self.planes().of_one_length());
        move |slot| {
            if S::EXACT_KEYS {
                AxisOrder::UNCHANGED.bounds(&planes.get(slot))
            } else {
                self.exact[slot]
            }
        }
    }

    #[inline(always)]
    pub(crate) fn copy(&mut self, from: usize, to: usize) {
        for axis in 0..D {
            self.min[axis][to] = self.min[axis][from];
            self.max[axis][to] = self.max[axis][from];
        }
        self.keys[to] = self.keys[from];
        if !S::EXACT_KEYS {
            self.exact[to] = self.exact[from];
        }
    }

    /// Returns whether a slot has an object.
    #[inline(always)]
    pub(crate) fn is_live(&self, slot: usize, slots: &KeySlots) -> bool {
        !self.is_like_hole(slot)
            || (S::INTEGER && D == 1 && slots.get(self.keys[slot]) == Some(slot))
    }

    pub(crate) fn clear(&mut self) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.clear();
        }
        self.keys.clear();
        self.exact.clear();
    }

    /// Allocates room for exactly `more` further slots.
    pub(crate) fn reserve(&mut self, more: usize) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.reserve_exact(more + LANES);
        }
        self.keys.reserve_exact(more);
        if !S::EXACT_KEYS {
            self.exact.reserve_exact(more);
        }
    }

    /// Allocates room for `more` further slots, or returns the error of the allocator.
    pub(crate) fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.try_reserve_exact(more.saturating_add(LANES))?;
        }
        self.keys.try_reserve_exact(more)?;
        if !S::EXACT_KEYS {
            self.exact.try_reserve_exact(more)?;
        }
        Ok(())
    }

    pub(crate) fn memory_use(&self) -> usize {
        let planes = self.min.iter().chain(&self.max);
        planes.map(|plane| plane.capacity() * size_of::<i32>()).sum::<usize>()
            + self.keys.capacity() * size_of::<u32>()
            + self.exact.capacity() * size_of::<Aabb<S, D>>()
    }

    /// Grows the store to `len` slots of arbitrary contents: keys and exact bounds are those of
    /// `body`.
    pub(crate) fn grow(&mut self, len: usize, body: &Body<S, D>) {
        for axis in 0..D {
            self.min[axis].resize(len + LANES, i32::MAX);
            self.max[axis].resize(len + LANES, i32::MIN);
        }
        self.keys.resize(len, body.key);
        if !S::EXACT_KEYS {
            self.exact.resize(len, body.bounds);
        }
    }

    /// Grows the store as [`grow`](Self::grow) does, one plane per task: the first accesses to new
    /// memory take long.
    pub(crate) fn par_grow(&mut self, len: usize, body: &Body<S, D>) {
        enum Plane<'a, S, const D: usize> {
            Ends(&'a mut Vec<i32>, i32),
            Keys(&'a mut Vec<u32>),
            Exact(&'a mut Vec<Aabb<S, D>>),
        }
        let Self { min, max, keys, exact, .. } = self;
        let ends = [(min, i32::MAX), (max, i32::MIN)];
        let ends = ends.into_iter().flat_map(|(planes, unused)| {
            planes.iter_mut().map(move |plane| Plane::Ends(plane, unused))
        });
        let mut planes = alloc::vec![Plane::Exact(exact), Plane::Keys(keys)];
        planes.extend(ends);
        tasks::each(&mut planes, |plane| match plane {
            Plane::Ends(plane, unused) => plane.resize(len + LANES, *unused),
            Plane::Keys(keys) => keys.resize(len, body.key),
            Plane::Exact(_) if S::EXACT_KEYS => {}
            Plane::Exact(exact) => exact.resize(len, body.bounds),
        });
    }

    /// Shrinks the store to `len` slots without freeing memory.
    pub(crate) fn truncate(&mut self, len: usize) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.truncate(len + LANES);
        }
        self.keys.truncate(len);
        self.exact.truncate(len);
        self.set_free(len..len + LANES);
    }

    #[inline(always)]
    pub(crate) fn body(&self, slot: usize, class: Class) -> Body<S, D> {
        Body { key: self.keys[slot], class, bounds: self.bounds(slot) }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, slot: usize, body: &Body<S, D>, slabs: &Slabs<D>) {
        self.set_bounds(slot, &body.bounds, slabs);
        self.keys[slot] = body.key;
    }

    /// Moves keys and bounds of a range of slots to the slots from `to` on.
    pub(crate) fn shift(&mut self, slots: Range<usize>, to: usize) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.copy_within(slots.clone(), to);
        }
        self.keys.copy_within(slots.clone(), to);
        if !S::EXACT_KEYS {
            self.exact.copy_within(slots, to);
        }
    }
}
