//! Pairs within a distance, in one grid or of two grids; the grids themselves find them.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Entry, Pair, Scalar};

use super::{Grid, Proxy, Structure};
use crate::Handle;
use crate::engine::VisitPairs;
use crate::filter_pairs::FilterPairs;

/// Number of pairs that are passed to a visitor at once.
const PAIRS_PER_VISIT: usize = 256;

/// Buffer of accepted pairs.
struct Buffer<'a, 'b> {
    filters: &'a FilterPairs<'a>,
    visit: &'a mut VisitPairs<'b>,
    pairs: [[Handle; 2]; PAIRS_PER_VISIT],
    len: usize,
}

impl<'a, 'b> Buffer<'a, 'b> {
    fn new(filters: &'a FilterPairs<'_>, visit: &'a mut VisitPairs<'b>) -> Self {
        let pairs = [[Handle::new(0, 0); 2]; PAIRS_PER_VISIT];
        Self { filters, visit, pairs, len: 0 }
    }

    /// Adds a pair if its filters are accepted. Breaks if the visitor breaks.
    #[inline]
    fn push<S, const D: usize>(
        &mut self,
        a: &Entry<'_, S, D, Proxy>,
        b: &Entry<'_, S, D, Proxy>,
    ) -> ControlFlow<()> {
        // The code is branch-free, because the outcome may be unpredictable.
        self.pairs[self.len] = [a.data.handle(a.key), b.data.handle(b.key)];
        self.len += usize::from(self.filters.accept(a.data.filter, b.data.filter));
        if self.len == PAIRS_PER_VISIT { self.flush() } else { ControlFlow::Continue(()) }
    }

    fn flush(&mut self) -> ControlFlow<()> {
        let len = core::mem::take(&mut self.len);
        (self.visit)(&self.pairs[..len])
    }
}

/// If the structures are grids, replaces the contents of `out` by the slots of all pairs within a
/// distance, in any order, and returns `true`. `other` is `None` for pairs in one structure.
pub(crate) fn write_all<S: Scalar, const D: usize>(
    structure: &mut dyn Structure<S, D>,
    other: &mut Option<&mut dyn Structure<S, D>>,
    distance: S,
    out: &mut Vec<Pair>,
) -> bool {
    let Some(grid) = structure.grid() else { return false };
    let Some(other) = other else {
        grid.pairs_within_unordered_into(distance, out);
        return true;
    };
    let Some(other) = other.grid() else { return false };
    grid.pairs_between_within_unordered_into(other, distance, out);
    true
}

/// Calls `visit` with the accepted pairs of objects of a grid within a distance, until `visit`
/// breaks.
pub(crate) fn visit_within<S: Scalar, const D: usize>(
    grid: &mut Grid<S, D>,
    distance: S,
    filters: &FilterPairs<'_>,
    visit: &mut VisitPairs<'_>,
) {
    let mut buffer = Buffer::new(filters, visit);
    if grid.pairs_within_unordered(distance, |a, b| buffer.push(&a, &b)).is_continue() {
        let _ = buffer.flush();
    }
}

/// Calls `visit` with the accepted pairs of an object of `grid` and an object of `other` within a
/// distance, until `visit` breaks.
pub(crate) fn visit_between<S: Scalar, const D: usize>(
    grid: &mut Grid<S, D>,
    other: &mut Grid<S, D>,
    distance: S,
    filters: &FilterPairs<'_>,
    visit: &mut VisitPairs<'_>,
) {
    let mut buffer = Buffer::new(filters, visit);
    if grid
        .pairs_between_within_unordered(other, distance, |a, b| buffer.push(&a, &b))
        .is_continue()
    {
        let _ = buffer.flush();
    }
}
