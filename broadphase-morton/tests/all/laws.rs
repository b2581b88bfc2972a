//! Runs the laws of all spatial indices, of casts whose path parameters exceed the number range, and
//! of the torus.

use broadphase_morton::MortonCells;

laws::spatial_index!(morton_cells, MortonCells::new());
laws::casts!(casts_of_morton_cells, MortonCells::new());

// The torus does not depend on kernels, so it is tested only with all features.
#[cfg(all(feature = "wide", feature = "pulp"))]
laws::torus!(torus_of_morton_cells, MortonCells::new());
