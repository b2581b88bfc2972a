//! Why a snapshot was not taken back.

use core::fmt;

use broadphase_core::InvalidBounds;

use crate::Handle;

/// Why bytes were not taken back as a world. The world is as it was.
///
/// ```
/// use hexphase::{BroadPhase, SnapshotError};
///
/// let mut saved = Vec::new();
/// BroadPhase::<f32, 2>::new().snapshot_into(&mut saved);
/// let other = BroadPhase::<f32, 3>::new().restore(&saved).unwrap_err();
/// assert_eq!(other, SnapshotError::Kind { what: "dimensions" });
/// assert_eq!(other.to_string(), "snapshot of a world with other dimensions");
/// saved.pop();
/// assert_eq!(BroadPhase::<f32, 2>::new().restore(&saved), Err(SnapshotError::Corrupt));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// They are not a snapshot.
    NotASnapshot,
    /// They are one of a version that this one does not read.
    Version(u16),
    /// They are of another kind of world.
    Kind {
        /// What differs.
        what: &'static str,
    },
    /// They were damaged: cut off, or changed.
    Corrupt,
    /// Bounds are not in them, or are and were to come from elsewhere.
    Bounds,
    /// Bounds that were given are NaN, infinite or inverted.
    InvalidBounds {
        /// The object they were given for.
        object: Handle,
        /// What is wrong with them.
        why: InvalidBounds,
    },
    /// The memory asked for is not to be had.
    OutOfMemory,
    /// The ring has none of that tick any more, or never had.
    UnknownTick {
        /// The tick.
        tick: u64,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASnapshot => f.write_str("not a snapshot"),
            Self::Version(version) => write!(f, "snapshot of unknown version {version}"),
            Self::Kind { what } => write!(f, "snapshot of a world with other {what}"),
            Self::Corrupt => f.write_str("damaged snapshot"),
            Self::Bounds => f.write_str("bounds are in the snapshot, or given, but not both"),
            Self::InvalidBounds { object, why } => write!(f, "object {object}: {why}"),
            Self::OutOfMemory => f.write_str("out of memory"),
            Self::UnknownTick { tick } => write!(f, "no snapshot of tick {tick}"),
        }
    }
}

impl core::error::Error for SnapshotError {}
