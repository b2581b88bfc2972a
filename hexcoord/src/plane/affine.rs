//! Affine maps of the plane in oblique coordinates.

use super::Point;
use super::coordinate::Float;

/// An affine map of the plane: a 2 × 2 matrix and a translation, in coordinates (a, b).
///
/// Every affine map of the Cartesian plane has exactly one equivalent in (a, b). Compose or invert
/// maps before they are converted. For exact integer rotations use [`Rotation`](super::Rotation).
///
/// ```
/// use hexcoord::{Affine, Point};
///
/// // Scale by 2, then move by 10 to the right.
/// let map = Affine::from_cartesian([[2.0, 0.0], [0.0, 2.0]], [10.0, 0.0]);
/// let [x, y] = map.apply(Point::from_cartesian([3.0, 4.0])).to_cartesian();
/// assert!((x - 16.0f64).abs() < 1e-12 && (y - 8.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Affine<S = f32> {
    /// Linear part, row by row; its columns are the images of axis a and axis b.
    pub matrix: [[S; 2]; 2],
    /// Translation, added after the multiplication.
    pub translation: Point<S>,
}

impl<S: Float> Affine<S> {
    /// Creates the map that multiplies Cartesian `[x, y]` by a matrix, row by row, and translates.
    #[must_use]
    pub fn from_cartesian(matrix: [[S; 2]; 2], translation: [S; 2]) -> Self {
        let to_hex = [[S::SQRT_2_3, S::ZERO], [S::ZERO.sub(S::INVERSE_SQRT_6), S::INVERSE_SQRT_2]];
        let from_hex = [[S::SQRT_3_2, S::ZERO], [S::INVERSE_SQRT_2, S::SQRT_2]];
        Self {
            matrix: product(to_hex, product(matrix, from_hex)),
            translation: Point::from_cartesian(translation),
        }
    }

    /// Returns the image of a point.
    #[inline]
    #[must_use]
    pub fn apply(&self, Point { a, b }: Point<S>) -> Point<S> {
        let [[aa, ab], [ba, bb]] = self.matrix;
        Point::new(aa.mul(a).add(ab.mul(b)), ba.mul(a).add(bb.mul(b))) + self.translation
    }
}

/// Multiplies two matrices.
fn product<S: Float>(m: [[S; 2]; 2], n: [[S; 2]; 2]) -> [[S; 2]; 2] {
    let entry = |i: usize, j: usize| m[i][0].mul(n[0][j]).add(m[i][1].mul(n[1][j]));
    [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
}
