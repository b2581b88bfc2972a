//! Brute force obeys the laws of all structures, and so does what the trait provides.

use broadphase_core::BruteForce;
use laws::required::Required;

laws::spatial_index!(brute_force, BruteForce::default());
laws::spatial_index!(what_is_provided, Required(BruteForce::<S, D, u32>::default()));
