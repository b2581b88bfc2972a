//! Swept objects: they form pairs with everything on the path between two steps.
//!
//! 1. Before pairs are searched, set the bounds of each swept object that moved to the box around
//!    its bounds at the last step and its current bounds.
//! 2. Search pairs.
//! 3. Restore the current bounds, and store them as the start of the next path.
//!
//! Cost: two changes of bounds per step for each swept object that moved.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Scalar};

use crate::structure::Structure;

/// Bounds of swept objects at the last step, ascending by slot.
#[derive(Clone, Debug)]
pub(crate) struct Swept<S, const D: usize> {
    was: Vec<(u32, Aabb<S, D>)>,
    /// Current bounds of the swept objects that moved, while the structure has the bounds of the
    /// path.
    is: Vec<(u32, Aabb<S, D>)>,
}

impl<S: Scalar, const D: usize> Swept<S, D> {
    pub(crate) const fn new() -> Self {
        Self { was: Vec::new(), is: Vec::new() }
    }

    fn place(&self, slot: u32) -> Result<usize, usize> {
        self.was.binary_search_by_key(&slot, |&(slot, _)| slot)
    }

    pub(crate) fn contains(&self, slot: u32) -> bool {
        self.place(slot).is_ok()
    }

    /// Returns whether an object moved before the last step.
    pub(crate) fn has_moved(&self, slot: u32) -> bool {
        self.is.binary_search_by_key(&slot, |&(slot, _)| slot).is_ok()
    }

    pub(crate) const fn len(&self) -> usize {
        self.was.len()
    }

    /// Returns the number of allocated bytes.
    pub(crate) const fn memory_use(&self) -> usize {
        (self.was.capacity() + self.is.capacity()) * size_of::<(u32, Aabb<S, D>)>()
    }

    /// Makes an object swept.
    pub(crate) fn insert(&mut self, slot: u32, bounds: Aabb<S, D>) {
        if let Err(place) = self.place(slot) {
            self.was.insert(place, (slot, bounds));
        }
    }

    pub(crate) fn remove(&mut self, slot: u32) {
        if let Ok(place) = self.place(slot) {
            self.was.remove(place);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.was.clear();
    }

    /// Returns the bounds of swept objects at the last step, ascending by slot.
    pub(crate) fn was(&self) -> &[(u32, Aabb<S, D>)] {
        &self.was
    }

    /// Replaces the bounds at the last step by the bounds that [`was`](Self::was) returned.
    pub(crate) fn restore(&mut self, was: impl Iterator<Item = (u32, Aabb<S, D>)>) {
        self.was.clear();
        self.was.extend(was);
    }

    /// Sets the bounds of each swept object that moved to those of its path. Call this before the
    /// search for pairs.
    pub(crate) fn set_path_bounds(&mut self, structure: &mut dyn Structure<S, D>, sides: &[S; D]) {
        self.is.clear();
        for &(slot, was) in &self.was {
            let Some(body) = structure.entry(slot) else { continue };
            if body.bounds != was {
                self.is.push((slot, body.bounds));
                let way = nearest_image(was, &body.bounds, sides).union(&body.bounds);
                structure.set_bounds(slot, way).expect("the box around two boxes is valid");
            }
        }
    }

    /// Sets the current bounds again. Call this after the search for pairs.
    pub(crate) fn restore_bounds(&self, structure: &mut dyn Structure<S, D>) {
        for &(slot, bounds) in &self.is {
            structure.set_bounds(slot, bounds).expect("these bounds were valid before");
        }
    }

    /// Completes a step: current bounds become the starts of the next paths.
    pub(crate) fn step(&mut self) {
        for &(slot, bounds) in &self.is {
            if let Ok(place) = self.place(slot) {
                self.was[place].1 = bounds;
            }
        }
    }
}

/// Returns the image of a box that is nearest to another box in a wrapping world.
pub(super) fn nearest_image<S: Scalar, const D: usize>(
    mut bounds: Aabb<S, D>,
    to: &Aabb<S, D>,
    sides: &[S; D],
) -> Aabb<S, D> {
    for (axis, &side) in sides.iter().enumerate() {
        if side > S::ZERO {
            let half = side.to_f64() / 2.0;
            let ahead = to.min[axis].to_f64() - bounds.min[axis].to_f64();
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            if ahead > half {
                (bounds.min[axis], bounds.max[axis]) = (min.plus(side), max.plus(side));
            } else if ahead < -half {
                (bounds.min[axis], bounds.max[axis]) = (min.minus(side), max.minus(side));
            }
        }
    }
    bounds
}
