//! What worlds do beside their laws, one thing at a time. One program, because what takes long is
//! to compile the same worlds again for each.

#[cfg(feature = "hshg")]
mod asks;
mod handles;
#[cfg(feature = "hexcoord")]
mod hexes;
mod looks;
mod own;
mod picture;
mod points;
#[cfg(any(feature = "hshg", feature = "hash", feature = "morton"))]
mod rollback;
#[cfg(feature = "serde")]
mod saved;
#[cfg(feature = "hshg")]
mod state;
#[cfg(all(feature = "rayon", feature = "hshg"))]
mod threads;
#[cfg(feature = "std")]
mod tune;
