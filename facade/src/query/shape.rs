//! Arguments of queries: regions and targets, and the types that convert into them.

use broadphase_core::{Aabb, Region, Scalar, Target};

/// The region of [`BroadPhase::query`](crate::BroadPhase::query), the target of
/// [`nearest`](crate::BroadPhase::nearest) or the box of [`shift`](crate::BroadPhase::shift): the
/// [`Region`] or [`Target`] itself, an [`Aabb`], its two corners, or a point.
///
/// A point is an array, or any type that converts into one, such as vectors of glam, mint and
/// nalgebra. `Kind` distinguishes these conversions; it is always inferred.
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// struct Position {
///     x: f32,
///     y: f32,
/// }
/// impl From<Position> for [f32; 2] {
///     fn from(at: Position) -> Self {
///         [at.x, at.y]
///     }
/// }
///
/// let mut world: BroadPhase = BroadPhase::new();
/// let ship = world.insert(Aabb::of_ball([3.0, 0.0], 1.0), ())?;
/// assert_eq!(world.query(Position { x: 3.5, y: 0.0 }).first(), Some(ship));
/// assert_eq!(world.nearest(Position { x: 6.0, y: 0.0 }).first().unwrap().distance_squared, 4.0);
/// assert_eq!(world.query([3.5, 0.0]).to_vec().len(), 1);
/// assert_eq!(world.query(([3.5, 0.0], [9.0, 9.0])).to_vec().len(), 1);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a region, a target or a point of a world of {D} dimensions of `{S}`",
    label = "expected a shape of {D} dimensions",
    note = "boxes, points and vectors need {D} numbers of type `{S}`"
)]
pub trait IntoShape<S, const D: usize, Q, Kind> {
    /// Converts into a region, target or box.
    fn into_shape(self) -> Q;
}

/// Kinds of conversions of [`IntoShape`].
mod kind {
    #[derive(Debug)]
    pub struct Itself;
    #[derive(Debug)]
    pub struct Box;
    #[derive(Debug)]
    pub struct Corners;
    #[derive(Debug)]
    pub struct Point;
}

macro_rules! conversions {
    ($($shape:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<S: Scalar, const D: usize> IntoShape<S, D, $shape<S, D>, kind::Itself> for $shape<S, D> {
            #[inline]
            fn into_shape(self) -> $shape<S, D> {
                self
            }
        }

        #[diagnostic::do_not_recommend]
        impl<S: Scalar, const D: usize, P: Into<[S; D]>> IntoShape<S, D, $shape<S, D>, kind::Corners>
            for (P, P)
        {
            #[inline]
            fn into_shape(self) -> $shape<S, D> {
                Aabb::new(self.0, self.1).into()
            }
        }

        #[diagnostic::do_not_recommend]
        impl<S: Scalar, const D: usize, P: Into<[S; D]>> IntoShape<S, D, $shape<S, D>, kind::Point> for P {
            #[inline]
            fn into_shape(self) -> $shape<S, D> {
                Aabb::point(self).into()
            }
        }
    )* };
}
conversions!(Aabb Region Target);

macro_rules! conversions_of_boxes {
    ($($shape:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<S: Scalar, const D: usize> IntoShape<S, D, $shape<S, D>, kind::Box> for Aabb<S, D> {
            #[inline]
            fn into_shape(self) -> $shape<S, D> {
                self.into()
            }
        }
    )* };
}
conversions_of_boxes!(Region Target);
