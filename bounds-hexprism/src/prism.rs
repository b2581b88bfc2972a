//! Hexagonal prisms: a hexagon in the ground plane and an interval in z.

use simd_lanes::{Keys, Scalar};

use crate::axes::{Axes, Pragmatic, Span};
use crate::bounds::checked_intervals;
use crate::{Aabb, Bounds, DownTriangle, Hexagon, InvalidBounds, Slabs, UpTriangle, ZInterval};

/// A hexagonal prism: the points whose z, and whose three forms of x and y ([`Axes`]), lie in
/// closed intervals. z points up.
///
/// Tight for objects that are long and thin along z or along one of the three directions of the
/// plane. Suits worlds that are wide and not very high. It is plain data, like [`Aabb`].
///
/// ```
/// # extern crate bounds_hexprism as hexphase;
/// use hexphase::{Bounds, HexPrism};
///
/// // A fence that runs diagonally: its box covers the field, its prism does not.
/// let fence: HexPrism = HexPrism::of_points([[0.0, 8.0, 0.0], [8.0, 0.0, 2.0]])?;
/// let sheep = HexPrism::of_cylinder([2.0, 2.0, 1.0], 0.5, 1.0)?;
/// assert!(fence.aabb().overlaps(&sheep.aabb()) && !fence.overlaps(&sheep));
/// # Ok::<(), hexphase::InvalidBounds>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "crate::serialization::UncheckedPrism<S>",
        bound(serialize = "S: serde::Serialize"),
        bound(deserialize = "S: Scalar + serde::Deserialize<'de>, A: Axes"),
    )
)]
pub struct HexPrism<S = f32, A = Pragmatic> {
    /// The hexagon on the ground.
    pub hexagon: Hexagon<S, A>,
    /// The interval of heights.
    pub z: ZInterval<S>,
}

impl<S: Scalar, A: Axes> HexPrism<S, A> {
    /// The empty prism, the neutral element of [`union`](Self::union). Structures reject it. It
    /// overlaps only prisms that contain all numbers.
    pub const EMPTY: Self =
        Self { hexagon: Hexagon::EMPTY, z: ZInterval { min_z: S::MAX, max_z: S::MIN } };

    /// Creates the intersection of two triangles and an interval of heights, without validation.
    #[inline(always)]
    #[must_use]
    pub fn new(
        up: impl Into<UpTriangle<S>>,
        down: impl Into<DownTriangle<S>>,
        z: impl Into<ZInterval<S>>,
    ) -> Self {
        Self { hexagon: Hexagon::new(up, down), z: z.into() }
    }

    /// Returns the smallest prism around all points.
    ///
    /// # Errors
    /// If there are no points, or a point or form is NaN, infinite or out of the range of the
    /// scalar.
    pub fn of_points<P: Into<[S; 3]>>(
        points: impl IntoIterator<Item = P>,
    ) -> Result<Self, InvalidBounds> {
        let mut z = None;
        let hexagon = Hexagon::of_points(points.into_iter().map(|point| {
            let [x, y, height] = point.into();
            let here = Aabb::point([height]);
            z = Some(z.map_or(here, |all: Aabb<S, 1>| all.union(&here)));
            [x, y]
        }))?;
        let z = z.ok_or(InvalidBounds::NoPoints)?;
        Self { hexagon, z: z.into() }.checked()
    }

    /// Returns the smallest prism around a box; see [`Hexagon::of_aabb`].
    ///
    /// # Errors
    /// If the box is invalid ([`Aabb::checked`]) or a form is out of the range of the scalar.
    pub fn of_aabb(bounds: &Aabb<S, 3>) -> Result<Self, InvalidBounds> {
        let Aabb { min: [x, y, z], max: [far_x, far_y, far_z] } = bounds.checked()?;
        let hexagon = Hexagon::of_aabb(&Aabb::new([x, y], [far_x, far_y]))?;
        Ok(Self { hexagon, z: ZInterval { min_z: z, max_z: far_z } })
    }

