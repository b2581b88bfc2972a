//! Pairs within a distance, in one grid or of two grids, and overlapping pairs of two grids.
//!
//! 1. Within one grid, enlarge all objects by half of the distance; of two grids, enlarge those of
//!    the smaller one by the distance. Then two objects within the distance overlap. The order in a
//!    row does not change, so slots and rows are reused.
//! 2. Sweep the rows as in a search for overlapping objects.
//! 3. Test the exact distance of each pair of overlapping slabs.
//!
//! If rows are far lower than the distance, each would be swept with too many others: a copy of the
//! grid with suitable rows is swept instead ([`Hshg::with_rows_for`]). If one of two such grids has
//! few objects, the other one is queried around each of them.

use alloc::vec::Vec;
use core::mem::take;

use broadphase_core::query::gaps;
use broadphase_core::{
    Keys, Pair, PairSearch, Region, Scalar, SlabPlanes, SpatialIndex, SpatialIndexExt, array_of,
    instances, pairs,
};

use crate::grid::Hshg;
use crate::grid::pairs::row_pairs::{can_pair, visit_row_pairs};
use crate::grid::pairs::sweep::{Side, Sweep, SweepScratch, retain};
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::row::{Class, Row};
use crate::grid::storage::tiers::Tier;

/// The number of searches for overlapping pairs after which unused buffers are freed.
const MAX_UNUSED: u8 = 8;
/// A query takes as long as copying and sweeping this number of objects, and does not allocate.
const OBJECTS_PER_QUERY: usize = 32;

/// Returns the margin by which all objects are enlarged: half of the distance, rounded up.
pub(crate) fn half_margin<S: Scalar>(distance: S) -> S {
    S::ZERO.half_way(distance.next_above()).next_above()
}

/// Rows of enlarged objects, each with the slot of the original, and buffers of a sweep, reused
/// between searches: 8 bytes per axis and slot. Copies of a grid start without them.
#[derive(Debug)]
pub(crate) struct NearBuffers<const D: usize> {
    min: [Vec<i32>; D],
    max: [Vec<i32>; D],
    rows: Vec<Row<D>>,
    tiers: [Vec<Tier>; 2],
    row_pairs: Vec<[u32; 2]>,
    scratch: SweepScratch,
    /// Results of a query.
    keys: Vec<u32>,
    /// The number of searches for overlapping pairs since the last use.
    unused: u8,
}

impl<const D: usize> Default for NearBuffers<D> {
    fn default() -> Self {
        Self {
            min: [const { Vec::new() }; D],
            max: [const { Vec::new() }; D],
            rows: Vec::new(),
            tiers: [const { Vec::new() }; 2],
            row_pairs: Vec::new(),
            scratch: SweepScratch::default(),
            keys: Vec::new(),
            unused: 0,
        }
    }
}

impl<const D: usize> Clone for NearBuffers<D> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<const D: usize> NearBuffers<D> {
    /// Counts a search for overlapping pairs; frees the buffers if there were many since the last
    /// use.
    pub(super) fn age(&mut self) {
        self.unused += 1;
        if self.unused > MAX_UNUSED {
            *self = Self::default();
        }
    }

    pub(crate) fn memory_use(&self) -> usize {
        let planes = self.min.iter().chain(&self.max).map(Vec::capacity);
        planes.sum::<usize>() * size_of::<i32>()
            + self.rows.capacity() * size_of::<Row<D>>()
            + self.tiers.iter().map(Vec::capacity).sum::<usize>() * size_of::<Tier>()
            + self.row_pairs.capacity() * size_of::<[u32; 2]>()
            + self.scratch.memory_use()
            + self.keys.capacity() * size_of::<u32>()
    }
}

/// A search for pairs within a distance, in rows that are up to date.
#[derive(Clone, Copy)]
pub(crate) struct NearSweep<'a, S, const D: usize> {
    pub(crate) grid: &'a Hshg<S, D>,
    /// The other grid, swept along the same axis; `None` to find pairs within `grid`.
    pub(crate) other: Option<&'a Hshg<S, D>>,
    /// The maximum distance; not negative or NaN. Two grids may be searched with distance 0.
    pub(crate) distance: S,
    /// Returns whether objects of two motion classes can be a pair.
    pub(crate) can_pair: fn(Class, Class) -> bool,
}

