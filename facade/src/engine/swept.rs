//! Objects that meet what they passed on their way from the last step to this one.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Scalar};

use crate::structure::Structure;

/// Where swept objects were at the last step, ascending by slot.
#[derive(Clone, Debug)]
pub(crate) struct Swept<S, const D: usize> {
    was: Vec<(u32, Aabb<S, D>)>,
    /// Where those are that moved, while their bounds in the structure are those of the way.
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

    /// Whether an object was on its way in the step that was taken last.
    pub(crate) fn has_moved(&self, slot: u32) -> bool {
        self.is.binary_search_by_key(&slot, |&(slot, _)| slot).is_ok()
    }

    pub(crate) const fn len(&self) -> usize {
        self.was.len()
    }

    /// The bytes of memory held.
    pub(crate) const fn memory_use(&self) -> usize {
        (self.was.capacity() + self.is.capacity()) * size_of::<(u32, Aabb<S, D>)>()
    }

    /// From now on the object is swept.
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

    /// Where each was at the last step, ascending by slot.
    pub(crate) fn was(&self) -> &[(u32, Aabb<S, D>)] {
        &self.was
    }

    /// Takes over what [`was`](Self::was) shows.
    pub(crate) fn restore(&mut self, was: impl Iterator<Item = (u32, Aabb<S, D>)>) {
        self.was.clear();
        self.was.extend(was);
    }

    /// Before pairs are looked for: gives what has moved the bounds of its way.
    pub(crate) fn enlarge(&mut self, structure: &mut dyn Structure<S, D>, sides: &[S; D]) {
        self.is.clear();
        for &(slot, was) in &self.was {
            let Some(body) = structure.entry(slot) else { continue };
            if body.bounds != was {
                self.is.push((slot, body.bounds));
                let way = nearest_image(was, &body.bounds, sides).union(&body.bounds);
                structure.set_bounds(slot, way).expect("the box around two boxes is one");
            }
        }
    }

    /// After pairs were found: everything is where it is.
    pub(crate) fn restore_bounds(&self, structure: &mut dyn Structure<S, D>) {
        for &(slot, bounds) in &self.is {
            structure.set_bounds(slot, bounds).expect("these bounds were there before");
        }
    }

    /// At the end of a step: the next way begins where everything is.
    pub(crate) fn step(&mut self) {
        for &(slot, bounds) in &self.is {
            if let Ok(place) = self.place(slot) {
                self.was[place].1 = bounds;
            }
        }
    }
}

/// The image of a box that is nearest to another, where the world joins itself.
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
