//! Converts errors of structures into errors of worlds.

use broadphase_core::IndexError;

use crate::registry::Registry;
use crate::{Error, Handle};

pub(crate) fn object_error(error: IndexError, object: Handle) -> Error {
    match error {
        IndexError::InvalidBounds { why, .. } => Error::InvalidBounds { object: Some(object), why },
        IndexError::UnknownKey { .. } => Error::Stale { object },
        _ => Error::OutOfMemory,
    }
}

pub(crate) fn update_error(error: IndexError, registry: &Registry) -> Error {
    match error {
        IndexError::InvalidBounds { key, .. } => object_error(error, registry.slots.handle(key)),
        _ => Error::OutOfMemory,
    }
}
