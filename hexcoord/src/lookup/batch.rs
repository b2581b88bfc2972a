//! Batch conversion of points to cells with SIMD, from one array per coordinate.

use simd_lanes::Backend;

use super::Grid;
use super::kernel::{BatchLookup, Cartesian, FindCells, FixedPoint};
use crate::hex::Hex;
use crate::plane::Layout;

fn find<F: FindCells>(find: F, backend: Backend, points: [&[F::S]; 2], cells: &mut [Hex]) {
    let len = cells.len();
    assert!(points.iter().all(|axis| axis.len() == len), "slices differ in length");
    backend.dispatch(BatchLookup { find, points, cells });
}

impl Grid {
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
        find(FixedPoint { shift: self.shift() }, backend, [a, b], cells);
    }
}

impl Layout {
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
        let cartesian = Cartesian { origin: self.origin(), matrix: *self.inverse() };
        find(cartesian, backend, [x, y], cells);
    }
}
