//! The structures of this crate obey the law of the torus.
//!
//! Nothing here depends on kernels, so it is tried where all features are on.

#![cfg(all(feature = "wide", feature = "pulp"))]

use broadphase_hshg::{Hshg, SpatialHash};

laws::torus!(torus_of_spatial_hash, SpatialHash::new(S::from_f64(3.0)));

laws::torus!(torus_of_hshg, Hshg::new());
