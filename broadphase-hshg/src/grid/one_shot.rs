//! Pairs and neighbors in lists of boxes and points, without a grid that the caller keeps.
//!
//! 1. Validate all boxes.
//! 2. Lay out the rows of a temporary grid from the list
//!    ([`bulk_load`](crate::grid::maintenance::bulk_load)). The key of a box is its index. The grid
//!    has no key-to-slot map, unless integer holes are found by it.
//! 3. Find pairs as in any grid.
//!
//! Neighbors of points are found without a grid (`query::neighbors_of_points`).

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use broadphase_core::query::neighbors_of_points;
use broadphase_core::{
    Aabb, Backend, InvalidBounds, Neighbors, Pair, PairSearch, Scalar, SearchStats, instances,
    tasks,
};

use crate::grid::maintenance::bulk_load::LoadScratch;
use crate::grid::pairs::near::half_margin;
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::pending::Objects;
use crate::grid::{Hshg, PENDING};

/// The minimum number of boxes that a thread validates.
const MIN_BOXES_PER_TASK: usize = 16_384;

/// The box or point that a search rejected.
///
/// ```
/// # extern crate broadphase_hshg as hexphase;
/// use hexphase::{Aabb, PairSearch, find_pairs_between};
///
/// let boxes = [Aabb::point([0.0, 0.0]), Aabb::point([1.0, f32::NAN])];
/// let error = find_pairs_between(&boxes[..1], &boxes, &PairSearch::OVERLAPS, &mut Vec::new());
/// let error = error.unwrap_err();
/// assert_eq!((error.list, error.index), (1, 1));
/// assert_eq!(error.to_string(), "box 1 of the second list: bounds are not a number on axis 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct InvalidBox {
    /// 1 if it is in the second of two lists; otherwise 0.
    pub list: usize,
    /// Its index in the list.
    pub index: usize,
    /// The defect of its bounds.
    pub why: InvalidBounds,
}

impl fmt::Display for InvalidBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { list, index, why } = self;
        let of_list = if *list == 0 { "" } else { " of the second list" };
        write!(f, "box {index}{of_list}: {why}")
    }
}

impl core::error::Error for InvalidBox {}

/// Finds the pairs of overlapping boxes of a list, or of boxes within `search.distance`. Replaces
/// the contents of `out` with pairs of indices, the smaller one first, in canonical order unless
/// `search.sorted` is unset.
///
/// For one search, this is faster than a structure: boxes are neither copied nor found by key. With
/// feature `rayon`, it runs on the threads of the current pool. The result does not depend on their
/// number.
///
/// A filter that returns 0 visits pairs without storing them; see [`PairSearch::filter`].
///
/// Takes about linear time in boxes and pairs. Temporary memory: about 30 bytes a box of `f32` in
/// two dimensions, and half of the pairs.
///
/// # Errors
/// If a box is NaN, infinite or inverted; `out` is unchanged.
///
/// # Panics
/// If there are 2^31 boxes or more.
///
/// ```
/// # extern crate broadphase_hshg as hexphase;
/// use hexphase::{Aabb, PairSearch, find_pairs};
///
/// let boxes: [Aabb; 3] = [[0.0, 0.0], [9.0, 0.0], [1.5, 1.0]].map(|at| Aabb::of_ball(at, 1.0));
/// let mut pairs = Vec::new();
/// find_pairs(&boxes, &PairSearch::OVERLAPS, &mut pairs)?;
/// assert_eq!(pairs, [[0, 2]]);
/// let near = PairSearch { distance: Some(6.0), ..PairSearch::OVERLAPS };
/// find_pairs(&boxes, &near, &mut pairs)?;
/// assert_eq!(pairs, [[0, 2], [1, 2]]);
/// # Ok::<(), hexphase::InvalidBox>(())
/// ```
pub fn find_pairs<S: Scalar, const D: usize>(
    boxes: &[Aabb<S, D>],
    search: &PairSearch<'_, S>,
    out: &mut Vec<Pair>,
) -> Result<(), InvalidBox> {
    validate(0, boxes)?;
    on_backend::find_pairs(Backend::detect(), boxes, search, out);
    Ok(())
}