impl<S: Scalar, const D: usize> NearSweep<'_, S, D> {
    /// Calls `visit` with pairs of slots of objects within the distance: of `grid`, and of `other`
    /// if there is one. Pending objects are ignored.
    pub(crate) fn each(&self, buffers: &mut NearBuffers<D>, visit: &mut dyn FnMut(&[[u32; 2]])) {
        let Self { grid, other, distance, can_pair } = *self;
        let grids = [grid, other.unwrap_or(grid)];
        // Enlarging takes time linear in the number of slots: enlarge the smaller grid.
        let first = grids[0].store.len() < grids[1].store.len();
        // A distance slightly above the limit may be rounded down to the limit, and then counts as
        // within it: the margin of one side is the next larger number.
        let (is_enlarged, margin) = match other {
            None => ([true; 2], half_margin(distance)),
            Some(_) => {
                ([first, !first].map(|one| one && distance > S::ZERO), distance.next_above())
            }
        };
        let farthest = match is_enlarged {
            [true, _] => grids[0].enlarge_rows(margin, buffers),
            [_, true] => grids[1].enlarge_rows(margin, buffers),
            _ => 0.0,
        };
        let NearBuffers { min, max, rows, tiers, row_pairs, scratch, .. } = buffers;
        let moved = is_enlarged.map(|is_enlarged| if is_enlarged { farthest } else { 0.0 });
        for side in [0, 1] {
            tiers[side].clone_from(&grids[side].tiers);
            // Extents grow by up to `2 * moved`. Enlarged objects of two rows can overlap if the
            // originals are up to `moved[0] + moved[1]` apart.
            let by = (2.0 * moved[side]).max(moved[0] + moved[1]);
            tiers[side].iter_mut().for_each(|tier| tier.grow_limit::<S>(by));
        }
        let enlarged = SlabPlanes {
            min: array_of(|axis| min[axis].as_slice()),
            max: array_of(|axis| max[axis].as_slice()),
        };
        let sides = [0, 1].map(|side| {
            let tiers = tiers[side].as_slice();
            if is_enlarged[side] {
                Side { planes: enlarged, rows, tiers }
            } else {
                Side { tiers, ..grids[side].side() }
            }
        });
        let same_grid = other.is_none();
        row_pairs.clear();
        let rows_and_tiers = sides.map(|side| (side.rows, side.tiers));
        visit_row_pairs(rows_and_tiers, same_grid, can_pair, |[a, b]| {
            if sides[0].rows[a as usize].meets(&sides[1].rows[b as usize]) {
                row_pairs.push([a, b]);
            }
        });
        let longest = grid.longest_row().max(grids[1].longest_row());
        scratch.prepare(longest, tiers[0].len(), D > 2);
        let backend = grid.backend;
        let sweep =
            Sweep { backend, sides, same_grid, row_pairs, hits_often: false, row_index: None };
        let [ours, theirs] = grids.map(|grid| grid.store.all_bounds());
        let limit = S::limit(distance);
        sweep.each(&mut scratch.picked, &mut scratch.work, &mut 0, |hits| {
            let hits = grid.retain_live(grids[1], hits);
            visit(if is_enlarged == [false; 2] {
                grid.retain_exact(grids[1], hits)
            } else {
                retain(hits, |a, b| S::is_below(gaps(&ours(a), &theirs(b)), &limit))
            });
        });
    }
}

