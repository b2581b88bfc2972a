//! Segments and rays against hexagons and prisms: where they come in.
//!
//! A volume is what lies on the right side of all its planes. Along a path each plane is a limit
//! `distance + t · speed ≥ 0`, which is first met or last met at some fraction `t`: the path comes
//! in at the last of the first times if that is not after the first of the last ones (Cyrus and
//! Beck, Generalized two- and three-dimensional clipping, Computers & Graphics 3(1), 1978).
//!
//! Integers are decided exactly, times being compared as fractions in `i128`. Floats are rounded
//! so that a path that meets the volume is never missed, and a near miss may count as a hit.

use simd_lanes::Scalar;

use crate::axes::{Axes, Span, project};
use crate::{HexPrism, Hexagon};

impl<S: Scalar, A: Axes> Hexagon<S, A> {
    /// The fraction of the direction from one point to another at which the segment comes in; 0 if it
    /// starts inside, `None` if it misses. Touching counts.
    ///
    /// ```
    /// use bounds_hexprism::Hexagon;
    ///
    /// let rock: Hexagon<i32> = Hexagon::of_disc([10, 0], 2)?;
    /// assert_eq!(rock.cast_segment([0, 0], [16, 0]), Some(0.5));
    /// assert_eq!(rock.cast_segment([0, 0], [7, 0]), None);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    #[must_use]
    pub fn cast_segment(&self, from: impl Into<[S; 2]>, to: impl Into<[S; 2]>) -> Option<S::Real> {
        let (from, to) = (spans(from.into())?, spans(to.into())?);
        self.cast(from, difference(to, from), Some(1.0))
    }

    /// How many times the direction leads from the origin to where the ray comes in; 0 if it
    /// starts inside, `None` if it misses. Touching counts.
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
    /// The fraction of the direction from one point to another at which the segment comes in; 0 if it
    /// starts inside, `None` if it misses. Touching counts.
    ///
    /// ```
    /// use bounds_hexprism::HexPrism;
    ///
    /// let tower: HexPrism = HexPrism::of_cylinder([8.0, 8.0, 10.0], 1.0, 10.0)?;
    /// assert!(tower.cast_segment([0.0, 0.0, 5.0], [16.0, 16.0, 5.0]).is_some());
    /// assert_eq!(tower.cast_segment([8.0, 8.0, 40.0], [8.0, 8.0, 0.0]), Some(0.5)); // the roof
    /// assert_eq!(tower.cast_segment([0.0, 0.0, 25.0], [16.0, 16.0, 21.0]), None);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    #[must_use]
    pub fn cast_segment(&self, from: impl Into<[S; 3]>, to: impl Into<[S; 3]>) -> Option<S::Real> {
        let (from, to) = (spans(from.into())?, spans(to.into())?);
        self.cast(from, difference(to, from), Some(1.0))
    }

    /// How many times the direction leads from the origin to where the ray comes in; 0 if it
    /// starts inside, `None` if it misses. Touching counts.
    ///
    /// ```
    /// use bounds_hexprism::HexPrism;
    ///
    /// let tower: HexPrism<i32> = HexPrism::of_cylinder([8, 8, 10], 1, 10)?;
    /// assert_eq!(tower.cast_ray([8, 8, 100], [0, 0, -20]), Some(4.0));
    /// assert_eq!(tower.cast_ray([8, 8, 100], [0, 0, 1]), None);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
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

/// The numbers, if they are finite.
fn spans<S: Scalar, const D: usize>(numbers: [S; D]) -> Option<[Span; D]> {
    numbers.iter().all(|number| number.is_finite()).then(|| numbers.map(Span::of))
}

fn difference<const D: usize>(to: [Span; D], from: [Span; D]) -> [Span; D] {
    core::array::from_fn(|axis| to[axis].plus(from[axis].negated()))
}

/// A fraction of the direction: numerator and positive denominator.
#[derive(Clone, Copy)]
struct Fraction(f64, f64);

/// The part of a path that is left after some planes.
struct Clip {
    enter: Fraction,
    exit: Option<Fraction>,
    /// Whether all numbers are integers, below 2^36.
    exact: bool,
    missed: bool,
}

impl Clip {
    /// All of the path up to the end, if it has one.
    fn new<S: Scalar>(end: Option<f64>) -> Self {
        let last = end.map(|end| Fraction(end, 1.0));
        Self { enter: Fraction(0.0, 1.0), exit: last, exact: S::INTEGER, missed: false }
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

    /// Cuts the path at both ends of a slab.
    fn slab(&mut self, slab: Span, origin: Span, direction: Span) {
        let inside_min = origin.plus(Span::of(-slab.lo));
        let inside_max = Span::of(slab.hi).plus(origin.negated());
        self.plane(inside_min.hi, direction.hi);
        self.plane(inside_max.hi, -direction.lo);
    }

    /// Cuts the path where `distance + t · speed` is negative. Both are the largest they can be,
    /// which may be infinite.
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

    /// Whether one time is later than another: exactly, or as far as quotients tell.
    fn after(&self, a: Fraction, b: Fraction) -> bool {
        if self.exact {
            a.0 as i128 * b.1 as i128 > b.0 as i128 * a.1 as i128
        } else {
            a.0 / a.1 > b.0 / b.1
        }
    }

    /// Where the path comes in, if any of it is left.
    fn entry<R: Scalar>(self) -> Option<R> {
        let first = self.enter.0 / self.enter.1;
        let last = self.exit.map(|last| last.0 / last.1);
        let over = self.exit.is_some_and(|last| {
            // Quotients are off by half a step each.
            let apart = |first: f64, last: f64| first.next_down() > last.next_up();
            self.after(self.enter, last) && (self.exact || apart(first, last.0 / last.1))
        });
        let entry = last.map_or(first, |last| if first > last { last } else { first });
        (!self.missed && !over).then(|| R::from_f64(entry).canonical())
    }
}
