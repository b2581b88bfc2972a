//! Triangular prisms without a floor or without a roof: terrain, and things on a terrain.

use simd_lanes::Scalar;

use crate::axes::{Axes, Pragmatic};
use crate::{HexPrism, Hexagon, InvalidBounds, ZInterval};
use core::marker::PhantomData;

/// Three lower limits on the ground and one in z: open upwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UpTriangularPrism<S = f32, A = Pragmatic> {
    /// The smallest first form.
    pub min_a: S,
    /// The smallest second form.
    pub min_b: S,
    /// The smallest third form.
    pub min_c: S,
    /// The height of the floor.
    pub min_z: S,
    axes: PhantomData<A>,
}

/// Three upper limits on the ground and one in z: open downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DownTriangularPrism<S = f32, A = Pragmatic> {
    /// The largest first form.
    pub max_a: S,
    /// The largest second form.
    pub max_b: S,
    /// The largest third form.
    pub max_c: S,
    /// The height of the roof.
    pub max_z: S,
    axes: PhantomData<A>,
}

impl<S: Scalar, A: Axes> UpTriangularPrism<S, A> {
    /// The prism over `[min_a, min_b, min_c, min_z]`, taken as they are.
    #[inline]
    #[must_use]
    pub fn new([min_a, min_b, min_c, min_z]: [S; 4]) -> Self {
        Self { min_a, min_b, min_c, min_z, axes: PhantomData }
    }

    /// Whether a thing meets a terrain: four comparisons; touching counts.
    ///
    /// ```
    /// use bounds_hexprism::{HexPrism, SplitPrism};
    ///
    /// let hill: HexPrism = HexPrism::of_cylinder([5.0, 5.0, 0.0], 3.0, 1.0)?;
    /// let hill = SplitPrism::from(hill).down; // and everything below it
    /// let bird: HexPrism = HexPrism::of_cylinder([5.0, 5.0, 9.0], 0.5, 0.5)?;
    /// assert!(!SplitPrism::from(bird).up.overlaps(&hill)); // it flies above
    /// let mole: HexPrism = HexPrism::of_cylinder([5.0, 5.0, -9.0], 0.5, 0.5)?;
    /// assert!(SplitPrism::from(mole).up.overlaps(&hill));
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, down: &DownTriangularPrism<S, A>) -> bool {
        (self.min_a <= down.max_a)
            & (self.min_b <= down.max_b)
            & (self.min_c <= down.max_c)
            & (self.min_z <= down.max_z)
    }
}

impl<S: Scalar, A: Axes> DownTriangularPrism<S, A> {
    /// The prism under `[max_a, max_b, max_c, max_z]`, taken as they are.
    #[inline]
    #[must_use]
    pub fn new([max_a, max_b, max_c, max_z]: [S; 4]) -> Self {
        Self { max_a, max_b, max_c, max_z, axes: PhantomData }
    }
}

/// A prism as the two open ones it is the common part of: the naive form.
///
/// ```text
///  │         │   up: over an up triangle,          ╲‾‾‾‾‾‾‾╱ max_z
///  │    ╱╲   │   from min_z without end            │╲     ╱│   down: under a down triangle,
///  │   ╱  ╲  │                                     │ ╲   ╱ │   from max_z without end
///  │  ╱    ╲ │   a thing, and the                  │  ╲ ╱  │
///  │ ╱      ╲│   air above it                      │   ╲   │   a hill, and the rock below it
///   ╱________╲ min_z
/// ```
///
/// Each half is four numbers: a SIMD register of four. Whether two prisms overlap is two tests of
/// four comparisons, and what flies above everything is rejected by the first.
///
/// In a [`Batch`](crate::Batch) the first stage tests four values, the triangle and one end of z:
/// better than [`HexPrism`] where things fly over terrain, keep_nan where everything is on the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        from = "HexPrism<S, A>",
        into = "HexPrism<S, A>",
        bound(serialize = "S: Scalar + serde::Serialize, A: Axes"),
        bound(deserialize = "S: Scalar + serde::Deserialize<'de>, A: Axes"),
    )
)]
pub struct SplitPrism<S = f32, A = Pragmatic> {
    /// Everything above the floor.
    pub up: UpTriangularPrism<S, A>,
    /// Everything below the roof.
    pub down: DownTriangularPrism<S, A>,
}

impl<S: Scalar, A: Axes> SplitPrism<S, A> {
    /// Whether the two overlap: this one's up prism against the other's down prism first, the
    /// other way round only if that did not decide.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.up.overlaps(&other.down) && other.up.overlaps(&self.down)
    }

    /// The halves as structures store them.
    ///
    /// # Errors
    /// As [`HexPrism::checked`].
    #[inline]
    pub fn checked(self) -> Result<Self, InvalidBounds> {
        HexPrism::from(self).checked().map(Self::from)
    }

    /// The halves as a question to a structure, as [`HexPrism::askable`].
    #[inline]
    #[must_use]
    pub fn askable(self) -> Option<Self> {
        HexPrism::from(self).askable().map(Self::from)
    }
}

impl<S: Scalar, A: Axes> From<HexPrism<S, A>> for SplitPrism<S, A> {
    #[inline]
    fn from(prism: HexPrism<S, A>) -> Self {
        let HexPrism { hexagon: Hexagon { up, down, .. }, z } = prism;
        Self {
            up: UpTriangularPrism::new([up.min_a, up.min_b, up.min_c, z.min_z]),
            down: DownTriangularPrism::new([down.max_a, down.max_b, down.max_c, z.max_z]),
        }
    }
}

impl<S: Scalar, A: Axes> From<SplitPrism<S, A>> for HexPrism<S, A> {
    #[inline]
    fn from(SplitPrism { up, down }: SplitPrism<S, A>) -> Self {
        Self::new(
            [up.min_a, up.min_b, up.min_c],
            [down.max_a, down.max_b, down.max_c],
            ZInterval { min_z: up.min_z, max_z: down.max_z },
        )
    }
}
