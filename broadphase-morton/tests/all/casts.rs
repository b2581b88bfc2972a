//! Compares casts whose path parameters exceed the number range with the definition of a touch.

use broadphase_morton::MortonCells;

laws::casts!(morton_cells, MortonCells::new());
