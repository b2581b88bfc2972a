//! Ways through the world: segments, rays and boxes that move straight.

use bounds_hexprism::{Aabb, Scalar};

use super::course::Course;
use crate::kernel::sweep::Line;

/// A box, or a point, that moves straight.
///
/// Where it is on its way is said by a *fraction*: 0 at its beginning, 1 at the end of a segment
/// or sweep, and any number on a ray, in lengths of its direction. Fractions are computed in the
/// scalar's own precision, by subtraction and division; integers decide exactly and round the
/// fraction once. Borders, corners and ends count. A path with a number that is NaN or infinite
/// touches nothing, but [`until`](Self::until) may be infinite.
///
/// ```
/// use broadphase_core::{Aabb, Path};
///
/// let wall = Aabb::new([6.0, -1.0], [7.0, 1.0]);
/// assert_eq!(Path::segment([0.0, 0.0], [8.0, 0.0]).first_touch(&wall), Some(0.75));
/// assert_eq!(Path::segment([0.0, 0.0], [5.0, 0.0]).first_touch(&wall), None);
/// assert_eq!(Path::ray([0.0, 1.0], [1.0, 0.0]).first_touch(&wall), Some(6.0)); // along its border
/// let ball = Path::sweep(Aabb::of_ball([0.0, 0.0], 2.0), [8.0, 0.0]);
/// assert_eq!(ball.first_touch(&wall), Some(0.5));
/// assert_eq!(ball.until(0.25).first_touch(&wall), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path<S: Scalar = f32, const D: usize = 2> {
    start: Aabb<S, D>,
    /// It moves by what leads from one to the other.
    from: [S; D],
    to: [S; D],
    until: S::Real,
}

impl<S: Scalar, const D: usize> Path<S, D> {
    /// The straight way from one point to another, both included.
    #[inline]
    #[must_use]
    pub fn segment(from: impl Into<[S; D]>, to: impl Into<[S; D]>) -> Self {
        let (from, to) = (from.into(), to.into());
        Self { start: Aabb::point(from), from, to, until: S::Real::from_f64(1.0) }
    }

    /// The way from a point on in a direction, without end.
    ///
    /// The direction may be of any length but 0, with which the ray is its origin alone; where
    /// that is extremely small, fractions are too large to tell things apart.
    #[inline]
    #[must_use]
    pub fn ray(origin: impl Into<[S; D]>, direction: impl Into<[S; D]>) -> Self {
        let start = Aabb::point(origin);
        let until = S::Real::from_f64(f64::INFINITY);
        Self { start, from: [S::ZERO; D], to: direction.into(), until }
    }

    /// A box that moves by an offset.
    #[inline]
    #[must_use]
    pub fn sweep(bounds: impl Into<Aabb<S, D>>, by: impl Into<[S; D]>) -> Self {
        let until = S::Real::from_f64(1.0);
        Self { start: bounds.into(), from: [S::ZERO; D], to: by.into(), until }
    }

    /// The same way, but only up to a fraction, which may be more than 1 or infinite.
    #[inline]
    #[must_use]
    pub fn until(self, fraction: S::Real) -> Self {
        Self { until: fraction, ..self }
    }

    /// The fraction of the way at which the path first touches a box, 0 if it does from the
    /// beginning; `None` if never.
    ///
    /// Whoever tests many boxes against one path prepares it once: a structure does.
    #[must_use]
    pub fn first_touch(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        self.prepared()?.first_touch(&bounds.checked().ok()?)
    }

    /// Where it begins.
    pub(crate) const fn start(&self) -> Aabb<S, D> {
        self.start
    }

    /// The same way from another place.
    pub(crate) const fn starting_at(self, start: Aabb<S, D>) -> Self {
        Self { start, ..self }
    }

    /// What tests against many boxes need; `None` if the path touches nothing.
    #[inline(always)]
    pub(crate) fn prepared(&self) -> Option<Straight<S, D>> {
        let start = self.start.checked().ok()?;
        let way = Aabb::new(self.from, self.to);
        let finite = way.min.iter().chain(&way.max).all(|x| x.is_finite());
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
        Some(Straight {
            start,
            steps,
            until: self.until,
            ways: if is_long { [0.0; D] } else { steps.map(|step| S::advance(step, 1.0)) },
            is_long,
        })
    }
}

/// A path as the test of many boxes wants it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Straight<S: Scalar, const D: usize> {
    start: Aabb<S, D>,
    steps: [S::Step; D],
    until: S::Real,
    /// The steps as plain numbers; 0 if one is too long for that.
    ways: [f64; D],
    is_long: bool,
}

impl<S: Scalar, const D: usize> Straight<S, D> {
    #[inline(always)]
    pub(crate) fn first_touch(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        if self.passes(bounds) {
            return None;
        }
        let start = [&self.start.min, &self.start.max];
        S::first_touch(start, &self.steps, [&bounds.min, &bounds.max], self.until)
    }

    /// When it is in a box that may be infinite, and that it overlaps on the axes on which it goes
    /// nowhere: never before the first of the two, or after the second.
    pub(super) fn stay(&self, bounds: &Aabb<S, D>) -> [f64; 2] {
        let (mut enter, mut exit) = (0.0, f64::INFINITY);
        if self.is_long {
            return [enter, exit];
        }
        for axis in 0..D {
            let way = self.ways[axis];
            if way == 0.0 {
                continue;
            }
            let low = (bounds.min[axis].to_f64() - self.start.max[axis].to_f64()) / way;
            let high = (bounds.max[axis].to_f64() - self.start.min[axis].to_f64()) / way;
            let (near, far) = if low < high { (low, high) } else { (high, low) };
            // Objects are touched when their own numbers say so, which are rounded.
            let near = near - near.abs() * S::FRACTION_ERROR - S::LEAST_FRACTION;
            let far = far + far.abs() * S::FRACTION_ERROR + S::LEAST_FRACTION;
            enter = if near > enter { near } else { enter };
            exit = if far < exit { far } else { exit };
        }
        // The largest fraction stands for all that are larger.
        let most = S::Real::MAX.to_f64();
        [if enter < most { enter } else { most }, if exit < most { exit } else { f64::INFINITY }]
    }

