//! Affine maps of the plane in oblique coordinates.

use super::coordinate::Float;
use super::{Point, Pose};

/// An affine map of the plane: a 2 × 2 matrix and a translation, both in oblique coordinates (a,
/// b).
///
/// Every affine map of the Cartesian plane has exactly one equivalent in (a, b), including shears,
/// scalings and reflections. For exact integer rotations use [`Rotation`](super::Rotation).
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
    /// The identity map.
    pub const IDENTITY: Self =
        Self { matrix: [[S::ONE, S::ZERO], [S::ZERO, S::ONE]], translation: Point::ORIGIN };

    /// Creates the map that multiplies Cartesian `[x, y]` by a matrix, given row by row, and adds a
    /// translation.
    #[must_use]
    pub fn from_cartesian(matrix: [[S; 2]; 2], translation: [S; 2]) -> Self {
        let to_hex = [[S::SQRT_2_3, S::ZERO], [S::ZERO.sub(S::INVERSE_SQRT_6), S::INVERSE_SQRT_2]];
        let from_hex = [[S::SQRT_3_2, S::ZERO], [S::INVERSE_SQRT_2, S::SQRT_2]];
        Self {
            matrix: product(to_hex, product(matrix, from_hex)),
            translation: Point::from_cartesian(translation),
        }
    }

    /// Creates the map of a pose: from body coordinates to world coordinates.
    #[must_use]
    pub fn from_pose(pose: Pose) -> Self {
        let unit = S::of_i32(1 << 30);
        let [re, im] = pose.angle.rotation().constants().map(|n| S::of_i32(n).div(unit));
        let twice = im.add(im);
        Self {
            matrix: [[re.sub(im), S::ZERO.sub(twice)], [twice, re.add(im)]],
            translation: Point::new(S::of_i32(pose.position.a), S::of_i32(pose.position.b)),
        }
    }

    /// Returns the image of a point.
    #[inline]
    #[must_use]
    pub fn apply(&self, point: Point<S>) -> Point<S> {
        self.apply_linear(point) + self.translation
    }

    /// Returns the image of an offset between two points: the translation is not added.
    #[inline]
    #[must_use]
    pub fn apply_linear(&self, way: Point<S>) -> Point<S> {
        let [[aa, ab], [ba, bb]] = self.matrix;
        Point::new(aa.mul(way.a).add(ab.mul(way.b)), ba.mul(way.a).add(bb.mul(way.b)))
    }

    /// Returns the map that applies this map first and then `next`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self {
            matrix: product(next.matrix, self.matrix),
            translation: next.apply(self.translation),
        }
    }

    /// Returns the inverse map; `None` if the determinant is 0 or a coefficient of the inverse is
    /// not finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let [[aa, ab], [ba, bb]] = self.matrix;
        let determinant = aa.mul(bb).sub(ab.mul(ba));
        if determinant == S::ZERO {
            return None;
        }
        let minus = S::ZERO.sub(determinant);
        let matrix = [[bb.div(determinant), ab.div(minus)], [ba.div(minus), aa.div(determinant)]];
        let linear = Self { matrix, translation: Point::ORIGIN };
        let back = Self { matrix, translation: -linear.apply_linear(self.translation) };
        let Point { a, b } = back.translation;
        let finite = a.is_finite() && b.is_finite();
        (finite && matrix.as_flattened().iter().all(|n| n.is_finite())).then_some(back)
    }
}

/// Multiplies two matrices.
fn product<S: Float>(m: [[S; 2]; 2], n: [[S; 2]; 2]) -> [[S; 2]; 2] {
    let entry = |i: usize, j: usize| m[i][0].mul(n[0][j]).add(m[i][1].mul(n[1][j]));
    [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
}
