//! The results of queries.

use crate::Handle;

/// An object that a path touches, found by [`BroadPhase::cast`](crate::BroadPhase::cast).
///
/// ```
/// # use hexphase::{Aabb, BroadPhase, Filter, Motion, Path};
/// # let mut world: BroadPhase<f32, 1, u32> = BroadPhase::new();
/// # let row: Vec<_> = (0..4)
/// #     .map(|user| {
/// #         let filter = Filter::layers(1 << user);
/// #         let at = Aabb::point([user as f32]);
/// #         world.insert_with(at, user, Motion::Dynamic, filter).unwrap()
/// #     })
/// #     .collect();
/// // Objects 0, 1, 2, 3 at the points 0, 1, 2, 3, each in a layer of its own.
/// let hit = world.cast(Path::segment([-1.0], [3.0])).first().unwrap();
/// assert_eq!((hit.object, hit.fraction), (row[0], 0.25));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<R = f32> {
    /// Handle of the object.
    pub object: Handle,
    /// Position of the first contact along the path: from 0 to 1 for a segment or a moving box; for
    /// a ray, in multiples of its direction vector.
    pub fraction: R,
}

/// An object near a point or box, found by [`BroadPhase::nearest`](crate::BroadPhase::nearest).
///
/// ```
/// # use hexphase::{Aabb, BroadPhase, Filter, Motion, Path};
/// # let mut world: BroadPhase<f32, 1, u32> = BroadPhase::new();
/// # let row: Vec<_> = (0..4)
/// #     .map(|user| {
/// #         let filter = Filter::layers(1 << user);
/// #         let at = Aabb::point([user as f32]);
/// #         world.insert_with(at, user, Motion::Dynamic, filter).unwrap()
/// #     })
/// #     .collect();
/// // Objects 0, 1, 2, 3 at the points 0, 1, 2, 3, each in a layer of its own.
/// let near = world.nearest([5.0]).first().unwrap();
/// assert_eq!((near.object, near.distance_squared), (row[3], 4.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor<R = f32> {
    /// Handle of the object.
    pub object: Handle,
    /// Squared distance to the object; 0 if it overlaps the target, infinite if the square
    /// overflows.
    pub distance_squared: R,
}

/// The result type of a [`Query`](crate::Query): [`Handle`], [`Hit`] or [`Neighbor`].
///
/// ```
/// use hexphase::{Found, Handle};
///
/// fn objects<F: Found<f32>>(found: &[F]) -> Vec<Handle> {
///     found.iter().map(Found::object).collect()
/// }
/// assert_eq!(objects(&[Handle::from_bits(3)]), [Handle::from_bits(3)]);
/// ```
pub trait Found<R>: Copy + sealed::Sealed {
    /// Creates a result.
    #[doc(hidden)]
    fn found(object: Handle, at: R) -> Self;
    /// Returns the handle of the found object.
    fn object(&self) -> Handle;
}

impl<R> Found<R> for Handle {
    fn found(object: Handle, _: R) -> Self {
        object
    }
    fn object(&self) -> Handle {
        *self
    }
}

impl<R: Copy> Found<R> for Hit<R> {
    fn found(object: Handle, fraction: R) -> Self {
        Self { object, fraction }
    }
    fn object(&self) -> Handle {
        self.object
    }
}

impl<R: Copy> Found<R> for Neighbor<R> {
    fn found(object: Handle, distance_squared: R) -> Self {
        Self { object, distance_squared }
    }
    fn object(&self) -> Handle {
        self.object
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Handle {}
    impl<R> Sealed for super::Hit<R> {}
    impl<R> Sealed for super::Neighbor<R> {}
}
