//! Prisms split into two triangular ones, open upwards or downwards; for objects on a terrain.

use core::marker::PhantomData;

use simd_lanes::Scalar;

use crate::axes::{Axes, Pragmatic};
use crate::{DownTriangle, HexPrism, UpTriangle, ZInterval};

/// Three lower limits on the ground and one in z: a prism that is open upwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UpTriangularPrism<S = f32> {
    /// The lower limits of the forms.
    pub ground: UpTriangle<S>,
    /// The height of the floor.
    pub min_z: S,
}

/// Three upper limits on the ground and one in z: a prism that is open downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DownTriangularPrism<S = f32> {
    /// The upper limits of the forms.
    pub ground: DownTriangle<S>,
    /// The height of the roof.
    pub max_z: S,
}

impl<S: Scalar> UpTriangularPrism<S> {
    /// Returns whether this prism (an object) overlaps one that is open downwards (a terrain).
    /// Makes four comparisons; touching counts.
    ///
    /// ```
    /// use bounds_hexprism::{HexPrism, SplitPrism};
    ///
    /// let hill: HexPrism = HexPrism::of_cylinder([5.0, 5.0, 0.0], 3.0, 1.0)?;
    /// let hill = SplitPrism::from(hill).down; // the hill and everything below it
    /// let bird: HexPrism = HexPrism::of_cylinder([5.0, 5.0, 9.0], 0.5, 0.5)?;
    /// assert!(!SplitPrism::from(bird).up.overlaps(&hill)); // the bird is above the hill
    /// let mole: HexPrism = HexPrism::of_cylinder([5.0, 5.0, -9.0], 0.5, 0.5)?;
    /// assert!(SplitPrism::from(mole).up.overlaps(&hill));
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, down: &DownTriangularPrism<S>) -> bool {
        self.ground.overlaps(&down.ground) & (self.min_z <= down.max_z)
    }
}

/// A prism stored as the intersection of two open prisms.
///
/// ```text
///  │         │   up: over an up triangle,          ╲‾‾‾‾‾‾‾╱ max_z
///  │    ╱╲   │   from min_z without end            │╲     ╱│   down: under a down triangle,
///  │   ╱  ╲  │                                     │ ╲   ╱ │   from max_z without end
///  │  ╱    ╲ │   an object, and the                │  ╲ ╱  │
///  │ ╱      ╲│   air above it                      │   ╲   │   a hill, and the rock below it
///   ╱________╲ min_z
/// ```
///
/// Each half is four numbers and fits a SIMD register. Of the two tests, the first rejects an
/// object that flies above the other.
///
/// In a [`Batch`](crate::Batch) the first stage tests a triangle and one end of z: faster than
/// [`HexPrism`] for objects that fly over terrain, slower if all objects are on the ground.
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
    /// The lower limits: the prism, open upwards.
    pub up: UpTriangularPrism<S>,
    /// The upper limits: the prism, open downwards.
    pub down: DownTriangularPrism<S>,
    axes: PhantomData<A>,
}

impl<S: Scalar, A: Axes> SplitPrism<S, A> {
    /// Returns whether the two prisms overlap; touching counts. First tests this `up` against the
    /// other `down`, then the other `up` against this `down`.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.up.overlaps(&other.down) && other.up.overlaps(&self.down)
    }
}

impl<S: Scalar, A: Axes> From<HexPrism<S, A>> for SplitPrism<S, A> {
    #[inline]
    fn from(HexPrism { hexagon, z }: HexPrism<S, A>) -> Self {
        Self {
            up: UpTriangularPrism { ground: hexagon.up, min_z: z.min_z },
            down: DownTriangularPrism { ground: hexagon.down, max_z: z.max_z },
            axes: PhantomData,
        }
    }
}

impl<S: Scalar, A: Axes> From<SplitPrism<S, A>> for HexPrism<S, A> {
    #[inline]
    fn from(SplitPrism { up, down, .. }: SplitPrism<S, A>) -> Self {
        Self::new(up.ground, down.ground, ZInterval { min_z: up.min_z, max_z: down.max_z })
    }
}
