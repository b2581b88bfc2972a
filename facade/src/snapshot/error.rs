//! Errors of snapshots.

use alloc::string::String;
use core::fmt;

use broadphase_core::InvalidBounds;

use super::VERSION;
use crate::Handle;

/// The reason that a snapshot could not be restored. The world is unchanged.
///
/// ```
/// use hexphase::{BroadPhase, SnapshotError};
///
/// let mut saved = Vec::new();
/// BroadPhase::<f32, 2>::new().snapshot_into(&mut saved);
/// let other = BroadPhase::<f32, 3>::new().restore(&saved).unwrap_err();
/// let text = "snapshot of another kind of world: 2 dimensions in the snapshot, 3 in this world";
/// assert_eq!(other.to_string(), text);
/// assert!(matches!(other, SnapshotError::Kind { what: "dimensions", .. }));
/// saved.pop();
/// assert_eq!(BroadPhase::<f32, 2>::new().restore(&saved), Err(SnapshotError::Corrupt));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin with the signature of a snapshot.
    NotASnapshot,
    /// The snapshot has another version of the format; the text names the version that is read.
    Version(u16),
    /// The snapshot is of a world with other types, dimensions, sides or events.
    Kind {
        /// The property that differs: number type, dimensions, user data, volumes, sides or events.
        what: &'static str,
        /// The property of the snapshot, as text.
        saved: String,
        /// The property of the world, as text.
        world: String,
    },
    /// The snapshot is damaged: truncated or modified.
    Corrupt,
    /// [`restore`](crate::BroadPhase::restore) got a snapshot without bounds, or
    /// [`restore_with`](crate::BroadPhase::restore_with) one with bounds.
    Bounds,
    /// The caller supplied bounds that are NaN, infinite or inverted.
    InvalidBounds {
        /// The object with these bounds.
        object: Handle,
        /// The defect of the bounds.
        why: InvalidBounds,
    },
    /// Allocating memory for objects failed. If another allocation fails, for filters, pairs or the
    /// order of the structure, the program aborts.
    OutOfMemory,
    /// The ring has no snapshot of this tick.
    UnknownTick {
        /// The requested tick.
        tick: u64,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASnapshot => f.write_str("not a snapshot"),
            Self::Version(version) => write!(
                f,
                "snapshot version {version} is not supported: only version {VERSION} is read"
            ),
            Self::Kind { what, saved, world } => {
                // The number stands before `dimensions`, and other values after their property.
                let [before, after] =
                    if *what == "dimensions" { [saved, *what] } else { [*what, saved.as_str()] };
                write!(
                    f,
                    "snapshot of another kind of world: {before} {after} in the snapshot, {world} \
                     in this world"
                )
            }
            Self::Corrupt => f.write_str("damaged snapshot"),
            Self::Bounds => {
                f.write_str("bounds must come from the snapshot or the caller, not both")
            }
            Self::InvalidBounds { object, why } => write!(f, "object {object}: {why}"),
            Self::OutOfMemory => f.write_str("out of memory"),
            Self::UnknownTick { tick } => write!(f, "no snapshot of tick {tick}"),
        }
    }
}

impl core::error::Error for SnapshotError {}
