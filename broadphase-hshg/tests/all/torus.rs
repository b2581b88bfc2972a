//! The structures of this crate obey the law of the torus.
//!
//! Nothing here depends on kernels, so it is tried where all features are on; all numbers are tried
//! over brute force, where the torus lives.

use broadphase_hshg::{Hshg, SpatialHash};

laws::torus!(few torus_of_spatial_hash, SpatialHash::new(S::from_f64(3.0)));

laws::torus!(few torus_of_hshg, Hshg::new());
