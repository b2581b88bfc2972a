//! All tests in one binary, so that shared code is compiled once.

extern crate alloc;

mod any_line;
mod bodies;
#[cfg(feature = "bytemuck")]
mod bytes;
mod cells;
mod discs;
mod drawings;
mod edges;
mod hash;
mod lines;
mod lookup;
mod maps;
mod overlaps;
mod plane;
mod polygons;
mod random;
mod rewind;
#[cfg(feature = "serde")]
mod serde;
mod sight;
