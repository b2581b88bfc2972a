//! Batch conversion of points to cells with SIMD.
//!
//! Fixed-point, float and Cartesian coordinates are supported, each in three data layouts:
//!
//! * `cells`: planes (one array per coordinate) to cells;
//! * `cells_of_points`: points (coordinates interleaved) to cells;
//! * `cell_planes`: planes to planes.
//!
//! Each call dispatches once.

use simd_lanes::Backend;

use super::Grid;
use super::blocks::{CellPlanes, CoordinatePair, Interleaved, Planes, Source};
use super::kernel::{BatchLookup, Cartesian, CellUnits, FindCells, FixedPoint};
use crate::hex::Hex;
use crate::plane::{Layout, Point};

fn planes_to_cells<F: FindCells>(
    find: F,
    backend: Backend,
    [a, b]: [&[F::S]; 2],
    cells: &mut [Hex],
) {
    assert!(a.len() == b.len() && a.len() == cells.len(), "slices differ in length");
    backend.dispatch(BatchLookup { find, points: Planes(a, b), cells });
}

fn points_to_cells<F: FindCells, P: CoordinatePair<S = F::S>>(
    find: F,
    backend: Backend,
    points: &[P],
    cells: &mut [Hex],
) {
    assert!(points.len() == cells.len(), "slices differ in length");
    backend.dispatch(BatchLookup { find, points: Interleaved(points), cells });
}

fn planes_to_planes<F: FindCells>(
    find: F,
    backend: Backend,
    [a, b]: [&[F::S]; 2],
    [q, r]: [&mut [i32]; 2],
) {
    let points = Planes(a, b);
    let len = points.len();
    assert!(len == b.len() && len == q.len() && len == r.len(), "slices differ in length");
    backend.dispatch(BatchLookup { find, points, cells: CellPlanes(q, r) });
}

impl Grid {
    const fn find(self) -> FixedPoint {
        FixedPoint { shift: self.shift() }
    }

    /// Writes the [`cell`](Self::cell) of each point. Takes one array per coordinate.
    ///
    /// The speed is limited by memory bandwidth. Uses the fastest backend available;
    /// [`cells_on`](Self::cells_on) takes the backend as an argument.
    ///
    /// ```
    /// use hexcoord::{Grid, Hex, hex};
    ///
    /// let (a, b) = ([0, 700, 300], [0, -90, 300]);
    /// let mut cells = [Hex::ORIGIN; 3];
    /// Grid::new(9).cells(&a, &b, &mut cells);
    /// assert_eq!(cells, [hex(0, 0), hex(1, 0), hex(1, 0)]);
    /// ```
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells(self, a: &[i32], b: &[i32], cells: &mut [Hex]) {
        self.cells_on(Backend::detect(), a, b, cells);
    }

    /// Works like [`cells`](Self::cells) on the given backend; all backends give the same cells.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_on(self, backend: Backend, a: &[i32], b: &[i32], cells: &mut [Hex]) {
        planes_to_cells(self.find(), backend, [a, b], cells);
    }

    /// Writes the [`cell`](Self::cell) of each point.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points(self, points: &[Point], cells: &mut [Hex]) {
        self.cells_of_points_on(Backend::detect(), points, cells);
    }

    /// Works like [`cells_of_points`](Self::cells_of_points) on the given backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points_on(self, backend: Backend, points: &[Point], cells: &mut [Hex]) {
        points_to_cells(self.find(), backend, points, cells);
    }

    /// Writes the [`cell`](Self::cell) of each point. Input and output have one array per
    /// coordinate.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes(self, a: &[i32], b: &[i32], q: &mut [i32], r: &mut [i32]) {
        self.cell_planes_on(Backend::detect(), a, b, q, r);
    }

    /// Works like [`cell_planes`](Self::cell_planes) on the given backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes_on(
        self,
        backend: Backend,
        a: &[i32],
        b: &[i32],
        q: &mut [i32],
        r: &mut [i32],
    ) {
        planes_to_planes(self.find(), backend, [a, b], [q, r]);
    }
}

