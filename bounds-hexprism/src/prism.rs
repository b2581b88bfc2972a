//! Hexagonal prisms: a hexagon in the plane and an interval in z.

use simd_lanes::Scalar;

use crate::axes::{Axes, Pragmatic, Span};
use crate::bounds::checked_intervals;
use crate::{Aabb, DownTriangle, Hexagon, InvalidBounds, Slabs, UpTriangle, ZInterval};

/// A hexagonal prism: the points whose three forms of x and y ([`Axes`]) and whose z lie within
/// closed intervals. x and y are the ground, z is up.
///
/// Eight sides; tall and thin along z or along any of the three directions of the plane at no
/// loss, for worlds that are wide and not very high. Plain data as [`Aabb`] is.
///
/// ```
/// use bounds_hexprism::{Aabb, HexPrism};
///
/// // A fence that runs diagonally: its box covers the field, its prism does not.
/// let fence: HexPrism = HexPrism::of_points([[0.0, 8.0, 0.0], [8.0, 0.0, 2.0]])?;
/// let sheep = HexPrism::of_cylinder([2.0, 2.0, 1.0], 0.5, 1.0)?;
/// assert!(fence.aabb().overlaps(&sheep.aabb()) && !fence.overlaps(&sheep));
/// # Ok::<(), bounds_hexprism::InvalidBounds>(())
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
    /// The heights.
    pub z: ZInterval<S>,
}

impl<S: Scalar, A: Axes> HexPrism<S, A> {
    /// No points at all: the neutral element of [`union`](Self::union). It overlaps nothing but
    /// what spans every number on every axis; structures refuse it.
    pub const EMPTY: Self =
        Self { hexagon: Hexagon::EMPTY, z: ZInterval { min_z: S::MAX, max_z: S::MIN } };

    /// What two triangles and a range of heights have in common, taken as they are.
    #[inline(always)]
    #[must_use]
    pub fn new(
        up: impl Into<UpTriangle<S>>,
        down: impl Into<DownTriangle<S>>,
        z: impl Into<ZInterval<S>>,
    ) -> Self {
        Self { hexagon: Hexagon::new(up, down), z: z.into() }
    }

