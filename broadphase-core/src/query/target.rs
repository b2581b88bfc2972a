//! Targets of searches for nearest objects.

use bounds_hexprism::{Aabb, Scalar};

use super::region::{Region, gaps};

/// Point or box whose nearest objects are searched, with optional limits of the distance.
///
/// The distance is that between two boxes, 0 where they overlap, in the scalar's own precision and
/// squared; for integers exact, rounded once.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, Target};
///
/// let target: Target = Target::from([0.0, 0.0]).within(5.0);
/// assert_eq!(target.distance_squared(&Aabb::new([3.0, 4.0], [9.0, 9.0])), Some(25.0));
/// assert_eq!(target.distance_squared(&Aabb::point([4.0, 4.0])), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target<S = f32, const D: usize = 2> {
    bounds: Aabb<S, D>,
    within: Option<S>,
    /// Maximum squared distance; infinite if there is none.
    within_squared: f64,
}

impl<S: Scalar, const D: usize> Target<S, D> {
    /// Creates a target of a single point.
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::Target;
    ///
    /// assert_eq!(Target::point([3.0, 4.0]), Target::from([3.0, 4.0]));
    /// ```
    #[inline]
    #[must_use]
    pub fn point(at: impl Into<[S; D]>) -> Self {
        Aabb::point(at).into()
    }

    /// Limits the search to objects at most `distance` away. A second call replaces the limit.
    ///
    /// The limit is tested as exactly as [`Region::ball`]; a negative or NaN limit finds nothing.
    #[inline]
    #[must_use]
    pub const fn within(self, distance: S) -> Self {
        Self { within: Some(distance), ..self }
    }

    /// Limits the search to objects whose squared distance is at most `square`, in addition to the
    /// limit of [`within`](Self::within). A second call replaces the limit.
    ///
    /// The limit is compared with [`distance_squared`](Self::distance_squared), so the squared
    /// distance of an object, used as a limit, includes it. A negative or NaN limit finds nothing.
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::{Aabb, Target};
    ///
    /// let (target, object) = (Target::from([0.0, 0.0]), Aabb::point([1.0, 1.0]));
    /// let square = target.distance_squared(&object).unwrap();
    /// // The square root is rounded, in this case to less than the distance.
    /// assert_eq!(target.within(f32::sqrt(square)).distance_squared(&object), None);
    /// assert_eq!(target.within_squared(square).distance_squared(&object), Some(square));
    /// ```
    #[inline]
    #[must_use]
    pub fn within_squared(self, square: S::Real) -> Self {
        Self { within_squared: square.to_f64(), ..self }
    }

    pub(crate) const fn bounds(&self) -> &Aabb<S, D> {
        &self.bounds
    }

    /// Returns a target with the same limits around another box.
    pub(crate) const fn moved_to(self, bounds: Aabb<S, D>) -> Self {
        Self { bounds, ..self }
    }

    /// Validates the target and replaces −0 with 0; `None` if the box is inverted, NaN or infinite,
    /// or a limit is negative or NaN: nothing is near such a target.
    #[must_use]
    pub fn normalized(self) -> Option<Self> {
        let bounds = self.bounds.checked().ok()?;
        let within = match self.within {
            Some(distance) if distance >= S::ZERO => distance.is_finite().then_some(distance),
            Some(_) => return None,
            None => None,
        };
        (self.within_squared >= 0.0).then_some(Self { bounds, within, ..self })
    }

    /// Returns the squared distance of the [`normalized`](Self::normalized) target to a finite box,
    /// `None` if above a limit. It may overflow to infinity; a subnormal square is rounded once.
    #[must_use]
    pub fn distance_squared(&self, other: &Aabb<S, D>) -> Option<S::Real> {
        let mut square = self.square_between(&self.bounds, other)?;
        if square < S::MIN_SQUARE {
            square = unscaled(scaled_square(&self.bounds, other, S::SCALE_UP), S::SCALE_UP);
        }
        self.allows(square).then_some(square)
    }