/// Batch conversion of points in cell units.
impl Point<f32> {
    /// Writes the [`cell`](Self::cell) of each point in cell units. Takes one array per coordinate.
    ///
    /// ```
    /// use hexcoord::{Hex, Point, hex};
    ///
    /// let (a, b) = ([0.1, 1.4, 0.5], [0.0, -0.2, 0.5]);
    /// let mut cells = [Hex::ORIGIN; 3];
    /// Point::cells(&a, &b, &mut cells);
    /// assert_eq!(cells, [hex(0, 0), hex(1, 0), hex(1, 0)]);
    /// ```
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells(a: &[f32], b: &[f32], cells: &mut [Hex]) {
        Self::cells_on(Backend::detect(), a, b, cells);
    }

    /// Works like [`cells`](Self::cells) on the given backend; all backends give the same cells.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_on(backend: Backend, a: &[f32], b: &[f32], cells: &mut [Hex]) {
        planes_to_cells(CellUnits, backend, [a, b], cells);
    }

    /// Writes the [`cell`](Self::cell) of each point in cell units.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points(points: &[Self], cells: &mut [Hex]) {
        Self::cells_of_points_on(Backend::detect(), points, cells);
    }

    /// Works like [`cells_of_points`](Self::cells_of_points) on the given backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points_on(backend: Backend, points: &[Self], cells: &mut [Hex]) {
        points_to_cells(CellUnits, backend, points, cells);
    }

    /// Writes the [`cell`](Self::cell) of each point in cell units. Input and output have one array
    /// per coordinate.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes(a: &[f32], b: &[f32], q: &mut [i32], r: &mut [i32]) {
        Self::cell_planes_on(Backend::detect(), a, b, q, r);
    }

    /// Works like [`cell_planes`](Self::cell_planes) on the given backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes_on(backend: Backend, a: &[f32], b: &[f32], q: &mut [i32], r: &mut [i32]) {
        planes_to_planes(CellUnits, backend, [a, b], [q, r]);
    }
}

impl Layout {
    fn find(&self) -> Cartesian {
        Cartesian { origin: self.origin(), matrix: *self.inverse() }
    }

    /// Writes the [`cell`](Self::cell) at each Cartesian position, with conversion and lookup in
    /// one pass. Takes one array per coordinate.
    ///
    /// ```
    /// use hexcoord::{Hex, Layout, Orientation, hex};
    ///
    /// let layout = Layout::new(Orientation::Pointy, 32.0);
    /// let mut cells = [Hex::ORIGIN; 2];
    /// layout.cells(&[0.0, 120.0], &[0.0, 80.0], &mut cells);
    /// assert_eq!(cells, [hex(0, 0), hex(1, 2)]);
    /// ```
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells(&self, x: &[f32], y: &[f32], cells: &mut [Hex]) {
        self.cells_on(Backend::detect(), x, y, cells);
    }

    /// Works like [`cells`](Self::cells) on the given backend; all backends give the same cells.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_on(&self, backend: Backend, x: &[f32], y: &[f32], cells: &mut [Hex]) {
        planes_to_cells(self.find(), backend, [x, y], cells);
    }

    /// Writes the [`cell`](Self::cell) at each Cartesian position `[x, y]`.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points(&self, points: &[[f32; 2]], cells: &mut [Hex]) {
        self.cells_of_points_on(Backend::detect(), points, cells);
    }

    /// Works like [`cells_of_points`](Self::cells_of_points) on the given backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points_on(&self, backend: Backend, points: &[[f32; 2]], cells: &mut [Hex]) {
        points_to_cells(self.find(), backend, points, cells);
    }

    /// Writes the [`cell`](Self::cell) at each Cartesian position. Input and output have one array
    /// per coordinate.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes(&self, x: &[f32], y: &[f32], q: &mut [i32], r: &mut [i32]) {
        self.cell_planes_on(Backend::detect(), x, y, q, r);
    }

    /// Works like [`cell_planes`](Self::cell_planes) on the given backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes_on(
        &self,
        backend: Backend,
        x: &[f32],
        y: &[f32],
        q: &mut [i32],
        r: &mut [i32],
    ) {
        planes_to_planes(self.find(), backend, [x, y], [q, r]);
    }
}
