//! Tests of worlds: laws, golden scenes, and single properties. One program, because compiling the
//! worlds takes most of the time.

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
mod zeros;
