//! What can go wrong at the door of a world.

use core::fmt;

use broadphase_core::InvalidBounds;

use crate::Handle;

/// Why a world refused something, and for which object. Nothing has changed, but by walks, which
/// leave out what is refused and go on.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Error, InvalidBounds};
///
/// let mut world: BroadPhase<f32, 1> = BroadPhase::new();
/// let why = InvalidBounds::Inverted { axis: 0 };
/// let refused = world.insert(Aabb::new([2.0], [1.0]), ());
/// assert_eq!(refused, Err(Error::InvalidBounds { object: None, why }));
/// assert_eq!(refused.unwrap_err().to_string(), "new object: bounds have min above max on axis 0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The bounds are NaN, infinite or inverted.
    InvalidBounds {
        /// The object they were meant for; `None` for one that was to be inserted.
        object: Option<Handle>,
        /// What is wrong with them.
        why: InvalidBounds,
    },
    /// The object was removed.
    Stale {
        /// The handle that names nothing any more.
        object: Handle,
    },
    /// The memory asked for is not to be had, or all 2^32 − 1 slots are in use.
    OutOfMemory,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidBounds { object: Some(object), why } => {
                write!(f, "object {object}: {why}")
            }
            Self::InvalidBounds { object: None, why } => write!(f, "new object: {why}"),
            Self::Stale { object } => write!(f, "object {object} was removed"),
            Self::OutOfMemory => f.write_str("out of memory"),
        }
    }
}

impl core::error::Error for Error {}
