//! Who is where in the levels and cells that users think in.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Flow, Scalar};

use super::Hshg;
use super::level::{exponent, power, size};
use crate::cell::{FAR, Grid};

/// The cell in which an object begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot<const D: usize> {
    pub(super) level: u32,
    cell: [i32; D],
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// The side of the cells of a level.
    pub(super) fn cell_side(&self, level: u32) -> f64 {
        power(self.sizes.smallest_cell().saturating_add(level as i32))
    }

    /// The level of an object.
    pub(super) fn level_of(&self, bounds: &Aabb<S, D>) -> u32 {
        let above = exponent(size::<S, D>(&bounds.slabs())) - self.sizes.smallest_cell();
        (above.max(0) as u32).min(self.config.top())
    }

    /// The bounds of all objects, with the index of the row of those that do not wait.
    pub(super) fn located(&self) -> impl Iterator<Item = (Option<usize>, Aabb<S, D>)> + '_ {
        let in_rows = self.rows.iter().enumerate().flat_map(move |(index, row)| {
            let live = row.places().filter(|&place| self.is_live(place));
            live.map(move |place| (Some(index), self.store.entry(place).bounds))
        });
        in_rows.chain(self.pending.iter().map(|body| (None, body.bounds)))
    }

    /// The keys and bounds of all objects, as they are stored.
    pub(super) fn objects(&self) -> impl Iterator<Item = (u32, Aabb<S, D>)> + '_ {
        let in_rows = self.rows.iter().flat_map(|row| {
            let live = row.places().filter(|&place| self.is_live(place));
            live.map(|place| (self.store.keys[place], self.store.bounds(place)))
        });
        in_rows.chain(self.pending.iter().map(|body| (body.key, body.bounds)))
    }

    /// Where each object is, in ascending order.
    pub(super) fn spots(&self) -> Vec<Spot<D>> {
        let mut spots: Vec<Spot<D>> = Vec::with_capacity(self.len);
        spots.extend(self.located().map(|(_, bounds)| {
            let level = self.level_of(&bounds);
            let grid = Grid::new(self.cell_side(level));
            Spot { level, cell: bounds.min.map(|min| grid.cell(min)) }
        }));
        spots.sort_unstable();
        spots
    }

    /// Visits the cells in which objects begin, to be drawn: their level and their sides, level by
    /// level, until the visitor stops.
    ///
    /// No object is larger than the cells of its level, unless it is too large for the highest
    /// one, or so far out that the next numbers are farther away than its ends. The outermost
    /// cells, 2^30 away from the origin, go on to the end of all numbers. Takes time and memory for
    /// every object.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, HshgConfig, SpatialIndex};
    ///
    /// let mut world: Hshg<i32, 2> = Hshg::with_config(HshgConfig::new().smallest_cell(4));
    /// world.insert(0, Aabb::new([-1, 5], [1, 7]), ())?;
    /// world.insert(1, Aabb::new([-3, 4], [1, 7]), ())?;
    /// world.insert(2, Aabb::new([5, 5], [25, 5]), ())?;
    /// let mut cells = Vec::new();
    /// world.cells(|level, cell| cells.push((level, cell)));
    /// let small = Aabb::new([-4, 4], [0, 8]);
    /// assert_eq!(cells, [(0, small), (3, Aabb::new([0, 0], [32, 32]))]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn cells<R: Flow>(&self, mut visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        let mut spots = self.spots();
        spots.dedup();
        for Spot { level, cell } in spots {
            let side = self.cell_side(level);
            let sides = Aabb {
                min: cell.map(|cell| border(f64::from(cell), side)),
                max: cell.map(|cell| border(f64::from(cell) + 1.0, side)),
            };
            let answer = visit(level, sides);
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }
}

/// The number at the border before a cell.
fn border<S: Scalar>(cell: f64, side: f64) -> S {
    let x = cell * side;
    if cell <= -FAR || x <= S::MIN.to_f64() {
        S::MIN
    } else if cell > FAR || x >= S::MAX.to_f64() {
        S::MAX
    } else {
        S::from_f64(x)
    }
}
