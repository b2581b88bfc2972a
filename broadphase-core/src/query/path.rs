//! Paths: segments, rays and boxes that move along a straight line.
//!
//! A path is tested against a box axis by axis (slab test): on each axis the two overlap during an
//! interval of fractions; the first touch is where the last of these intervals begins. A
//! conservative test without divisions first rejects most boxes.

use bounds_hexprism::{Aabb, Scalar};

use super::path_bounds::PathBounds;
use crate::kernel::sweep::Line;

/// Point or box that moves along a straight line.
///
/// Positions on the path are *fractions*: 0 at its start, 1 at the end of a segment or sweep; on a
/// ray any number, in lengths of its direction. They are computed in the scalar's own precision;
/// integers compare exactly and round once. Touching counts, also at borders, corners and ends,
/// unless the path is [`ignoring_contacts`](Self::ignoring_contacts). A path with a NaN or infinite
/// number touches nothing, except that [`until`](Self::until) may be infinite.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, Path};
///
/// let wall: Aabb = Aabb::new([6.0, -1.0], [7.0, 1.0]);
/// assert_eq!(Path::segment([0.0, 0.0], [8.0, 0.0]).first_touch(&wall), Some(0.75));
/// assert_eq!(Path::segment([0.0, 0.0], [5.0, 0.0]).first_touch(&wall), None);
/// assert_eq!(Path::ray([0.0, 1.0], [1.0, 0.0]).first_touch(&wall), Some(6.0)); // along its border
/// let moving = Path::sweep(Aabb::new([-2.0, -2.0], [2.0, 2.0]), [8.0, 0.0]);
/// assert_eq!(moving.first_touch(&wall), Some(0.5));
/// assert_eq!(moving.until(0.25).first_touch(&wall), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path<S: Scalar = f32, const D: usize = 2> {
    start: Aabb<S, D>,
    /// The path moves by `to - from`, which may overflow.
    from: [S; D],
    to: [S; D],
    until: S::Real,
    ignores_contacts: bool,
}

impl<S: Scalar, const D: usize> Path<S, D> {
    /// Creates the segment between two points, both included.
    #[inline]
    #[must_use]
    pub fn segment(from: impl Into<[S; D]>, to: impl Into<[S; D]>) -> Self {
        let (from, to) = (from.into(), to.into());
        Self::new(Aabb::point(from), from, to, 1.0)
    }

    /// Creates the ray from a point in a direction, without end.
    ///
    /// The direction may have any length; with length 0 the ray is its origin. With an extremely
    /// small length fractions get too large to be distinguished.
    #[inline]
    #[must_use]
    pub fn ray(origin: impl Into<[S; D]>, direction: impl Into<[S; D]>) -> Self {
        Self::new(Aabb::point(origin), [S::ZERO; D], direction.into(), f64::INFINITY)
    }

    /// Creates the path of a box that moves by an offset.
    #[inline]
    #[must_use]
    pub fn sweep(bounds: impl Into<Aabb<S, D>>, by: impl Into<[S; D]>) -> Self {
        Self::new(bounds.into(), [S::ZERO; D], by.into(), 1.0)
    }

    fn new(start: Aabb<S, D>, from: [S; D], to: [S; D], until: f64) -> Self {
        Self { start, from, to, until: S::Real::from_f64(until), ignores_contacts: false }
    }

    /// Sets the fraction at which the path ends, which may be above 1 or infinite.
    #[inline]
    #[must_use]
    pub fn until(self, fraction: S::Real) -> Self {
        Self { until: fraction, ..self }
    }