    /// Returns the smallest prism around an upright cylinder. The radius has the unit of
    /// [`Hexagon::of_disc`]; `half_height` extends up and down from the center.
    ///
    /// # Errors
    /// If a number is NaN or infinite, a length is negative, or a form is out of range.
    pub fn of_cylinder(
        center: impl Into<[S; 3]>,
        radius: S,
        half_height: S,
    ) -> Result<Self, InvalidBounds> {
        let [x, y, z] = center.into();
        let hexagon = Hexagon::of_disc([x, y], radius)?;
        let z = Span::of(z).plus(Span { lo: -half_height.to_f64(), hi: half_height.to_f64() });
        Ok(Self { hexagon, z: z.interval(Z)?.into() })
    }

    fn is_empty(&self) -> bool {
        self.hexagon.is_empty() || self.z.min_z > self.z.max_z
    }

    /// Returns whether the limits of the other prism are within or equal to those of this one.
    #[inline]
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.hexagon.contains(&other.hexagon)
            && self.z.min_z <= other.z.min_z
            && other.z.max_z <= self.z.max_z
    }

    /// Returns whether the point is inside, within the rounding of its forms: always `true` for the
    /// points from which the prism was made. The border counts.
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[S; 3]>) -> bool {
        let [x, y, z] = point.into();
        self.z.min_z <= z && z <= self.z.max_z && self.hexagon.contains_point([x, y])
    }

    /// Returns the smallest prism that contains both prisms.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            hexagon: self.hexagon.union(&other.hexagon),
            z: self.heights().union(&other.heights()).into(),
        }
    }

    /// Returns the intervals of the hexagon, then z, as order-preserving keys, for `f64` rounded
    /// outwards; the prism must be [`checked`](Bounds::checked).
    #[inline(always)]
    #[must_use]
    pub fn slabs(&self) -> Slabs<4> {
        let Slabs { min: [a, b, c], max: [d, e, f] } = self.hexagon.slabs();
        Slabs { min: [a, b, c, self.z.min_z.key_below()], max: [d, e, f, self.z.max_z.key_above()] }
    }

    /// Returns the interval of heights as a box.
    #[inline]
    pub(crate) fn heights(&self) -> Aabb<S, 1> {
        Aabb::new([self.z.min_z], [self.z.max_z])
    }
}

impl<S: Scalar, A: Axes> Bounds<S, 3> for HexPrism<S, A> {
    /// Returns the smallest box, or one a rounding step larger, clamped to the scalar's range.
    #[inline]
    fn aabb(&self) -> Aabb<S, 3> {
        let Aabb { min: [x, y], max: [far_x, far_y] } = self.hexagon.aabb();
        Aabb::new([x, y, self.z.min_z], [far_x, far_y, self.z.max_z])
    }
    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        let z = (self.z.min_z <= other.z.max_z) & (other.z.min_z <= self.z.max_z);
        self.hexagon.overlaps(&other.hexagon) & z
    }
    #[inline]
    fn checked(self) -> Result<Self, InvalidBounds> {
        let hexagon = self.hexagon.checked()?;
        let ([min_z], [max_z]) = checked_intervals([self.z.min_z], [self.z.max_z], Z)?;
        Ok(Self { hexagon, z: ZInterval { min_z, max_z } })
    }
    #[inline]
    fn translated(&self, [x, y, z]: [S; 3]) -> Option<Self> {
        if self.is_empty() {
            return Some(Self::EMPTY);
        }
        let z = Span::between(self.z.min_z, self.z.max_z).plus(Span::of(z));
        Some(Self { hexagon: self.hexagon.translated([x, y])?, z: z.interval(Z).ok()?.into() })
    }
}

/// Index of axis z in errors, after the axes of the hexagon.
const Z: usize = 3;
