//! The laws of all structures, for brute force and for the default implementations of the trait.

use broadphase_core::BruteForce;
use laws::required::Required;

laws::spatial_index!(brute_force, BruteForce::default());
laws::spatial_index!(default_implementations, Required(BruteForce::<S, D>::default()));
