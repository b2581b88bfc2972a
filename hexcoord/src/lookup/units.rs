//! Conversion of points between units and cell units.

use super::Grid;
use crate::plane::{Float, Point};

impl Grid {
    /// Converts a fixed-point point to cell units, rounded once to the float type.
    ///
    /// With a [`Layout`](crate::Layout), which converts cell units to pixels, this maps fixed-point
    /// points to pixels and back:
    ///
    /// ```
    /// use hexcoord::{Grid, Layout, Orientation, Point};
    ///
    /// let (grid, layout) = (Grid::new(9), Layout::new(Orientation::Pointy, 20.0));
    /// let point = Point::new(512, -256);
    /// assert_eq!(grid.to_cell_units(point), Point::new(1.0, -0.5));
    /// let pixel = layout.position(grid.to_cell_units(point));
    /// assert_eq!(grid.to_units(layout.point(pixel)), point);
    /// ```
    #[must_use]
    pub fn to_cell_units<S: Float>(self, point: Point) -> Point<S> {
        let size = f64::from(self.cell_size());
        Point::new(S::from_f64(f64::from(point.a) / size), S::from_f64(f64::from(point.b) / size))
    }

    /// Converts a point in cell units to the nearest fixed-point point; halves are rounded upwards.
    ///
    /// Exact for every float. Coordinates beyond `i32` saturate, NaN gives 0. With 24 significant
    /// bits, an `f32` up to 2^24 units from the origin, with cells of 2^9 units, survives
    /// conversion to cell units and back.
    ///
    /// ```
    /// use hexcoord::{Grid, Point};
    ///
    /// assert_eq!(Grid::new(2).to_units(Point::new(1.25f32, -0.125)), Point::new(5, 0));
    /// ```
    #[must_use]
    pub fn to_units<S: Float>(self, point: Point<S>) -> Point {
        let size = f64::from(self.cell_size());
        Point::new(nearest(point.a.to_f64() * size), nearest(point.b.to_f64() * size))
    }
}

/// Returns the nearest integer, halves rounded upwards; saturates, and returns 0 for NaN.
fn nearest(x: f64) -> i32 {
    // The cast rounds towards zero, and the subtraction is exact.
    let whole = x as i64;
    let fraction = x - whole as f64;
    let step = if fraction >= 0.5 { 1 } else { -i64::from(fraction < -0.5) };
    whole.saturating_add(step).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}
