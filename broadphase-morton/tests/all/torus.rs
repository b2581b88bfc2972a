//! Runs the law suite of the torus.
//!
//! The torus does not depend on kernels, so this runs only with all features.

use broadphase_morton::MortonCells;

laws::torus!(torus_of_morton_cells, MortonCells::new());
