//! Targets of searches for nearest objects.

use bounds_hexprism::{Aabb, Scalar};

use super::region::{Region, gaps};

/// Point or box whose nearest objects are searched, with an optional maximum distance.
///
/// The distance of an object is that between the two boxes, 0 where they overlap, computed in the
/// scalar's own precision and squared; for integers exactly, rounded once at the end.
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
    /// Creates a target of a single point.
    ///
    /// ```
    /// # use broadphase_core::Target;
    /// assert_eq!(Target::point([3.0, 4.0]), Target::from([3.0, 4.0]));
    /// ```
    #[inline]
    #[must_use]
    pub fn point(at: impl Into<[S; D]>) -> Self {
        Aabb::point(at).into()
    }

    /// Limits the search to objects at most `distance` away.
    ///
    /// The limit is tested as exactly as [`Region::ball`]. Nothing is within a negative or NaN
    /// distance.
    #[inline]
    #[must_use]
    pub const fn within(self, distance: S) -> Self {
        Self { within: Some(distance), ..self }
    }

    /// Returns the point or box.
    pub(crate) const fn bounds(&self) -> Aabb<S, D> {
        self.bounds
    }

    /// Returns a target with the same limit around another box.
    pub(crate) const fn moved_to(self, bounds: Aabb<S, D>) -> Self {
        Self { bounds, ..self }
    }

    /// Validates and normalizes the target: −0 becomes 0. `None` if the box is inverted, NaN or
    /// infinite, or the limit is negative or NaN: nothing is near such a target.
    #[must_use]
    pub fn normalized(self) -> Option<Self> {
        let bounds = self.bounds.checked().ok()?;
        let within = match self.within {
            Some(distance) if distance >= S::ZERO => distance.is_finite().then_some(distance),
            Some(_) => return None,
            None => None,
        };
        Some(Self { bounds, within })
    }

    /// Returns the squared distance to a box, `None` if above the limit.
    ///
    /// The box must be finite and the target [`normalized`](Self::normalized).
    #[inline(always)]
    #[must_use]
    pub fn distance_squared(&self, other: &Aabb<S, D>) -> Option<S::Real> {
        let gaps = gaps(&self.bounds, other);
        let is_far = self.within.is_some_and(|within| !S::is_within(gaps, within));
        (!is_far).then(|| S::squared_length(gaps))
    }

    /// Returns a box that overlaps every object nearer than `distance`, and the square of the
    /// distance; `None` if the distance exceeds the range of numbers.
    pub(crate) fn nearer(&self, distance: f64) -> Option<(Aabb<S, D>, S::Real)> {
        let distance = S::from_f64(distance);
        let square = S::squared_length([S::gap(S::ZERO, distance)]);
        (distance < S::MAX).then(|| (Region::around(self.bounds, distance).reach(), square))
    }

    /// Returns a box that overlaps every object within the limit.
    pub(crate) fn reach(&self) -> Aabb<S, D> {
        match self.within {
            Some(distance) => Region::around(self.bounds, distance).reach(),
            None => Aabb { min: [S::MIN; D], max: [S::MAX; D] },
        }
    }

    /// Returns the maximum distance, infinite if the target has none.
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
