//! Segment and ray casts against hexagons and prisms, by clipping.
//!
//! Input: a path `origin + t · direction`, with `t` in 0..=1 (segment) or `t` ≥ 0 (ray), and a
//! volume. Output: the smallest `t` at which the path is inside. The volume is the intersection of
//! half-spaces, two per axis. (Cyrus and Beck, Generalized two- and three-dimensional clipping,
//! Computers & Graphics 3(1), 1978.)
//!
//! 1. For each half-space, compute how far inside the origin is (`distance`) and how fast this
//!    changes along the path (`speed`). The path is inside where `distance + t · speed ≥ 0`.
//! 2. A positive speed gives a time of entry, a negative one a time of exit. With speed 0, a
//!    negative distance is a miss.
//! 3. The path is inside the volume from the last entry to the first exit. If the entry is after
//!    the exit, the path misses.
//!
//! Integers are exact: times are compared as fractions in `i128`. Floats are rounded outwards: a
//! path that touches the volume always hits; a near miss may hit too.

use simd_lanes::Scalar;

use crate::axes::{Axes, Span, project};
use crate::{HexPrism, Hexagon};

impl<S: Scalar, A: Axes> Hexagon<S, A> {
    /// Returns the fraction of the segment at which it enters the hexagon: 0 if it starts inside,
    /// `None` if it misses or a number is not finite. Touching counts.
    ///
    /// ```
    /// # extern crate bounds_hexprism as hexphase;
    /// use hexphase::Hexagon;
    ///
    /// let rock: Hexagon = Hexagon::of_disc([10.0, 0.0], 2.0)?;
    /// assert_eq!(rock.cast_segment([0.0, 0.0], [16.0, 0.0]), Some(0.5));
    /// assert_eq!(rock.cast_segment([0.0, 0.0], [7.0, 0.0]), None);
    /// # Ok::<(), hexphase::InvalidBounds>(())
    /// ```
    #[must_use]
    pub fn cast_segment(&self, from: impl Into<[S; 2]>, to: impl Into<[S; 2]>) -> Option<S::Real> {
        let (from, to) = (spans(from.into())?, spans(to.into())?);
        self.cast(from, difference(to, from), Some(1.0))
    }

    /// Returns the ray parameter at entry, in multiples of the direction: 0 if the ray starts
    /// inside, `None` if it misses or a number is not finite. Touching counts.
    #[must_use]
    pub fn cast_ray(
        &self,
        origin: impl Into<[S; 2]>,
        direction: impl Into<[S; 2]>,
    ) -> Option<S::Real> {
        self.cast(spans(origin.into())?, spans(direction.into())?, None)
    }

    fn cast(&self, origin: [Span; 2], direction: [Span; 2], end: Option<f64>) -> Option<S::Real> {
        let mut clip = Clip::new::<S>(end);
        clip.hexagon(self, origin, direction);
        clip.entry()
    }
}

impl<S: Scalar, A: Axes> HexPrism<S, A> {
    /// Returns the fraction of the segment at which it enters the prism: 0 if it starts inside,
    /// `None` if it misses or a number is not finite. Touching counts.
    ///
    /// ```
    /// # extern crate bounds_hexprism as hexphase;
    /// use hexphase::HexPrism;
    ///
    /// let tower: HexPrism = HexPrism::of_cylinder([8.0, 8.0, 10.0], 1.0, 10.0)?;
    /// assert!(tower.cast_segment([0.0, 0.0, 5.0], [16.0, 16.0, 5.0]).is_some());
    /// assert_eq!(tower.cast_segment([8.0, 8.0, 40.0], [8.0, 8.0, 0.0]), Some(0.5)); // the roof
    /// assert_eq!(tower.cast_segment([0.0, 0.0, 25.0], [16.0, 16.0, 21.0]), None);
    /// # Ok::<(), hexphase::InvalidBounds>(())
    /// ```
    #[must_use]
    pub fn cast_segment(&self, from: impl Into<[S; 3]>, to: impl Into<[S; 3]>) -> Option<S::Real> {
        let (from, to) = (spans(from.into())?, spans(to.into())?);
        self.cast(from, difference(to, from), Some(1.0))
    }

    /// Returns the ray parameter at entry, in multiples of the direction: 0 if the ray starts
    /// inside, `None` if it misses or a number is not finite. Touching counts.
    ///
    /// ```
    /// # extern crate bounds_hexprism as hexphase;
    /// use hexphase::HexPrism;
    ///
    /// let tower: HexPrism = HexPrism::of_cylinder([8.0, 8.0, 10.0], 1.0, 10.0)?;
    /// assert_eq!(tower.cast_ray([8.0, 8.0, 100.0], [0.0, 0.0, -20.0]), Some(4.0));
    /// assert_eq!(tower.cast_ray([8.0, 8.0, 100.0], [0.0, 0.0, 1.0]), None);
    /// # Ok::<(), hexphase::InvalidBounds>(())
    /// ```
    #[must_use]
    pub fn cast_ray(
        &self,
        origin: impl Into<[S; 3]>,
        direction: impl Into<[S; 3]>,
    ) -> Option<S::Real> {
        self.cast(spans(origin.into())?, spans(direction.into())?, None)
    }

