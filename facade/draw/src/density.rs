//! Counts boxes per square of a raster.
//!
//! Each box adds 1 at its first square and subtracts 1 after its last square on both axes; two
//! running sums yield the counts. So the cost is one operation per box, whatever its size, and one
//! per square.

/// The number of boxes that touch each square of a raster.
///
/// ```
/// use hexphase_draw::Density;
///
/// let mut density = Density::new([0, 0], [3, 2], 10);
/// density.add([2.0, 2.0], [12.0, 4.0]); // two squares of the upper row
/// density.add([15.0, 5.0], [16.0, 19.0]); // the middle squares of both rows
/// density.add([90.0, 0.0], [99.0, 5.0]); // outside
/// assert_eq!(density.counts(), [1, 2, 0, 0, 1, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct Density {
    corner: [u32; 2],
    squares: [usize; 2],
    side: u32,
    /// The changes of the count; one column and one row more than squares.
    changes: Vec<i32>,
}

impl Density {
    /// Creates a raster with its upper left corner in pixels, the number of columns and rows, and
    /// the side of its squares in pixels.
    #[must_use]
    pub fn new(corner: [u32; 2], squares: [usize; 2], side: u32) -> Self {
        let changes = vec![0; (squares[0] + 1) * (squares[1] + 1)];
        Self { corner, squares, side, changes }
    }

    /// Counts a box from the upper left to the lower right corner in pixels. Parts outside of the
    /// raster are ignored.
    pub fn add(&mut self, top_left: [f32; 2], bottom_right: [f32; 2]) {
        let range = |axis: usize| {
            let square = |x: f32| ((x - self.corner[axis] as f32) / self.side as f32).floor();
            let (first, last) = (square(top_left[axis]), square(bottom_right[axis]));
            let count = self.squares[axis];
            // A float is converted to the nearest integer of the range.
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
    #[must_use]
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
