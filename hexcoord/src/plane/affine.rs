//! Affine maps of the plane in oblique coordinates.

use super::{Point, Pose, cartesian};

/// An affine map of the plane: a 2 × 2 matrix and a translation, both in (a, b).
///
/// Any affine map of the Cartesian plane has exactly one that does the same here: shears, scales
/// and mirrors included. For exact integer rotations there is [`Rotation`](super::Rotation).
///
/// ```
/// use hexcoord::{Affine, Point};
///
/// // Twice as large, then 10 to the right.
/// let map = Affine::from_cartesian([[2.0, 0.0], [0.0, 2.0]], [10.0, 0.0]);
/// let [x, y] = map.apply(Point::<f64>::from_cartesian([3.0, 4.0])).to_cartesian();
/// assert!((x - 16.0).abs() < 1e-12 && (y - 8.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine<S = f32> {
    /// What to multiply with, row by row: the images of axis a and axis b are its columns.
    pub matrix: [[S; 2]; 2],
    /// What to add afterwards.
    pub translation: Point<S>,
}

macro_rules! float {
    ($S:ident $module:ident) => {
        impl Affine<$S> {
            /// The map that moves nothing.
            pub const IDENTITY: Self =
                Self { matrix: [[1.0, 0.0], [0.0, 1.0]], translation: Point::new(0.0, 0.0) };

            /// The map with the same effect as multiplying Cartesian `[x, y]` with a matrix, given
            /// row by row, and adding a translation.
            #[must_use]
            pub fn from_cartesian(matrix: [[$S; 2]; 2], translation: [$S; 2]) -> Self {
                use cartesian::$module::{
                    INVERSE_SQRT_2, INVERSE_SQRT_6, SQRT_2, SQRT_2_3, SQRT_3_2,
                };
                let to_hex = [[SQRT_2_3, 0.0], [-INVERSE_SQRT_6, INVERSE_SQRT_2]];
                let from_hex = [[SQRT_3_2, 0.0], [INVERSE_SQRT_2, SQRT_2]];
                Self {
                    matrix: product(to_hex, product(matrix, from_hex)),
                    translation: Point::<$S>::from_cartesian(translation),
                }
            }

            /// The map of a pose: from the coordinates of a body to those of the world.
            #[must_use]
            pub fn from_pose(pose: Pose) -> Self {
                let unit = 1.0 / (1 << 30) as $S;
                let [re, im] = pose.angle.rotation().constants().map(|n| n as $S * unit);
                Self {
                    matrix: [[re - im, -2.0 * im], [2.0 * im, re + im]],
                    translation: Point::new(pose.position.a as $S, pose.position.b as $S),
                }
            }

            /// Where the map takes a point.
            #[inline]
            #[must_use]
            pub fn apply(&self, point: Point<$S>) -> Point<$S> {
                self.apply_linear(point) + self.translation
            }

            /// Where the map takes the way between two points: the translation left out.
            #[inline]
            #[must_use]
            pub fn apply_linear(&self, way: Point<$S>) -> Point<$S> {
                let [[aa, ab], [ba, bb]] = self.matrix;
                Point::new(aa * way.a + ab * way.b, ba * way.a + bb * way.b)
            }

            /// This map, then another one.
            #[must_use]
            pub fn then(&self, next: &Self) -> Self {
                Self {
                    matrix: product(next.matrix, self.matrix),
                    translation: next.apply(self.translation),
                }
            }

            /// The map back; `None` if the plane was flattened, or a number is not finite.
            #[must_use]
            pub fn inverse(&self) -> Option<Self> {
                let [[aa, ab], [ba, bb]] = self.matrix;
                let determinant = aa * bb - ab * ba;
                if !(determinant.is_finite() && determinant != 0.0) {
                    return None;
                }
                let inverse = 1.0 / determinant;
                let matrix = [[bb * inverse, -ab * inverse], [-ba * inverse, aa * inverse]];
                let linear = Self { matrix, translation: Point::new(0.0, 0.0) };
                let translation = -linear.apply(self.translation);
                let finite = matrix.as_flattened().iter().all(|n| n.is_finite());
                (finite && translation.a.is_finite() && translation.b.is_finite())
                    .then_some(Self { matrix, translation })
            }
        }

        impl Product for $S {
            fn product(m: [[Self; 2]; 2], n: [[Self; 2]; 2]) -> [[Self; 2]; 2] {
                let entry = |i: usize, j: usize| m[i][0] * n[0][j] + m[i][1] * n[1][j];
                [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
            }
        }
    };
}

/// Numbers whose matrices multiply.
trait Product: Sized {
    fn product(m: [[Self; 2]; 2], n: [[Self; 2]; 2]) -> [[Self; 2]; 2];
}

fn product<S: Product>(m: [[S; 2]; 2], n: [[S; 2]; 2]) -> [[S; 2]; 2] {
    S::product(m, n)
}

float!(f32 single);
float!(f64 double);
