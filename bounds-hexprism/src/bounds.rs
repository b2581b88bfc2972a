//! The trait of bounding volumes, and the validation of intervals.

use core::fmt::Debug;

use simd_lanes::{Scalar, array_of};

use crate::{Aabb, InvalidBounds};

/// A volume around an object, in `D` dimensions.
///
/// A structure calls [`overlaps`](Self::overlaps) only for volumes whose boxes overlap, so a
/// tighter volume costs time only for nearby objects. Implement the trait for your own shapes to
/// get exact results. If two shapes overlap, their boxes must overlap too.
///
/// ```
/// # extern crate bounds_hexprism as hexphase;
/// use hexphase::{Aabb, Bounds, InvalidBounds};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Disc([f32; 2], f32);
///
/// impl Bounds<f32, 2> for Disc {
///     fn aabb(&self) -> Aabb {
///         Aabb::of_ball(self.0, self.1)
///     }
///     fn overlaps(&self, other: &Self) -> bool {
///         let square = |axis: usize| (self.0[axis] - other.0[axis]).powi(2);
///         square(0) + square(1) <= (self.1 + other.1).powi(2)
///     }
///     fn checked(self) -> Result<Self, InvalidBounds> {
///         self.aabb().checked()?;
///         Ok(Self(self.0.map(|x| x + 0.0), self.1 + 0.0)) // −0 becomes 0
///     }
/// }
///
/// assert!(!Disc([0.0, 0.0], 5.0).overlaps(&Disc([8.0, 8.0], 5.0)));
/// assert!(Disc([0.0, 0.0], 5.0).aabb().overlaps(&Disc([8.0, 8.0], 5.0).aabb()));
/// ```
pub trait Bounds<S: Scalar, const D: usize>:
    Copy + Debug + PartialEq + Send + Sync + 'static
{
    /// Returns the smallest box around the volume, or a box that is a rounding step larger.
    fn aabb(&self) -> Aabb<S, D>;

    /// Returns whether the volumes overlap; touching counts. May return `true` for close volumes.
    fn overlaps(&self, other: &Self) -> bool;

    /// Validates the volume for storage, and replaces −0 with 0 ([`Scalar::canonical`]) in each
    /// number: equal volumes are then stored as equal bits.
    ///
    /// # Errors
    /// If an end is NaN or infinite, or a lower end is above its upper end.
    fn checked(self) -> Result<Self, InvalidBounds>;

    /// Returns the volume moved by an offset, or `None` (the default) if it cannot be moved. The
    /// result should contain the exact volume despite rounding.
    ///
    /// Worlds that wrap test moved volumes across a seam; there, volumes that cannot be moved
    /// overlap if their boxes do.
    ///
    /// ```
    /// # extern crate bounds_hexprism as hexphase;
    /// use hexphase::{Bounds, Hexagon};
    ///
    /// let hexagon: Hexagon = Hexagon::of_disc([0.0, 0.0], 2.0)?;
    /// let right = hexagon.translated([360.0, 0.0]).expect("hexagons can be moved");
    /// assert_eq!(right.aabb().center(), [360.0, 0.0]);
    /// # Ok::<(), hexphase::InvalidBounds>(())
    /// ```
    #[must_use]
    fn translated(&self, by: [S; D]) -> Option<Self> {
        let _ = by;
        None
    }

    /// Whether the volume type is [`Aabb`].
    #[doc(hidden)]
    const IS_BOX: bool = false;

    /// Returns the boxes as volumes if the volume type is [`Aabb`], else `None`.
    #[doc(hidden)]
    fn of_boxes(boxes: &mut [Aabb<S, D>]) -> Option<&mut [Self]> {
        let _ = boxes;
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
    fn aabb(&self) -> Self {
        *self
    }
    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    #[inline]
    fn checked(self) -> Result<Self, InvalidBounds> {
        self.checked()
    }
    #[inline]
    fn translated(&self, by: [S; D]) -> Option<Self> {
        Some(self.translated(by))
    }
}

/// Checks that the intervals are finite and in order, and replaces −0 with 0.
///
/// # Errors
/// If an end is NaN or infinite, or a lower end is above its upper end: the first of these that
/// applies, on the first such axis; axes count from `first`.
#[inline]
pub(crate) fn checked_intervals<S: Scalar, const K: usize>(
    min: [S; K],
    max: [S; K],
    first: usize,
) -> Result<([S; K], [S; K]), InvalidBounds> {
    // First test all intervals without branches: nearly all are valid.
    let is_valid = |axis: usize| {
        let (min, max) = (min[axis], max[axis]);
        min.is_finite() & max.is_finite() & (min <= max)
    };
    if (0..K).fold(true, |all, axis| all & is_valid(axis)) {
        return Ok((
            array_of(|axis| min[axis].canonical()),
            array_of(|axis| max[axis].canonical()),
        ));
    }
    let find = |is: fn(S) -> bool| (0..K).find(|&axis| is(min[axis]) || is(max[axis]));
    #[expect(clippy::eq_op, reason = "NaN is the number that is not equal to itself")]
    let nan = find(|end| end != end);
    let infinite = find(|end| !end.is_finite());
    let inverted = (0..K).find(|&axis| !is_valid(axis)).unwrap_or(0);
    Err(match (nan, infinite) {
        (Some(axis), _) => InvalidBounds::NotANumber { axis: first + axis },
        (None, Some(axis)) => InvalidBounds::Infinite { axis: first + axis },
        (None, None) => InvalidBounds::Inverted { axis: first + inverted },
    })
}
