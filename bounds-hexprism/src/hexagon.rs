//! Hexagons: two triangles that point opposite ways, in the plane.

use core::array::from_fn;
use core::marker::PhantomData;

use simd_lanes::Scalar;

use crate::axes::{Axes, Pragmatic, Span, disc_reach, project, unit_area, unproject};
use crate::{Aabb, DownTriangle, InvalidBounds, Slabs, UpTriangle};

/// A hexagon: the points whose three forms ([`Axes`]) lie within closed intervals; what an
/// [`UpTriangle`] and a [`DownTriangle`] share.
///
/// Plain data as [`Aabb`] is: whoever takes hexagons in checks them. Those made here are as tight
/// as their numbers allow, floats rounded outwards, so a point that was bounded stays inside.
///
/// ```
/// use bounds_hexprism::{Elegant, Hexagon};
///
/// let ship: Hexagon<f32, Elegant> = Hexagon::of_disc([0.0, 0.0], 2.0)?;
/// let rock = Hexagon::of_points([[1.5, 1.0], [3.0, 1.5], [2.0, 4.0]])?;
/// assert!(ship.overlaps(&rock) && rock.contains_point([2.0, 2.0]));
/// assert!(ship.union(&rock).contains(&rock));
/// # Ok::<(), bounds_hexprism::InvalidBounds>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "crate::serialization::UncheckedHexagon<S>",
        bound(serialize = "S: serde::Serialize"),
        bound(deserialize = "S: Scalar + serde::Deserialize<'de>, A: Axes"),
    )
)]
pub struct Hexagon<S = f32, A = Pragmatic> {
    /// The lower limits.
    pub up: UpTriangle<S>,
    /// The upper limits, included.
    pub down: DownTriangle<S>,
    #[cfg_attr(feature = "serde", serde(skip))]
    axes: PhantomData<A>,
}

impl<S: Scalar, A: Axes> Hexagon<S, A> {
    /// No points at all: the neutral element of [`union`](Self::union). It overlaps nothing but
    /// what spans every number on every axis; structures refuse it.
    pub const EMPTY: Self = Self {
        up: UpTriangle { min_a: S::MAX, min_b: S::MAX, min_c: S::MAX },
        down: DownTriangle { max_a: S::MIN, max_b: S::MIN, max_c: S::MIN },
        axes: PhantomData,
    };

    /// What two triangles have in common, taken as they are.
    #[inline(always)]
    #[must_use]
    pub fn new(up: impl Into<UpTriangle<S>>, down: impl Into<DownTriangle<S>>) -> Self {
        Self { up: up.into(), down: down.into(), axes: PhantomData }
    }

    /// The smallest hexagon around all points.
    ///
    /// # Errors
    /// If there are no points, one is NaN or infinite, or a form does not fit the scalar.
    pub fn of_points<P: Into<[S; 2]>>(
        points: impl IntoIterator<Item = P>,
    ) -> Result<Self, InvalidBounds> {
        let spans = points.into_iter().map(|point| {
            let [x, y] = point.into();
            project::<S, A>(Span::of(x), Span::of(y))
        });
        Self::of_spans(spans.reduce(union).ok_or(InvalidBounds::NoPoints)?)
    }

    /// The hexagon that is a single point, or a step larger where its forms must be rounded.
    ///
    /// # Errors
    /// As [`of_points`](Self::of_points).
    pub fn point(at: impl Into<[S; 2]>) -> Result<Self, InvalidBounds> {
        Self::of_points([at])
    }

    /// The smallest hexagon around a box.
    ///
    /// With [`Pragmatic`] axes it is the box itself, "five-sided": up {min x, min y, −(max x +
    /// max y)}, down {max x, max y, −(min x + min y)}. Two of them overlap if and only if the boxes
    /// do, and five comparisons decide it: the sixth never separates what the others do not.
    ///
    /// # Errors
    /// If the box is not a good one ([`Aabb::checked`]) or a form does not fit the scalar.
    ///
    /// ```
    /// use bounds_hexprism::{Aabb, Hexagon};
    ///
    /// let hexagon: Hexagon<i32> = Hexagon::of_aabb(&Aabb::new([1, 2], [4, 7]))?;
    /// assert_eq!(hexagon.up.to_array(), [1, 2, -11]);
    /// assert_eq!(hexagon.down.to_array(), [4, 7, -3]);
    /// assert_eq!(hexagon.aabb(), Aabb::new([1, 2], [4, 7]));
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    pub fn of_aabb(bounds: &Aabb<S, 2>) -> Result<Self, InvalidBounds> {
        let bounds = bounds.checked()?;
        let side = |axis: usize| Span::between(bounds.min[axis], bounds.max[axis]);
        Self::of_spans(project::<S, A>(side(0), side(1)))
    }

