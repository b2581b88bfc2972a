//! Boxes of cells.

use broadphase_core::{Aabb, Scalar};

#[cfg(feature = "hash")]
use crate::cell::FAR;
use crate::cell::Grid;

/// A box of cells or of bins, both corners included; empty if it is inverted on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span<const D: usize> {
    pub(crate) low: [i32; D],
    pub(crate) high: [i32; D],
}

impl<const D: usize> Span<D> {
    /// Returns the cells that a box touches.
    #[inline(always)]
    pub(crate) fn of<S: Scalar>(grid: Grid, bounds: &Aabb<S, D>) -> Self {
        let mut span = Self { low: [0; D], high: [0; D] };
        for axis in 0..D {
            span.low[axis] = grid.cell(bounds.min[axis]);
            span.high[axis] = grid.cell(bounds.max[axis]);
        }
        span
    }

    /// Returns the cell after `cell`, the last axis varying fastest, or `None` after the last cell.
    #[inline(always)]
    pub(crate) fn after(&self, mut cell: [i32; D]) -> Option<[i32; D]> {
        let mut axis = D;
        while axis > 0 {
            axis -= 1;
            if cell[axis] < self.high[axis] {
                cell[axis] += 1;
                return Some(cell);
            }
            cell[axis] = self.low[axis];
        }
        None
    }
}

#[cfg(feature = "hash")]
impl<const D: usize> Span<D> {
    /// Returns the number of cells, saturating at `u64::MAX`.
    #[inline(always)]
    pub(crate) fn count(&self) -> u64 {
        (0..D).fold(1, |count, axis| {
            let side = i64::from(self.high[axis]) - i64::from(self.low[axis]) + 1;
            count.saturating_mul(side.max(0) as u64)
        })
    }

    #[inline(always)]
    pub(crate) fn contains(&self, cell: &[i32; D]) -> bool {
        (0..D).all(|axis| (self.low[axis]..=self.high[axis]).contains(&cell[axis]))
    }

    /// Returns whether all cell numbers are below half of the limit: far from the unbounded
    /// outermost cells and coordinates with few fraction bits.
    #[inline(always)]
    pub(crate) fn is_away_from_ends(&self) -> bool {
        let most = FAR as i32 / 2;
        (0..D).all(|axis| self.low[axis] > -most && self.high[axis] < most)
    }

    /// Returns the cell of the low corner, or `None` if the box is empty.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<[i32; D]> {
        (0..D).all(|axis| self.low[axis] <= self.high[axis]).then_some(self.low)
    }
}
