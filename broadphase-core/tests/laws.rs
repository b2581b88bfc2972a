//! Brute force obeys the laws of all structures.

use broadphase_core::BruteForce;

laws::spatial_index!(brute_force, BruteForce::default());