    /// The smallest hexagon around a disc.
    ///
    /// The disc is round where the axes say what a distance is: Cartesian for [`Pragmatic`] axes;
    /// for the others a radius of 1 is a difference of 1 in one of the [`Elegant`](crate::Elegant) forms.
    ///
    /// # Errors
    /// If a number is NaN or infinite, the radius negative, or a form does not fit the scalar.
    pub fn of_disc(center: impl Into<[S; 2]>, radius: S) -> Result<Self, InvalidBounds> {
        let [x, y] = center.into();
        let center = project::<S, A>(Span::of(x), Span::of(y));
        Self::of_spans(widened::<S, A>(center, radius))
    }

    fn of_spans(spans: [Span; 3]) -> Result<Self, InvalidBounds> {
        let [a, b, c] = spans;
        let (a, b, c) = (a.interval::<S>(0)?, b.interval::<S>(1)?, c.interval::<S>(2)?);
        Ok(Self::new([a[0], b[0], c[0]], [a[1], b[1], c[1]]))
    }

    /// The hexagon as structures store it: finite, lower limits not above upper ones, −0 turned
    /// into 0.
    ///
    /// # Errors
    /// As [`Aabb::checked`], for the three axes.
    #[inline]
    pub fn checked(self) -> Result<Self, InvalidBounds> {
        self.intervals().checked().map(Self::of_intervals)
    }

    /// The hexagon as a question to a structure: it may be infinite, and −0 is turned into 0.
    /// `None` if it is inverted or NaN, for then it overlaps nothing.
    #[inline]
    #[must_use]
    pub fn askable(self) -> Option<Self> {
        self.intervals().askable().map(Self::of_intervals)
    }

