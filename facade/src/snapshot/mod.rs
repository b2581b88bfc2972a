//! Snapshots: all that a world is, as plain bytes.
//!
//! ```text
//! "hexphase"  version  S  D  content  size and kind of U and of B  sides               the kind
//! slots  live  filters  remembered  swept  pairs                                       counts
//! generation of each slot, all as wide as the widest needs; motion of each slot, 2 bits
//! filters, 24 bytes each, in the order in which slots name them first
//! of each live object: number of its filter (none if there is one); bounds; user data
//! remembered: what pairs of the last step name and is gone or has another filter since
//! swept: slot, and bounds at the last step
//! pairs of the last step, as differences of 7 bits a byte
//! check sum of all before it
//! ```
//!
//! All numbers are little-endian. The bytes follow from what the world is alone: not from the
//! structure, the backend, or the way there; so their check sum serves as the hash of the state.

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

/// What every snapshot begins with.
const NAME: &[u8; 8] = b"hexphase";
/// The version of the format.
const VERSION: u16 = 1;
/// Bounds are in it.
const BOUNDS: u8 = 1;
/// Pairs of the last step, and what they name, are in it.
const EVENTS: u8 = 2;
/// The bytes of a filter.
const FILTER: usize = 24;

/// The two bits of a slot; 0 is free.
const fn state(motion: Motion) -> u8 {
    match motion {
        Motion::Dynamic => 1,
        Motion::Static => 2,
        Motion::Sleeping => 3,
    }
}

/// How many bytes numbers up to this one need.
const fn width(largest: u32) -> usize {
    (u32::BITS - largest.leading_zeros()).div_ceil(8) as usize
}
