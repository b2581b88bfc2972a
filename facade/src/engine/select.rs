//! Replaces a world's structure.

use alloc::boxed::Box;
use core::mem::replace;

use broadphase_core::{BruteForce, IndexError, Scalar, Torus};

use super::{Choice, Core, Reason};
use crate::snapshot::Plain;
use crate::structure::{Body, ErasedIndex, Insertions, Proxy, Structure};
use crate::{Algorithm, Options};

/// A structure, and the side length of its cells if all cells have one size.
type NewStructure<S, const D: usize> = (Box<dyn Structure<S, D>>, Option<S>);

impl<S: Scalar + Plain, const D: usize> Core<S, D> {
    /// Moves all objects to a new structure if the options or the number of objects require another
    /// algorithm or cell size. If the memory for this cannot be allocated, the world keeps its
    /// structure until the next call. A structure supplied by the caller is never replaced.
    pub(super) fn select_structure(&mut self, objects: usize) {
        if self.choice.algorithm.is_none() {
            return;
        }
        let (algorithm, reason) = Choice::algorithm(&self.options, self.choice, objects);
        let same = self.choice.algorithm == Some(algorithm);
        let measures_cells = self.choice.cell.is_some() && self.options.cell.is_none();
        if same && !(measures_cells && self.choice.is_outdated(objects)) {
            // The numbers of tests and hits of the last search stay valid until the next search.
            if !matches!((reason, self.choice.reason), (Reason::Many, Reason::ManyTests { .. })) {
                self.choice.reason = reason;
            }
            return;
        }
        let choice = Choice { algorithm: Some(algorithm), cell: None, objects, reason };
        let new = self.build(algorithm);
        self.replace_structure(new, choice);
    }

    /// Selects the structure of a new world as soon as it has too many objects for brute force,
    /// unless its cell size depends on the objects. Otherwise all of them would be inserted twice.
    pub(super) fn select_after_insertion(&mut self, objects: usize) {
        if self.other_algorithm(objects).is_some() {
            self.select_structure(objects);
        }
    }

    /// Returns the algorithm for a number of objects and the reason, if it is not the current one
    /// and its cell size does not depend on the objects.
    fn other_algorithm(&self, objects: usize) -> Option<(Algorithm, Reason)> {
        let now = self.choice.algorithm?;
        let (algorithm, reason) = Choice::algorithm(&self.options, self.choice, objects);
        let measures_cells = match algorithm {
            #[cfg(feature = "hash")]
            Algorithm::Hash => self.options.cell.is_none(),
            _ => false,
        };
        (algorithm != now && !measures_cells).then_some((algorithm, reason))
    }

    /// Selects the structure of an empty world before `objects` objects are inserted, unless its
    /// cell size depends on the objects. Otherwise they would be inserted twice, first into brute
    /// force, and a world from nothing would take 1.7 times as long (`discs:10000`). Returns the
    /// structure and the choice that were replaced.
    pub(super) fn select_before_insertion(
        &mut self,
        objects: usize,
    ) -> Option<(Box<dyn Structure<S, D>>, Choice<S>)> {
        let choice = self.choice;
        if self.structure.len() > 0 {
            return None;
        }
        let (algorithm, reason) = self.other_algorithm(objects)?;
        // If the memory cannot be allocated, the next step tries again.
        let (structure, cell) = self.build(algorithm).ok()?;
        let structure = self.prepared(structure, objects);
        self.choice = Choice { algorithm: Some(algorithm), cell, objects, reason };
        Some((replace(&mut self.structure, structure), choice))
    }

    /// Moves all objects to an empty structure, which replaces the world's structure. If the new
    /// structure or the memory for its objects cannot be allocated, the world keeps the old one.
    fn replace_structure(
        &mut self,
        new: Result<NewStructure<S, D>, IndexError>,
        choice: Choice<S>,
    ) {
        let moved = new.and_then(|(structure, cell)| {
            self.move_objects(structure, choice.objects).map(|()| cell)
        });
        self.choice = match moved {
            Ok(cell) => Choice { cell, ..choice },
            Err(_) => Choice { reason: Reason::OutOfMemory, ..self.choice },
        };
    }

    /// Moves all objects to an empty structure, which replaces the world's structure.
    ///
    /// # Errors
    /// If allocation fails. The world keeps its structure then.
    fn move_objects(
        &mut self,
        structure: Box<dyn Structure<S, D>>,
        objects: usize,
    ) -> Result<(), IndexError> {
        let mut structure = self.prepared(structure, objects);
        let mut block = Insertions::new();
        for key in self.structure.order() {
            let Some(Body { bounds, proxy, motion }) = self.structure.get(key) else { continue };
            if block.push((key, bounds, proxy, motion)) {
                block.flush(&mut *structure)?;
            }
        }
        block.flush(&mut *structure)?;
        self.structure = structure;
        Ok(())
    }

