//! Checks the structures of this crate against the laws of all structures, of casts whose ray
//! parameters overflow, and of the torus.

use broadphase_hshg::{Hshg, SpatialHash};

laws::spatial_index!(spatial_hash, SpatialHash::new(S::from_f64(3.0)));
laws::spatial_index!(hshg, Hshg::new());

laws::casts!(casts_of_hshg, Hshg::<_, _>::new());
laws::casts!(casts_of_spatial_hash, SpatialHash::<_, _>::new(3.0));

// The torus does not depend on kernels, so it is tested only with all features. All number types
// are tested with brute force in the crate that defines the torus.
#[cfg(all(feature = "wide", feature = "pulp"))]
laws::torus!(few torus_of_spatial_hash, SpatialHash::new(S::from_f64(3.0)));
#[cfg(all(feature = "wide", feature = "pulp"))]
laws::torus!(few torus_of_hshg, Hshg::new());
