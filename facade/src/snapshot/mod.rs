//! Snapshots: the complete state of a world as bytes.
//!
//! ```text
//! signature "hexphase", version, number type, D, content flags,
//!     size and type number of U and of B, sides of the world                  header
//! number of slots, live objects, filters, kept objects, swept objects, pairs  counts
//! generation of each slot, in the width of the largest; motion class, 2 bits  slots
//! filters in the order of first use by slots, 24 bytes each                   filters
//! number of the filter (omitted if there is only one), bounds, user data      live objects
//! objects of the last step that were removed or refiltered since              kept objects
//! slot, and bounds at the last step                                           swept objects
//! pairs of the last step: differences as variable-length integers             pairs
//! checksum of all bytes before                                                checksum
//! ```
//!
//! All numbers are little-endian. The bytes depend only on the state of the world, not on the
//! structure, the backend or earlier operations. So the checksum serves as the hash of the state.

mod digest;
mod error;
mod kind;
mod plain;
mod read;
mod ring;
mod slices;
mod write;

use broadphase_core::Motion;

pub use error::SnapshotError;
pub use plain::Plain;
pub use ring::SnapshotRing;
pub(crate) use slices::{Slices, by_slot, read_one};

/// Signature at the start of every snapshot.
const NAME: &[u8; 8] = b"hexphase";
/// Version of the format.
const VERSION: u16 = 1;
/// Content flag: the snapshot contains bounds.
const BOUNDS: u8 = 1;
/// Content flag: the snapshot contains the pairs of the last step and the objects they refer to.
const EVENTS: u8 = 2;
/// Bytes per filter.
const FILTER: usize = 24;

/// Returns the two bits of a motion class; 0 marks a free slot.
const fn state(motion: Motion) -> u8 {
    match motion {
        Motion::Dynamic => 1,
        Motion::Static => 2,
        Motion::Sleeping => 3,
    }
}

/// Returns the number of bytes needed for numbers up to `largest`.
const fn width(largest: u32) -> usize {
    (u32::BITS - largest.leading_zeros()).div_ceil(8) as usize
}
