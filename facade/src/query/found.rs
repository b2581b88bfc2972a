//! The results of queries.

use crate::Handle;

/// An object that a path touches, found by [`BroadPhase::cast`](crate::BroadPhase::cast).
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Path};
///
/// let mut world: BroadPhase = BroadPhase::new();
/// let wall = world.insert(Aabb::new([2.0, -1.0], [3.0, 1.0]), ())?;
/// let hit = world.cast(Path::segment([0.0, 0.0], [8.0, 0.0])).first().unwrap();
/// assert_eq!((hit.object, hit.fraction), (wall, 0.25));
/// # Ok::<(), hexphase::Error>(())
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
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase = BroadPhase::new();
/// let ship = world.insert(Aabb::point([3.0, 4.0]), ())?;
/// let near = world.nearest([0.0, 0.0]).first().unwrap();
/// assert_eq!((near.object, near.distance, near.distance_squared), (ship, 5.0, 25.0));
/// # Ok::<(), hexphase::Error>(())
/// ```
///
/// The distance of a result, used as a limit of the next search, includes the object:
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase<f32, 2> = BroadPhase::new();
/// world.insert(Aabb::point([1.0, 1.0]), ())?;
/// let near = world.nearest([0.0, 0.0]).first().unwrap();
/// assert_eq!(near.distance, 1.4142137); // 1.41421356…, rounded up: less would miss it
/// assert_eq!(world.nearest([0.0, 0.0]).within(near.distance).first(), Some(near));
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor<R = f32> {
    /// Handle of the object.
    pub object: Handle,
    /// Distance to the object; 0 if it overlaps the target. This is the smallest limit of
    /// [`within`](crate::Query::within) that finds the object again, in integer worlds after
    /// `ceil`. Right even if the square overflows or underflows.
    pub distance: R,
    /// Squared distance to the object; 0 if it overlaps the target, infinite on overflow.
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
    /// Creates a result from a fraction, or from a squared distance and the distance.
    #[doc(hidden)]
    fn found(object: Handle, at: R, distance: impl FnOnce() -> R) -> Self;
    /// Returns the handle of the found object.
    fn object(&self) -> Handle;
}

impl<R> Found<R> for Handle {
    fn found(object: Handle, _: R, _: impl FnOnce() -> R) -> Self {
        object
    }
    fn object(&self) -> Handle {
        *self
    }
}

impl<R: Copy> Found<R> for Hit<R> {
    fn found(object: Handle, fraction: R, _: impl FnOnce() -> R) -> Self {
        Self { object, fraction }
    }
    fn object(&self) -> Handle {
        self.object
    }
}

impl<R: Copy> Found<R> for Neighbor<R> {
    fn found(object: Handle, distance_squared: R, distance: impl FnOnce() -> R) -> Self {
        Self { object, distance: distance(), distance_squared }
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