    fn cast(&self, origin: [Span; 3], direction: [Span; 3], end: Option<f64>) -> Option<S::Real> {
        let ([x, y, z], [dx, dy, dz]) = (origin, direction);
        let mut clip = Clip::new::<S>(end);
        clip.hexagon(&self.hexagon, [x, y], [dx, dy]);
        clip.slab(Span::between(self.z.min_z, self.z.max_z), z, dz);
        clip.entry()
    }
}

/// Returns the numbers as intervals, or `None` if a number is not finite.
fn spans<S: Scalar, const D: usize>(numbers: [S; D]) -> Option<[Span; D]> {
    numbers.iter().all(|number| number.is_finite()).then(|| numbers.map(Span::of))
}

fn difference<const D: usize>(to: [Span; D], from: [Span; D]) -> [Span; D] {
    core::array::from_fn(|axis| to[axis].plus(from[axis].negated()))
}

/// A path parameter `t` as a fraction: numerator and positive denominator.
#[derive(Clone, Copy)]
struct Fraction(f64, f64);

/// The part of a path that is inside all half-spaces processed up to now.
struct Clip {
    enter: Fraction,
    exit: Option<Fraction>,
    /// Whether all numbers are integers (below 2^36); comparisons are then exact.
    exact: bool,
    missed: bool,
}

impl Clip {
    /// Starts with the whole path: from parameter 0 to `end`, or to infinity for `None`.
    fn new<S: Scalar>(end: Option<f64>) -> Self {
        let exit = end.map(|end| Fraction(end, 1.0));
        Self { enter: Fraction(0.0, 1.0), exit, exact: S::INTEGER, missed: false }
    }

    fn hexagon<S: Scalar, A: Axes>(
        &mut self,
        hexagon: &Hexagon<S, A>,
        [x, y]: [Span; 2],
        [dx, dy]: [Span; 2],
    ) {
        let (origin, direction) = (project::<S, A>(x, y), project::<S, A>(dx, dy));
        for (axis, slab) in hexagon.spans().into_iter().enumerate() {
            self.slab(slab, origin[axis], direction[axis]);
        }
    }

    /// Clips the path at both ends of a slab.
    fn slab(&mut self, slab: Span, origin: Span, direction: Span) {
        let inside_min = origin.plus(Span::of(-slab.lo));
        let inside_max = Span::of(slab.hi).plus(origin.negated());
        self.plane(inside_min.hi, direction.hi);
        self.plane(inside_max.hi, -direction.lo);
    }

    /// Clips the path to `distance + t · speed ≥ 0`. Both numbers are upper bounds of the true
    /// values, and may be infinite.
    fn plane(&mut self, distance: f64, speed: f64) {
        if speed > 0.0 {
            let enters = Fraction(-distance, speed);
            if distance < 0.0 && self.after(enters, self.enter) {
                self.enter = enters;
            }
        } else if distance < 0.0 {
            self.missed = true;
        } else if speed < 0.0 {
            let leaves = Fraction(distance, -speed);
            if self.exit.is_none_or(|last| self.after(last, leaves)) {
                self.exit = Some(leaves);
            }
        }
    }

    /// Returns whether `a` is later than `b`: exactly for integers, by rounded quotients for
    /// floats.
    fn after(&self, a: Fraction, b: Fraction) -> bool {
        if self.exact {
            a.0 as i128 * b.1 as i128 > b.0 as i128 * a.1 as i128
        } else {
            a.0 / a.1 > b.0 / b.1
        }
    }

    /// Returns the time of entry, or `None` if the path misses the volume.
    fn entry<R: Scalar>(self) -> Option<R> {
        let first = self.enter.0 / self.enter.1;
        let last = self.exit.map(|last| last.0 / last.1);
        let over = self.exit.is_some_and(|last| {
            // Each quotient is rounded by up to half a float step, so compare the adjacent floats.
            let apart = |first: f64, last: f64| first.next_down() > last.next_up();
            self.after(self.enter, last) && (self.exact || apart(first, last.0 / last.1))
        });
        let entry = last.map_or(first, |last| if first > last { last } else { first });
        (!self.missed && !over).then(|| R::from_f64(entry).canonical())
    }
}
