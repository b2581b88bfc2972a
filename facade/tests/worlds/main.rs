//! What worlds do: their laws, their answers to published scenes, and one thing at a time. One
//! program, because what takes long is to compile the same worlds again for each.

extern crate alloc;

mod allocation;
#[cfg(feature = "hshg")]
mod asks;
mod golden;
mod handles;
#[cfg(feature = "hexcoord")]
mod hexes;
mod laws;
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
