//! Paths whose fractions are beyond all numbers find what the definition of a touch says.

use broadphase_hshg::{Hshg, SpatialHash};

laws::casts!(hshg, Hshg::<_, _, _>::new());
laws::casts!(spatial_hash, SpatialHash::<_, _, _>::new(3.0));
