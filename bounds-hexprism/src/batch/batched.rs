//! The trait of the volumes that a batch can store, and its implementations.

use core::fmt::Debug;

use simd_lanes::{Keys, Scalar, array_of};

use super::SlabSet;
use crate::axes::Axes;
use crate::kernel::order::{Down, Order, Sides, Up};
use crate::{Aabb, HexPrism, Hexagon, InvalidBounds, Slabs, SplitPrism};

/// A volume made of slabs, which a [`Batch`](super::Batch) can store.
///
/// Implement the trait for your own volumes, with any number of axes: return their keys, and choose
/// the planes of the first stage.
///
/// ```
/// use bounds_hexprism::kernel::order::{Down, Up};
/// use bounds_hexprism::{Batch, Batched, InvalidBounds, Slabs};
///
/// /// An octahedron with the axes x, y, z and −(x + y + z). The first stage is a tetrahedron.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Octahedron(Slabs<4>);
///
/// impl Batched for Octahedron {
///     type Slabs = Slabs<4>;
///     type UpFirst = Up<4>;
///     type DownFirst = Down<4>;
///     const EXACT: bool = true;
///     fn checked(self) -> Result<Self, InvalidBounds> {
///         Ok(self)
///     }
///     fn normalized(self) -> Option<Self> {
///         Some(self)
///     }
///     fn slabs(&self) -> Slabs<4> {
///         self.0
///     }
///     fn of_slabs(slabs: &Slabs<4>) -> Self {
///         Self(*slabs)
///     }
///     fn overlaps(&self, other: &Self) -> bool {
///         self.0.overlaps(&other.0)
///     }
/// }
///
/// let point = Octahedron(Slabs { min: [1, 2, 3, -6], max: [1, 2, 3, -6] });
/// assert_eq!(Batch::of([point, point])?.count(&point), 2);
/// # Ok::<(), InvalidBounds>(())
/// ```
pub trait Batched: Copy + Debug {
    /// The keys: [`Slabs`] with the number of axes of the volume.
    type Slabs: SlabSet;
    /// The first stage: the planes compared first.
    type UpFirst: Order;
    /// The first stage for queries that [test down first](Self::tests_down_first).
    type DownFirst: Order;
    /// Whether keys are exact: they overlap if and only if the volumes do, and a volume can be
    /// computed from its keys. If keys are inexact, the batch also stores the volumes and tests
    /// them when the keys overlap.
    const EXACT: bool;

    /// Validates the volume for storage.
    ///
    /// # Errors
    /// If an end is NaN or infinite, or a lower end is above its upper end.
    fn checked(self) -> Result<Self, InvalidBounds>;

    /// Validates the volume as a query and replaces −0 with 0. Queries may be infinite. Returns
    /// `None` if the volume is inverted or NaN.
    fn normalized(self) -> Option<Self>;

    /// Returns the keys of a checked or normalized volume.
    fn slabs(&self) -> Self::Slabs;

    /// Returns the volume with these keys. It is called only if keys are exact.
    fn of_slabs(slabs: &Self::Slabs) -> Self;

    /// Returns whether the two volumes overlap.
    fn overlaps(&self, other: &Self) -> bool;

    /// Returns whether the first stage is `DownFirst` if this volume is the query. Results do not
    /// depend on it.
    #[inline]
    fn tests_down_first(&self) -> bool {
        false
    }
}

/// Implements [`Batched`] for boxes: the first stage tests two axes, the second the third axis.
macro_rules! boxes {
    ($($dimensions:literal: $first:literal)*) => {$(
        impl<S: Scalar> Batched for Aabb<S, $dimensions> {
            type Slabs = Slabs<$dimensions>;
            type UpFirst = Sides<$first>;
            type DownFirst = Sides<$first>;
            const EXACT: bool = S::EXACT_KEYS;

            #[inline]
            fn checked(self) -> Result<Self, InvalidBounds> {
                self.checked()
            }
            #[inline]
            fn normalized(self) -> Option<Self> {
                self.normalized()
            }
            #[inline]
            fn slabs(&self) -> Self::Slabs {
                self.slabs()
            }
            #[inline]
            fn of_slabs(slabs: &Self::Slabs) -> Self {
                Self { min: array_of(|axis| S::from_key(slabs.min[axis])), max: array_of(|axis| S::from_key(slabs.max[axis])) }
            }
            #[inline]
            fn overlaps(&self, other: &Self) -> bool {
                self.overlaps(other)
            }
        }
    )*};
}
boxes! { 1: 1  2: 2  3: 2 }

impl<S: Scalar, A: Axes> Batched for Hexagon<S, A> {
    type Slabs = Slabs<3>;
    type UpFirst = Up<3>;
    type DownFirst = Down<3>;
    const EXACT: bool = S::EXACT_KEYS;

    #[inline]
    fn checked(self) -> Result<Self, InvalidBounds> {
        self.checked()
    }
    #[inline]
    fn normalized(self) -> Option<Self> {
        self.normalized()
    }
    #[inline]
    fn slabs(&self) -> Slabs<3> {
        self.slabs()
    }
    #[inline]
    fn of_slabs(slabs: &Slabs<3>) -> Self {
        Self::new(
            array_of(|axis| S::from_key(slabs.min[axis])),
            array_of(|axis| S::from_key(slabs.max[axis])),
        )
    }
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    #[inline]
    fn tests_down_first(&self) -> bool {
        // A smaller triangle rejects more volumes; comparisons of the up triangle are slightly
        // faster.
        self.down.size() * 1.5 < self.up.size()
    }
}

impl<S: Scalar, A: Axes> Batched for HexPrism<S, A> {
    type Slabs = Slabs<4>;
    type UpFirst = Up<3>;
    type DownFirst = Down<3>;
    const EXACT: bool = S::EXACT_KEYS;

    #[inline]
    fn checked(self) -> Result<Self, InvalidBounds> {
        self.checked()
    }
    #[inline]
    fn normalized(self) -> Option<Self> {
        self.normalized()
    }
    #[inline]
    fn slabs(&self) -> Slabs<4> {
        self.slabs()
    }
    #[inline]
    fn of_slabs(slabs: &Slabs<4>) -> Self {
        let ([a, b, c, z], [d, e, f, far_z]) = (
            array_of(|axis| S::from_key(slabs.min[axis])),
            array_of(|axis| S::from_key(slabs.max[axis])),
        );
        Self::new([a, b, c], [d, e, f], [z, far_z])
    }
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    #[inline]
    fn tests_down_first(&self) -> bool {
        self.hexagon.tests_down_first()
    }
}

/// Tests `up` first: a query is usually an object above a terrain, and is rejected by z.
impl<S: Scalar, A: Axes> Batched for SplitPrism<S, A> {
    type Slabs = Slabs<4>;
    type UpFirst = Up<4>;
    type DownFirst = Down<4>;
    const EXACT: bool = S::EXACT_KEYS;

    #[inline]
    fn checked(self) -> Result<Self, InvalidBounds> {
        self.checked()
    }
    #[inline]
    fn normalized(self) -> Option<Self> {
        self.normalized()
    }
    #[inline]
    fn slabs(&self) -> Slabs<4> {
        HexPrism::from(*self).slabs()
    }
    #[inline]
    fn of_slabs(slabs: &Slabs<4>) -> Self {
        HexPrism::of_slabs(slabs).into()
    }
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
}
