//! Swept objects: they form pairs with all objects that overlap the box around their path.
//!
//! 1. Before a search for pairs, set the bounds of each swept object that moved to the box around
//!    its bounds at the last step and its current bounds.
//! 2. Search pairs.
//! 3. Restore the current bounds, and store them as the end of this path and the start of the next.
//!
//! [`Swept::first_contact`] tests the two objects of a pair along their paths, exactly, on request.
//!
//! Cost: two changes of bounds per step for each swept object that moved.

use alloc::vec::Vec;

use broadphase_core::query::first_contact_in;
use broadphase_core::{Aabb, Pair, Scalar, SpatialIndex};

/// Swept objects. Adding, removing or finding an object takes amortized constant time.
#[derive(Clone, Debug)]
pub(crate) struct Swept<S, const D: usize> {
    objects: Vec<SweptObject<S, D>>,
    /// Index in `objects` by slot, or `NOT_SWEPT`; slots at the end may be missing.
    places: Vec<u32>,
    /// Slots and current bounds of the objects whose bounds are now the boxes around their paths.
    is: Vec<(u32, Aabb<S, D>)>,
}

#[derive(Clone, Copy, Debug)]
struct SweptObject<S, const D: usize> {
    slot: u32,
    /// Whether the object had moved since the last completed step, at the last search for pairs.
    moved: bool,
    /// Bounds at the last step.
    was: Aabb<S, D>,
    /// Start of the path that ended at the last step, if the object was swept then and not restored
    /// since.
    from: Option<Aabb<S, D>>,
}

/// Marks a slot without a swept object.
const NOT_SWEPT: u32 = u32::MAX;

impl<S: Scalar, const D: usize> Swept<S, D> {
    pub(crate) const fn new() -> Self {
        Self { objects: Vec::new(), places: Vec::new(), is: Vec::new() }
    }

    fn get(&self, slot: u32) -> Option<&SweptObject<S, D>> {
        self.objects.get(*self.places.get(slot as usize)? as usize)
    }

    pub(crate) fn contains(&self, slot: u32) -> bool {
        self.get(slot).is_some()
    }

    /// Returns whether the object in a slot is swept and had moved at the last search for pairs.
    pub(crate) fn has_moved(&self, slot: u32) -> bool {
        self.get(slot).is_some_and(|object| object.moved)
    }

    pub(crate) const fn len(&self) -> usize {
        self.objects.len()
    }

    pub(crate) const fn memory_use(&self) -> usize {
        self.objects.capacity() * size_of::<SweptObject<S, D>>()
            + self.places.capacity() * size_of::<u32>()
            + self.is.capacity() * size_of::<(u32, Aabb<S, D>)>()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        let used = self.places.iter().rposition(|&place| place != NOT_SWEPT);
        self.places.truncate(used.map_or(0, |last| last + 1));
        self.places.shrink_to_fit();
        self.objects.shrink_to_fit();
        self.is = Vec::new();
    }