    /// Ignores boxes that the path touches only at their borders, because it starts in contact and
    /// leaves the box or slides along its border: for moving boxes that rest on the ground or touch
    /// a wall.
    ///
    /// A box is ignored if, on some axis, its lower end equals the upper end of the path's start,
    /// or its upper end the lower end of the start, and the path does not move towards it on this
    /// axis. The comparison is exact. Ground made of tiles is ignored as one box would be. In a
    /// world that wraps each image of a box is tested by itself. A box that the start overlaps by
    /// more than a border is touched at fraction 0, even if the path leaves it; to allow for
    /// rounded positions, cast a slightly smaller box.
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::{Aabb, Path};
    ///
    /// let ground = Aabb::new([0.0, -4.0], [20.0, 0.0]);
    /// let wall = Aabb::new([9.0, 0.0], [12.0, 6.0]);
    /// let walk = Path::sweep(Aabb::new([1.0, 0.0], [3.0, 2.0]), [12.0, 0.0]);
    /// assert_eq!(walk.first_touch(&ground), Some(0.0));
    /// let walk = walk.ignoring_contacts();
    /// assert_eq!(walk.first_touch(&ground), None);
    /// assert_eq!(walk.first_touch(&wall), Some(0.5));
    /// ```
    #[inline]
    #[must_use]
    pub fn ignoring_contacts(self) -> Self {
        Self { ignores_contacts: true, ..self }
    }

    /// Returns the fraction at which the path first touches a box, if ever; 0 if at its start.
    ///
    /// Prepares the path at each call; casts of structures prepare it once for all boxes.
    #[must_use]
    pub fn first_touch(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        self.prepared()?.first_touch(&bounds.checked().ok()?)
    }

    /// Returns the box of the path at a fraction: its start, moved by this fraction of its
    /// movement. Computes in `f64` and rounds each end, so the box may be off a touched object by a
    /// rounding.
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::{Aabb, Path};
    ///
    /// let path = Path::ray([1.0, 2.0], [4.0, 0.0]);
    /// let touch = path.first_touch(&Aabb::new([3.0, 0.0], [9.0, 9.0])).unwrap();
    /// assert_eq!(path.at(touch), Aabb::point([3.0, 2.0]));
    /// ```
    #[must_use]
    pub fn at(&self, fraction: S::Real) -> Aabb<S, D> {
        let mut bounds = self.start;
        for axis in 0..D {
            let step = S::step(self.from[axis], self.to[axis]);
            let by = S::advance(step, fraction.to_f64());
            for end in [&mut bounds.min[axis], &mut bounds.max[axis]] {
                *end = S::from_f64(end.to_f64() + by);
            }
        }
        bounds
    }

    pub(crate) const fn start(&self) -> Aabb<S, D> {
        self.start
    }

    /// Returns a path with the same movement from another start.
    pub(crate) const fn starting_at(self, start: Aabb<S, D>) -> Self {
        Self { start, ..self }
    }

