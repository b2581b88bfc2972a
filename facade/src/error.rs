//! Errors of world operations.

use core::fmt;

use broadphase_core::InvalidBounds;

use crate::Handle;

/// The reason a world rejected an operation, and the object. On error the world is unchanged,
/// except for updates of all objects, which skip rejected changes.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Error, InvalidBounds};
///
/// let mut world: BroadPhase = BroadPhase::new();
/// let error = world.insert(Aabb::new([2.0, 0.0], [1.0, 0.0]), ()).unwrap_err();
/// let why = InvalidBounds::Inverted { axis: 0 };
/// assert_eq!(error, Error::InvalidBounds { object: None, why });
/// assert_eq!(error.to_string(), "new object: bounds have min above max on axis 0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The bounds are NaN, infinite or inverted.
    InvalidBounds {
        /// The object with these bounds, or `None` for an object to be inserted.
        object: Option<Handle>,
        /// The defect of the bounds.
        why: InvalidBounds,
    },
    /// The bounds of an object in a list of objects to insert are NaN, infinite or inverted.
    InvalidAt {
        /// Index of the object in the list.
        index: usize,
        /// The defect of the bounds.
        why: InvalidBounds,
    },
    /// The object was removed.
    Stale {
        /// The stale handle.
        object: Handle,
    },
    /// Allocating memory for objects failed, or all 2^32 − 1 slots are in use.
    ///
    /// A few allocations abort the program if they fail, as those of the standard library do: for
    /// the first object with a filter, for swept objects, and for lists of pairs.
    OutOfMemory,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidBounds { object: Some(object), why } => {
                write!(f, "object {object}: {why}")
            }
            Self::InvalidBounds { object: None, why } => write!(f, "new object: {why}"),
            Self::InvalidAt { index, why } => write!(f, "new object at index {index}: {why}"),
            Self::Stale { object } => write!(f, "object {object} was removed"),
            Self::OutOfMemory => f.write_str("out of memory"),
        }
    }
}

impl core::error::Error for Error {}
