//! Replaces a world's structure.

use alloc::boxed::Box;

use broadphase_core::{BruteForce, Scalar, Torus};

use super::{Choice, Core};
use crate::snapshot::Plain;
use crate::structure::{ErasedIndex, Proxy, Structure};
use crate::{Algorithm, Options};

impl<S: Scalar + Plain, const D: usize> Core<S, D> {
    /// Moves all objects to a new structure if the options or the number of objects call for
    /// another algorithm or cell size. A structure supplied by the caller is never replaced.
    pub(super) fn select_structure(&mut self, objects: usize) {
        if self.choice.algorithm.is_none() {
            return;
        }
        let (algorithm, reason) = Choice::algorithm(&self.options, self.choice, objects);
        self.choice.reason = reason;
        let same = self.choice.algorithm == Some(algorithm);
        let measures_cells = self.choice.cell.is_some() && self.options.cell.is_none();
        if same && !(measures_cells && self.choice.is_outdated(objects)) {
            return;
        }
        self.rebuild(algorithm, objects);
    }

    fn rebuild(&mut self, algorithm: Algorithm, objects: usize) {
        let (structure, cell) = self.build(algorithm);
        let mut structure = wrap_in_torus(structure, &self.options);
        structure.set_backend(self.backend);
        // If the reservation fails, the structure grows as needed.
        let _ = structure.try_reserve(objects.max(self.options.capacity));
        self.structure.each(|key, body| {
            structure.insert(key, body).expect("a stored object was rejected");
        });
        self.structure = structure;
        self.choice = Choice { algorithm: Some(algorithm), cell, objects, ..self.choice };
    }

    /// Returns an empty structure, and the side length of its cells if all cells have one size.
    fn build(&self, algorithm: Algorithm) -> (Box<dyn Structure<S, D>>, Option<S>) {
        match algorithm {
            #[cfg(feature = "hash")]
            Algorithm::Hash => {
                use broadphase_hshg::SpatialHash;
                let cell = self.options.cell.unwrap_or_else(|| {
                    let mut all = alloc::vec::Vec::with_capacity(self.structure.len());
                    self.structure.each(|_, body| all.push(body.bounds));
                    SpatialHash::<S, D, Proxy>::recommend(all)
                });
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
        }
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
