//! Errors of structures.

use core::fmt;

use bounds_hexprism::InvalidBounds;

/// Error of a structure: what is wrong, and with which object.
///
/// After an error nothing has changed, except in walks and bulk insertion, which describe what they
/// keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexError {
    /// The bounds are NaN, infinite or inverted.
    InvalidBounds {
        /// Key of the object the bounds were meant for.
        key: u32,
        /// Defect of the bounds.
        why: InvalidBounds,
    },
    /// An object with this key exists already.
    KeyInUse {
        /// The key.
        key: u32,
    },
    /// There is no object with this key.
    UnknownKey {
        /// The key.
        key: u32,
    },
    /// Allocation failed.
    OutOfMemory,
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidBounds { key, why } => write!(f, "object {key}: {why}"),
            Self::KeyInUse { key } => write!(f, "object {key} already exists"),
            Self::UnknownKey { key } => write!(f, "there is no object {key}"),
            Self::OutOfMemory => f.write_str("out of memory"),
        }
    }
}

impl core::error::Error for IndexError {}
