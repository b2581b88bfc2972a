//! Replaces the structure of a world if [`Choice::algorithm_for`] requires another one.
//!
//! Each step, `optimize`, and search for pairs within a distance calls [`Selected::select`] first;
//! insertions call it for a new world, and queries through the copy that they refresh
//! ([`current`](super::current)).

use alloc::boxed::Box;
use core::mem::replace;

use broadphase_core::{
    Backend, BruteForce, IndexError, Scalar, SpatialIndex, SpatialIndexExt, Torus,
};

use super::current::Selected;
use super::{Choice, Reason};
use crate::{Algorithm, Options};

/// A structure, and the side length of its cells if all cells have one size.
type NewStructure<S, const D: usize> = (Box<dyn SpatialIndex<S, D>>, Option<S>);

/// The outcome of [`Selected::selection`].
enum Selection<S> {
    /// The structure stays; the choice may have another reason.
    Keep(Choice<S>),
    /// All objects move to a new structure.
    Replace(Choice<S>),
}

impl<S: Scalar, const D: usize> Selected<S, D> {
    /// Moves all objects to a new structure if the options or the number of objects require another
    /// algorithm or cell size, unless allocation fails or the caller has supplied the structure.
    pub(super) fn select(&mut self, options: &Options<S, D>, backend: Backend, objects: usize) {
        match self.selection(options, objects) {
            Selection::Keep(choice) => self.choice = choice,
            Selection::Replace(choice) => {
                let new = self.build(options, backend, &choice);
                self.replace(new, choice);
            }
        }
    }

    /// Returns a copy after [`select`](Self::select) and a refresh.
    #[cfg(feature = "std")]
    pub(super) fn refreshed(&self, options: &Options<S, D>, backend: Backend) -> Self {
        let objects = self.structure.len();
        let replacement = match self.selection(options, objects) {
            Selection::Keep(_) => None,
            Selection::Replace(choice) => {
                let new = self.build(options, backend, &choice);
                new.and_then(|new| self.moved_to(new, choice)).ok()
            }
        };
        let mut copy = replacement.unwrap_or_else(|| Self {
            structure: self.structure.boxed_clone(),
            choice: self.choice,
        });
        copy.structure.optimize();
        copy
    }

    /// Returns whether the structure is brute force, but should be another one.
    #[cfg(feature = "std")]
    pub(super) fn outgrows_brute_force(&self, options: &Options<S, D>) -> bool {
        self.choice.algorithm == Some(Algorithm::Brute)
            && Choice::algorithm_for(options, self.choice, self.structure.len()).0
                != Algorithm::Brute
    }

    /// Returns the change that [`select`](Self::select) makes for a number of objects.
    fn selection(&self, options: &Options<S, D>, objects: usize) -> Selection<S> {
        let choice = self.choice;
        if choice.algorithm.is_none() {
            return Selection::Keep(choice);
        }
        let (algorithm, reason) = Choice::algorithm_for(options, choice, objects);
        let same = choice.algorithm == Some(algorithm);
        let measures_cells = choice.cell.is_some() && options.cell.is_none();
        if !same || (measures_cells && choice.is_outdated(objects)) {
            let algorithm = Some(algorithm);
            return Selection::Replace(Choice { algorithm, cell: None, objects, reason });
        }
        // The last search's numbers of tests and hits stay valid until the next search.
        let stays = matches!((reason, choice.reason), (Reason::Many, Reason::ManyTests { .. }));
        Selection::Keep(if stays { choice } else { Choice { reason, ..choice } })
    }

    /// Selects the structure of a new world when it has too many objects for brute force, unless
    /// its cell size depends on the objects: they would be inserted twice.
    pub(super) fn select_after_insertion(
        &mut self,
        options: &Options<S, D>,
        backend: Backend,
        objects: usize,
    ) {
        if self.other_algorithm(options, objects).is_some() {
            self.select(options, backend, objects);
        }
    }

    /// Returns the algorithm for a number of objects and the reason, if it is another one and its
    /// cell size does not depend on the objects.
    fn other_algorithm(
        &self,
        options: &Options<S, D>,
        objects: usize,
    ) -> Option<(Algorithm, Reason)> {
        let now = self.choice.algorithm?;
        let (algorithm, reason) = Choice::algorithm_for(options, self.choice, objects);
        let measures_cells = match algorithm {
            #[cfg(feature = "hash")]
            Algorithm::Hash => options.cell.is_none(),
            _ => false,
        };
        (algorithm != now && !measures_cells).then_some((algorithm, reason))
    }

    /// Selects the structure of an empty world before `objects` objects are inserted, unless its
    /// cell size depends on them. Otherwise a world from nothing would take 1.7 times as long
    /// (`discs:10000`). Returns the structure that was replaced.
    pub(super) fn select_before_insertion(
        &mut self,
        options: &Options<S, D>,
        backend: Backend,
        objects: usize,
    ) -> Option<Self> {
        if self.structure.len() > 0 {
            return None;
        }
        let (algorithm, reason) = self.other_algorithm(options, objects)?;
        // If the memory cannot be allocated, the next step tries again.
        let choice = Choice { algorithm: Some(algorithm), cell: None, objects, reason };
        let (structure, cell) = self.build(options, backend, &choice).ok()?;
        Some(replace(self, Self { structure, choice: Choice { cell, ..choice } }))
    }

