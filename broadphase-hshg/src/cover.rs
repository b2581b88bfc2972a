//! Lists the grid cells that a segment touches, and the cells that a box touches.
//!
//! Input of [`cells_on_segment`]: two end points and the cell side. Output: every touched cell,
//! once, ordered along the segment:
//!
//! 1. Convert both ends to integers (floats in units of 2^−32 cell), which makes comparisons exact.
//! 2. List all cells that contain the start, which may lie on borders.
//! 3. Find the axis whose next border comes first, by comparing fractions `border / distance` with
//!    128-bit products. Cross it, and the borders of other axes reached at the same point.
//! 4. List the cells around this point that the crossing enters. Repeat from 3 until no border lies
//!    before the end of the segment.
//!
//! Cost: constant for each cell, no allocation.

use core::array::from_fn;

use broadphase_core::{Aabb, Scalar};

use crate::cell::{FAR, Grid};
use crate::span::Span;

/// The number of fixed-point units per cell.
const UNITS_PER_CELL: i64 = 1 << 32;

/// Returns every cell that a segment touches, each once, ordered along the segment; `None` if an
/// end is NaN, infinite, or 2^30 cells or more away from the origin.
///
/// Cells are numbered as in [`SpatialHash`](crate::SpatialHash): cubes with sides of length `side`,
/// counted from the origin on each axis and rounded down. Unlike there, cells include all their
/// borders: a segment through a corner touches all cells around it (the supercover). Exact for
/// integers. Floats are first rounded down to 2^−32 of a cell: lossless if the side is a power of
/// two and coordinates have up to 20 fraction bits. The iterator takes a few nanoseconds per cell
/// and does not allocate.
///
/// # Panics
/// If the side is not positive and finite, or so small that its reciprocal is not finite.
///
/// ```
/// use broadphase_hshg::cells_on_segment;
///
/// let cells: Vec<_> = cells_on_segment([1.0, 1.0], [6.0, 3.0], 4.0).unwrap().collect();
/// assert_eq!(cells, [[0, 0], [1, 0]]);
/// // Through a corner.
/// let cells: Vec<_> = cells_on_segment([2, 2], [6, 6], 4).unwrap().collect();
/// assert_eq!(cells, [[0, 0], [1, 0], [0, 1], [1, 1]]);
/// ```
pub fn cells_on_segment<S: Scalar, const D: usize>(
    from: impl Into<[S; D]>,
    to: impl Into<[S; D]>,
    side: S,
) -> Option<impl Iterator<Item = [i32; D]> + Clone + core::fmt::Debug> {
    let grid = Grid::new(side.to_f64());
    let (from, to) = (from.into(), to.into());
    let is_near = |x: &S| x.is_finite() && grid.cell(*x).unsigned_abs() < FAR as u32;
    let unit = if S::INTEGER { side.to_f64() as i64 } else { UNITS_PER_CELL };
    let fine = |x: S| if S::INTEGER { x.to_f64() as i64 } else { grid.fixed_point(x) };
    let near = from.iter().chain(&to).all(is_near);
    near.then(|| SegmentCells::new(from.map(fine), to.map(fine), unit))
}

/// Returns every cell that a box touches, the last axis varying fastest; none if the box is
/// inverted or NaN.
///
/// Cells are numbered as in [`cells_on_segment`], but a border between two cells belongs to the
/// upper one. The box includes its own borders. These are the cells in which
/// [`SpatialHash`](crate::SpatialHash) stores the box; coordinates beyond 2^30 cells belong to the
/// outermost cells.
///
/// # Panics
/// If the side is not positive and finite, or so small that its reciprocal is not finite.
///
/// ```
/// use broadphase_hshg::{Aabb, cells_in_box};
///
/// let cells: Vec<_> = cells_in_box(Aabb::new([-1.0, 2.0], [3.0, 4.0]), 4.0).collect();
/// assert_eq!(cells, [[-1, 0], [-1, 1], [0, 0], [0, 1]]);
/// ```
pub fn cells_in_box<S: Scalar, const D: usize>(
    bounds: impl Into<Aabb<S, D>>,
    side: S,
) -> impl Iterator<Item = [i32; D]> + Clone + core::fmt::Debug {
    let grid = Grid::new(side.to_f64());
    let span = bounds.into().normalized().map(|bounds| Span::of(grid, &bounds));
    core::iter::successors(span.map(|span| span.low), move |&cell| span?.after(cell))
}

