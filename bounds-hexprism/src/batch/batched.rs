//! What a volume must tell to be kept in batches, and the volumes that are.

use core::fmt::Debug;

use simd_lanes::{Scalar, array_of};

use super::{SlabSet, TestOrder};
use crate::axes::Axes;
use crate::kernel::order::{Down, Order, Sides, Up};
use crate::{Aabb, HexPrism, Hexagon, InvalidBounds, Slabs, SplitPrism};

/// A volume made of slabs, which a [`Batch`](super::Batch) can keep.
///
/// Implement it for slabs of your own (up to any number of axes) and the same kernel tests them:
/// say what their keys are and which of the planes are worth reading first.
///
/// ```
/// use bounds_hexprism::kernel::order::{Down, Up};
/// use bounds_hexprism::{Batch, Batched, InvalidBounds, Slabs};
///
/// /// An octahedron: x, y, z and −(x + y + z), tested a tetrahedron first.
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
///     fn askable(self) -> Option<Self> {
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
    /// Its keys: [`Slabs`] of as many axes as it has.
    type Slabs: SlabSet;
    /// The first stage of [`TestOrder::UpFirst`].
    type UpFirst: Order;
    /// The first stage of [`TestOrder::DownFirst`]; the same where there is but one order.
    type DownFirst: Order;
    /// Whether keys decide what the volumes would, and say all about them. If not, the batch keeps
    /// the volumes too, and asks them where the keys overlap.
    const EXACT: bool;

    /// The volume as it is stored.
    ///
    /// # Errors
    /// If it is no volume: an end NaN or infinite, or a lower end above its upper end.
    fn checked(self) -> Result<Self, InvalidBounds>;

    /// The volume as a question: it may be infinite, and −0 is turned into 0. `None` if it is
    /// inverted or NaN.
    fn askable(self) -> Option<Self>;

    /// The keys of a checked or askable volume.
    fn slabs(&self) -> Self::Slabs;

    /// The volume with these keys; asked only if they are exact.
    fn of_slabs(slabs: &Self::Slabs) -> Self;

    /// Whether the two overlap.
    fn overlaps(&self, other: &Self) -> bool;

    /// The order that [`TestOrder::Auto`] stands for when this is the query.
    #[inline]
    fn better_order(&self) -> TestOrder {
        TestOrder::UpFirst
    }
}

/// Boxes: two slabs first, the third where a block passed.
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
            fn askable(self) -> Option<Self> {
                self.askable()
            }
            #[inline]
            fn slabs(&self) -> Self::Slabs {
                self.slabs()
            }
            #[inline]
            fn of_slabs(slabs: &Self::Slabs) -> Self {
                Self { min: array_of(|axis| S::of_key(slabs.min[axis])), max: array_of(|axis| S::of_key(slabs.max[axis])) }
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
    fn askable(self) -> Option<Self> {
        self.askable()
    }
    #[inline]
    fn slabs(&self) -> Slabs<3> {
        self.slabs()
    }
    #[inline]
    fn of_slabs(slabs: &Slabs<3>) -> Self {
        Self::new(
            array_of(|axis| S::of_key(slabs.min[axis])),
            array_of(|axis| S::of_key(slabs.max[axis])),
        )
    }
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    #[inline]
    fn better_order(&self) -> TestOrder {
        let much_smaller = self.down.size() * 1.5 < self.up.size();
        if much_smaller { TestOrder::DownFirst } else { TestOrder::UpFirst }
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
    fn askable(self) -> Option<Self> {
        self.askable()
    }
    #[inline]
    fn slabs(&self) -> Slabs<4> {
        self.slabs()
    }
    #[inline]
    fn of_slabs(slabs: &Slabs<4>) -> Self {
        let ([a, b, c, z], [d, e, f, far_z]) = (
            array_of(|axis| S::of_key(slabs.min[axis])),
            array_of(|axis| S::of_key(slabs.max[axis])),
        );
        Self::new([a, b, c], [d, e, f], [z, far_z])
    }
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    #[inline]
    fn better_order(&self) -> TestOrder {
        self.hexagon.better_order()
    }
}

/// The order is fixed unless chosen: a thing against a terrain, up first.
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
    fn askable(self) -> Option<Self> {
        self.askable()
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
