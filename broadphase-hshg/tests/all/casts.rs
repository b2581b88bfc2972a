//! Compares casts with the definition of a touch, where ray parameters overflow.

use broadphase_hshg::{Hshg, SpatialHash};

laws::casts!(hshg, Hshg::<_, _>::new());
laws::casts!(spatial_hash, SpatialHash::<_, _>::new(3.0));
