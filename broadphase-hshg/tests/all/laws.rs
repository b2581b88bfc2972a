//! Checks the structures of this crate against the laws of all structures.

use broadphase_hshg::{Hshg, SpatialHash};

laws::spatial_index!(spatial_hash, SpatialHash::new(S::from_f64(3.0)));
laws::spatial_index!(hshg, Hshg::new());
