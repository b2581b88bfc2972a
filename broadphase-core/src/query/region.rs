//! Regions of queries: a box, a point, a ball, or a box with a rounded border.

use bounds_hexprism::{Aabb, Scalar};

/// All points within a radius of a box: a box if the radius is 0, a ball if the box is a point.
///
/// Touching counts. The box and the radius may be infinite; a region that is inverted or NaN, or
/// has a negative radius, overlaps nothing. Distances are computed in the scalar's own precision;
/// exactly for integers.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, Region};
///
/// let ball: Region = Region::ball([0.0, 0.0], 5.0);
/// assert!(ball.overlaps(&Aabb::point([3.0, 4.0])));
/// assert!(!ball.overlaps(&Aabb::point([4.0, 4.0])));
/// assert!(Region::from([4.0, 4.0]).overlaps(&Aabb::new([0.0, 0.0], [4.0, 4.0])));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region<S = f32, const D: usize = 2> {
    bounds: Aabb<S, D>,
    radius: S,
}

impl<S: Scalar, const D: usize> Region<S, D> {
    /// Creates a region of a single point.
    #[inline]
    #[must_use]
    pub fn point(at: impl Into<[S; D]>) -> Self {
        Aabb::point(at).into()
    }

    /// Creates a disc or ball.
    #[inline]
    #[must_use]
    pub fn ball(center: impl Into<[S; D]>, radius: S) -> Self {
        Self::around(Aabb::point(center), radius)
    }

    /// Creates the region of all points within a radius of a box.
    #[inline]
    #[must_use]
    pub fn around(bounds: impl Into<Aabb<S, D>>, radius: S) -> Self {
        Self { bounds: bounds.into(), radius }
    }

    pub(crate) const fn bounds(&self) -> Aabb<S, D> {
        self.bounds
    }

    pub(crate) const fn radius(&self) -> S {
        self.radius
    }

    /// Validates the region and replaces −0 with 0; `None` if it is inverted or NaN or has a
    /// negative radius, and so overlaps nothing.
    #[inline]
    #[must_use]
    pub fn normalized(self) -> Option<Self> {
        let bounds = self.bounds.normalized()?;
        (self.radius >= S::ZERO).then(|| Self { bounds, radius: self.radius.canonical() })
    }

    /// Returns a box that overlaps every box that the region, which must be
    /// [`normalized`](Self::normalized), overlaps.
    #[inline]
    #[must_use]
    pub fn reach(&self) -> Aabb<S, D> {
        if self.radius == S::ZERO {
            return self.bounds;
        }
        if !self.radius.is_finite() {
            return Aabb { min: [S::MIN; D], max: [S::MAX; D] };
        }
        // A distance slightly above the radius may be rounded down to it.
        let radius = self.radius.next_above();
        let mut reach = self.bounds;
        for axis in 0..D {
            reach.min[axis] = reach.min[axis].minus(radius).next_below().canonical();
            reach.max[axis] = reach.max[axis].plus(radius).next_above().canonical();
        }
        reach
    }

    /// Returns whether the radius is 0: then the region is the box [`reach`](Self::reach).
    #[inline(always)]
    #[must_use]
    pub fn is_box(&self) -> bool {
        self.radius == S::ZERO
    }

    /// Returns whether a [`normalized`](Self::normalized) region and a finite box share a point;
    /// touching counts.
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, other: &Aabb<S, D>) -> bool {
        if self.is_box() {
            return self.bounds.overlaps(other);
        }
        !self.radius.is_finite() || S::is_within(gaps(&self.bounds, other), self.radius)
    }
}

/// Returns the gap between two boxes on each axis, 0 where they overlap.
///
/// ```
/// use broadphase_core::{Aabb, query};
///
/// let (a, b) = (Aabb::new([0, 0], [1, 9]), Aabb::new([4, 5], [5, 6]));
/// assert_eq!(query::gaps(&a, &b), [3, 0]);
/// ```
#[inline(always)]
#[must_use]
pub fn gaps<S: Scalar, const D: usize>(a: &Aabb<S, D>, b: &Aabb<S, D>) -> [S::Gap; D] {
    let mut gaps = [gap(a, b, 0); D];
    let mut axis = 1;
    while axis < D {
        gaps[axis] = gap(a, b, axis);
        axis += 1;
    }
    gaps
}

/// Returns the distance between two boxes; 0 where they overlap.
///
/// This is the smallest limit of [`Target::within`](crate::Target::within) or radius of a
/// [`Region`] around one box that finds the other. It is right even if the squares of gaps overflow
/// or underflow; it is infinite if the distance overflows. Floats compute in their own type; for
/// integers, the result is the first `f64` that is not below the exact distance, so the limit in
/// integers is its `ceil`.
///
/// ```
/// use broadphase_core::{Aabb, query};
///
/// let (a, b) = (Aabb::new([0.0, 0.0], [1.0, 9.0]), Aabb::new([4.0, 13.0], [5.0, 14.0]));
/// assert_eq!(query::distance(&a, &b), 5.0);
/// let far = Aabb::point([3e30f32, 4e30]);
/// assert_eq!(query::distance(&Aabb::point([0.0, 0.0]), &far), 5e30); // its square overflows
/// ```
#[inline]
#[must_use]
pub fn distance<S: Scalar, const D: usize>(a: &Aabb<S, D>, b: &Aabb<S, D>) -> S::Real {
    S::length(gaps(a, b))
}

#[inline(always)]
fn gap<S: Scalar, const D: usize>(a: &Aabb<S, D>, b: &Aabb<S, D>, axis: usize) -> S::Gap {
    // At most one of the two gaps is positive; a branch would be mispredicted.
    let (above, below) = (S::gap(a.max[axis], b.min[axis]), S::gap(b.max[axis], a.min[axis]));
    if above > below { above } else { below }
}

impl<S: Scalar, const D: usize> From<Aabb<S, D>> for Region<S, D> {
    #[inline]
    fn from(bounds: Aabb<S, D>) -> Self {
        Self { bounds, radius: S::ZERO }
    }
}

impl<S: Scalar, const D: usize> From<[S; D]> for Region<S, D> {
    /// Creates a region of a single point.
    #[inline]
    fn from(at: [S; D]) -> Self {
        Self::point(at)
    }
}

impl<S: Scalar, const D: usize, P: Into<[S; D]>> From<(P, P)> for Region<S, D> {
    /// Creates the box with low corner `.0` and high corner `.1`.
    #[inline]
    fn from((min, max): (P, P)) -> Self {
        Aabb::new(min, max).into()
    }
}
