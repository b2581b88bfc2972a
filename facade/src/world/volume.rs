//! Volumes that are boxes themselves, and those that are tighter.

use core::any::{Any, TypeId};

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Scalar};

/// Whether a volume is the box itself; known when the program is compiled.
pub(crate) fn is_box<S: Scalar, const D: usize, B: Bounds<S, D>>() -> bool {
    TypeId::of::<B>() == TypeId::of::<Aabb<S, D>>()
}

/// A box as the volume it is; `None` if volumes are tighter.
#[inline]
pub(crate) fn of_box<S: Scalar, const D: usize, B: Bounds<S, D>>(
    bounds: &mut Aabb<S, D>,
) -> Option<&mut B> {
    (bounds as &mut dyn Any).downcast_mut()
}
