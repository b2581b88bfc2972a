//! Objects outside rows, as one array of keys, one of motion classes and one of bounds.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use broadphase_core::{Aabb, Lanes, Scalar};

use crate::grid::storage::row::Class;
use crate::grid::storage::store::Body;

/// Objects that are in no row yet, in the order in which they were added.
#[derive(Clone, Debug)]
pub(crate) struct Pending<S, const D: usize> {
    pub(crate) keys: Vec<u32>,
    pub(crate) classes: Vec<Class>,
    pub(crate) bounds: Vec<Aabb<S, D>>,
}

impl<S, const D: usize> Default for Pending<S, D> {
    fn default() -> Self {
        Self { keys: Vec::new(), classes: Vec::new(), bounds: Vec::new() }
    }
}

impl<S: Copy, const D: usize> Pending<S, D> {
    pub(crate) const fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn get(&self, index: usize) -> Body<S, D> {
        let (key, class, bounds) = (self.keys[index], self.classes[index], self.bounds[index]);
        Body { key, class, bounds }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, Body { key, class, bounds }: Body<S, D>) {
        self.keys.push(key);
        self.classes.push(class);
        self.bounds.push(bounds);
    }

    /// Removes an object. The last one gets its index.
    pub(crate) fn swap_remove(&mut self, index: usize) {
        self.keys.swap_remove(index);
        self.classes.swap_remove(index);
        self.bounds.swap_remove(index);
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.keys.truncate(len);
        self.classes.truncate(len);
        self.bounds.truncate(len);
    }

    pub(crate) fn clear(&mut self) {
        self.truncate(0);
    }

    pub(crate) fn reserve(&mut self, more: usize) {
        self.keys.reserve(more);
        self.classes.reserve(more);
        self.bounds.reserve(more);
    }

    pub(crate) fn reserve_exact(&mut self, more: usize) {
        self.keys.reserve_exact(more);
        self.classes.reserve_exact(more);
        self.bounds.reserve_exact(more);
    }

    pub(crate) fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.keys.try_reserve(more)?;
        self.classes.try_reserve(more)?;
        self.bounds.try_reserve(more)
    }

    pub(crate) const fn capacity(&self) -> usize {
        self.bounds.capacity()
    }

    pub(crate) fn shrink_to(&mut self, capacity: usize) {
        self.keys.shrink_to(capacity);
        self.classes.shrink_to(capacity);
        self.bounds.shrink_to(capacity);
    }

    pub(crate) const fn memory_use(&self) -> usize {
        self.keys.capacity() * size_of::<u32>()
            + self.classes.capacity() * size_of::<Class>()
            + self.bounds.capacity() * size_of::<Aabb<S, D>>()
    }

    pub(crate) fn objects(&self) -> Objects<'_, S, D> {
        Objects { keys: &self.keys, classes: &self.classes, bounds: &self.bounds }
    }
}

/// Objects to lay out in rows: [`Pending`] ones, or dynamic boxes whose keys are their indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Objects<'a, S, const D: usize> {
    /// Empty if the keys are the indices.
    keys: &'a [u32],
    /// Empty if all objects are dynamic.
    classes: &'a [Class],
    pub(crate) bounds: &'a [Aabb<S, D>],
}

impl<'a, S: Scalar, const D: usize> Objects<'a, S, D> {
    /// Returns dynamic objects whose keys are the indices of their bounds.
    pub(crate) const fn of_boxes(bounds: &'a [Aabb<S, D>]) -> Self {
        Self { keys: &[], classes: &[], bounds }
    }

    pub(crate) const fn len(&self) -> usize {
        self.bounds.len()
    }

    #[inline(always)]
    pub(crate) fn key(&self, index: usize) -> u32 {
        self.keys.get(index).copied().unwrap_or(index as u32)
    }

    #[inline(always)]
    pub(crate) fn class(&self, index: usize) -> Class {
        self.classes.get(index).copied().unwrap_or(Class::Dynamic)
    }

    pub(crate) fn get(&self, index: usize) -> Body<S, D> {
        Body { key: self.key(index), class: self.class(index), bounds: self.bounds[index] }
    }

    /// Loads an object into the cache.
    #[inline(always)]
    pub(crate) fn prefetch<L: Lanes>(&self, lanes: L, index: usize) {
        lanes.prefetch(self.bounds, index);
        if size_of::<Aabb<S, D>>() > 16 {
            // Bounds can span two cache lines.
            lanes.prefetch(self.bounds, index + 1);
        }
        if !self.keys.is_empty() {
            lanes.prefetch(self.keys, index);
        }
    }

    /// Returns a range of the objects. Without keys, those of the range begin at 0.
    pub(crate) fn range(&self, range: core::ops::Range<usize>) -> Self {
        let keys = self.keys.get(range.clone()).unwrap_or_default();
        let classes = self.classes.get(range.clone()).unwrap_or_default();
        Self { keys, classes, bounds: &self.bounds[range] }
    }
}