    /// Makes an object swept.
    pub(crate) fn insert(&mut self, slot: u32, bounds: Aabb<S, D>) {
        if self.contains(slot) {
            return;
        }
        let index = slot as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, NOT_SWEPT);
        }
        self.places[index] = self.objects.len() as u32;
        self.objects.push(SweptObject { slot, moved: false, was: bounds, from: None });
    }

    pub(crate) fn remove(&mut self, slot: u32) {
        let Some(place) = self.places.get_mut(slot as usize).filter(|place| **place != NOT_SWEPT)
        else {
            return;
        };
        let place = core::mem::replace(place, NOT_SWEPT) as usize;
        self.objects.swap_remove(place);
        if let Some(moved) = self.objects.get(place) {
            self.places[moved.slot as usize] = place as u32;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.objects.clear();
        self.places.clear();
    }

    /// Iterates over swept objects by slot, with their bounds at the last step.
    pub(crate) fn was(&self) -> impl Iterator<Item = (u32, Aabb<S, D>)> + '_ {
        let Self { objects, places, is: _ } = self;
        let objects = places.iter().filter_map(|&place| objects.get(place as usize));
        objects.map(|&SweptObject { slot, was, moved: _, from: _ }| (slot, was))
    }

    /// Replaces all swept objects. `was` has their slots and their bounds at the last step.
    pub(crate) fn restore(&mut self, was: impl Iterator<Item = (u32, Aabb<S, D>)>) {
        self.clear();
        was.for_each(|(slot, was)| self.insert(slot, was));
    }

    /// Sets the bounds of swept objects that moved to the boxes around their paths, for a search.
    pub(crate) fn set_path_bounds(
        &mut self,
        structure: &mut dyn SpatialIndex<S, D>,
        sides: &[S; D],
    ) {
        self.is.clear();
        for object in &mut self.objects {
            let &mut SweptObject { slot, was, .. } = object;
            let Some(stored) = structure.get(slot) else { continue };
            object.moved = stored.bounds != was;
            if object.moved {
                self.is.push((slot, stored.bounds));
                let way = nearest_image(was, &stored.bounds, sides).union(&stored.bounds);
                structure.set_bounds(slot, way).expect("the box around two boxes is valid");
            }
        }
    }

    /// Restores the current bounds after [`set_path_bounds`](Self::set_path_bounds) and a search.
    pub(crate) fn restore_bounds(&self, structure: &mut dyn SpatialIndex<S, D>) {
        for &(slot, bounds) in &self.is {
            structure.set_bounds(slot, bounds).expect("these bounds were valid before");
        }
    }

    /// Completes a step: stores the starts of the paths. The current bounds become the ends of
    /// these paths, and the starts of the next ones.
    pub(crate) fn complete_step(&mut self) {
        for object in &mut self.objects {
            object.from = Some(object.was);
        }
        for &(slot, bounds) in &self.is {
            self.objects[self.places[slot as usize] as usize].was = bounds;
        }
    }

    /// Returns whether the object in a slot was swept at the last completed step.
    pub(crate) fn has_path(&self, slot: u32) -> bool {
        self.get(slot).is_some_and(|object| object.from.is_some())
    }

    /// Returns the fraction of the last step at which two objects first touched, if any. An object
    /// without a path has its current bounds during the whole step.
    pub(crate) fn first_contact(
        &self,
        structure: &dyn SpatialIndex<S, D>,
        sides: &[S; D],
        pair: Pair,
    ) -> Option<S::Real> {
        let path = |slot: u32| match self.get(slot) {
            Some(&SweptObject { was, from: Some(from), .. }) => {
                Some([nearest_image(from, &was, sides), was])
            }
            _ => structure.get(slot).map(|object| [object.bounds; 2]),
        };
        first_contact_in(*sides, path(pair[0])?, path(pair[1])?)
    }
}

/// Returns the image of a box that is nearest to another box in a world that wraps.
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

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::Swept;
    use crate::Aabb;

    proptest! {
        /// Adding or removing a swept object moves at most one other object in the list, whatever
        /// its length. Snapshots list swept objects in the order of slots.
        #[test]
        fn changes_move_at_most_one_other_object(
            changes in prop::collection::vec((0u32..40, prop::bool::weighted(0.7)), 0..200),
        ) {
            let (mut swept, mut model) = (Swept::<i32, 1>::new(), BTreeMap::new());
            for (number, (slot, insert)) in changes.into_iter().enumerate() {
                let before: Vec<u32> = swept.objects.iter().map(|object| object.slot).collect();
                if insert {
                    swept.insert(slot, Aabb::point([number as i32]));
                    model.entry(slot).or_insert(Aabb::point([number as i32]));
                } else {
                    swept.remove(slot);
                    model.remove(&slot);
                }
                let after = swept.objects.iter().map(|object| object.slot);
                let moved = before.into_iter().zip(after).filter(|(was, is)| was != is).count();
                prop_assert!(moved <= 1, "{} objects moved", moved);
                prop_assert!(swept.was().eq(model.iter().map(|(&slot, &was)| (slot, was))));
                prop_assert!((0..50).all(|slot| swept.contains(slot) == model.contains_key(&slot)));
                prop_assert_eq!(swept.len(), model.len());
                let mut again = swept.clone();
                again.shrink_to_fit();
                prop_assert!(again.was().eq(swept.was()));
            }
        }
    }
}
