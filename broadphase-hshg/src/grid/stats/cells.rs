//! Who is where in the levels and cells that users think in.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Flow, Scalar, instances};

use crate::cell::{Grid, sides};
use crate::grid::storage::tiers::{exponent, power, size};
use crate::grid::{Core, Hshg};

/// The cell in which an object begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::grid) struct Spot<const D: usize> {
    pub(in crate::grid) level: u32,
    cell: [i32; D],
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// The side of the cells of a level.
    pub(in crate::grid) fn cell_side(&self, level: u32) -> f64 {
        power(self.sizes.smallest_cell().saturating_add(level as i32))
    }

    /// The level of an object.
    pub(in crate::grid) fn level_of(&self, bounds: &Aabb<S, D>) -> u32 {
        let above = exponent(size::<S, D>(&bounds.slabs())) - self.sizes.smallest_cell();
        (above.max(0) as u32).min(self.config.top())
    }

    /// The bounds of all objects, with the index of the row of those that do not wait.
    pub(in crate::grid) fn located(
        &self,
    ) -> impl Iterator<Item = (Option<usize>, Aabb<S, D>)> + '_ {
        let in_rows = self.rows.iter().enumerate().flat_map(move |(index, row)| {
            let live = row.places().filter(|&place| self.is_live(place));
            live.map(move |place| (Some(index), self.store.bounds(place)))
        });
        in_rows.chain(self.pending.iter().map(|body| (None, body.bounds)))
    }

    /// The keys and bounds of all objects, as they are stored.
    pub(in crate::grid) fn objects(&self) -> impl Iterator<Item = (u32, Aabb<S, D>)> + '_ {
        let in_rows = self.rows.iter().flat_map(|row| {
            let live = row.places().filter(|&place| self.is_live(place));
            live.map(|place| (self.store.keys[place], self.store.bounds(place)))
        });
        in_rows.chain(self.pending.iter().map(|body| (body.key, body.bounds)))
    }

    /// Where each object is, in ascending order.
    pub(in crate::grid) fn spots(&self) -> Vec<Spot<D>> {
        let mut spots: Vec<Spot<D>> = Vec::with_capacity(self.len);
        spots.extend(self.located().map(|(_, bounds)| {
            let level = self.level_of(&bounds);
            let grid = Grid::new(self.cell_side(level));
            Spot { level, cell: bounds.min.map(|min| grid.cell(min)) }
        }));
        spots.sort_unstable();
        spots
    }
}

instances! {
    /// The cells in which objects begin, ascending, each once.
    fn occupied<S, D>(core: &Core<S, D>) -> Vec<(u32, Aabb<S, D>)> {
        let mut spots = core.spots();
        spots.dedup();
        let cell = |&Spot { level, cell }: &Spot<D>| (level, sides(cell, core.cell_side(level)));
        spots.iter().map(cell).collect()
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Visits the cells in which objects begin, level by level.
    ///
    /// No object is larger than the cells of its level, unless it is too large for the highest
    /// one, or so far out that the next numbers are farther away than its ends.
    pub(in crate::grid) fn visit_cells<R: Flow>(
        &self,
        mut visit: impl FnMut(u32, Aabb<S, D>) -> R,
    ) -> R {
        for (level, cell) in occupied(&self.core) {
            let answer = visit(level, cell);
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }
}
