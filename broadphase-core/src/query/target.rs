//! What to look for the nearest of.

use bounds_hexprism::{Aabb, Scalar};

use super::region::{Region, gaps};

/// A point or box of which the nearest objects are wanted, and how far away they may be.
///
/// The distance of an object is that of the two boxes, 0 where they overlap, computed in the
/// scalar's own precision; squared, and of integers exactly until it is rounded once.
///
/// ```
/// use broadphase_core::{Aabb, Target};
///
/// let target = Target::from([0.0, 0.0]).within(5.0);
/// assert_eq!(target.distance_squared(&Aabb::new([3.0, 4.0], [9.0, 9.0])), Some(25.0));
/// assert_eq!(target.distance_squared(&Aabb::point([4.0, 4.0])), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target<S = f32, const D: usize = 2> {
    bounds: Aabb<S, D>,
    within: Option<S>,
}

impl<S: Scalar, const D: usize> Target<S, D> {
    /// The same, but only what is not farther away.
    ///
    /// Exact as [`Region::ball`] is; there is nothing within a negative distance, or NaN.
    #[inline]
    #[must_use]
    pub const fn within(self, distance: S) -> Self {
        Self { within: Some(distance), ..self }
    }

    /// The point or box itself.
    pub(crate) const fn bounds(&self) -> Aabb<S, D> {
        self.bounds
    }

    /// The same, but of another box.
    pub(crate) const fn moved_to(self, bounds: Aabb<S, D>) -> Self {
        Self { bounds, ..self }
    }

    /// The target as a question to a structure: with −0 turned into 0. `None` if the box is
    /// inverted, NaN or infinite, for then nothing is near it, or if nothing may be.
    #[must_use]
    pub fn askable(self) -> Option<Self> {
        let bounds = self.bounds.checked().ok()?;
        let within = match self.within {
            Some(distance) if distance >= S::ZERO => distance.is_finite().then_some(distance),
            Some(_) => return None,
            None => None,
        };
        Some(Self { bounds, within })
    }

    /// How far away a box is, squared; `None` if it is farther than it may be.
    ///
    /// Meant for finite boxes and targets that are [`askable`](Self::askable).
    #[inline(always)]
    #[must_use]
    pub fn distance_squared(&self, other: &Aabb<S, D>) -> Option<S::Real> {
        let gaps = gaps(&self.bounds, other);
        let is_far = self.within.is_some_and(|within| !S::is_within(gaps, within));
        (!is_far).then(|| S::squared_length(gaps))
    }

    /// A box that overlaps all that is nearer than a distance, and the square of that; `None` if
    /// numbers hardly go so far.
    pub(crate) fn nearer(&self, distance: f64) -> Option<(Aabb<S, D>, S::Real)> {
        let distance = S::from_f64(distance);
        let square = S::squared_length([S::gap(S::ZERO, distance)]);
        (distance < S::MAX).then(|| (Region::around(self.bounds, distance).reach(), square))
    }

    /// A box that overlaps all that is not too far away.
    pub(crate) fn reach(&self) -> Aabb<S, D> {
        match self.within {
            Some(distance) => Region::around(self.bounds, distance).reach(),
            None => Aabb { min: [S::MIN; D], max: [S::MAX; D] },
        }
    }

    /// How far away things may be.
    pub(crate) fn limit(&self) -> f64 {
        self.within.map_or(f64::INFINITY, Scalar::to_f64)
    }
}

impl<S: Scalar, const D: usize> From<Aabb<S, D>> for Target<S, D> {
    #[inline]
    fn from(bounds: Aabb<S, D>) -> Self {
        Self { bounds, within: None }
    }
}

impl<S: Scalar, const D: usize> From<[S; D]> for Target<S, D> {
    #[inline]
    fn from(at: [S; D]) -> Self {
        Aabb::point(at).into()
    }
}