/// Moves the ends in a plane whose keys belong to numbers. Keys that mark holes among floats do
/// not; integer holes are moved, and the sweep removes their hits.
#[inline(always)]
fn move_ends<S: Scalar>(ends: &mut [i32], moved: impl Fn(S) -> i32) {
    for end in ends {
        if (S::MIN_KEY..=S::MAX_KEY).contains(end) {
            *end = moved(S::from_key(*end));
        }
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Replaces the contents of `out` with the pairs `[own key, other's key]` of objects of this
    /// grid and `other` that overlap, or are within `search.distance`. Motion classes are ignored,
    /// so two static objects are a pair. A filter gets the pairs in this form.
    ///
    /// Overlapping pairs take as long as those of one grid: faster than
    /// [`pairs_with`](crate::SpatialIndexExt::pairs_with), which queries any other structure once
    /// per object.
    ///
    /// Within a distance, the search makes a copy of the bounds of the smaller grid, enlarged for
    /// the distance: 8 bytes per axis and object. This grid keeps the memory until more than eight
    /// searches for overlapping pairs were made without a search within a distance or of two grids,
    /// or until [`shrink_to_fit`](crate::SpatialIndexExt::shrink_to_fit). If objects are far
    /// smaller than the distance, it copies both grids, or, if one has 32 times fewer objects,
    /// makes one query for each of them.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, PairSearch, SpatialIndexExt};
    ///
    /// let (mut ships, mut rocks): (Hshg<i32, 2>, Hshg<i32, 2>) = Default::default();
    /// ships.insert(4, Aabb::point([0, 0]))?;
    /// rocks.insert(1, Aabb::point([3, 4]))?;
    /// let mut near = Vec::new();
    /// ships.find_pairs_between(&mut rocks, &PairSearch::OVERLAPS, &mut near);
    /// assert!(near.is_empty());
    /// let search = PairSearch { distance: Some(5), ..PairSearch::OVERLAPS };
    /// ships.find_pairs_between(&mut rocks, &search, &mut near);
    /// assert_eq!(near, [[4, 1]]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn find_pairs_between(
        &mut self,
        other: &mut Self,
        search: &PairSearch<'_, S>,
        out: &mut Vec<[u32; 2]>,
    ) {
        find_between(self, other, search, out);
    }

    /// Appends to `out` the pairs within a distance, of this grid or of its objects with those of
    /// `other`. Rows must be up to date.
    pub(crate) fn find_near(
        &mut self,
        other: Option<&Self>,
        distance: S,
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        let is_valid = distance >= S::ZERO;
        if !is_valid {
            return;
        }
        let mut buffers = take(&mut self.near);
        buffers.unused = 0;
        let copies = self.needs_copies(other, distance).then(|| {
            let copy = self.with_rows_for(distance, None);
            let axes = Some(copy.store.axes);
            (copy, other.map(|other| other.with_rows_for(distance, axes)))
        });
        let (grid, other) =
            copies.as_ref().map_or((&*self, other), |(copy, other)| (copy, other.as_ref()));
        let can_pair: fn(Class, Class) -> bool =
            if other.is_some() { |_, _| true } else { can_pair };
        NearSweep { grid, other, distance, can_pair }.each(&mut buffers, &mut |hits| {
            let Some(other) = other else { return grid.push_keys(hits, search, out) };
            let (from, ours, theirs) = (out.len(), &grid.store.keys, &other.store.keys);
            out.extend(hits.iter().map(|&[a, b]| [ours[a as usize], theirs[b as usize]]));
            search.keep_accepted(out, from);
        });
        self.near = buffers;
        if search.sorted {
            pairs::sort(out);
        }
    }

    /// Returns whether the rows are high enough to be swept with objects enlarged for a distance:
    /// rows made for points or tiny objects would be swept with too many others. For an infinite
    /// distance no row is high enough, so rows stay.
    pub(crate) fn has_rows_for(&self, distance: S) -> bool {
        let height = 2.0 * half_margin(distance).to_f64();
        !height.is_finite() || self.tiers.iter().all(|tier| tier.row_height >= height)
    }

    /// Returns whether copies must be swept instead of this grid and `other`.
    fn needs_copies(&self, other: Option<&Self>, distance: S) -> bool {
        let fits = |grid: &Self| distance == S::ZERO || grid.has_rows_for(distance);
        !(fits(self) && other.is_none_or(fits))
    }

    /// Appends to `out` the result of `pair` for each object of this grid, which has no pending
    /// objects, and each object of `many` within a distance of it.
    fn query_each(
        &mut self,
        many: &Self,
        search: &PairSearch<'_, S>,
        pair: impl Fn(u32, u32) -> Pair,
        out: &mut Vec<Pair>,
    ) {
        let mut found = take(&mut self.near.keys);
        let slots = self.rows.iter().flat_map(|row| self.live_slots(row));
        for key in slots.map(|slot| self.store.keys[slot]) {
            let bounds = self.get(key).expect("a key of the grid").bounds;
            let distance = search.distance.unwrap_or(S::ZERO);
            many.query(Region::around(bounds, distance), &mut found);
            let from = out.len();
            out.extend(found.iter().map(|&other| pair(key, other)));
            search.keep_accepted(out, from);
        }
        self.near.keys = found;
        self.near.unused = 0;
        if search.sorted {
            pairs::sort(out);
        }
    }

    /// Returns a copy of the grid without pending objects, with rows for objects enlarged for a
    /// distance, and with an order of axes, by default the best. Slots may differ.
    pub(crate) fn with_rows_for(&self, distance: S, axes: Option<AxisOrder>) -> Self {
        let mut copy = self.clone();
        copy.unpack_all();
        let longer = 2.0 * half_margin(distance).to_f64();
        copy.with_pending(|copy, pending| copy.build(pending, axes, longer));
        copy.pending.clear();
        copy
    }

    /// Writes all rows to `enlarged`, with each box moved outwards by a margin on every side.
    /// Returns an upper bound of the actual distance, including rounding.
    fn enlarge_rows(&self, margin: S, enlarged: &mut NearBuffers<D>) -> f64 {
        let NearBuffers { min, max, rows, .. } = enlarged;
        for axis in 0..D {
            min[axis].clone_from(&self.store.min[axis]);
            max[axis].clone_from(&self.store.max[axis]);
        }
        rows.clone_from(&self.rows);
        let mut farthest = margin.to_f64();
        for row in rows {
            if row.bounds_stale {
                row.bounds = self.box_around(row);
            }
            let low = |end: S| end.minus(margin).key_below();
            let high = |end: S| end.plus(margin).key_above();
            for axis in 0..D {
                move_ends(&mut min[axis][row.slots()], low);
                move_ends(&mut max[axis][row.slots()], high);
                move_ends(&mut row.bounds.min[axis..=axis], low);
                move_ends(&mut row.bounds.max[axis..=axis], high);
                // Sums of floats are rounded by less than the spacing of `f32`.
                let rounding = if S::INTEGER { 0.0 } else { f64::from(f32::EPSILON) };
                for end in [row.bounds.min[axis], row.bounds.max[axis]] {
                    // The box of a row without objects is NaN, which `max` ignores.
                    let end = S::from_key(end).to_f64().abs();
                    farthest = farthest.max(margin.to_f64() + end * rounding);
                }
            }
        }
        farthest
    }
}

instances! {
    fn find_between<S, D>(
        grid: &mut Hshg<S, D>,
        other: &mut Hshg<S, D>,
        search: &PairSearch<'_, S>,
        out: &mut Vec<[u32; 2]>,
    ) {
        grid.refresh();
        other.refresh();
        out.clear();
        let distance = search.distance.unwrap_or(S::ZERO);
        if grid.needs_copies(Some(other), distance) {
            if grid.len * OBJECTS_PER_QUERY <= other.len {
                return grid.query_each(other, search, |own, other| [own, other], out);
            }
            if other.len * OBJECTS_PER_QUERY <= grid.len {
                return other.query_each(grid, search, |other, own| [own, other], out);
            }
        }
        if grid.store.axes != other.store.axes {
            // Both grids must be swept along the same axis: rebuild the smaller one.
            let (axes, others) = (grid.store.axes, other.store.axes);
            if grid.len < other.len {
                grid.rebuild_with_axes(Some(others));
            } else {
                other.rebuild_with_axes(Some(axes));
            }
        }
        grid.find_near(Some(other), distance, search, out);
    }
}
