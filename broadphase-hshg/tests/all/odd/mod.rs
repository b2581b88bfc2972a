//! Odd configurations obey the laws too, side by side in one structure; once is enough, with all
//! features.

mod any;
mod together;

use any::Any;
use broadphase_hshg::Hshg;
use together::Together;

// Hashes of all configurations: cells of all sizes, placements and maps.
laws::spatial_index!(few spatial_hash_of_every_kind, Any::<S, D>::every_kind());

// Grids of all configurations.
laws::spatial_index!(few hshg_of_every_kind, Together::<Hshg<S, D, u32>, 7>::new());
