//! The structures of this crate obey the laws of all structures.

extern crate alloc;

#[cfg(all(feature = "wide", feature = "pulp"))]
mod grid;
#[cfg(all(feature = "wide", feature = "pulp"))]
mod hash;

use broadphase_hshg::{Hshg, SpatialHash};

#[cfg(all(feature = "wide", feature = "pulp"))]
laws::spatial_index!(spatial_hash, SpatialHash::new(S::from_f64(3.0)));
#[cfg(all(feature = "wide", feature = "pulp"))]
laws::spatial_index!(hshg, Hshg::new());

// With fewer features only kernels are others.
#[cfg(not(all(feature = "wide", feature = "pulp")))]
laws::spatial_index!(few spatial_hash, SpatialHash::new(S::from_f64(3.0)));
#[cfg(not(all(feature = "wide", feature = "pulp")))]
laws::spatial_index!(few hshg, Hshg::new());

/// Odd configurations, tried where all features are on.
#[cfg(all(feature = "wide", feature = "pulp"))]
mod odd {
    use super::*;
    use crate::grid::together::Together;
    use crate::hash::any::Any;

    // Hashes of all configurations: cells of all sizes, placements and maps.
    laws::spatial_index!(spatial_hash_of_every_kind, Any::<S, D>::every_kind());

    // Grids of all configurations.
    laws::spatial_index!(hshg_of_every_kind, Together::<Hshg<S, D, u32>, 7>::new());
}
