//! What can go wrong at the door of a structure.

use core::fmt;

use bounds_hexprism::InvalidBounds;

/// Why a structure refused something, and for which object. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexError {
    /// The bounds are NaN, infinite or inverted.
    InvalidBounds {
        /// The object they were meant for.
        key: u32,
        /// What is wrong with them.
        why: InvalidBounds,
    },
    /// An object with this key is there already.
    KeyInUse {
        /// The key.
        key: u32,
    },
    /// There is no object with this key.
    UnknownKey {
        /// The key.
        key: u32,
    },
    /// The memory asked for is not to be had.
    OutOfMemory,
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidBounds { key, why } => write!(f, "object {key}: {why}"),
            Self::KeyInUse { key } => write!(f, "object {key} is there already"),
            Self::UnknownKey { key } => write!(f, "there is no object {key}"),
            Self::OutOfMemory => f.write_str("out of memory"),
        }
    }
}

impl core::error::Error for IndexError {}