    /// Whether it certainly passes by a box, seen along an axis: a quick look without divisions,
    /// which saves most exact ones, and decides where fractions are too large to be told apart.
    ///
    /// Seen so, the way is a line in a plane, and what separates it from the box is how far the
    /// corners are from it. What is no number here is greater than nothing.
    // To look only at what is touched at such fractions saved nothing: divisions take as long.
    #[inline(always)]
    fn passes(&self, bounds: &Aabb<S, D>) -> bool {
        let (mut middle, mut half) = ([0.0; D], [0.0; D]);
        for axis in 0..D {
            let low = bounds.min[axis].to_f64() - self.start.max[axis].to_f64();
            let high = bounds.max[axis].to_f64() - self.start.min[axis].to_f64();
            (middle[axis], half[axis]) = ((low + high) * 0.5, (high - low) * 0.5);
        }
        let mut passes = false;
        for b in 1..D {
            for a in 0..b {
                let (x, y) = (self.ways[a], self.ways[b]);
                let off = (x * middle[b] - y * middle[a]).abs();
                let (x, y) = (x.abs(), y.abs());
                let reach = x * half[b] + y * half[a];
                let all = x * middle[b].abs() + y * middle[a].abs() + reach;
                let error = all * (2.0 * S::FRACTION_ERROR) + 4.0 * x * y * S::LEAST_FRACTION;
                passes |= off > reach + error + f64::MIN_POSITIVE;
            }
        }
        passes
    }

    /// What a quick look at many boxes needs.
    pub(super) fn line(&self) -> Line<D> {
        Line::new(&self.start, &self.ways)
    }

    /// Where it is beside its main axis until a fraction, if that is known.
    #[inline(always)]
    pub(super) fn course(&self, to: f64) -> Option<Course<D>> {
        if self.is_long {
            return None;
        }
        let (mut min, mut max) = ([0.0; D], [0.0; D]);
        for axis in 0..D {
            min[axis] = self.start.min[axis].to_f64();
            max[axis] = self.start.max[axis].to_f64();
        }
        // More than a piece is larger by, for what is computed from it.
        let mut error = [0.0; D];
        for axis in 0..D {
            let (one, far) = (self.ways[axis].abs(), self.ways[axis].abs() * to);
            let least = (one + 1.0) * S::LEAST_FRACTION + f64::from(u8::from(S::INTEGER));
            let most = if -min[axis] > max[axis] { -min[axis] } else { max[axis] };
            error[axis] = 3.0 * ((far + most) * S::FRACTION_ERROR + least);
        }
        Course::new(min, max, error, &self.ways)
    }

    /// The fraction at which it ends.
    pub(crate) fn end(&self) -> f64 {
        self.until.to_f64()
    }

    /// How far it goes until fraction 1, on an axis.
    pub(crate) fn way(&self, axis: usize) -> f64 {
        S::advance(self.steps[axis], 1.0)
    }

    /// How far it goes until fraction 1, on the axis where that is farthest.
    pub(crate) fn pace(&self) -> f64 {
        self.steps.iter().fold(0.0, |pace: f64, &step| pace.max(S::advance(step, 1.0).abs()))
    }

    /// Whether it is beyond all numbers from a fraction on.
    pub(crate) fn has_left(&self, fraction: f64) -> bool {
        // Four times as far as numbers go, so that rounding does not matter.
        let quarter = |axis: usize| S::advance(self.steps[axis], fraction * 0.25).abs();
        (0..D).any(|axis| quarter(axis) >= S::MAX.to_f64())
    }

    /// A box that overlaps all that the path first touches between two fractions.
    #[inline(always)]
    pub(crate) fn piece(&self, range: [f64; 2]) -> Aabb<S, D> {
        let mut piece = self.start;
        for axis in 0..D {
            let (one, [a, b]) = self.ends(axis, range);
            if one == 0.0 {
                continue;
            }
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            let (min, max) = (piece.min[axis].to_f64() + low, piece.max[axis].to_f64() + high);
            // What a way, computed from a rounded fraction, may be wrong by, and what is rounded
            // here.
            let least = (one.abs() + 1.0) * S::LEAST_FRACTION;
            let below = (low.abs() + min.abs()) * S::FRACTION_ERROR + least;
            let above = (high.abs() + max.abs()) * S::FRACTION_ERROR + least;
            piece.min[axis] = S::from_f64(min - below);
            piece.max[axis] = S::from_f64(max + above);
            if S::INTEGER {
                piece.min[axis] = piece.min[axis].next_below();
                piece.max[axis] = piece.max[axis].next_above();
            }
        }
        piece
    }

    /// How far it goes on an axis until fraction 1, and until two others: until the first not more
    /// than said, until the second not less.
    #[inline(always)]
    fn ends(&self, axis: usize, [from, to]: [f64; 2]) -> (f64, [f64; 2]) {
        if self.is_long {
            let step = self.steps[axis];
            let (near, far) = (S::advance(step, from), S::advance(step, to));
            // The largest number stands for all that are larger.
            let far = if far.abs() < f64::MAX { far } else { far * f64::INFINITY };
            return (S::advance(step, 1.0), [near, far]);
        }
        let way = self.ways[axis];
        (way, [(way * from).clamp(f64::MIN, f64::MAX), way * to])
    }
}
