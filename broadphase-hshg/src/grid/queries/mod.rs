//! Queries, based on [`row_scan`], which scans the rows near a box.
//!
//! * [`region`]: objects that overlap a box or ball.
//! * [`cast_nearest`]: objects on a path, and nearest objects.
//! * [`neighbors`]: for each object, the other objects within a radius.

pub(super) mod cast_nearest;
pub(super) mod neighbors;
pub(super) mod region;
pub(super) mod row_scan;

use core::ops::ControlFlow;

use broadphase_core::query::visit_by_regions;
use broadphase_core::{Scalar, Search, Visit, instances};

use crate::grid::Hshg;

instances! {
    pub(super) fn visit<S, D>(
        grid: &Hshg<S, D>,
        search: &Search<S, D>,
        visit: &mut Visit<'_, S, D>,
    ) -> ControlFlow<()> {
        match search {
            Search::Region(region) => grid.query_region(region, &mut |slots| {
                slots.iter().try_for_each(|&slot| visit(grid.entry(slot as usize), S::Real::ZERO))
            }),
            Search::Path(path) => grid.cast(path, visit),
            Search::Nearest(target) => grid.nearest(target, visit),
            other => visit_by_regions(grid, other, visit),
        }
    }
}
