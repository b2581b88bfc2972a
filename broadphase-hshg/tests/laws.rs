//! The structures of this crate obey the laws of all structures.

extern crate alloc;

#[cfg(all(feature = "wide", feature = "pulp"))]
mod grid;

use broadphase_hshg::{Hshg, SpatialHash};

laws::spatial_index!(spatial_hash, SpatialHash::new(S::from_f64(3.0)));

laws::spatial_index!(hshg, Hshg::new());

/// Odd configurations, tried where all features are on.
#[cfg(all(feature = "wide", feature = "pulp"))]
mod odd {
    use broadphase_hshg::Scalar;

    use super::*;
    use crate::grid::together::Together;

    // Cells far smaller than the objects: nearly everything is oversized.
    laws::spatial_index!(spatial_hash_of_oversized_objects, SpatialHash::new(fine::<S>()));

    // Cells far larger than the objects: nearly everything is in one cell.
    laws::spatial_index!(spatial_hash_of_one_cell, SpatialHash::new(S::from_f64(1e6)));

    // Grids of all configurations.
    laws::spatial_index!(hshg_of_every_kind, Together::<S, D>::new());

    fn fine<S: Scalar>() -> S {
        if S::INTEGER { S::from_f64(1.0) } else { S::from_f64(0.0625) }
    }
}
