//! The outcome of a walk besides the changed objects.

use broadphase_core::{Aabb, IndexError, Scalar};

use crate::grid::storage::row::Class;

/// The outcome of a walk, or of the part of a walk that one thread did.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct WalkOutcome {
    pub(in crate::grid) first_error: FirstError,
    /// Set if an object outgrew its slabs.
    pub(in crate::grid) outgrown: bool,
    /// The highest motion class of which the caller removed an object in a row.
    pub(in crate::grid) removed_class: Option<Class>,
}

impl WalkOutcome {
    /// Merges the outcome of another part.
    pub(in crate::grid) fn merge(&mut self, other: &Self) {
        if let Some((key, error)) = other.first_error.0 {
            self.first_error.record(key, error);
        }
        self.outgrown |= other.outgrown;
        self.removed_class = self.removed_class.max(other.removed_class);
    }
}

/// The error that a walk returns: that of the object with the smallest key, for any order of visits.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct FirstError(Option<(u32, IndexError)>);

impl FirstError {
    /// Returns the error, if any.
    pub(in crate::grid) fn result(self) -> Result<(), IndexError> {
        self.0.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Records an error of an object. The first of several errors of one object is kept.
    pub(in crate::grid) fn record(&mut self, key: u32, error: IndexError) {
        if self.0.is_none_or(|(smallest, _)| key < smallest) {
            self.0 = Some((key, error));
        }
    }

    /// Records the error of invalid bounds.
    #[cold]
    pub(in crate::grid) fn record_bounds<S: Scalar, const D: usize>(
        &mut self,
        key: u32,
        bounds: Aabb<S, D>,
    ) {
        if let Err(why) = bounds.checked() {
            self.record(key, IndexError::InvalidBounds { key, why });
        }
    }
}
