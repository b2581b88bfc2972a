//! Tests of worlds: golden scenes and single properties. They are one program, because compiling
//! the worlds takes most of the time. The laws of worlds are another program, because they request
//! more memory than the counting allocator of this one can count.

extern crate alloc;

mod allocation;
mod custom_structure;
mod diagnostics;
mod golden;
mod handles;
mod images;
mod interest;
#[cfg(feature = "hshg")]
mod many;
mod pairs;
mod panics;
#[cfg(feature = "hexcoord")]
mod plain;
mod points;
#[cfg(feature = "hshg")]
mod requirements;
mod ring;
#[cfg(feature = "serde")]
mod saved;
#[cfg(any(feature = "hshg", feature = "hash", feature = "morton"))]
mod snapshots;
#[cfg(feature = "std")]
mod tune;
#[cfg(all(feature = "f64", feature = "i32", feature = "one-dimension"))]
mod versions;
#[cfg(all(feature = "hshg", feature = "hash", feature = "morton"))]
mod wrap;
mod zeros;
