//! The structure obeys the laws of all structures.

use broadphase_morton::MortonCells;

#[cfg(all(feature = "wide", feature = "pulp"))]
laws::spatial_index!(morton_cells, MortonCells::new());

// With fewer features only kernels are others.
#[cfg(not(all(feature = "wide", feature = "pulp")))]
laws::spatial_index!(few morton_cells, MortonCells::new());

laws::spatial_index!(few with_a_skin, {
    let mut world = MortonCells::new();
    world.set_skin(S::from_f64(3.0));
    world
});
