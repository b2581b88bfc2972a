//! Rows of enlarged objects, and the sweep that finds objects within a distance of each other.
//!
//! 1. Within one grid, enlarge all objects by half of the distance; of two grids, enlarge those of
//!    the smaller grid by the distance. Then two objects within the distance of each other overlap.
//!    Enlarging all objects of a grid alike does not change their order in a row, so slots and rows
//!    are reused.
//! 2. Sweep the rows as in a search for overlapping objects.
//! 3. Test the exact distance of each pair of overlapping slabs.
//!
//! If rows are far lower than the distance, each row would be swept with too many others. In this
//! case a copy of the grid with suitable rows is swept ([`Hshg::with_rows_for`]).

use alloc::vec::Vec;

use broadphase_core::kernel::enlarge::MoveEnds;
use broadphase_core::query::gaps;
use broadphase_core::{Keys, Scalar, SlabPlanes, Slabs, array_of};

use crate::grid::Hshg;
use crate::grid::pairs::near_buffers::NearBuffers;
use crate::grid::pairs::row_pairs::visit_row_pairs;
use crate::grid::pairs::sweep::{Side, Sweep, retain};
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::row::{Class, Row, enclose};
use crate::grid::storage::tiers::Tier;

/// Receives pairs of slots.
pub(in crate::grid) type VisitSlots<'a> = dyn FnMut(&[[u32; 2]]) + 'a;

/// Returns the margin for a sweep in which all objects are enlarged, so that two objects within the
/// distance of each other overlap.
fn half_margin<S: Scalar>(distance: S) -> S {
    S::ZERO.half_way(distance.next_above()).next_above()
}

/// Returns the margin for a sweep in which only one object of each pair is enlarged, so that two
/// objects within the distance of each other overlap.
fn full_margin<S: Scalar>(distance: S) -> S {
    // A distance slightly above the limit may be rounded down to it, and then counts as within it.
    distance.next_above()
}

/// Rows of enlarged objects. Each enlarged object has the slot of the original object.
#[derive(Debug)]
pub(in crate::grid) struct EnlargedRows<const D: usize> {
    min: [Vec<i32>; D],
    max: [Vec<i32>; D],
    rows: Vec<Row<D>>,
    /// An upper bound of the distance by which enlarging moved an end of an object, including
    /// rounding.
    farthest: f64,
}

impl<const D: usize> Default for EnlargedRows<D> {
    fn default() -> Self {
        let planes = || [const { Vec::new() }; D];
        Self { min: planes(), max: planes(), rows: Vec::new(), farthest: 0.0 }
    }
}

/// A search for pairs of objects within a distance of each other, in rows that are up to date.
#[derive(Clone, Copy)]
pub(in crate::grid) struct NearSweep<'a, S, const D: usize> {
    pub(in crate::grid) grid: &'a Hshg<S, D>,
    /// The other grid, swept along the same axis; `None` to find pairs within `grid`.
    pub(in crate::grid) other: Option<&'a Hshg<S, D>>,
    /// The maximum distance; not negative or NaN. Two grids may be searched with distance 0.
    pub(in crate::grid) distance: S,
    /// Returns whether objects of two motion classes can be a pair.
    pub(in crate::grid) can_pair: fn(Class, Class) -> bool,
}

