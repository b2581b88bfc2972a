//! Pairs within a distance, in one grid or of two grids.

use alloc::vec::Vec;
use core::mem::take;

use broadphase_core::{Pair, PairSearch, Scalar, instances, pairs};

use crate::grid::Hshg;
use crate::grid::pairs::enlarged::NearSweep;
use crate::grid::pairs::enlarged::VisitSlots;
use crate::grid::pairs::near_buffers::NearBuffers;
use crate::grid::pairs::row_pairs::can_pair;
use crate::grid::storage::row::Class;

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Replaces the contents of `out` with the pairs `[own key, other's key]` of an object of this
    /// grid and an overlapping object of `other`, or one within `search.distance`. Motion classes
    /// are ignored: two static objects of different grids are a pair. A filter gets the pairs in
    /// this form.
    ///
    /// This is faster than [`pairs_with`](crate::SpatialIndexExt::pairs_with), which accepts any
    /// other structure and runs one query per object: overlapping pairs take as long as those of
    /// one grid.
    ///
    /// Within a distance, the search makes a copy of the bounds of the smaller grid, enlarged for
    /// the distance: 8 bytes per axis and object. This grid keeps the memory until more than eight
    /// searches for overlapping pairs were made without a search within a distance or of two grids,
    /// or until [`shrink_to_fit`](crate::SpatialIndex::shrink_to_fit).
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

    /// Appends the pairs within a distance to `out`. Rows must be up to date.
    pub(in crate::grid) fn find_near(
        &mut self,
        distance: S,
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        let mut near = take(&mut self.near);
        visit_within(self, None, &mut near, distance, &mut |hits| {
            self.push_keys(hits, search, out);
        });
        self.near = near;
        if search.sorted {
            pairs::sort(out);
        }
    }
}

instances! {
    /// Implements [`Hshg::find_pairs_between`].
    fn find_between<S, D>(
        grid: &mut Hshg<S, D>,
        other: &mut Hshg<S, D>,
        search: &PairSearch<'_, S>,
        out: &mut Vec<[u32; 2]>,
    ) {
        grid.refresh();
        other.refresh();
        if grid.store.axes != other.store.axes {
            // Both grids must be swept along the same axis: rebuild the grid with fewer objects.
            let (axes, others) = (grid.store.axes, other.store.axes);
            if grid.len < other.len {
                grid.rebuild_with_axes(others);
            } else {
                other.rebuild_with_axes(axes);
            }
        }
        out.clear();
        let mut near = take(&mut grid.near);
        let (ours, theirs) = (&grid.store.keys, &other.store.keys);
        let distance = search.distance.unwrap_or(S::ZERO);
        visit_within(grid, Some(other), &mut near, distance, &mut |hits| {
            let from = out.len();
            out.extend(hits.iter().map(|&[a, b]| [ours[a as usize], theirs[b as usize]]));
            search.keep_accepted(out, from);
        });
        grid.near = near;
        if search.sorted {
            pairs::sort(out);
        }
    }
}

/// Returns the classes whose objects can be pairs: in one grid all but two static ones, of two
/// grids all.
fn classes_that_pair(of_two_grids: bool) -> fn(Class, Class) -> bool {
    if of_two_grids { |_, _| true } else { can_pair }
}

/// Calls `visit` with pairs of slots of objects within a distance, in one grid or of two. All
/// rows must be up to date; `near` has the buffers of `grid`.
fn visit_within<S: Scalar, const D: usize>(
    grid: &Hshg<S, D>,
    other: Option<&Hshg<S, D>>,
    near: &mut NearBuffers<D>,
    distance: S,
    visit: &mut VisitSlots<'_>,
) {
    // This comparison is also false for NaN.
    let is_valid = distance >= S::ZERO;
    if !is_valid {
        return;
    }
    near.unused = 0;
    let can_pair = classes_that_pair(other.is_some());
    let fits = |grid: &Hshg<S, D>| distance == S::ZERO || grid.has_rows_for(distance);
    if fits(grid) && other.is_none_or(fits) {
        NearSweep { grid, other, distance, can_pair }.each_with(near, visit);
    } else {
        sweep_copies(grid, other, distance, visit);
    }
}

/// Calls `visit` with pairs of slots of objects within a distance, found in copies of the grids
/// with rows made for the distance.
fn sweep_copies<S: Scalar, const D: usize>(
    grid: &Hshg<S, D>,
    other: Option<&Hshg<S, D>>,
    distance: S,
    visit: &mut VisitSlots<'_>,
) {
    // Objects may have other slots in the copies; their keys are used to find the original slots.
    let copy = grid.with_rows_for(distance, None);
    let other_copy = other.map(|other| other.with_rows_for(distance, Some(copy.store.axes)));
    let sides = [(&copy, grid), (other_copy.as_ref().unwrap_or(&copy), other.unwrap_or(grid))];
    let slot_of = |side: usize, slot: u32| {
        let (copy, original) = sides[side];
        original.slots.get(copy.store.keys[slot as usize]).unwrap_or_default() as u32
    };
    let mut found = Vec::new();
    let can_pair = classes_that_pair(other.is_some());
    let sweep = NearSweep { grid: &copy, other: other_copy.as_ref(), distance, can_pair };
    sweep.each(&mut |hits| {
        found.clear();
        found.extend(hits.iter().map(|&[a, b]| [slot_of(0, a), slot_of(1, b)]));
        visit(&found);
    });
}
