//! An object as a structure shows it.

use bounds_hexprism::Aabb;

/// One object: the caller's key, its bounds, and the data stored with it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Entry<'a, S, const D: usize, T> {
    /// The number the caller chose for the object.
    pub key: u32,
    /// Its bounds, as checked at the door.
    pub bounds: Aabb<S, D>,
    /// What was stored with it.
    pub data: &'a T,
}

impl<S: Copy, const D: usize, T> Clone for Entry<'_, S, D, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Copy, const D: usize, T> Copy for Entry<'_, S, D, T> {}
