//! Errors of structures.

use core::fmt;

use bounds_hexprism::{Aabb, InvalidBounds, Scalar};

/// Error of a structure: what is wrong, and with which object.
///
/// After an error the structure is unchanged, except after walks and
/// [`extend`](crate::SpatialIndexExt::extend).
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
        /// The key in use.
        key: u32,
    },
    /// There is no object with this key.
    UnknownKey {
        /// The unknown key.
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

/// Collector of the error that a walk returns: of the object with the smallest key, so the order of
/// visits does not matter.
///
/// ```
/// use broadphase_core::{FirstError, IndexError};
///
/// let mut first_error = FirstError::default();
/// first_error.record(7, IndexError::UnknownKey { key: 7 });
/// first_error.record(3, IndexError::UnknownKey { key: 3 });
/// assert_eq!(first_error.result(), Err(IndexError::UnknownKey { key: 3 }));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstError(Option<(u32, IndexError)>);

impl FirstError {
    /// Records an error of the object with this key, unless an equal or smaller key has one.
    #[cold]
    pub fn record(&mut self, key: u32, error: IndexError) {
        if self.0.is_none_or(|(smallest, _)| key < smallest) {
            self.0 = Some((key, error));
        }
    }

    /// Validates bounds for the object with this key, and records an error if they are invalid.
    #[cold]
    pub fn record_bounds<S: Scalar, const D: usize>(&mut self, key: u32, bounds: Aabb<S, D>) {
        if let Err(why) = bounds.checked() {
            self.record(key, IndexError::InvalidBounds { key, why });
        }
    }

    /// Records the error that another walk has collected, if any.
    pub fn merge(&mut self, other: Self) {
        if let Some((key, error)) = other.0 {
            self.record(key, error);
        }
    }

    /// Returns `Ok`, or the recorded error of the smallest key.
    ///
    /// # Errors
    /// If an error was recorded.
    pub fn result(self) -> Result<(), IndexError> {
        self.0.map_or(Ok(()), |(_, error)| Err(error))
    }
}
