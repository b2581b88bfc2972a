//! Axis-aligned boxes in one, two or three dimensions.

use simd_lanes::{Keys, Scalar, array_of, assert_dimensions};

use crate::bounds::checked_intervals;
use crate::{InvalidBounds, Slabs};

/// An axis-aligned box: the points from `min` to `max`, both included.
///
/// A box is plain data: fields may hold any numbers, and structures [validate](Self::checked) boxes
/// that are inserted. `D` is 1, 2 or 3; other values do not compile.
///
/// ```
/// # extern crate bounds_hexprism as hexphase;
/// use hexphase::Aabb;
///
/// let a: Aabb = Aabb::new([0.0, 0.0], [4.0, 2.0]);
/// let b = Aabb::new([4.0, 1.0], [6.0, 6.0]);
/// assert!(a.overlaps(&b));
/// assert_eq!(a.union(&b), Aabb::new([0.0, 0.0], [6.0, 6.0]));
/// assert_eq!(b.center(), [5.0, 3.5]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "crate::serialization::UncheckedAabb<S, D>",
        bound(serialize = "S: serde::Serialize"),
        bound(deserialize = "S: Scalar + serde::Deserialize<'de>"),
    )
)]
pub struct Aabb<S = f32, const D: usize = 2> {
    /// The smallest coordinate on each axis.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::serialization::write_array"))]
    pub min: [S; D],
    /// The largest coordinate on each axis, included.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::serialization::write_array"))]
    pub max: [S; D],
}

impl<S: Scalar, const D: usize> Aabb<S, D> {
    /// Creates the box from `min` to `max`, without validation.
    #[inline]
    #[must_use]
    pub fn new(min: impl Into<[S; D]>, max: impl Into<[S; D]>) -> Self {
        const { assert_dimensions(D) };
        Self { min: min.into(), max: max.into() }
    }

    /// Creates the box of a single point.
    #[inline]
    #[must_use]
    pub fn point(at: impl Into<[S; D]>) -> Self {
        const { assert_dimensions(D) };
        let at = at.into();
        Self::new(at, at)
    }

    /// Creates the box with this center and half extent. Floats round to nearest, integers
    /// saturate.
    #[inline]
    #[must_use]
    pub fn around(center: impl Into<[S; D]>, half: impl Into<[S; D]>) -> Self {
        const { assert_dimensions(D) };
        let (center, half) = (center.into(), half.into());
        Self::new(
            array_of(|axis| center[axis].minus(half[axis])),
            array_of(|axis| center[axis].plus(half[axis])),
        )
    }

    /// Creates the box around a disc or ball. Floats round to nearest, integers saturate.
    #[inline]
    #[must_use]
    pub fn of_ball(center: impl Into<[S; D]>, radius: S) -> Self {
        const { assert_dimensions(D) };
        Self::around(center, [radius; D])
    }

    /// Returns the smallest box that contains all points, or `None` if there are no points.
    ///
    /// A box with a NaN coordinate is NaN on that axis, and [`checked`](Self::checked) rejects it.
    #[must_use]
    pub fn of_points<P: Into<[S; D]>>(points: impl IntoIterator<Item = P>) -> Option<Self> {
        const { assert_dimensions(D) };
        let boxes = points.into_iter().map(|point| Self::point(point));
        boxes.reduce(|all, point| all.union(&point))
    }

    /// Validates the box for storage, and replaces −0 with 0.
    ///
    /// # Errors
    /// If an end is NaN or infinite, or `min` is above `max`. If several of these apply, the first
    /// in this order is returned, with the first axis to which it applies.
    #[inline]
    pub fn checked(self) -> Result<Self, InvalidBounds> {
        let (min, max) = checked_intervals(self.min, self.max, 0)?;
        Ok(Self { min, max })
    }