    /// Moves all objects to an empty structure, which replaces the world's structure unless
    /// allocation fails.
    fn replace(&mut self, new: Result<NewStructure<S, D>, IndexError>, choice: Choice<S>) {
        match new.and_then(|new| self.moved_to(new, choice)) {
            Ok(selected) => *self = selected,
            Err(_) => self.choice.reason = Reason::OutOfMemory,
        }
    }

    /// Inserts all objects into an empty structure. Returns it with its choice.
    ///
    /// # Errors
    /// If allocation fails.
    fn moved_to(
        &self,
        (mut structure, cell): NewStructure<S, D>,
        choice: Choice<S>,
    ) -> Result<Self, IndexError> {
        let keys = self.structure.keys();
        let objects = keys.iter().filter_map(|&key| self.structure.get(key));
        structure.extend(objects)?;
        Ok(Self { structure, choice: Choice { cell, ..choice } })
    }

    /// Returns an empty structure for a number of objects, prepared for the world's sides and
    /// backend, and its cell size, if it has one.
    ///
    /// # Errors
    /// If memory to compute the cell size cannot be allocated.
    fn build(
        &self,
        options: &Options<S, D>,
        backend: Backend,
        choice: &Choice<S>,
    ) -> Result<NewStructure<S, D>, IndexError> {
        let (structure, cell): NewStructure<S, D> = match choice.algorithm.unwrap_or_default() {
            #[cfg(feature = "hash")]
            Algorithm::Hash => {
                use broadphase_hshg::SpatialHash;
                let cell = match options.cell {
                    // A smaller cell, possible in `f64` only, has no finite reciprocal.
                    Some(cell) if cell.to_f64() < f64::MIN_POSITIVE => {
                        S::from_f64(f64::MIN_POSITIVE)
                    }
                    Some(cell) => cell,
                    None => {
                        let mut all = alloc::vec::Vec::new();
                        let keys = self.structure.keys();
                        let reserved = all.try_reserve_exact(keys.len());
                        reserved.map_err(|_| IndexError::OutOfMemory)?;
                        let objects = keys.iter().filter_map(|&key| self.structure.get(key));
                        all.extend(objects.map(|object| object.bounds));
                        SpatialHash::<S, D>::recommend(all)
                    }
                };
                (Box::new(SpatialHash::<S, D>::new(cell)), Some(cell))
            }
            #[cfg(feature = "hshg")]
            Algorithm::Hshg => {
                use broadphase_hshg::Hshg;
                let grid: Hshg<S, D> =
                    options.cell.map_or_else(Hshg::new, Hshg::with_smallest_cell);
                (Box::new(grid), None)
            }
            #[cfg(feature = "morton")]
            Algorithm::Morton => (Box::new(broadphase_morton::MortonCells::<S, D>::new()), None),
            _ => (Box::new(BruteForce::<S, D>::new()), None),
        };
        let mut structure = wrap_in_torus(structure, options);
        structure.set_backend(backend);
        // If the reservation fails, the structure grows as needed.
        let _ = structure.try_reserve(choice.objects.max(options.capacity));
        Ok((structure, cell))
    }
}

/// Wraps a structure in a torus if the options make the world wrap.
pub(super) fn wrap_in_torus<S: Scalar, const D: usize>(
    structure: Box<dyn SpatialIndex<S, D>>,
    options: &Options<S, D>,
) -> Box<dyn SpatialIndex<S, D>> {
    if options.wraps() {
        Box::new(Torus::from_box(structure, options.sides).expect("options have valid sides"))
    } else {
        structure
    }
}

#[cfg(test)]
mod tests {
    use broadphase_core::{Aabb, SpatialIndexExt};

    use super::*;

    #[test]
    fn without_memory_for_a_new_structure_the_old_one_stays() {
        let structure = |keys: core::ops::Range<u32>, x: f32| -> Box<dyn SpatialIndex<f32, 2>> {
            let mut all = BruteForce::<f32, 2>::new();
            all.extend(keys.map(|key| (key, Aabb::point([x, 0.0])))).expect("memory");
            Box::new(all)
        };
        let mut selected = Selected { structure: structure(0..9, 1.0), choice: Choice::INITIAL };
        let choice =
            Choice { algorithm: Some(Algorithm::Auto), reason: Reason::Many, ..Choice::INITIAL };
        // A key in use stands in for a failed allocation: both are errors of an insertion.
        let rejecting = structure(8..9, 2.0);
        for new in [Err(IndexError::OutOfMemory), Ok((rejecting, None))] {
            selected.choice = Choice::INITIAL;
            selected.replace(new, choice);
            let kept = Choice { reason: Reason::OutOfMemory, ..Choice::INITIAL };
            assert_eq!((selected.choice, selected.structure.len()), (kept, 9));
            let bounds = selected.structure.get(8).map(|object| object.bounds);
            assert_eq!(bounds, Some(Aabb::point([1.0, 0.0])));
        }
        selected.replace(Ok((structure(0..0, 0.0), Some(2.0))), choice);
        let replaced = Choice { cell: Some(2.0), ..choice };
        assert_eq!((selected.choice, selected.structure.len()), (replaced, 9));
    }
}
