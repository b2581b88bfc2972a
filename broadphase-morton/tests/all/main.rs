//! All integration tests in one program, so that shared code is compiled once.

mod code;
mod laws;
mod memory;
mod nodes;
#[cfg(feature = "rayon")]
mod threads;
