//! Hexagons: intersections of two triangles that point in opposite directions.

use core::array::from_fn;
use core::marker::PhantomData;

use simd_lanes::Scalar;

use crate::axes::{Axes, Pragmatic, Span, disc_reach, project, round_down, round_up, unproject};
use crate::{Aabb, Bounds, DownTriangle, InvalidBounds, Slabs, UpTriangle};

/// A hexagon: the points whose three forms ([`Axes`]) lie in closed intervals; the intersection of
/// an [`UpTriangle`] and a [`DownTriangle`].
///
/// A hexagon is plain data, like [`Aabb`]: fields may hold any numbers, and structures validate
/// hexagons that are inserted. Constructors return the tightest hexagon that the number type
/// allows, rounded outwards.
///
/// ```
/// # extern crate bounds_hexprism as hexphase;
/// use hexphase::{Bounds, Hexagon};
///
/// let ship: Hexagon = Hexagon::of_disc([0.0, 0.0], 2.0)?;
/// let rock = Hexagon::of_points([[1.5, 1.0], [3.0, 1.5], [2.0, 4.0]])?;
/// assert!(ship.overlaps(&rock) && rock.contains_point([2.0, 2.0]));
/// assert!(ship.union(&rock).contains(&rock));
/// # Ok::<(), hexphase::InvalidBounds>(())
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
    /// The empty hexagon, the neutral element of [`union`](Self::union). Structures reject it. It
    /// overlaps only hexagons that contain all numbers.
    pub const EMPTY: Self = Self {
        up: UpTriangle { min_a: S::MAX, min_b: S::MAX, min_c: S::MAX },
        down: DownTriangle { max_a: S::MIN, max_b: S::MIN, max_c: S::MIN },
        axes: PhantomData,
    };

    /// Creates the intersection of two triangles, without validation.
    #[inline(always)]
    #[must_use]
    pub fn new(up: impl Into<UpTriangle<S>>, down: impl Into<DownTriangle<S>>) -> Self {
        Self { up: up.into(), down: down.into(), axes: PhantomData }
    }

    /// Returns the smallest hexagon around all points.
    ///
    /// # Errors
    /// If there are no points, or a point or form is NaN, infinite or out of the range of the
    /// scalar.
    pub fn of_points<P: Into<[S; 2]>>(
        points: impl IntoIterator<Item = P>,
    ) -> Result<Self, InvalidBounds> {
        let spans = points.into_iter().map(|point| {
            let [x, y] = point.into();
            project::<S, A>(Span::of(x), Span::of(y))
        });
        Self::of_spans(spans.reduce(union).ok_or(InvalidBounds::NoPoints)?)
    }

    /// Returns the smallest hexagon around a box.
    ///
    /// With [`Pragmatic`] axes this is the box: up {min x, min y, −(max x + max y)}, down {max x,
    /// max y, −(min x + min y)}. Two such hexagons overlap if and only if the boxes do: the sixth
    /// comparison is redundant.
    ///
    /// # Errors
    /// If the box is invalid ([`Aabb::checked`]) or a form is out of the range of the scalar.
    ///
    /// ```
    /// # extern crate bounds_hexprism as hexphase;
    /// use hexphase::{Aabb, Bounds, Hexagon};
    ///
    /// let hexagon: Hexagon = Hexagon::of_aabb(&Aabb::new([1.0, 2.0], [4.0, 7.0]))?;
    /// assert_eq!(hexagon.up.to_array(), [1.0, 2.0, -11.0]);
    /// assert_eq!(hexagon.down.to_array(), [4.0, 7.0, -3.0]);
    /// assert_eq!(hexagon.aabb(), Aabb::new([1.0, 2.0], [4.0, 7.0]));
    /// # Ok::<(), hexphase::InvalidBounds>(())
    /// ```
    pub fn of_aabb(bounds: &Aabb<S, 2>) -> Result<Self, InvalidBounds> {
        let bounds = bounds.checked()?;
        let side = |axis: usize| Span::between(bounds.min[axis], bounds.max[axis]);
        Self::of_spans(project::<S, A>(side(0), side(1)))
    }

    /// Returns the smallest hexagon around a disc.
    ///
    /// With [`Pragmatic`] axes the unit of length is Cartesian. With the others, a radius of 1 is a
    /// difference of 1 in one of the [`Elegant`](crate::Elegant) forms.
    ///
    /// # Errors
    /// If a number is NaN or infinite, the radius is negative, or a form is out of range.
    pub fn of_disc(center: impl Into<[S; 2]>, radius: S) -> Result<Self, InvalidBounds> {
        let [x, y] = center.into();
        let center = project::<S, A>(Span::of(x), Span::of(y));
        let reach = disc_reach::<S, A>().map(|reach| Span::of(radius).times(reach).hi);
        Self::of_spans(from_fn(|axis| {
            center[axis].plus(Span { lo: -reach[axis], hi: reach[axis] })
        }))
    }

    fn of_spans(spans: [Span; 3]) -> Result<Self, InvalidBounds> {
        let [a, b, c] = spans;
        let (a, b, c) = (a.interval::<S>(0)?, b.interval::<S>(1)?, c.interval::<S>(2)?);
        Ok(Self::new([a[0], b[0], c[0]], [a[1], b[1], c[1]]))
    }

    pub(crate) fn is_empty(&self) -> bool {
        let (min, max) = (self.up.to_array(), self.down.to_array());
        (0..3).any(|axis| min[axis] > max[axis])
    }

    /// Returns whether the limits of the other hexagon are within or equal to those of this one.
    #[inline]
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.intervals().contains(&other.intervals())
    }

    /// Returns whether the point is inside, within the rounding of its forms: always `true` for the
    /// points from which the hexagon was made. The border counts.
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[S; 2]>) -> bool {
        let [x, y] = point.into();
        let spans = project::<S, A>(Span::of(x), Span::of(y));
        let (min, max) = (self.up.to_array(), self.down.to_array());
        (0..3).all(|axis| {
            spans[axis].hi >= min[axis].to_f64() && spans[axis].lo <= max[axis].to_f64()
        })
    }

    /// Returns the smallest hexagon that contains both hexagons.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::of_intervals(self.intervals().union(&other.intervals()))
    }

    /// Returns the intervals as order-preserving keys, for `f64` rounded outwards; the hexagon must
    /// be [`checked`](Bounds::checked).
    #[inline(always)]
    #[must_use]
    pub fn slabs(&self) -> Slabs<3> {
        self.intervals().slabs()
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
    fn spans(&self) -> [Span; 3] {
        let (min, max) = (self.up.to_array(), self.down.to_array());
        from_fn(|axis| Span::between(min[axis], max[axis]))
    }
}

impl<S: Scalar, A: Axes> Bounds<S, 2> for Hexagon<S, A> {
    /// Returns the smallest box, or one a rounding step larger, clamped to the scalar's range.
    #[inline]
    fn aabb(&self) -> Aabb<S, 2> {
        let sides = unproject::<S, A>(self.spans());
        Aabb::new(
            sides.map(|side| round_down::<S>(side.lo)),
            sides.map(|side| round_up::<S>(side.hi)),
        )
    }
    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        self.up.overlaps(&other.down) & other.up.overlaps(&self.down)
    }
    #[inline]
    fn checked(self) -> Result<Self, InvalidBounds> {
        self.intervals().checked().map(Self::of_intervals)
    }
    #[inline]
    fn translated(&self, [x, y]: [S; 2]) -> Option<Self> {
        if self.is_empty() {
            return Some(Self::EMPTY);
        }
        let (spans, by) = (self.spans(), project::<S, A>(Span::of(x), Span::of(y)));
        Self::of_spans(from_fn(|axis| spans[axis].plus(by[axis]))).ok()
    }
}

fn union(spans: [Span; 3], others: [Span; 3]) -> [Span; 3] {
    from_fn(|axis| spans[axis].union(others[axis]))
}
