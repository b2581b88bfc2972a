//! Checks the structures of this crate inside a torus.
//!
//! The test does not depend on kernels, so it runs only with all features. All number types are
//! tested with brute force in the crate that defines the torus.

use broadphase_hshg::{Hshg, SpatialHash};

laws::torus!(few torus_of_spatial_hash, SpatialHash::new(S::from_f64(3.0)));

laws::torus!(few torus_of_hshg, Hshg::new());