/// Finds the pairs `[index in ours, index in theirs]` of boxes of two lists that overlap, or are
/// within `search.distance`. Replaces the contents of `out`, in canonical order unless
/// `search.sorted` is unset.
///
/// # Errors
/// If a box is NaN, infinite or inverted; `out` is unchanged.
///
/// # Panics
/// If a list has 2^31 boxes or more.
///
/// ```
/// # extern crate broadphase_hshg as hexphase;
/// use hexphase::{Aabb, PairSearch, find_pairs_between};
///
/// let walls: [Aabb; 2] = [Aabb::new([0.0; 2], [9.0, 1.0]), Aabb::new([0.0; 2], [1.0, 9.0])];
/// let shots = [Aabb::point([5.0, 5.0]), Aabb::point([1.0, 1.0])];
/// let mut hits = Vec::new();
/// find_pairs_between(&walls, &shots, &PairSearch::OVERLAPS, &mut hits)?;
/// assert_eq!(hits, [[0, 1], [1, 1]]);
/// # Ok::<(), hexphase::InvalidBox>(())
/// ```
pub fn find_pairs_between<S: Scalar, const D: usize>(
    ours: &[Aabb<S, D>],
    theirs: &[Aabb<S, D>],
    search: &PairSearch<'_, S>,
    out: &mut Vec<Pair>,
) -> Result<(), InvalidBox> {
    validate(0, ours)?;
    validate(1, theirs)?;
    on_backend::find_pairs_between(Backend::detect(), ours, theirs, search, out);
    Ok(())
}

/// Finds the neighbors of each point: the others at most `radius` away. Replaces the contents of
/// `out`, whose keys are the indices of the points; [`Neighbors::lists`] has the lists in one
/// array. With a negative or NaN radius, lists are empty.
///
/// Takes about linear time in points and neighbors, on the threads of the current pool with feature
/// `rayon`.
///
/// # Errors
/// If a point is NaN or infinite; `out` is unchanged.
///
/// # Panics
/// If there are 2^31 points or more.
///
/// ```
/// # extern crate broadphase_hshg as hexphase;
/// use hexphase::{Neighbors, find_neighbors};
///
/// let mut near = Neighbors::default();
/// find_neighbors(&[[0.0f32, 0.0], [3.0, 0.0], [0.0, 4.0]], 4.5, &mut near)?;
/// assert!(near.lists().iter().eq([&[1, 2][..], &[0], &[0]]));
/// # Ok::<(), hexphase::InvalidBox>(())
/// ```
pub fn find_neighbors<S: Scalar, const D: usize>(
    points: &[[S; D]],
    radius: S,
    out: &mut Neighbors,
) -> Result<(), InvalidBox> {
    assert_countable(points.len());
    if let Some((index, why)) = first_invalid(points.iter().map(|&point| Aabb::point(point))) {
        return Err(InvalidBox { list: 0, index, why });
    }
    if !neighbors_of_points(points, Backend::detect(), radius, out) {
        let boxes: Vec<_> = points.iter().map(|&point| Aabb::point(point)).collect();
        let search = PairSearch { distance: Some(radius), filter: None, sorted: false };
        let (keys, mut pairs): (Vec<u32>, _) = ((0..points.len() as u32).collect(), Vec::new());
        on_backend::find_pairs(Backend::detect(), &boxes, &search, &mut pairs);
        out.set_pairs(&keys, pairs);
    }
    Ok(())
}

/// The searches on a given backend, for valid boxes.
#[doc(hidden)]
pub mod on_backend {
    use super::*;

    /// Finds pairs as [`find_pairs`](super::find_pairs) does. Returns how many tests that took.
    pub fn find_pairs<S: Scalar, const D: usize>(
        backend: Backend,
        boxes: &[Aabb<S, D>],
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) -> Option<SearchStats> {
        find_in_list(backend, boxes, search, out)
    }

