//! Snapshots: the complete state of a world as bytes.
//!
//! ```text
//! signature "hexphase", version, number type, D, content flags,
//!     size and type number of U and of B, sides of the world                  header
//! number of slots up to the highest in use, and up to the highest in use or
//!     kept; live objects, runs of free slots, filters, kept objects, swept
//!     objects, pairs; generation of the free slots at the end                counts
//! number of objects before each run, its length minus 1, its generation,
//!     as variable-length integers                                            free slots
//! generations, in blocks; motion class, 2 bits                               live objects
//! filters in the order of first use by slots, 24 bytes each                   filters
//! number of the filter (omitted if there is only one), bounds, user data      live objects
//! objects of the last step that were removed or have another filter now       kept objects
//! slot, and bounds at the last step                                           swept objects
//! pairs of the last step: differences as variable-length integers             pairs
//! checksum of all bytes before                                                checksum
//! ```
//!
//! The size depends on the objects and pairs, not on the past; [`crate::slots`] describes free
//! slots.
//!
//! All numbers are little-endian. The bytes depend only on the state of the world, not on the
//! structure, the backend or earlier operations: the checksum is the hash of the state.

mod checksum;
mod error;
mod generations;
mod header;
mod parse;
mod plain;
mod read;
mod ring;
mod varint;
mod write;

use broadphase_core::Motion;

pub use error::SnapshotError;
pub(crate) use parse::{ParsedSnapshot, fill_by_slot, read_one};
pub use plain::{Plain, support as plain_support};
pub use ring::SnapshotRing;

/// Signature at the start of every snapshot.
const MAGIC: &[u8; 8] = b"hexphase";
/// Version of the format.
const VERSION: u16 = 2;
/// Content flag: the snapshot contains bounds.
const HAS_BOUNDS: u8 = 1;
/// Content flag: the snapshot contains the pairs of the last step and the objects they refer to.
const HAS_EVENTS: u8 = 2;
/// Bytes per filter.
const FILTER_BYTES: usize = <broadphase_core::Filter as Plain>::SIZE;

/// Returns the two bits of a motion class; never 0.
const fn motion_bits(motion: Motion) -> u8 {
    match motion {
        Motion::Dynamic => 1,
        Motion::Static => 2,
        Motion::Sleeping => 3,
    }
}

/// Returns the number of bytes needed for numbers up to `largest`.
const fn byte_width(largest: u32) -> usize {
    (u32::BITS - largest.leading_zeros()).div_ceil(8) as usize
}

/// Removes and returns `count` bytes from the front, if there are as many.
#[inline]
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (front, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(front)
}

/// Reads a little-endian integer of up to four bytes.
#[inline]
fn read_uint(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}