    /// Returns the squared distance of two boxes, `None` if above the limit of
    /// [`within`](Self::within). Inexact below `MIN_SQUARE`.
    #[inline(always)]
    pub(crate) fn square_between(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> Option<S::Real> {
        let gaps = gaps(a, b);
        let is_far = self.within.is_some_and(|within| !S::is_within(gaps, within));
        (!is_far).then(|| S::squared_length(gaps))
    }

    /// Returns whether a square is within the limit of [`within_squared`](Self::within_squared).
    pub(super) fn allows(&self, square: S::Real) -> bool {
        square.to_f64() <= self.within_squared
    }

    /// Returns the first squared distance above the limit, infinity if there is no limit.
    pub(crate) fn end(&self) -> S::Real {
        S::Real::from_f64(self.within_squared).next_above()
    }

    /// Returns whether the limits include distances whose squares overflow.
    pub(super) fn may_overflow(&self) -> bool {
        let overflows = |within| S::squared_length([S::gap(S::ZERO, within)]) > S::Real::MAX;
        self.within.is_none_or(overflows) && self.within_squared == f64::INFINITY
    }

    /// Returns whether there is a limit of the distance whose square overflows.
    pub(crate) fn limit_overflows(&self) -> bool {
        self.within.is_some() && self.may_overflow()
    }

    /// Returns a box that overlaps every object nearer than `distance`, and the square of the
    /// distance; `None` if the distance exceeds the range of numbers.
    #[inline]
    pub(crate) fn nearer(&self, distance: f64) -> Option<(Aabb<S, D>, S::Real)> {
        let distance = S::from_f64(distance);
        let square = S::squared_length([S::gap(S::ZERO, distance)]);
        (distance < S::MAX).then(|| (Region::around(self.bounds, distance).reach(), square))
    }

    /// Returns a box that overlaps every object within the limits.
    pub(crate) fn reach(&self) -> Aabb<S, D> {
        let limit = self.limit();
        if limit < S::MAX.to_f64() {
            Region::around(self.bounds, S::from_f64(limit)).reach()
        } else {
            Aabb { min: [S::MIN; D], max: [S::MAX; D] }
        }
    }

    /// Returns an upper bound of distances within the limits, infinite if there are none.
    #[inline]
    pub(super) fn limit(&self) -> f64 {
        let within = self.within.map_or(f64::INFINITY, Scalar::to_f64);
        let root = square_root_above(self.within_squared);
        if within < root { within } else { root }
    }
}

/// Returns the squared distance of two boxes with coordinates multiplied by `scale`, a power of
/// two.
pub(super) fn scaled_square<S: Scalar, const D: usize>(
    a: &Aabb<S, D>,
    b: &Aabb<S, D>,
    scale: f64,
) -> S::Real {
    let scaled = |x: S| S::from_f64(x.to_f64() * scale);
    let [a, b] = [a, b].map(|x| Aabb { min: x.min.map(scaled), max: x.max.map(scaled) });
    S::squared_length(gaps(&a, &b))
}

/// Returns the square of a distance, given the square of the distance multiplied by `scale`.
pub(super) fn unscaled<R: Scalar>(square: R, scale: f64) -> R {
    // At most one of the two divisions is rounded, or the result is 0.
    R::from_f64(square.to_f64() / scale / scale)
}

/// Returns a number slightly above the square root of a number that is not negative.
#[inline]
pub(crate) fn square_root_above(square: f64) -> f64 {
    const ROUNDING: f64 = 1.0 + 1e-6;
    if square == f64::INFINITY {
        return square;
    }
    // Halving the exponent estimates the root to 6 % for normal numbers.
    let mut root = f64::from_bits((square.to_bits() >> 1) + (1023 << 51));
    for _ in 0..2 {
        // A step of Newton's method is never below the square root.
        root = (root + square / root) * 0.5;
    }
    root * ROUNDING
}

impl<S: Scalar, const D: usize> From<Aabb<S, D>> for Target<S, D> {
    #[inline]
    fn from(bounds: Aabb<S, D>) -> Self {
        Self { bounds, within: None, within_squared: f64::INFINITY }
    }
}

impl<S: Scalar, const D: usize> From<[S; D]> for Target<S, D> {
    #[inline]
    fn from(at: [S; D]) -> Self {
        Aabb::point(at).into()
    }
}

#[cfg(test)]
mod tests {
    use super::{Aabb, Target, square_root_above};

    #[test]
    fn the_square_root_is_at_least_the_exact_one() {
        for n in 1..=2046 {
            for square in [1.0, 1.37, 2.0 - f64::EPSILON].map(|x| x * f64::from_bits(n << 52)) {
                let root = square_root_above(square);
                assert!((1.0..1.000_01).contains(&(root / square.sqrt())), "{square}");
            }
        }
        assert!(square_root_above(0.0) < 1e-150);
        assert_eq!(square_root_above(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn subnormal_squares_are_rounded_once() {
        let square = |gap: f32| Target::from([0.0; 2]).distance_squared(&Aabb::point([gap; 2]));
        // Each of the two squares is 0.6 times the smallest number, and would be rounded up to it.
        let gap = (0.6f64 * f64::from(f32::from_bits(1))).sqrt() as f32;
        assert_eq!(square(gap), Some(f32::from_bits(1)));
        assert_eq!(square(1e-30), Some(0.0));
        assert_eq!(square(1e20), Some(f32::INFINITY));
    }
}