impl<S: Scalar, const D: usize> NearSweep<'_, S, D> {
    /// Calls `visit` with pairs of slots of objects within the distance. The first slot is of
    /// `grid`, the second of `other` if there is one. Pending objects are ignored.
    pub(in crate::grid) fn each(&self, visit: &mut VisitSlots<'_>) {
        self.each_with(&mut NearBuffers::default(), visit);
    }

    /// Does the work of [`each`](Self::each) in buffers that are kept between searches.
    pub(in crate::grid) fn each_with(
        &self,
        buffers: &mut NearBuffers<D>,
        visit: &mut VisitSlots<'_>,
    ) {
        let Self { grid, distance, .. } = *self;
        let Some(other) = self.other else {
            grid.enlarge_rows(half_margin(distance), &mut buffers.enlarged);
            return self.sweep([true; 2], buffers, visit);
        };
        if distance == S::ZERO {
            return self.sweep([false; 2], buffers, visit);
        }
        // Enlarging takes time linear in the number of slots, so enlarge the smaller grid.
        let first = grid.store.len() < other.store.len();
        let smaller = if first { grid } else { other };
        smaller.enlarge_rows(full_margin(distance), &mut buffers.enlarged);
        self.sweep([first, !first], buffers, visit);
    }

    /// Sweeps the rows of both sides and tests the distance of each hit. Where `is_enlarged` is
    /// set, the enlarged rows replace the original ones.
    fn sweep(
        &self,
        is_enlarged: [bool; 2],
        buffers: &mut NearBuffers<D>,
        visit: &mut VisitSlots<'_>,
    ) {
        let Self { grid, distance, .. } = *self;
        let NearBuffers { enlarged, tiers, row_pairs, scratch, .. } = buffers;
        let grids = [grid, self.other.unwrap_or(grid)];
        let moved =
            is_enlarged.map(|is_enlarged| if is_enlarged { enlarged.farthest } else { 0.0 });
        for side in [0, 1] {
            tiers[side].clone_from(&grids[side].tiers);
            // Enlarging moves both ends of an object, so extents grow by up to `2 * moved`.
            // Enlarged objects of two rows can overlap if the original ones are up to `moved[0] +
            // moved[1]` apart.
            let by = (2.0 * moved[side]).max(moved[0] + moved[1]);
            tiers[side].iter_mut().for_each(|tier| tier.grow_limit::<S>(by));
        }
        let sides = [0, 1].map(|side| {
            let tiers = tiers[side].as_slice();
            let original = Side { tiers, ..grids[side].side() };
            if is_enlarged[side] { enlarged.side(tiers) } else { original }
        });
        let same_grid = self.other.is_none();
        row_pairs.clear();
        let rows_and_tiers = sides.map(|side| (side.rows, side.tiers));
        visit_row_pairs(rows_and_tiers, same_grid, self.can_pair, |[a, b]| {
            if sides[0].rows[a as usize].meets(&sides[1].rows[b as usize]) {
                row_pairs.push([a, b]);
            }
        });
        let longest = grid.longest_row().max(grids[1].longest_row());
        scratch.prepare(longest, tiers[0].len(), D > 2);
        let backend = grid.backend;
        let row_pairs = row_pairs.as_slice();
        let sweep =
            Sweep { backend, sides, same_grid, row_pairs, hits_often: false, row_index: None };
        if is_enlarged == [false; 2] {
            sweep.each(&mut scratch.picked, &mut scratch.work, &mut 0, |hits| {
                visit(grid.retain_exact(grids[1], grid.retain_live(grids[1], hits)));
            });
            return;
        }
        let [ours, theirs] = grids.map(|grid| grid.store.all_bounds());
        let limit = S::limit(distance);
        sweep.each(&mut scratch.picked, &mut scratch.work, &mut 0, |hits| {
            let hits = grid.retain_live(grids[1], hits);
            visit(retain(hits, |a, b| S::is_below(gaps(&ours(a), &theirs(b)), &limit)));
        });
    }
}

