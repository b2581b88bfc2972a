//! The cells of a polygon, in integers without rounding.
//!
//! Input: rings of fixed-point points, a grid, and a rule that decides which cells on the boundary
//! belong to the polygon ([`Containment`]). Output: runs of cells, row by row. Steps:
//!
//! 1. `edge.rs`: list the edges of all rings. Unless the rule is [`Containment::Center`], remove
//!    parts where edges coincide and do not bound the polygon.
//! 2. `scan.rs`: visit the rows of cells in ascending order, with the list of active edges.
//!    `row_line.rs` computes where an edge crosses the line through the centers of a row,
//!    `contact.rs` the cells that it touches. From row to row, both add a constant instead of
//!    dividing.
//! 3. Write the cells of each run.

mod contact;
mod edge;
mod row_line;
mod scan;

use core::iter::{FusedIterator, once};

use crate::hex::{Hex, hex};
use crate::lookup::Grid;
use crate::plane::Point;
use edge::{Boundary, Edge};
use scan::Scan;

/// The rule that decides which cells belong to a polygon.
///
/// Cells are closed hexagons, the polygon is the closed region described at [`PolygonFill`].
/// [`Full`](Self::Full) selects a subset of [`Center`](Self::Center), and that a subset of
/// [`Overlapping`](Self::Overlapping).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Containment {
    /// Cells whose center is in the polygon.
    ///
    /// A center on the boundary counts as if it were moved slightly towards larger a, and much less
    /// towards larger b. So if polygons share edges and cover an area without gaps, each cell of
    /// the area belongs to exactly one polygon.
    #[default]
    Center,
    /// Cells that share at least one point with the polygon. Touching counts.
    Overlapping,
    /// Cells that are inside the polygon. They may touch its boundary from inside.
    Full,
}

/// Consecutive cells of one row: (`first`, `r`) to (`last`, `r`), both included.
///
/// Runs are ordered by `r`, then by `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Run {
    /// Coordinate r of all cells.
    pub r: i32,
    /// Coordinate q of the first cell.
    pub first: i32,
    /// Coordinate q of the last cell; not below `first`.
    pub last: i32,
}

impl Run {
    /// Returns the cells by ascending q.
    ///
    /// ```
    /// use hexcoord::{Run, hex};
    ///
    /// let run = Run { r: 5, first: -1, last: 1 };
    /// assert!(run.cells().eq([hex(-1, 5), hex(0, 5), hex(1, 5)]));
    /// ```
    #[inline]
    pub fn cells(self) -> impl DoubleEndedIterator<Item = Hex> + FusedIterator {
        // A range of `u32` has a known length, so loops that write cells are vectorized.
        let steps = self.last.wrapping_sub(self.first) as u32;
        let cells = (0..steps).map(move |i| hex(self.first.wrapping_add(i as i32), self.r));
        cells.chain(once(hex(self.last, self.r)))
    }
}

/// Finds the cells of polygons. Reuse one value for several polygons: it reuses its scratch memory.
///
/// A polygon is given by one or more rings of fixed-point points. A ring is closed: its last point
/// is joined to the first, and may also repeat it. Rings may be concave, may have either
/// orientation, and may touch or cross themselves and each other. By the *even-odd rule*, points
/// that an odd number of rings surround are inside. So a ring inside another one is a hole, and
/// disjoint rings are parts of one polygon. The polygon contains its boundary. A part of an edge
/// with the outside on both sides, such as a line to a point and back, is not in the polygon. A
/// part with the inside on both sides, such as a bridge between a ring and a hole, is not on the
/// boundary. So rings of fewer than three points, and rings on one line, have no cells.
///
/// Exact for all points with `i32` coordinates. Cells are in ascending order of r, then of q.
///
/// ```
/// use hexcoord::{Containment, Grid, Point, PolygonFill, Run, hex};
///
/// let outline = [Point::new(-300, -300), Point::new(2300, -300), Point::new(-300, 2300)];
/// let hole = [Point::new(400, 400), Point::new(700, 400), Point::new(400, 700)];
/// let grid = Grid::new(9); // cells of 512 units
/// let mut fill = PolygonFill::new();
///
/// let cells: Vec<_> =
///     fill.runs(grid, &[outline, hole], Containment::Center).flat_map(Run::cells).collect();
/// assert_eq!(cells.len(), 9);
/// assert!(!cells.contains(&hex(1, 1))); // the center is in the hole
///
/// let mut runs = fill.runs(grid, &[outline, hole], Containment::Full);
/// assert_eq!(runs.next(), Some(Run { r: 1, first: 2, last: 2 }));
/// ```
///
/// # Complexity
///
/// With n edges O(n log n), plus O(k log k) for each row with k edges, plus a store for each cell.
/// Memory: O(n), independent of the number of cells.
///
/// The scan of sorted edges is the scan-line algorithm of Wylie, Romney, Evans and Erdahl,
/// "Half-tone perspective drawings by computer" (1967).
#[derive(Clone, Debug, Default)]
pub struct PolygonFill {
    scan: Scan,
    boundary: Boundary,
}

impl PolygonFill {
    /// Creates a fill with empty scratch buffers, which grow as needed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the runs of cells of a polygon in ascending order, computed row by row.
    ///
    /// Runs are as long as possible. The iterator stores only the runs of one row, so a polygon may
    /// have more cells than fit in memory.
    ///
    /// ```
    /// use hexcoord::{Containment, Grid, Point, PolygonFill, Run};
    ///
    /// let square = [[0, 0], [3, 0], [3, 2], [0, 2]].map(Point::from);
    /// let mut fill = PolygonFill::new();
    /// let runs = fill.runs(Grid::new(0), &[square], Containment::Center);
    /// assert!(runs.eq([Run { r: 0, first: 0, last: 2 }, Run { r: 1, first: 0, last: 2 }]));
    /// ```
    pub fn runs<R: AsRef<[Point]>>(
        &mut self,
        grid: Grid,
        rings: &[R],
        containment: Containment,
    ) -> Runs<'_> {
        let Self { scan, boundary } = self;
        scan.edges.clear();
        for ring in rings.iter().map(AsRef::as_ref) {
            let ends = ring.iter().zip(ring.iter().cycle().skip(1));
            let edges = ends.filter(|(from, to)| from != to);
            scan.edges.extend(edges.map(|(&from, &to)| Edge::new(from, to)));
        }
        if containment != Containment::Center {
            boundary.keep_boundary(&mut scan.edges);
        }
        scan.start(grid.shift(), containment);
        Runs(scan)
    }
}

/// Iterator over the runs of cells of a polygon; see [`PolygonFill::runs`].
#[derive(Debug)]
pub struct Runs<'a>(&'a mut Scan);

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        self.0.next_run()
    }
}

impl FusedIterator for Runs<'_> {}
