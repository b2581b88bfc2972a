//! Paths whose fractions are beyond all numbers find what the definition of a touch says.

use broadphase_morton::MortonCells;

laws::casts!(morton_cells, MortonCells::new());