    /// Whether some lower limit is above its upper limit: no point is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let (min, max) = (self.up.to_array(), self.down.to_array());
        (0..3).any(|axis| min[axis] > max[axis])
    }

    /// Whether no axis separates the two; touching counts.
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.up.overlaps(&other.down) & other.up.overlaps(&self.down)
    }

    /// Whether the other hexagon's limits lie within these; equal ones count.
    #[inline]
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.intervals().contains(&other.intervals())
    }

    /// Whether the point lies inside, as far as its rounded forms can tell; the border counts.
    ///
    /// Never false for a point the hexagon was made around.
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[S; 2]>) -> bool {
        let [x, y] = point.into();
        let spans = project::<S, A>(Span::of(x), Span::of(y));
        let (min, max) = (self.up.to_array(), self.down.to_array());
        (0..3).all(|axis| {
            spans[axis].hi >= min[axis].to_f64() && spans[axis].lo <= max[axis].to_f64()
        })
    }

    /// The smallest hexagon that holds both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::of_intervals(self.intervals().union(&other.intervals()))
    }

    /// The hexagon around all points no further than `margin` away, inwards if negative.
    ///
    /// Distances are those of [`of_disc`](Self::of_disc). An empty hexagon stays empty.
    ///
    /// # Errors
    /// If a limit leaves the range of the scalar, or a negative margin leaves nothing.
    pub fn enlarged(&self, margin: S) -> Result<Self, InvalidBounds> {
        if self.is_empty() {
            return Ok(Self::EMPTY);
        }
        Self::of_spans(widened::<S, A>(self.spans(), margin))
    }

    /// The hexagon moved by an offset; floats round outwards. An empty hexagon stays empty.
    ///
    /// # Errors
    /// If a limit leaves the range of the scalar.
    pub fn translated(&self, by: impl Into<[S; 2]>) -> Result<Self, InvalidBounds> {
        if self.is_empty() {
            return Ok(Self::EMPTY);
        }
        let [x, y] = by.into();
        let (spans, by) = (self.spans(), project::<S, A>(Span::of(x), Span::of(y)));
        Self::of_spans(from_fn(|axis| spans[axis].plus(by[axis])))
    }

    /// The smallest box around the hexagon, or one a rounding step larger; it stops at the ends
    /// of the scalar's range.
    #[must_use]
    pub fn aabb(&self) -> Aabb<S, 2> {
        let sides = unproject::<S, A>(self.spans());
        Aabb::new(
            sides.map(|side| crate::axes::round_down::<S>(side.lo)),
            sides.map(|side| crate::axes::round_up::<S>(side.hi)),
        )
    }

    /// The area in units of the coordinates, rounded; 0 if empty.
    ///
    /// For estimates: the areas of unions do not add up exactly.
    ///
    /// ```
    /// use bounds_hexprism::{Aabb, Elegant, Hexagon};
    ///
    /// let rectangle: Hexagon<i32> = Hexagon::of_aabb(&Aabb::new([0, 0], [3, 2]))?;
    /// assert_eq!(rectangle.area(), 6.0);
    /// let regular: Hexagon<f64, Elegant> = Hexagon::of_disc([5.0, 5.0], 1.0)?;
    /// assert!((regular.area() - 12f64.sqrt()).abs() < 1e-9);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    #[must_use]
    pub fn area(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let [a, b, c] = self.spans();
        let (width, height) = (a.hi - a.lo, b.hi - b.lo);
        // The part of the box [a] × [b] where (a − min a) + (b − min b) ≤ reach: a triangle, less
        // what of it sticks out at the two sides, which may overlap each other.
        let corner = |reach: f64| {
            let square = |length: f64| if length > 0.0 { length * length } else { 0.0 };
            let outside = square(reach - width) + square(reach - height);
            (square(reach) - outside + square(reach - width - height)) / 2.0
        };
        let inside = corner(-c.lo - a.lo - b.lo) - corner(-c.hi - a.lo - b.lo);
        let area = inside * unit_area::<S, A>();
        if area > 0.0 { area } else { 0.0 }
    }

    /// The intervals as order-preserving keys, rounded outwards where keys are not exact.
    ///
    /// Meant for hexagons that passed [`checked`](Self::checked).
    #[inline(always)]
    #[must_use]
    pub fn slabs(&self) -> Slabs<3> {
        self.intervals().slabs()
    }

    /// The two stages of a broad phase that sweeps boxes: the first two axes, which tell most
    /// volumes apart, and the third for what is left.
    ///
    /// Keep the second in a [`SlabVec`](crate::SlabVec) and let it thin out the pairs found.
    #[inline]
    #[must_use]
    pub fn stages(&self) -> (Slabs<2>, Slabs<1>) {
        let Slabs { min: [a, b, c], max: [d, e, f] } = self.slabs();
        (Slabs { min: [a, b], max: [d, e] }, Slabs { min: [c], max: [f] })
    }

    #[inline(always)]
    pub(crate) fn of_intervals(intervals: Aabb<S, 3>) -> Self {
        Self::new(intervals.min, intervals.max)
    }

    #[inline(always)]
    pub(crate) fn intervals(&self) -> Aabb<S, 3> {
        Aabb::new(self.up.to_array(), self.down.to_array())
    }

    #[inline]
    pub(crate) fn spans(&self) -> [Span; 3] {
        let (min, max) = (self.up.to_array(), self.down.to_array());
        from_fn(|axis| Span::between(min[axis], max[axis]))
    }
}

fn union(spans: [Span; 3], others: [Span; 3]) -> [Span; 3] {
    from_fn(|axis| spans[axis].union(others[axis]))
}

/// The intervals with a disc of this radius around every point; narrower if it is negative.
fn widened<S: Scalar, A: Axes>(spans: [Span; 3], radius: S) -> [Span; 3] {
    let reach = disc_reach::<S, A>().map(|reach| Span::of(radius).times(reach));
    from_fn(|axis| {
        // The upper end of what is added, the lower end of what is taken away: outwards both.
        let out = Span { lo: -reach[axis].hi, hi: reach[axis].hi };
        spans[axis].plus(out)
    })
}