    /// Prepares an empty structure for the world's sides and backend, and for a number of objects.
    fn prepared(
        &self,
        structure: Box<dyn Structure<S, D>>,
        objects: usize,
    ) -> Box<dyn Structure<S, D>> {
        let mut structure = wrap_in_torus(structure, &self.options);
        structure.set_backend(self.backend);
        // If the reservation fails, the structure grows as needed.
        let _ = structure.try_reserve(objects.max(self.options.capacity));
        structure
    }

    /// Returns an empty structure, and the side length of its cells if all cells have one size.
    ///
    /// # Errors
    /// If memory to compute the cell size cannot be allocated.
    fn build(&self, algorithm: Algorithm) -> Result<NewStructure<S, D>, IndexError> {
        Ok(match algorithm {
            #[cfg(feature = "hash")]
            Algorithm::Hash => {
                use broadphase_hshg::SpatialHash;
                let cell = match self.options.cell {
                    // A smaller cell, possible in `f64` only, has no finite reciprocal.
                    Some(cell) if cell.to_f64() < f64::MIN_POSITIVE => {
                        S::from_f64(f64::MIN_POSITIVE)
                    }
                    Some(cell) => cell,
                    None => {
                        let mut all = alloc::vec::Vec::new();
                        let reserved = all.try_reserve_exact(self.structure.len());
                        reserved.map_err(|_| IndexError::OutOfMemory)?;
                        self.structure.each(|_, body| all.push(body.bounds));
                        SpatialHash::<S, D, Proxy>::recommend(all)
                    }
                };
                (Box::new(SpatialHash::<S, D, Proxy>::new(cell)), Some(cell))
            }
            #[cfg(feature = "hshg")]
            Algorithm::Hshg => {
                use broadphase_hshg::{Hshg, HshgConfig};
                let config = self.options.cell.map(|cell| HshgConfig::new().smallest_cell(cell));
                let mut grid = Hshg::<S, D, Proxy>::with_config(config.unwrap_or_default());
                if self.options.skin > S::ZERO {
                    grid.set_skin(self.options.skin);
                }
                (Box::new(grid), None)
            }
            #[cfg(feature = "morton")]
            Algorithm::Morton => {
                use broadphase_morton::MortonCells;
                let mut cells = MortonCells::<S, D, Proxy>::new();
                if self.options.skin > S::ZERO {
                    cells.set_skin(self.options.skin);
                }
                (Box::new(cells), None)
            }
            _ => (Box::new(BruteForce::<S, D, Proxy>::new()), None),
        })
    }
}

/// Wraps a structure in a torus if the options make the world wrap.
pub(super) fn wrap_in_torus<S: Scalar, const D: usize>(
    structure: Box<dyn Structure<S, D>>,
    options: &Options<S, D>,
) -> Box<dyn Structure<S, D>> {
    if options.wraps() {
        let torus = Torus::new(ErasedIndex(structure), options.sides);
        Box::new(torus.expect("options have valid sides"))
    } else {
        structure
    }
}

#[cfg(test)]
mod tests {
    use broadphase_core::{Aabb, Motion};

    use super::*;

    #[test]
    fn without_memory_for_a_new_structure_the_old_one_stays() {
        let structure = |keys: core::ops::Range<u32>, x: f32| -> Box<dyn Structure<f32, 2>> {
            let mut all: Box<dyn Structure<f32, 2>> = Box::new(BruteForce::<f32, 2, Proxy>::new());
            for key in keys {
                let (bounds, proxy) = (Aabb::point([x, 0.0]), Proxy::default());
                all.insert(key, Body { bounds, proxy, motion: Motion::Dynamic }).expect("memory");
            }
            all
        };
        let mut core = Core::new(structure(0..9, 1.0), Options::new(), Choice::INITIAL);
        let choice =
            Choice { algorithm: Some(Algorithm::Auto), reason: Reason::Many, ..core.choice };
        // A key in use stands in for a failed allocation: both are errors of an insertion.
        let rejecting = structure(8..9, 2.0);
        for new in [Err(IndexError::OutOfMemory), Ok((rejecting, None))] {
            core.choice = Choice::INITIAL;
            core.replace_structure(new, choice);
            let kept = Choice { reason: Reason::OutOfMemory, ..Choice::INITIAL };
            assert_eq!((core.choice, core.structure.len()), (kept, 9));
            let bounds = core.structure.get(8).map(|body| body.bounds);
            assert_eq!(bounds, Some(Aabb::point([1.0, 0.0])));
        }
        core.replace_structure(Ok((structure(0..0, 0.0), Some(2.0))), choice);
        assert_eq!((core.choice, core.structure.len()), (Choice { cell: Some(2.0), ..choice }, 9));
    }
}