impl<const D: usize> EnlargedRows<D> {
    fn side<'a>(&'a self, tiers: &'a [Tier]) -> Side<'a, D> {
        let planes = SlabPlanes {
            min: array_of(|axis| self.min[axis].as_slice()),
            max: array_of(|axis| self.max[axis].as_slice()),
        };
        Side { planes, rows: &self.rows, tiers }
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        let planes = self.min.iter().chain(&self.max).map(Vec::capacity);
        planes.sum::<usize>() * size_of::<i32>() + self.rows.capacity() * size_of::<Row<D>>()
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns whether the rows are high enough to be swept with objects enlarged for a distance.
    /// Rows made for points or tiny objects are too low: each row would be swept with too many
    /// others. Objects enlarged for an infinite distance are higher than any row, so rows stay.
    pub(in crate::grid) fn has_rows_for(&self, distance: S) -> bool {
        let height = 2.0 * half_margin(distance).to_f64();
        !height.is_finite() || self.tiers.iter().all(|tier| tier.row_height >= height)
    }

    /// Returns a copy of the grid without pending objects, with rows for objects enlarged for a
    /// distance, and with an order of axes, by default the best. Objects may have other slots in
    /// the copy.
    pub(in crate::grid) fn with_rows_for(&self, distance: S, axes: Option<AxisOrder>) -> Self {
        let mut copy = self.clone();
        copy.choose_tiers();
        copy.store.axes = axes.unwrap_or_else(|| copy.best_axes());
        copy.measure(false);
        copy.create_tiers(2.0 * half_margin(distance).to_f64());
        copy.load_all();
        copy
    }

    /// Writes all rows, with their objects enlarged by a margin on every side, to `enlarged`.
    pub(in crate::grid) fn enlarge_rows(&self, margin: S, enlarged: &mut EnlargedRows<D>) {
        enlarged.rows.clone_from(&self.rows);
        if S::INTEGER {
            self.enlarge_integers(margin, enlarged);
        } else {
            self.enlarge_floats(margin, enlarged);
        }
    }

    /// Enlarges objects with float coordinates: moves all keys that belong to numbers. The keys of
    /// fences and free slots, and the ends that mark a hole, belong to no number and do not move.
    /// The low end of a hole on the first axis moves like those of objects, so rows stay sorted.
    fn enlarge_floats(&self, margin: S, enlarged: &mut EnlargedRows<D>) {
        let nearest = S::to_f64(margin) as f32;
        let margin = if f64::from(nearest) < margin.to_f64() { nearest.next_up() } else { nearest };
        // The last slots are padding, as many as a block has lanes; the kernel may only copy them.
        let move_ends = |from: &Vec<i32>, by: f32, to: &mut Vec<i32>| {
            to.resize(from.len(), 0);
            self.backend.dispatch(MoveEnds { from, by, to });
        };
        for axis in 0..D {
            move_ends(&self.store.min[axis], -margin, &mut enlarged.min[axis]);
            move_ends(&self.store.max[axis], margin, &mut enlarged.max[axis]);
        }
        enlarged.farthest = margin.into();
        for row in &mut enlarged.rows {
            if row.bounds_stale {
                row.bounds = Slabs::PADDING;
                for slot in self.live_slots(row) {
                    enclose(&mut row.bounds, &self.store.slabs(slot));
                }
            }
            for axis in 0..D {
                let ends = [(&mut row.bounds.min, -margin), (&mut row.bounds.max, margin)];
                for (ends, by) in ends {
                    if !(f32::MIN_KEY..=f32::MAX_KEY).contains(&ends[axis]) {
                        continue;
                    }
                    let end = f32::from_key(ends[axis]) + by;
                    ends[axis] = end.key_below();
                    // Sums are rounded by at most half of the spacing of floats.
                    let moved = f64::from(margin) + f64::from(end.abs()) * f64::from(f32::EPSILON);
                    enlarged.farthest = enlarged.farthest.max(moved);
                }
            }
        }
    }

    /// Enlarges objects with integer coordinates. Every integer key belongs to a number, so a key
    /// does not show that its slot has no object. Objects and holes are therefore visited one by
    /// one.
    fn enlarge_integers(&self, margin: S, enlarged: &mut EnlargedRows<D>) {
        for axis in 0..D {
            enlarged.min[axis].clone_from(&self.store.min[axis]);
            enlarged.max[axis].clone_from(&self.store.max[axis]);
        }
        enlarged.farthest = margin.to_f64();
        for row in &mut enlarged.rows {
            row.bounds = Slabs::PADDING;
            for slot in row.slots() {
                let min = |axis: usize| S::from_key(self.store.min[axis][slot]).minus(margin);
                if !self.is_live(slot) {
                    enlarged.min[0][slot] = min(0).key_below();
                    continue;
                }
                let max = |axis: usize| S::from_key(self.store.max[axis][slot]).plus(margin);
                let slabs = Slabs {
                    min: array_of(|axis| min(axis).key_below()),
                    max: array_of(|axis| max(axis).key_above()),
                };
                for axis in 0..D {
                    enlarged.min[axis][slot] = slabs.min[axis];
                    enlarged.max[axis][slot] = slabs.max[axis];
                }
                enclose(&mut row.bounds, &slabs);
            }
        }
    }
}
