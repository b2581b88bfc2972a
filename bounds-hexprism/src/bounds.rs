//! What a bounding volume must be able to do, and what makes intervals valid.

use core::fmt::Debug;

use simd_lanes::{Scalar, array_of};

use crate::axes::Axes;
use crate::{Aabb, HexPrism, Hexagon, InvalidBounds};

/// A volume around an object, in `D` dimensions.
///
/// A structure keeps the box and asks the volume itself only where boxes overlap: a tighter volume
/// costs nothing where nothing is near. Implement it for a shape of your own and it decides
/// exactly; a shape that overlaps must have boxes that overlap.
///
/// ```
/// use bounds_hexprism::{Aabb, Bounds, InvalidBounds};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Disc([i32; 2], i32);
///
/// impl Bounds<i32, 2> for Disc {
///     fn aabb(&self) -> Aabb<i32, 2> {
///         Aabb::of_ball(self.0, self.1)
///     }
///     fn overlaps(&self, other: &Self) -> bool {
///         let square = |axis: usize| i64::from(self.0[axis] - other.0[axis]).pow(2);
///         square(0) + square(1) <= i64::from(self.1 + other.1).pow(2)
///     }
///     fn check(&self) -> Result<(), InvalidBounds> {
///         self.aabb().check()
///     }
/// }
///
/// assert!(!Disc([0, 0], 5).overlaps(&Disc([8, 8], 5)));
/// assert!(Disc([0, 0], 5).aabb().overlaps(&Disc([8, 8], 5).aabb()));
/// ```
pub trait Bounds<S: Scalar, const D: usize>:
    Copy + Debug + PartialEq + Send + Sync + 'static
{
    /// The smallest box around the volume, or one a rounding step larger.
    fn aabb(&self) -> Aabb<S, D>;

    /// Whether the two volumes share a point, or may do so; touching counts.
    fn overlaps(&self, other: &Self) -> bool;

    /// Whether this is a volume that a structure can take.
    ///
    /// # Errors
    /// If an end is NaN or infinite, or a lower end is above its upper end.
    fn check(&self) -> Result<(), InvalidBounds>;

    /// Whether the volume is the box itself.
    #[doc(hidden)]
    const IS_BOX: bool = false;

    /// Returns boxes as the volumes they are; `None` if volumes are tighter than boxes.
    #[doc(hidden)]
    fn of_boxes(boxes: &mut [Aabb<S, D>]) -> Option<&mut [Self]> {
        let _ = boxes;
        None
    }

    /// Returns volumes, each with a name, as the boxes they are; `None` if they are tighter.
    #[doc(hidden)]
    fn named_boxes<N>(volumes: &[(N, Self)]) -> Option<&[(N, Aabb<S, D>)]> {
        let _ = volumes;
        None
    }
}

impl<S: Scalar, const D: usize> Bounds<S, D> for Aabb<S, D> {
    const IS_BOX: bool = true;

    #[inline(always)]
    fn of_boxes(boxes: &mut [Self]) -> Option<&mut [Self]> {
        Some(boxes)
    }
    #[inline(always)]
    fn named_boxes<N>(volumes: &[(N, Self)]) -> Option<&[(N, Self)]> {
        Some(volumes)
    }
    #[inline(always)]
    fn aabb(&self) -> Self {
        *self
    }
    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    #[inline]
    fn check(&self) -> Result<(), InvalidBounds> {
        self.checked().map(drop)
    }
}

impl<S: Scalar, A: Axes> Bounds<S, 2> for Hexagon<S, A> {
    #[inline]
    fn aabb(&self) -> Aabb<S, 2> {
        self.aabb()
    }
    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    #[inline]
    fn check(&self) -> Result<(), InvalidBounds> {
        self.checked().map(drop)
    }
}

impl<S: Scalar, A: Axes> Bounds<S, 3> for HexPrism<S, A> {
    #[inline]
    fn aabb(&self) -> Aabb<S, 3> {
        self.aabb()
    }
    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    #[inline]
    fn check(&self) -> Result<(), InvalidBounds> {
        self.checked().map(drop)
    }
}

/// The intervals from `min` to `max` with −0 turned into 0, if all are finite and in order. Axes
/// in errors count from `first`.
#[inline]
pub(crate) fn checked_intervals<S: Scalar, const K: usize>(
    min: [S; K],
    max: [S; K],
    first: usize,
) -> Result<([S; K], [S; K]), InvalidBounds> {
    // One pass without branches for the many good ones, then a search for the reason.
    let good = |axis: usize| {
        let (min, max) = (min[axis], max[axis]);
        min.is_finite() & max.is_finite() & (min <= max)
    };
    if (0..K).fold(true, |all, axis| all & good(axis)) {
        return Ok((
            array_of(|axis| min[axis].canonical()),
            array_of(|axis| max[axis].canonical()),
        ));
    }
    let find = |is: fn(S) -> bool| (0..K).find(|&axis| is(min[axis]) || is(max[axis]));
    // A number that does not equal itself is NaN.
    #[expect(clippy::eq_op, reason = "NaN is the number that does not equal itself")]
    let nan = find(|end| end != end);
    let infinite = find(|end| !end.is_finite());
    let inverted = (0..K).find(|&axis| !good(axis)).unwrap_or(0);
    Err(match (nan, infinite) {
        (Some(axis), _) => InvalidBounds::NotANumber { axis: first + axis },
        (None, Some(axis)) => InvalidBounds::Infinite { axis: first + axis },
        (None, None) => InvalidBounds::Inverted { axis: first + inverted },
    })
}
