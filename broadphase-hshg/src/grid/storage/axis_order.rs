//! The order of axes in slabs: the axis along which rows are swept comes first.
//!
//! [`Aabb`] has the caller's order; [`Slabs`] and planes have the grid's, unless
//! [`AxisOrder::exchange_planes`] has converted the planes. All conversions are here.

use broadphase_core::{Aabb, Keys, Scalar, SlabPlanes, Slabs, array_of};

/// The grid's order of axes: the sweep axis and the caller's first axis are exchanged. The same
/// functions convert in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AxisOrder(u8);

impl AxisOrder {
    /// The caller's order: sweeps run along the caller's first axis.
    pub(crate) const UNCHANGED: Self = Self(0);

    /// Returns the order in which the caller's axis `axis` comes first.
    pub(crate) const fn with_first(axis: usize) -> Self {
        Self(axis as u8)
    }

    /// Returns the caller's axis that comes first in the grid: the sweep axis.
    #[inline(always)]
    pub(crate) const fn first(self) -> usize {
        self.0 as usize
    }

    /// Converts the number of an axis from the caller's order to the grid's or back.
    ///
    /// To read a box, select its planes by converted numbers: coordinates that are exchanged after
    /// reading leave the registers (a snapshot of 10,000 objects takes 64 % longer).
    #[inline(always)]
    pub(super) const fn exchange_axis(self, axis: usize) -> usize {
        if axis == 0 {
            self.first()
        } else if axis == self.first() {
            0
        } else {
            axis
        }
    }

    /// Converts values, one for each axis, from the caller's order to the grid's or back.
    #[inline(always)]
    pub(crate) fn exchange<X, const D: usize>(self, mut values: [X; D]) -> [X; D] {
        // Constant indices: the array can stay in registers.
        match self.0 {
            1 if D > 1 => values.swap(0, 1),
            2 if D > 2 => values.swap(0, 2),
            _ => {}
        }
        values
    }

    /// Converts slabs from the caller's order of axes to the grid's or back.
    #[inline(always)]
    pub(crate) fn exchange_slabs<const D: usize>(self, slabs: Slabs<D>) -> Slabs<D> {
        if self == Self::UNCHANGED { slabs } else { self.exchanged(slabs) }
    }

    /// Converts slabs if the orders differ. Not inlined: the frequent case is a predicted branch
    /// without copies (with conditional moves, building rows took 9 % longer).
    #[cold]
    #[inline(never)]
    fn exchanged<const D: usize>(self, slabs: Slabs<D>) -> Slabs<D> {
        Slabs { min: self.exchange(slabs.min), max: self.exchange(slabs.max) }
    }

    /// Converts planes from the grid's order of axes to the caller's or back.
    #[inline(always)]
    pub(crate) fn exchange_planes<const D: usize>(
        self,
        planes: SlabPlanes<'_, D>,
    ) -> SlabPlanes<'_, D> {
        SlabPlanes { min: self.exchange(planes.min), max: self.exchange(planes.max) }
    }

    /// Converts bounds to slabs in the grid's order.
    #[inline(always)]
    pub(crate) fn slabs<S: Scalar, const D: usize>(self, bounds: &Aabb<S, D>) -> Slabs<D> {
        self.exchange_slabs(bounds.slabs())
    }

    /// Converts exact slabs (not of `f64`) to bounds in the caller's order.
    #[inline(always)]
    pub(crate) fn bounds<S: Scalar, const D: usize>(self, slabs: &Slabs<D>) -> Aabb<S, D> {
        let Slabs { min, max } = self.exchange_slabs(*slabs);
        Aabb {
            min: array_of(|axis| S::from_key(min[axis])),
            max: array_of(|axis| S::from_key(max[axis])),
        }
    }
}