    /// Precomputes the data to test many boxes; `None` if the path touches nothing.
    #[inline(always)]
    pub(crate) fn prepared(&self) -> Option<PreparedPath<S, D>> {
        let start = self.start.checked().ok()?;
        let movement = Aabb::new(self.from, self.to);
        let finite = movement.min.iter().chain(&movement.max).all(|x| x.is_finite());
        let begins = self.until >= S::Real::ZERO;
        if !(finite && begins) {
            return None;
        }
        let mut steps = [S::step(self.from[0], self.to[0]); D];
        let mut axis = 1;
        while axis < D {
            steps[axis] = S::step(self.from[axis], self.to[axis]);
            axis += 1;
        }
        let is_long = steps.iter().any(|&step| S::advance(step, 4.0).abs() == f64::MAX);
        Some(PreparedPath {
            start,
            steps,
            until: self.until,
            ignores_contacts: self.ignores_contacts,
            movements: if is_long { [0.0; D] } else { steps.map(|step| S::advance(step, 1.0)) },
            is_long,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedPath<S: Scalar, const D: usize> {
    start: Aabb<S, D>,
    steps: [S::Step; D],
    until: S::Real,
    ignores_contacts: bool,
    /// Movement on each axis per unit of fraction; all 0 if one exceeds the range of `f64`.
    movements: [f64; D],
    is_long: bool,
}

impl<S: Scalar, const D: usize> PreparedPath<S, D> {
    #[inline(always)]
    pub(crate) fn first_touch(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        if self.misses(bounds) || (self.ignores_contacts && self.only_contacts(bounds)) {
            return None;
        }
        let start = [&self.start.min, &self.start.max];
        let touch = S::touch(start, &self.steps, [&bounds.min, &bounds.max], self.until);
        touch.map(|[first, _]| first)
    }

    /// Returns whether, on some axis, the start and a box have a common end, and the path does not
    /// move towards the box. Exact.
    fn only_contacts(&self, bounds: &Aabb<S, D>) -> bool {
        (0..D).any(|axis| {
            let movement = self.movement(axis);
            (self.start.max[axis] == bounds.min[axis] && movement <= 0.0)
                || (self.start.min[axis] == bounds.max[axis] && movement >= 0.0)
        })
    }

    /// Returns an interval, widened by the rounding error, of all fractions at which the path
    /// overlaps a box, ignoring axes without movement. The box may be infinite.
    pub(super) fn overlap_interval(&self, bounds: &Aabb<S, D>) -> [f64; 2] {
        let (mut enter, mut exit) = (0.0, f64::INFINITY);
        if self.is_long {
            return [enter, exit];
        }
        for axis in 0..D {
            let movement = self.movements[axis];
            if movement == 0.0 {
                continue;
            }
            let low = (bounds.min[axis].to_f64() - self.start.max[axis].to_f64()) / movement;
            let high = (bounds.max[axis].to_f64() - self.start.min[axis].to_f64()) / movement;
            let (near, far) = if low < high { (low, high) } else { (high, low) };
            // An object's own rounded fraction decides whether it is touched.
            let near = near - near.abs() * S::FRACTION_ERROR - S::FRACTION_ERROR_NEAR_ZERO;
            let far = far + far.abs() * S::FRACTION_ERROR + S::FRACTION_ERROR_NEAR_ZERO;
            enter = if near > enter { near } else { enter };
            exit = if far < exit { far } else { exit };
        }
        // Fractions are clamped to the largest number: then the true exit may be later.
        let most = S::Real::MAX.to_f64();
        [if enter < most { enter } else { most }, if exit < most { exit } else { f64::INFINITY }]
    }

    /// Returns whether the path certainly misses a box: a conservative test without divisions,
    /// which replaces most exact tests, and rejects boxes at fractions too large for the exact
    /// test.
    ///
    /// In the plane of each pair of axes, the path misses the box if the center of the box is
    /// farther from the path than the reach of the box in that direction (a separating axis) plus
    /// the rounding error. NaN compares as not separated.
    // Rejected: this test only for large fractions, because divisions take as long.
    #[inline(always)]
    fn misses(&self, bounds: &Aabb<S, D>) -> bool {
        let (mut middle, mut half) = ([0.0; D], [0.0; D]);
        for axis in 0..D {
            let low = bounds.min[axis].to_f64() - self.start.max[axis].to_f64();
            let high = bounds.max[axis].to_f64() - self.start.min[axis].to_f64();
            (middle[axis], half[axis]) = ((low + high) * 0.5, (high - low) * 0.5);
        }
        let mut misses = false;
        for b in 1..D {
            for a in 0..b {
                let (x, y) = (self.movements[a], self.movements[b]);
                let off = (x * middle[b] - y * middle[a]).abs();
                let (x, y) = (x.abs(), y.abs());
                let reach = x * half[b] + y * half[a];
                let all = x * middle[b].abs() + y * middle[a].abs() + reach;
                let error =
                    all * (2.0 * S::FRACTION_ERROR) + 4.0 * x * y * S::FRACTION_ERROR_NEAR_ZERO;
                misses |= off > reach + error + f64::MIN_POSITIVE;
            }
        }
        misses
    }

    /// Returns the line of the path, for the conservative test of many boxes.
    pub(super) fn line(&self) -> Line<D> {
        Line::new(&self.start, &self.movements)
    }

    /// Returns the path's bounds beside its main axis, up to a fraction, if finite.
    #[inline(always)]
    pub(super) fn path_bounds(&self, to: f64) -> Option<PathBounds<D>> {
        if self.is_long {
            return None;
        }
        let (mut min, mut max) = ([0.0; D], [0.0; D]);
        for axis in 0..D {
            min[axis] = self.start.min[axis].to_f64();
            max[axis] = self.start.max[axis].to_f64();
        }
        // Intervals come from `segment_box`, so the error exceeds its enlargement.
        let mut error = [0.0; D];
        for axis in 0..D {
            let (one, far) = (self.movements[axis].abs(), self.movements[axis].abs() * to);
            let least = (one + 1.0) * S::FRACTION_ERROR_NEAR_ZERO + f64::from(u8::from(S::INTEGER));
            let most = if -min[axis] > max[axis] { -min[axis] } else { max[axis] };
            error[axis] = 3.0 * ((far + most) * S::FRACTION_ERROR + least);
        }
        PathBounds::new(min, max, error, &self.movements)
    }

    pub(crate) fn end(&self) -> f64 {
        self.until.to_f64()
    }

    /// Returns the movement on an axis per unit of fraction.
    pub(crate) fn movement(&self, axis: usize) -> f64 {
        S::advance(self.steps[axis], 1.0)
    }

    /// Returns the largest movement on any axis per unit of fraction.
    pub(crate) fn max_movement(&self) -> f64 {
        self.steps
            .iter()
            .fold(0.0, |max_movement: f64, &step| max_movement.max(S::advance(step, 1.0).abs()))
    }

    /// Returns whether the path is out of the number range on an axis, from this fraction on.
    pub(crate) fn is_out_of_range(&self, fraction: f64) -> bool {
        // Four times the number range makes the rounding of positions insignificant.
        let quarter = |axis: usize| S::advance(self.steps[axis], fraction * 0.25).abs();
        (0..D).any(|axis| quarter(axis) >= S::MAX.to_f64())
    }

    /// Returns a box that overlaps every object first touched between two fractions.
    #[inline(always)]
    pub(crate) fn segment_box(&self, range: [f64; 2]) -> Aabb<S, D> {
        let mut bounds = self.start;
        for axis in 0..D {
            let (one, [a, b]) = self.ends(axis, range);
            if one == 0.0 {
                continue;
            }
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            let (min, max) = (bounds.min[axis].to_f64() + low, bounds.max[axis].to_f64() + high);
            // Rounding error of a movement by a rounded fraction, and of this addition.
            let least = (one.abs() + 1.0) * S::FRACTION_ERROR_NEAR_ZERO;
            let below = (low.abs() + min.abs()) * S::FRACTION_ERROR + least;
            let above = (high.abs() + max.abs()) * S::FRACTION_ERROR + least;
            bounds.min[axis] = S::from_f64(min - below);
            bounds.max[axis] = S::from_f64(max + above);
            if S::INTEGER {
                bounds.min[axis] = bounds.min[axis].next_below();
                bounds.max[axis] = bounds.max[axis].next_above();
            }
        }
        bounds
    }

    /// Returns three movements on an axis: up to fraction 1, `from` (rounded towards 0), and `to`
    /// (rounded away from 0).
    #[inline(always)]
    fn ends(&self, axis: usize, [from, to]: [f64; 2]) -> (f64, [f64; 2]) {
        if self.is_long {
            let step = self.steps[axis];
            let (near, far) = (S::advance(step, from), S::advance(step, to));
            // Replace a far movement that was clamped to the largest number with infinity.
            let far = if far.abs() < f64::MAX { far } else { far * f64::INFINITY };
            return (S::advance(step, 1.0), [near, far]);
        }
        let movement = self.movements[axis];
        (movement, [(movement * from).clamp(f64::MIN, f64::MAX), movement * to])
    }
}
