//! The order of axes in slabs: the axis along which rows are swept comes first.
//!
//! [`Aabb`] always has the caller's order, [`Slabs`] and planes of slabs always the order of the
//! grid. All conversions between the two are here.

use broadphase_core::{Aabb, Scalar, SlabPlanes, Slabs, array_of};

/// Exchanges the sweep axis with the first one. Applying it twice gives the original order, so the
/// same function converts in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::grid) struct AxisOrder(u8);

impl AxisOrder {
    /// The caller's order: sweeps run along the caller's first axis.
    pub(in crate::grid) const UNCHANGED: Self = Self(0);

    /// Returns the order in which this axis of the caller comes first.
    pub(in crate::grid) const fn with_first(axis: usize) -> Self {
        Self(axis as u8)
    }

    /// Returns the axis of the caller that comes first.
    #[inline(always)]
    pub(in crate::grid) const fn first(self) -> usize {
        self.0 as usize
    }

    /// Returns one value for each axis in the other order.
    #[inline(always)]
    pub(in crate::grid) fn exchange<X, const D: usize>(self, mut values: [X; D]) -> [X; D] {
        if self.0 != 0 {
            values.swap(0, self.first());
        }
        values
    }

    /// Returns slabs in the other order.
    #[inline(always)]
    pub(in crate::grid) fn exchange_slabs<const D: usize>(self, slabs: Slabs<D>) -> Slabs<D> {
        Slabs { min: self.exchange(slabs.min), max: self.exchange(slabs.max) }
    }

    /// Returns planes in the other order.
    #[inline(always)]
    pub(in crate::grid) fn exchange_planes<const D: usize>(
        self,
        planes: SlabPlanes<'_, D>,
    ) -> SlabPlanes<'_, D> {
        SlabPlanes { min: self.exchange(planes.min), max: self.exchange(planes.max) }
    }

    /// Converts bounds to slabs.
    #[inline(always)]
    pub(in crate::grid) fn slabs<S: Scalar, const D: usize>(self, bounds: &Aabb<S, D>) -> Slabs<D> {
        self.exchange_slabs(bounds.slabs())
    }

    /// Converts slabs to bounds, where slabs are exact.
    #[inline(always)]
    pub(in crate::grid) fn bounds<S: Scalar, const D: usize>(self, slabs: &Slabs<D>) -> Aabb<S, D> {
        let Slabs { min, max } = self.exchange_slabs(*slabs);
        Aabb {
            min: array_of(|axis| S::from_key(min[axis])),
            max: array_of(|axis| S::from_key(max[axis])),
        }
    }
}
