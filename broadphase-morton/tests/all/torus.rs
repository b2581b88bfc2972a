//! The structure obeys the law of the torus.
//!
//! Nothing here depends on kernels, so it is tried where all features are on.

use broadphase_morton::MortonCells;

laws::torus!(torus_of_morton_cells, MortonCells::new());
