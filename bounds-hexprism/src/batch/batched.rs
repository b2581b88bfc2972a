//! The trait of the volumes that a batch can store, and its implementations.

use core::fmt::Debug;

use simd_lanes::{Keys, Scalar, array_of};

use crate::axes::Axes;
use crate::{Aabb, Bounds, HexPrism, Hexagon, InvalidBounds, Slabs, SplitPrism};

/// A volume made of slabs, which a [`Batch`](super::Batch) can store.
///
/// Implement the trait for your own volumes with up to four axes: return their keys, and choose the
/// ends that are compared first:
///
/// ```text
///                 LOWER, UPPER    axis 0  1  2  3
/// box             2, 2   lower       [x][x][ ]         both ends of two axes
///                        upper       [x][x][ ]
/// prism           0, 3   lower       [ ][ ][ ][ ]      the query's up triangle against the
///                        upper       [x][x][x][ ]      down triangles of the volumes
/// split prism     0, 4   lower       [ ][ ][ ][ ]      the same, and z
///                        upper       [x][x][x][x]
/// ```
///
/// ```
/// use bounds_hexprism::{Batch, Batched, InvalidBounds, Slabs};
///
/// /// An octahedron with the axes x, y, z and −(x + y + z). The first stage is a tetrahedron.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Octahedron(Slabs<4>);
///
/// impl Batched for Octahedron {
///     const AXES: usize = 4;
///     const LOWER: usize = 0;
///     const UPPER: usize = 4;
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
    /// Number of axes, at most 4.
    const AXES: usize;
    /// Number of axes, from the first on, whose lower ends the first stage reads (one to four
    /// ends).
    const LOWER: usize;
    /// Number of axes, from the first on, whose upper ends the first stage reads.
    const UPPER: usize;
    /// Whether keys are exact: they overlap if and only if the volumes do, and a volume can be
    /// computed from its keys. If not, the batch also stores the volumes and tests them when the
    /// keys overlap.
    const EXACT: bool;

    /// Validates the volume for storage.
    ///
    /// # Errors
    /// If an end is NaN or infinite, or a lower end is above its upper end.
    fn checked(self) -> Result<Self, InvalidBounds>;

    /// Validates the volume as a query, which may be infinite, and replaces −0 with 0. Returns
    /// `None` if the volume is inverted or NaN.
    fn normalized(self) -> Option<Self>;

    /// Returns the keys of a validated volume, on the first [`AXES`](Self::AXES) axes.
    fn slabs(&self) -> Slabs<4>;

    /// Returns the volume with these keys. It is called only if keys are exact.
    fn of_slabs(slabs: &Slabs<4>) -> Self;

    /// Returns whether the two volumes overlap.
    fn overlaps(&self, other: &Self) -> bool;

    /// Returns whether the first stage exchanges [`LOWER`](Self::LOWER) and [`UPPER`](Self::UPPER)
    /// for this query. Results do not depend on it.
    #[inline]
    fn tests_down_first(&self) -> bool {
        false
    }
}

impl<S: Scalar, const D: usize> Batched for Aabb<S, D> {
    const AXES: usize = D;
    const LOWER: usize = if D < 2 { D } else { 2 };
    const UPPER: usize = Self::LOWER;
    const EXACT: bool = S::EXACT_KEYS;

    fn checked(self) -> Result<Self, InvalidBounds> {
        self.checked()
    }
    fn normalized(self) -> Option<Self> {
        self.normalized()
    }
    fn slabs(&self) -> Slabs<4> {
        let (slabs, mut all) = (self.slabs(), Slabs { min: [0; 4], max: [0; 4] });
        all.min[..D].copy_from_slice(&slabs.min);
        all.max[..D].copy_from_slice(&slabs.max);
        all
    }
    fn of_slabs(slabs: &Slabs<4>) -> Self {
        Self {
            min: array_of(|axis| S::from_key(slabs.min[axis])),
            max: array_of(|axis| S::from_key(slabs.max[axis])),
        }
    }
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
}

impl<S: Scalar, A: Axes> Batched for Hexagon<S, A> {
    const AXES: usize = 3;
    const LOWER: usize = 0;
    const UPPER: usize = 3;
    const EXACT: bool = S::EXACT_KEYS;

    fn checked(self) -> Result<Self, InvalidBounds> {
        Bounds::checked(self)
    }
    fn normalized(self) -> Option<Self> {
        self.intervals().normalized().map(Self::of_intervals)
    }
    fn slabs(&self) -> Slabs<4> {
        Batched::slabs(&self.intervals())
    }
    fn of_slabs(slabs: &Slabs<4>) -> Self {
        Self::of_intervals(Aabb::of_slabs(slabs))
    }
    fn overlaps(&self, other: &Self) -> bool {
        Bounds::overlaps(self, other)
    }
    fn tests_down_first(&self) -> bool {
        // A much smaller triangle rejects more volumes.
        self.down.size() * 1.5 < self.up.size()
    }
}

impl<S: Scalar, A: Axes> Batched for HexPrism<S, A> {
    const AXES: usize = 4;
    const LOWER: usize = 0;
    const UPPER: usize = 3;
    const EXACT: bool = S::EXACT_KEYS;

    fn checked(self) -> Result<Self, InvalidBounds> {
        Bounds::checked(self)
    }
    fn normalized(self) -> Option<Self> {
        let hexagon = self.hexagon.normalized()?;
        Some(Self { hexagon, z: self.heights().normalized()?.into() })
    }
    fn slabs(&self) -> Slabs<4> {
        self.slabs()
    }
    fn of_slabs(slabs: &Slabs<4>) -> Self {
        let z = [slabs.min[3], slabs.max[3]].map(S::from_key);
        Self { hexagon: Hexagon::of_slabs(slabs), z: z.into() }
    }
    fn overlaps(&self, other: &Self) -> bool {
        Bounds::overlaps(self, other)
    }
    fn tests_down_first(&self) -> bool {
        self.hexagon.tests_down_first()
    }
}

/// Tests `up` first: a query is usually an object above a terrain, and is rejected by z.
impl<S: Scalar, A: Axes> Batched for SplitPrism<S, A> {
    const AXES: usize = 4;
    const LOWER: usize = 0;
    const UPPER: usize = 4;
    const EXACT: bool = S::EXACT_KEYS;

    fn checked(self) -> Result<Self, InvalidBounds> {
        Bounds::checked(HexPrism::from(self)).map(Self::from)
    }
    fn normalized(self) -> Option<Self> {
        HexPrism::from(self).normalized().map(Self::from)
    }
    fn slabs(&self) -> Slabs<4> {
        HexPrism::from(*self).slabs()
    }
    fn of_slabs(slabs: &Slabs<4>) -> Self {
        HexPrism::of_slabs(slabs).into()
    }
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
}
