//! The error that a walk returns: that of the object with the smallest key, for any order of visits.

use broadphase_core::{Aabb, IndexError, Scalar};

/// The error of the object with the smallest key.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct FirstError(Option<(u32, IndexError)>);

impl FirstError {
    /// Merges the error of another walk.
    pub(in crate::grid) fn merge(&mut self, other: &Self) {
        if let Some((key, _)) = other.0
            && self.0.is_none_or(|(first_error, _)| key < first_error)
        {
            self.0 = other.0;
        }
    }

    /// Returns the error, if any.
    pub(in crate::grid) fn result(self) -> Result<(), IndexError> {
        self.0.map_or(Ok(()), |(_, error)| Err(error))
    }

    #[cold]
    pub(in crate::grid) fn record<S: Scalar, const D: usize>(
        &mut self,
        key: u32,
        bounds: Aabb<S, D>,
    ) {
        if let Err(why) = bounds.checked()
            && self.0.is_none_or(|(first_error, _)| key < first_error)
        {
            self.0 = Some((key, IndexError::InvalidBounds { key, why }));
        }
    }
}
