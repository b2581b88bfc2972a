//! Runs the law suite of all spatial indices.

use broadphase_morton::MortonCells;

laws::spatial_index!(morton_cells, MortonCells::new());

laws::spatial_index!(few with_a_skin, {
    let mut world = MortonCells::new();
    world.set_skin(S::from_f64(3.0));
    world
});
