//! Runs the law suite of all spatial indices.

use broadphase_morton::MortonCells;

laws::spatial_index!(morton_cells, MortonCells::new());
