//! Brute force obeys the laws of all structures, and so does what the trait provides.

use broadphase_core::BruteForce;
use laws::required::Required;

#[cfg(all(feature = "wide", feature = "pulp"))]
laws::spatial_index!(brute_force, BruteForce::default());
#[cfg(all(feature = "wide", feature = "pulp"))]
laws::spatial_index!(what_is_provided, Required(BruteForce::<S, D, u32>::default()));

// With fewer features only kernels are others.
#[cfg(not(all(feature = "wide", feature = "pulp")))]
laws::spatial_index!(few brute_force, BruteForce::default());
#[cfg(not(all(feature = "wide", feature = "pulp")))]
laws::spatial_index!(few what_is_provided, Required(BruteForce::<S, D, u32>::default()));
