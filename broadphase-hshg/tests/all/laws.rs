//! The structures of this crate obey the laws of all structures.

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
