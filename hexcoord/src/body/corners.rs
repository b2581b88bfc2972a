//! The positions of the corners of cells, for drawing.
//!
//! The offset from a center to a corner is a third of a diagonal: three times a corner has integer
//! body coordinates, which are rotated exactly. Only the conversion to floats rounds, and the three
//! cells of a corner give the same integers, so drawings have no gaps.

use super::HexBody;
use crate::hex::Hex;
use crate::plane::{Float, Point, Pose, ROTATION_FRACTION};

impl HexBody {
    /// Returns the six corners of a cell of the body at a pose, in cell units of the body's grid.
    /// The first is between the neighbors E and SE; the order goes from axis a towards axis b.
    ///
    /// The cell need not be in the body. Cells that share a corner return equal bits for it.
    /// Results do not wrap: a cell that crosses an end of `i32` is drawn beyond that end.
    ///
    /// ```
    /// use hexcoord::{Angle, HexBody, Layout, Orientation, Point, Pose, hex};
    ///
    /// let body: HexBody = hex(0, 0).range(1).collect();
    /// let pose = Pose::new(Point::new(512, 0), Angle::HALF);
    /// let layout = Layout::new(Orientation::Pointy, 10.0);
    /// for cell in body.cells() {
    ///     let _polygon = body.cell_corners(pose, cell).map(|corner| layout.position(corner));
    /// }
    /// // Turned by 180°, the first corner points to the opposite side.
    /// let [first, ..] = body.cell_corners::<f64>(pose, hex(0, 0));
    /// assert!((first.a - 2.0 / 3.0).abs() < 1e-9 && (first.b + 1.0 / 3.0).abs() < 1e-9);
    /// ```
    #[must_use]
    pub fn cell_corners<S: Float>(&self, pose: Pose, cell: Hex) -> [Point<S>; 6] {
        let [re, im] = pose.angle.rotation().constants().map(i128::from);
        // Convert from thirds of 2^-30 units to cell units.
        let scale = 3.0 * f64::from(self.grid.cell_size()) * f64::from(1 << ROTATION_FRACTION);
        let place = |position: i32, rotated: i128| {
            let thirds = (3 * i128::from(position)) << ROTATION_FRACTION;
            S::from_f64((thirds + rotated) as f64 / scale)
        };
        cell.corners().map(|corner| {
            let [cell, ..] = corner.cells();
            let diagonal = corner.diagonal().to_hex();
            let third = |h: i32, d: i32| (3 * i128::from(h) + i128::from(d)) << self.grid.shift();
            let (a, b) = (third(cell.q, diagonal.q), third(cell.r, diagonal.r));
            let rotated = [(re - im) * a - 2 * im * b, 2 * im * a + (re + im) * b];
            Point::new(place(pose.position.a, rotated[0]), place(pose.position.b, rotated[1]))
        })
    }
}
