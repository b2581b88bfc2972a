//! The outcome of a walk: its first error, and whether objects left their slabs or were removed.

use broadphase_core::FirstError;

use crate::grid::storage::row::Class;

/// The outcome of a walk, or of the part of a walk that one thread did.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct WalkOutcome {
    pub(in crate::grid) first_error: FirstError,
    /// Set if an object outgrew its slabs.
    pub(in crate::grid) outgrown: bool,
    /// The highest motion class of the objects that the walk removed from rows; `None` if there are
    /// none.
    pub(in crate::grid) removed_class: Option<Class>,
}

impl WalkOutcome {
    /// Adds the outcome of another part of the same walk.
    pub(in crate::grid) fn merge(&mut self, other: &Self) {
        self.first_error.merge(other.first_error);
        self.outgrown |= other.outgrown;
        self.removed_class = self.removed_class.max(other.removed_class);
    }
}