    /// The smallest prism around all points.
    ///
    /// # Errors
    /// If there are no points, one is NaN or infinite, or a form does not fit the scalar.
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
        Self { hexagon, z: ZInterval { min_z: z.min[0], max_z: z.max[0] } }.checked()
    }

    /// The prism that is a single point, or a step larger where its forms must be rounded.
    ///
    /// # Errors
    /// As [`of_points`](Self::of_points).
    pub fn point(at: impl Into<[S; 3]>) -> Result<Self, InvalidBounds> {
        Self::of_points([at])
    }

    /// The smallest prism around a box: with [`Pragmatic`] axes the box itself, as
    /// [`Hexagon::of_aabb`] explains.
    ///
    /// # Errors
    /// If the box is not a good one ([`Aabb::checked`]) or a form does not fit the scalar.
    pub fn of_aabb(bounds: &Aabb<S, 3>) -> Result<Self, InvalidBounds> {
        let Aabb { min: [x, y, z], max: [far_x, far_y, far_z] } = bounds.checked()?;
        let hexagon = Hexagon::of_aabb(&Aabb::new([x, y], [far_x, far_y]))?;
        Ok(Self { hexagon, z: ZInterval { min_z: z, max_z: far_z } })
    }

    /// The smallest prism around an upright cylinder, which reaches `half_height` up and down.
    ///
    /// Round as [`Hexagon::of_disc`] says.
    ///
    /// # Errors
    /// If a number is NaN or infinite, a length negative, or a form does not fit the scalar.
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

    /// The prism as structures store it: finite, lower limits not above upper ones, −0 turned
    /// into 0.
    ///
    /// # Errors
    /// As [`Aabb::checked`]; z is axis 3.
    #[inline]
    pub fn checked(self) -> Result<Self, InvalidBounds> {
        let hexagon = self.hexagon.checked()?;
        let ([min_z], [max_z]) = checked_intervals([self.z.min_z], [self.z.max_z], Z)?;
        Ok(Self { hexagon, z: ZInterval { min_z, max_z } })
    }

    /// The prism as a question to a structure: it may be infinite, and −0 is turned into 0. `None`
    /// if it is inverted or NaN, for then it overlaps nothing.
    #[inline]
    #[must_use]
    pub fn askable(self) -> Option<Self> {
        let z = Aabb::new([self.z.min_z], [self.z.max_z]).askable()?;
        let z = ZInterval { min_z: z.min[0], max_z: z.max[0] };
        Some(Self { hexagon: self.hexagon.askable()?, z })
    }

    /// Whether some lower limit is above its upper limit: no point is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hexagon.is_empty() || self.z.min_z > self.z.max_z
    }

    /// Whether no axis separates the two; touching counts.
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.hexagon.overlaps(&other.hexagon) & self.z.overlaps(&other.z)
    }

    /// Whether the other prism's limits lie within these; equal ones count.
    #[inline]
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.hexagon.contains(&other.hexagon)
            && self.z.min_z <= other.z.min_z
            && other.z.max_z <= self.z.max_z
    }

    /// Whether the point lies inside, as far as its rounded forms can tell; the border counts.
    ///
    /// Never false for a point the prism was made around.
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[S; 3]>) -> bool {
        let [x, y, z] = point.into();
        self.z.min_z <= z && z <= self.z.max_z && self.hexagon.contains_point([x, y])
    }

    /// The smallest prism that holds both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let heights = |z: ZInterval<S>| Aabb::new([z.min_z], [z.max_z]);
        let z = heights(self.z).union(&heights(other.z));
        Self {
            hexagon: self.hexagon.union(&other.hexagon),
            z: ZInterval { min_z: z.min[0], max_z: z.max[0] },
        }
    }

    /// The prism around all points no further than `margin` away in the plane and no further
    /// than that in z, inwards if negative. An empty prism stays empty.
    ///
    /// # Errors
    /// If a limit leaves the range of the scalar, or a negative margin leaves nothing.
    pub fn enlarged(&self, margin: S) -> Result<Self, InvalidBounds> {
        if self.is_empty() {
            return Ok(Self::EMPTY);
        }
        let out = Span { lo: -margin.to_f64(), hi: margin.to_f64() };
        let z = Span::between(self.z.min_z, self.z.max_z).plus(out);
        Ok(Self { hexagon: self.hexagon.enlarged(margin)?, z: z.interval(Z)?.into() })
    }

    /// The prism moved by an offset; floats round outwards. An empty prism stays empty.
    ///
    /// # Errors
    /// If a limit leaves the range of the scalar.
    pub fn translated(&self, by: impl Into<[S; 3]>) -> Result<Self, InvalidBounds> {
        if self.is_empty() {
            return Ok(Self::EMPTY);
        }
        let [x, y, z] = by.into();
        let z = Span::between(self.z.min_z, self.z.max_z).plus(Span::of(z));
        Ok(Self { hexagon: self.hexagon.translated([x, y])?, z: z.interval(Z)?.into() })
    }

    /// The smallest box around the prism, or one a rounding step larger; it stops at the ends of
    /// the scalar's range.
    #[must_use]
    pub fn aabb(&self) -> Aabb<S, 3> {
        let Aabb { min: [x, y], max: [far_x, far_y] } = self.hexagon.aabb();
        Aabb::new([x, y, self.z.min_z], [far_x, far_y, self.z.max_z])
    }

    /// The volume in units of the coordinates, rounded; 0 if empty.
    #[must_use]
    pub fn volume(&self) -> f64 {
        let height = self.z.max_z.to_f64() - self.z.min_z.to_f64();
        if height > 0.0 { self.hexagon.area() * height } else { 0.0 }
    }

    /// The intervals as order-preserving keys: the hexagon's three, then z. Rounded outwards where
    /// keys are not exact.
    ///
    /// Meant for prisms that passed [`checked`](Self::checked).
    #[inline(always)]
    #[must_use]
    pub fn slabs(&self) -> Slabs<4> {
        let Slabs { min: [a, b, c], max: [d, e, f] } = self.hexagon.slabs();
        Slabs { min: [a, b, c, self.z.min_z.key_below()], max: [d, e, f, self.z.max_z.key_above()] }
    }

    /// The two stages of a broad phase that sweeps boxes: the first two axes, which tell most
    /// volumes apart, and the third with z for what is left.
    ///
    /// Keep the second in a [`SlabVec`](crate::SlabVec) and let it thin out the pairs found.
    #[inline]
    #[must_use]
    pub fn stages(&self) -> (Slabs<2>, Slabs<2>) {
        let Slabs { min: [a, b, c, z], max: [d, e, f, far_z] } = self.slabs();
        (Slabs { min: [a, b], max: [d, e] }, Slabs { min: [c, z], max: [f, far_z] })
    }
}

/// The number of the axis z in errors: the hexagon's are 0, 1 and 2.
const Z: usize = 3;

impl<S, A> From<HexPrism<S, A>> for Hexagon<S, A> {
    /// What the prism stands on.
    fn from(prism: HexPrism<S, A>) -> Self {
        prism.hexagon
    }
}