/// Iterator over the cells that a segment touches. Between two crossings the segment is inside one
/// cell; if it runs along a border of an axis, in the two cells on both sides. At a crossing, it
/// enters those cells around the point that lie ahead on at least one crossed axis.
#[derive(Clone, Debug)]
struct SegmentCells<const D: usize> {
    axes: [Axis; D],
    /// The cells around the current point: for each axis, the numbers behind and ahead of the
    /// point. A subset of axes, as bits, selects a cell: the number ahead on these axes, behind on
    /// the others.
    candidates: [[i32; 2]; D],
    /// The axes, as bits, on which the two numbers of `candidates` differ.
    two_sided: u32,
    /// The axes, as bits, on which the segment crosses a border at the current point; 0 at the
    /// start, where all cells around the point are new.
    entered: u32,
    /// The next subset of axes, as bits, whose cell is considered.
    next_subset: u32,
}

/// State of the walk along one axis.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// The number of the current cell; above the border if the segment runs along one.
    cell: i32,
    /// Distance on this axis from the start of the segment to the next border.
    border: i128,
    distance: i128,
    forward: bool,
    /// Whether the segment runs along a border of this axis.
    on_border: bool,
    unit: i64,
}

impl<const D: usize> SegmentCells<D> {
    fn new(from: [i64; D], to: [i64; D], unit: i64) -> Self {
        let mut cells = Self {
            axes: from_fn(|axis| Axis::new(from[axis], to[axis], unit)),
            candidates: [[0; 2]; D],
            two_sided: 0,
            entered: 0,
            next_subset: 0,
        };
        for axis in 0..D {
            let cell = from[axis].div_euclid(unit) as i32;
            cells.candidates[axis] = [cell; 2];
            if from[axis].rem_euclid(unit) == 0 {
                let ahead = to[axis] >= from[axis];
                cells.candidates[axis] = if ahead { [cell - 1, cell] } else { [cell, cell - 1] };
                cells.two_sided |= 1 << axis;
            }
        }
        cells
    }

    /// Advances to the next border crossing; returns `false` if there is none.
    fn cross_border(&mut self) -> bool {
        let mut first: Option<Axis> = None;
        for axis in self.axes {
            if axis.crosses() && first.is_none_or(|first| axis.is_before(&first)) {
                first = Some(axis);
            }
        }
        let Some(first) = first else { return false };
        (self.two_sided, self.entered, self.next_subset) = (0, 0, 0);
        for (number, axis) in self.axes.iter_mut().enumerate() {
            self.candidates[number] = [axis.cell; 2];
            if axis.on_border {
                self.candidates[number] = [axis.cell - 1, axis.cell];
                self.two_sided |= 1 << number;
            } else if axis.crosses() && !first.is_before(axis) {
                axis.cross_border();
                self.candidates[number][1] = axis.cell;
                self.two_sided |= 1 << number;
                self.entered |= 1 << number;
            }
        }
        true
    }
}

impl<const D: usize> Iterator for SegmentCells<D> {
    type Item = [i32; D];

    fn next(&mut self) -> Option<[i32; D]> {
        loop {
            if self.next_subset >> D != 0 {
                if !self.cross_border() {
                    return None;
                }
                continue;
            }
            let which = self.next_subset;
            self.next_subset += 1;
            let exists = which & !self.two_sided == 0;
            if exists && (self.entered == 0 || which & self.entered != 0) {
                return Some(from_fn(|axis| self.candidates[axis][(which >> axis & 1) as usize]));
            }
        }
    }
}

impl Axis {
    fn new(from: i64, to: i64, unit: i64) -> Self {
        let (cell, inside) = (from.div_euclid(unit) as i32, from.rem_euclid(unit));
        let forward = to >= from;
        let (cell, border) = match (forward, inside) {
            (true, _) => (cell, unit - inside),
            // A segment that moves down from a border starts in the cell below.
            (false, 0) => (cell - 1, unit),
            (false, _) => (cell, inside),
        };
        let distance = (i128::from(to) - i128::from(from)).abs();
        let on_border = distance == 0 && inside == 0;
        Self { cell, border: border.into(), distance, forward, on_border, unit }
    }

