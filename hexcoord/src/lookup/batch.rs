//! Many points to their cells in one call.
//!
//! Three shapes each for fixed-point, float and Cartesian coordinates: a plane for each coordinate
//! to cells; points, whose coordinates lie side by side, to cells; and planes to planes. The
//! backend is entered once a call.

use simd_lanes::Backend;

use super::Grid;
use super::buffer::{CellPlanes, Pair, Pairs, Planes, Source};
use super::kernel::{Cartesian, Find, Fixed, Lookup, Unit};
use crate::hex::Hex;
use crate::plane::{Layout, Point};

fn planes_to_cells<F: Find>(find: F, backend: Backend, [a, b]: [&[F::S]; 2], cells: &mut [Hex]) {
    assert!(a.len() == b.len() && a.len() == cells.len(), "slices differ in length");
    backend.dispatch(Lookup { find, points: Planes(a, b), cells });
}

fn points_to_cells<F: Find, P: Pair<S = F::S>>(
    find: F,
    backend: Backend,
    points: &[P],
    cells: &mut [Hex],
) {
    assert!(points.len() == cells.len(), "slices differ in length");
    backend.dispatch(Lookup { find, points: Pairs(points), cells });
}

fn planes_to_planes<F: Find>(
    find: F,
    backend: Backend,
    [a, b]: [&[F::S]; 2],
    [q, r]: [&mut [i32]; 2],
) {
    let points = Planes(a, b);
    let len = points.len();
    assert!(len == b.len() && len == q.len() && len == r.len(), "slices differ in length");
    backend.dispatch(Lookup { find, points, cells: CellPlanes(q, r) });
}

impl Grid {
    const fn find(self) -> Fixed {
        Fixed { shift: self.shift() }
    }

    /// The cells of many points, a plane for each coordinate: [`cell`](Self::cell) of each.
    ///
    /// Runs at memory speed on the fastest backend there is; see
    /// [`cells_on`](Self::cells_on) to choose one.
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

    /// [`cells`](Self::cells) on a backend; all give the same cells.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_on(self, backend: Backend, a: &[i32], b: &[i32], cells: &mut [Hex]) {
        planes_to_cells(self.find(), backend, [a, b], cells);
    }

    /// The cells of many points.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points(self, points: &[Point], cells: &mut [Hex]) {
        self.cells_of_points_on(Backend::detect(), points, cells);
    }

    /// [`cells_of_points`](Self::cells_of_points) on a backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points_on(self, backend: Backend, points: &[Point], cells: &mut [Hex]) {
        points_to_cells(self.find(), backend, points, cells);
    }

    /// The cells of many points, planes in and planes out.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes(self, a: &[i32], b: &[i32], q: &mut [i32], r: &mut [i32]) {
        self.cell_planes_on(Backend::detect(), a, b, q, r);
    }

    /// [`cell_planes`](Self::cell_planes) on a backend.
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

/// Many points in units of cells.
impl Point<f32> {
    /// The cells of many points in units of cells, a plane for each coordinate:
    /// [`cell`](Self::cell) of each.
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

    /// [`cells`](Self::cells) on a backend; all give the same cells.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_on(backend: Backend, a: &[f32], b: &[f32], cells: &mut [Hex]) {
        planes_to_cells(Unit, backend, [a, b], cells);
    }

    /// The cells of many points in units of cells.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points(points: &[Self], cells: &mut [Hex]) {
        Self::cells_of_points_on(Backend::detect(), points, cells);
    }

    /// [`cells_of_points`](Self::cells_of_points) on a backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points_on(backend: Backend, points: &[Self], cells: &mut [Hex]) {
        points_to_cells(Unit, backend, points, cells);
    }

    /// The cells of many points in units of cells, planes in and planes out.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes(a: &[f32], b: &[f32], q: &mut [i32], r: &mut [i32]) {
        Self::cell_planes_on(Backend::detect(), a, b, q, r);
    }

    /// [`cell_planes`](Self::cell_planes) on a backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes_on(backend: Backend, a: &[f32], b: &[f32], q: &mut [i32], r: &mut [i32]) {
        planes_to_planes(Unit, backend, [a, b], [q, r]);
    }
}

impl Layout {
    fn find(&self) -> Cartesian {
        Cartesian { origin: self.origin(), matrix: *self.inverse() }
    }

    /// The cells of many Cartesian points, a plane for each coordinate: [`cell`](Self::cell) of
    /// each, conversion and lookup in one pass.
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

    /// [`cells`](Self::cells) on a backend; all give the same cells.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_on(&self, backend: Backend, x: &[f32], y: &[f32], cells: &mut [Hex]) {
        planes_to_cells(self.find(), backend, [x, y], cells);
    }

    /// The cells of many Cartesian points, x and y side by side.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points(&self, points: &[[f32; 2]], cells: &mut [Hex]) {
        self.cells_of_points_on(Backend::detect(), points, cells);
    }

    /// [`cells_of_points`](Self::cells_of_points) on a backend.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cells_of_points_on(&self, backend: Backend, points: &[[f32; 2]], cells: &mut [Hex]) {
        points_to_cells(self.find(), backend, points, cells);
    }

    /// The cells of many Cartesian points, planes in and planes out.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn cell_planes(&self, x: &[f32], y: &[f32], q: &mut [i32], r: &mut [i32]) {
        self.cell_planes_on(Backend::detect(), x, y, q, r);
    }

    /// [`cell_planes`](Self::cell_planes) on a backend.
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