    /// Returns [`checked`](Self::checked) and [`slabs`](Self::slabs) in one pass, if valid.
    #[inline(always)]
    #[must_use]
    pub fn checked_slabs(self) -> Option<(Self, Slabs<D>)> {
        if !S::EXACT_KEYS {
            let checked = self.checked().ok()?;
            return Some((checked, checked.slabs()));
        }
        let mut checked = self;
        let mut slabs = Slabs::PADDING;
        let mut valid = true;
        for axis in 0..D {
            checked.min[axis] = self.min[axis].canonical();
            checked.max[axis] = self.max[axis].canonical();
            slabs.min[axis] = checked.min[axis].key_below();
            slabs.max[axis] = checked.max[axis].key_above();
            // The keys of infinities and NaN are outside the range of finite numbers.
            valid &= slabs.min[axis] <= slabs.max[axis];
            valid &= S::MIN_KEY <= slabs.min[axis] && slabs.max[axis] <= S::MAX_KEY;
        }
        if valid { Some((checked, slabs)) } else { None }
    }

    /// Validates the box as a query, which may be infinite, and replaces −0 with 0. Returns `None`
    /// if the box is inverted or NaN: such a query overlaps nothing.
    #[inline]
    #[must_use]
    pub fn normalized(self) -> Option<Self> {
        let in_order = (0..D).fold(true, |all, axis| all & (self.min[axis] <= self.max[axis]));
        in_order.then(|| Self {
            min: array_of(|axis| self.min[axis].canonical()),
            max: array_of(|axis| self.max[axis].canonical()),
        })
    }

    /// Returns whether the two boxes overlap; touching counts.
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).fold(true, |all, axis| {
            all & (self.min[axis] <= other.max[axis]) & (other.min[axis] <= self.max[axis])
        })
    }

    /// Returns whether the other box is inside this one; the border counts.
    #[inline]
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.min[axis] && other.max[axis] <= self.max[axis])
    }

    /// Returns whether the point is inside the box; the border counts.
    #[inline]
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[S; D]>) -> bool {
        self.contains(&Self::point(point))
    }

    /// Returns the smallest box that contains both boxes.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        // If either number is NaN, the result is NaN.
        let lower = |a: S, b: S| if b >= a { a } else { keep_nan(b, a) };
        let upper = |a: S, b: S| if b <= a { a } else { keep_nan(b, a) };
        Self {
            min: array_of(|axis| lower(self.min[axis], other.min[axis])),
            max: array_of(|axis| upper(self.max[axis], other.max[axis])),
        }
    }

    /// Returns the box with every side moved outwards by `margin`; inwards if `margin` is negative.
    ///
    /// Floats round to nearest, integers saturate.
    #[inline]
    #[must_use]
    pub fn enlarged(&self, margin: S) -> Self {
        Self {
            min: array_of(|axis| self.min[axis].minus(margin)),
            max: array_of(|axis| self.max[axis].plus(margin)),
        }
    }

    /// Returns the box moved by an offset. Floats round to nearest, integers saturate.
    #[inline]
    #[must_use]
    pub fn translated(&self, by: impl Into<[S; D]>) -> Self {
        let (by, mut moved) = (by.into(), *self);
        // This method is inlined into games, which are often compiled without optimization: there
        // the loop takes 14 % of the time that iterators and closures take.
        let mut axis = 0;
        while axis < D {
            moved.min[axis] = moved.min[axis].plus(by[axis]);
            moved.max[axis] = moved.max[axis].plus(by[axis]);
            axis += 1;
        }
        moved
    }

    /// Returns the center, without overflow. Integers round towards zero.
    #[inline]
    #[must_use]
    pub fn center(&self) -> [S; D] {
        array_of(|axis| self.min[axis].middle(self.max[axis]))
    }

    /// Returns the intervals as order-preserving keys, for `f64` rounded outwards; the box must be
    /// [`checked`](Self::checked).
    #[inline(always)]
    #[must_use]
    pub fn slabs(&self) -> Slabs<D> {
        Slabs {
            min: array_of(|axis| self.min[axis].key_below()),
            max: array_of(|axis| self.max[axis].key_above()),
        }
    }
}

#[inline(always)]
fn keep_nan<S: Scalar>(new: S, old: S) -> S {
    #[expect(clippy::eq_op, reason = "NaN is the number that is not equal to itself")]
    if old == old { new } else { old }
}

impl<S: Scalar, const D: usize, P: Into<[S; D]>> From<(P, P)> for Aabb<S, D> {
    /// Creates the box with low corner `.0` and high corner `.1`, without validation.
    fn from((min, max): (P, P)) -> Self {
        Self::new(min, max)
    }
}
