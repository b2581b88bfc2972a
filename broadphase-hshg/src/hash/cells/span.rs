//! Boxes of cells.

use broadphase_core::{Aabb, Flow, Scalar};

use crate::cell::{FAR, Grid};

/// A box of cells, both corners included.
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

    /// Returns the number of cells, saturating at `u64::MAX`.
    #[inline(always)]
    pub(crate) fn count(&self) -> u64 {
        (0..D).fold(1, |count, axis| {
            let side = (i64::from(self.high[axis]) - i64::from(self.low[axis]) + 1) as u64;
            count.saturating_mul(side)
        })
    }

    #[inline(always)]
    pub(crate) fn contains(&self, cell: &[i32; D]) -> bool {
        (0..D).all(|axis| (self.low[axis]..=self.high[axis]).contains(&cell[axis]))
    }

    /// Returns whether all cell numbers of the box are below half of the limit: far from the
    /// unbounded outermost cells and from coordinates with few fraction bits.
    #[inline(always)]
    pub(crate) fn is_away_from_ends(&self) -> bool {
        let most = FAR as i32 / 2;
        (0..D).all(|axis| self.low[axis] > -most && self.high[axis] < most)
    }

    /// Visits every cell, the last axis varying fastest, until the visitor stops.
    #[inline(always)]
    pub(crate) fn each<R: Flow>(&self, mut visit: impl FnMut([i32; D]) -> R) -> R {
        let mut next = Some(self.low);
        while let Some(cell) = next {
            let answer = visit(cell);
            if answer.stops() {
                return answer;
            }
            next = self.after(cell);
        }
        R::CONTINUE
    }

    /// Returns the cell after `cell` in the order of [`each`](Self::each), or `None` after the last
    /// cell.
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

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn each_visits_every_cell_once() {
        let span = Span { low: [-1, 5, 0], high: [1, 5, 1] };
        let mut cells = Vec::new();
        span.each(|cell| cells.push(cell));
        let expected = [[-1, 5, 0], [-1, 5, 1], [0, 5, 0], [0, 5, 1], [1, 5, 0], [1, 5, 1]];
        assert_eq!(cells, expected);
        assert_eq!(span.count(), 6);
        assert!(cells.iter().all(|cell| span.contains(cell)));
        assert!(!span.contains(&[0, 4, 0]));
        let all = Span { low: [i32::MIN; 3], high: [i32::MAX; 3] };
        assert_eq!(all.count(), u64::MAX, "the count saturates");
    }
}