    /// Finds pairs as [`find_pairs_between`](super::find_pairs_between) does.
    pub fn find_pairs_between<S: Scalar, const D: usize>(
        backend: Backend,
        ours: &[Aabb<S, D>],
        theirs: &[Aabb<S, D>],
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        find_between_lists(backend, ours, theirs, search, out);
    }
}

fn validate<S: Scalar, const D: usize>(
    list: usize,
    boxes: &[Aabb<S, D>],
) -> Result<(), InvalidBox> {
    assert_countable(boxes.len());
    let invalid = first_invalid_box(boxes);
    invalid.map_or(Ok(()), |(index, why)| Err(InvalidBox { list, index, why }))
}

fn assert_countable(len: usize) {
    assert!(len < PENDING, "{len} boxes or points are more than 2^31 - 1");
}

/// Returns the index and the defect of the first invalid box.
fn first_invalid<S: Scalar, const D: usize>(
    boxes: impl Iterator<Item = Aabb<S, D>>,
) -> Option<(usize, InvalidBounds)> {
    let mut invalid = boxes.enumerate().filter(|(_, bounds)| bounds.checked_slabs().is_none());
    invalid.find_map(|(index, bounds)| Some((index, bounds.checked().err()?)))
}

instances! {
    /// Returns the index and the defect of the first invalid box.
    fn first_invalid_box<S, D>(boxes: &[Aabb<S, D>]) -> Option<(usize, InvalidBounds)> {
        let ranges = tasks::even(boxes.len(), MIN_BOXES_PER_TASK);
        let mut parts: Vec<_> = ranges.into_iter().map(|range| (range, None)).collect();
        if parts.is_empty() {
            return first_invalid(boxes.iter().copied());
        }
        tasks::each(&mut parts, |(range, found)| {
            *found = first_invalid(boxes[range.clone()].iter().copied());
        });
        let found = |(range, found): (Range<usize>, Option<_>)| {
            found.map(|(index, why)| (range.start + index, why))
        };
        parts.into_iter().find_map(found)
    }

    fn find_in_list<S, D>(
        backend: Backend,
        boxes: &[Aabb<S, D>],
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) -> Option<SearchStats> {
        let distance = search.distance.unwrap_or(S::ZERO);
        let mut grid = Hshg::of_boxes(boxes, backend, distance, None);
        if distance == S::ZERO {
            grid.find_overlaps(search, out);
        } else {
            out.clear();
            grid.find_near(None, distance, search, out);
        }
        grid.search_stats()
    }

    fn find_between_lists<S, D>(
        backend: Backend,
        ours: &[Aabb<S, D>],
        theirs: &[Aabb<S, D>],
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        let distance = search.distance.unwrap_or(S::ZERO);
        let mut grid = Hshg::of_boxes(ours, backend, distance, None);
        let other = Hshg::of_boxes(theirs, backend, distance, Some(grid.store.axes));
        grid.find_near(Some(&other), distance, search, out);
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns a grid for one search within a distance, or of overlaps if it is 0. Its objects
    /// cannot be found by key.
    fn of_boxes(
        boxes: &[Aabb<S, D>],
        backend: Backend,
        distance: S,
        axes: Option<AxisOrder>,
    ) -> Self {
        let mut grid = Self::new();
        (grid.backend, grid.len) = (backend, boxes.len());
        if S::INTEGER && D == 1 {
            (0..boxes.len()).for_each(|index| grid.slots.set(index as u32, PENDING | index));
        }
        // As in other searches, rows are not made for an infinite distance.
        let longer = 2.0 * half_margin(distance).to_f64();
        let longer = if longer > 0.0 && longer.is_finite() { longer } else { 0.0 };
        grid.build(Objects::of_boxes(boxes), axes, longer);
        // Frees memory that the pairs can take.
        grid.load = LoadScratch::default();
        grid
    }
}

#[cfg(test)]
mod tests;
