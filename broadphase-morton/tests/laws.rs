//! The structure obeys the laws of all structures.

extern crate alloc;

use broadphase_morton::MortonCells;

#[cfg(all(feature = "wide", feature = "pulp"))]
laws::spatial_index!(morton_cells, MortonCells::new());

// With fewer features only kernels are others.
#[cfg(not(all(feature = "wide", feature = "pulp")))]
laws::spatial_index!(few morton_cells, MortonCells::new());
