//! The structures of this crate obey the laws of all structures.

use broadphase_hshg::{Hshg, SpatialHash};

laws::spatial_index!(spatial_hash, SpatialHash::new(S::from_f64(3.0)));

laws::spatial_index!(hshg, Hshg::new());

/// Odd configurations, tried where all features are on.
#[cfg(all(feature = "wide", feature = "pulp"))]
mod odd {
    use broadphase_hshg::{HshgConfig, Scalar};

    use super::*;

    // Cells far smaller than the objects: nearly everything is oversized.
    laws::spatial_index!(spatial_hash_of_oversized_objects, SpatialHash::new(fine::<S>()));

    // Cells far larger than the objects: nearly everything is in one cell.
    laws::spatial_index!(spatial_hash_of_one_cell, SpatialHash::new(S::from_f64(1e6)));

    // Cells far smaller than the objects: many levels.
    laws::spatial_index!(
        hshg_of_fine_cells,
        Hshg::with_config(HshgConfig::new().smallest_cell(fine()))
    );

    // Nearly everything is too large for the highest level.
    laws::spatial_index!(
        hshg_of_one_level,
        Hshg::with_config(HshgConfig::new().smallest_cell(fine()).levels(1))
    );

    // Two levels, of the objects that are there when there are many; whatever comes.
    laws::spatial_index!(hshg_of_two_levels, Hshg::with_config(HshgConfig::new().levels(2)));

    // Levels of the first objects, whatever comes.
    laws::spatial_index!(
        hshg_of_manual_upkeep,
        Hshg::with_config(HshgConfig::new().manual_upkeep())
    );

    // Slabs a little larger than the objects, or far larger.
    laws::spatial_index!(hshg_with_a_thin_skin, {
        let mut hshg = Hshg::new();
        hshg.set_skin(fine());
        hshg
    });
    laws::spatial_index!(hshg_with_a_thick_skin, {
        let mut hshg = Hshg::new();
        hshg.set_skin(S::from_f64(1e3));
        hshg
    });

    fn fine<S: Scalar>() -> S {
        if S::NAME == "i32" { S::from_f64(1.0) } else { S::from_f64(0.0625) }
    }
}