    /// Returns whether the segment reaches the next border of this axis, or ends on it.
    const fn crosses(&self) -> bool {
        self.border <= self.distance
    }

    /// Returns whether this axis reaches its next border before `other` does.
    const fn is_before(&self, other: &Self) -> bool {
        self.border * other.distance < other.border * self.distance
    }

    const fn cross_border(&mut self) {
        self.cell += if self.forward { 1 } else { -1 };
        self.border += self.unit as i128;
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    use broadphase_core::Path;
    use laws::random::Random;

    use super::*;

    /// Returns all cells near the origin that a closed segment touches.
    fn touched<const D: usize>(from: [i32; D], to: [i32; D], side: i32) -> BTreeSet<[i32; D]> {
        let all = cells_in_box(Aabb::new([-6; D], [5; D]), 1);
        let cell = |at: [i32; D]| Aabb {
            min: at.map(|cell| cell * side),
            max: at.map(|cell| (cell + 1) * side),
        };
        all.filter(|&at| Path::segment(from, to).first_touch(&cell(at)).is_some()).collect()
    }

    #[test]
    fn segment_cells_match_the_definition_in_order() {
        let mut random = Random::new(1);
        let mut random = |most: i32| random.below(2 * most as u32 + 1) as i32 - most;
        for number in 0..3000 {
            let side = 1 + number % 4;
            // Small ranges make corners, borders, points and axis-parallel segments frequent.
            let [from, to] = [(); 2].map(|()| [random(4 * side), random(4 * side), random(2)]);
            let cells: Vec<_> = cells_on_segment(from, to, side).unwrap().collect();
            let set: BTreeSet<_> = cells.iter().copied().collect();
            assert_eq!(set, touched(from, to, side), "{from:?} to {to:?} by {side}");
            assert_eq!(set.len(), cells.len(), "each cell is returned once");
            let fraction = |cell: &[i32; 3]| {
                let min = cell.map(|cell| cell * side);
                let max = cell.map(|cell| (cell + 1) * side);
                Path::segment(from, to).first_touch(&Aabb { min, max })
            };
            assert!(cells.iter().is_sorted_by_key(fraction), "front to back");

            let floats = |at: [i32; 3]| at.map(|x| f64::from(x) * 0.25);
            let side = f64::from(side) * 0.25;
            if side != 0.75 {
                let same = cells_on_segment(floats(from), floats(to), side).unwrap();
                assert!(same.eq(cells), "floats give the same cells");
            }
        }
    }

    #[test]
    fn far_and_invalid_segments_terminate() {
        let count = |from: [f32; 2], to: [f32; 2]| {
            cells_on_segment(from, to, 1.0).map(|cells| cells.count())
        };
        assert_eq!(count([f32::NAN, 0.0], [0.0; 2]), None);
        assert_eq!(count([0.5; 2], [f32::INFINITY, 0.5]), None);
        assert_eq!(count([0.5; 2], [f32::MAX, 0.5]), None);
        assert_eq!(count([0.5; 2], [0.5; 2]), Some(1));
        assert_eq!(count([0.0; 2], [0.0; 2]), Some(4));
        let far = 1_000_000.5;
        assert_eq!(count([far, 0.5], [far - 20.0, 0.5]), Some(21));
        let ends = cells_on_segment([i32::MIN, 5], [i32::MAX, 5], 1 << 24).unwrap();
        assert_eq!(ends.count(), 257, "the start is on a border");
    }

    #[test]
    fn box_cells_lie_between_the_corners() {
        let cells = |min, max| cells_in_box(Aabb::new(min, max), 4).count();
        assert_eq!(cells([0, 0, 0], [3, 3, 3]), 1);
        assert_eq!(cells([-1, 0, 0], [4, 3, 11]), 9);
        assert_eq!(cells([5, 5, 5], [4, 5, 5]), 0);
        let edge = cells_in_box(Aabb::new([f32::MAX], [f32::INFINITY]), 1.0);
        assert!(edge.eq([[1 << 30]]));
    }
}
