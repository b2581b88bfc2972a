//! Counts the boxes that touch each square of a raster.
//!
//! A box adds 1 to the counts of a rectangle of squares. It is stored as four changes at the
//! corners of this rectangle: +1 at the upper left and below the lower right, −1 behind the upper
//! right and below the lower left. Running sums along rows and columns turn the changes into
//! counts. The cost is constant per box, whatever its size, plus one addition per square and axis.

/// The number of boxes that touch each square of a raster.
#[derive(Clone, Debug)]
pub struct Density {
    corner: [u32; 2],
    squares: [usize; 2],
    side: u32,
    /// The changes of the counts, row by row; with one column and one row more than there are
    /// squares, for changes behind the last ones.
    changes: Vec<i32>,
}

impl Density {
    /// Creates a raster with its upper left corner in pixels, the number of columns and rows, and
    /// the side of its squares in pixels.
    pub fn new(corner: [u32; 2], squares: [usize; 2], side: u32) -> Self {
        let changes = vec![0; (squares[0] + 1) * (squares[1] + 1)];
        Self { corner, squares, side, changes }
    }

    /// Adds a box, given its upper left and lower right corners in pixels. Parts outside of the
    /// raster are ignored.
    pub fn add(&mut self, top_left: [f32; 2], bottom_right: [f32; 2]) {
        let range = |axis: usize| {
            let square = |x: f32| ((x - self.corner[axis] as f32) / self.side as f32).floor();
            let (first, last) = (square(top_left[axis]), square(bottom_right[axis]));
            let count = self.squares[axis];
            // The conversion from `f32` to `usize` saturates, so a negative `first` becomes 0.
            let inside = first < count as f32 && last >= 0.0;
            inside.then(|| [first as usize, (last as usize).min(count - 1) + 1])
        };
        let (Some([left, right]), Some([top, bottom])) = (range(0), range(1)) else { return };
        let width = self.squares[0] + 1;
        for (row, change) in [(top, 1), (bottom, -1)] {
            self.changes[row * width + left] += change;
            self.changes[row * width + right] -= change;
        }
    }

    /// Returns the counts row by row from the top.
    pub fn counts(&self) -> Vec<u32> {
        let [columns, rows] = self.squares;
        let mut above = vec![0; columns + 1];
        let mut counts = Vec::with_capacity(columns * rows);
        for changes in self.changes.chunks(columns + 1).take(rows) {
            let mut sum = 0;
            for (above, change) in above.iter_mut().zip(changes).take(columns) {
                *above += change;
                sum += *above;
                counts.push(u32::try_from(sum).unwrap_or(0));
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_each_square() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as f32 / 65536.0 * 90.0 - 15.0
        };
        let (corner, squares, side) = ([3, 5], [7, 5], 8);
        let mut density = Density::new(corner, squares, side);
        let mut expected = vec![0; 35];
        for _ in 0..200 {
            let ([a, b, c, d], limit) = ([random(), random(), random(), random()], 1e30);
            let (min, mut max) = ([a.min(b), c.min(d)], [a.max(b), c.max(d)]);
            if a > 70.0 {
                max = [limit; 2];
            }
            density.add(min, max);
            for (index, count) in expected.iter_mut().enumerate() {
                let at = [index % 7, index / 7];
                *count += u32::from((0..2).all(|axis| {
                    let low = (corner[axis] + at[axis] as u32 * side) as f32;
                    min[axis] < low + side as f32 && max[axis] >= low
                }));
            }
        }
        assert_eq!(density.counts(), expected);
        assert!(expected.iter().all(|&count| count > 0));
    }
}
