//! The volumes of the hexprism suite: the library's own and others, all in the same batches.

use bounds_hexprism::{Aabb, Batched, HexPrism, InvalidBounds, Keys, Slabs, SplitPrism};

/// A volume that encloses points.
pub(crate) trait Bounding: Batched + PartialEq + 'static {
    fn bounding(points: &[[f32; 3]; 50]) -> Self;
}

impl Bounding for Aabb<f32, 3> {
    fn bounding(points: &[[f32; 3]; 50]) -> Self {
        Self::of_points(*points).expect("points without NaN")
    }
}

impl Bounding for HexPrism {
    fn bounding(points: &[[f32; 3]; 50]) -> Self {
        Self::of_points(*points).expect("finite points")
    }
}

impl Bounding for SplitPrism {
    fn bounding(points: &[[f32; 3]; 50]) -> Self {
        HexPrism::bounding(points).into()
    }
}

/// Defines a volume by its slabs and the numbers of lower and upper ends that are read first.
macro_rules! slabs {
    ($(#[$doc:meta])* $name:ident, $axes:literal, $lower:literal, $upper:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) struct $name(Slabs<4>);

        impl Batched for $name {
            const AXES: usize = $axes;
            const LOWER: usize = $lower;
            const UPPER: usize = $upper;
            const EXACT: bool = true;

            fn checked(self) -> Result<Self, InvalidBounds> {
                Ok(self)
            }
            fn normalized(self) -> Option<Self> {
                Some(self)
            }
            fn slabs(&self) -> Slabs<4> {
                self.0
            }
            fn of_slabs(slabs: &Slabs<4>) -> Self {
                Self(*slabs)
            }
            fn overlaps(&self, other: &Self) -> bool {
                self.0.overlaps(&other.0)
            }
        }
    };
}

slabs! {
    /// A box. The two values of its x axis are tested first.
    BoxByX, 3, 1, 1
}
slabs! {
    /// A box with an additional slab of −(x + y + z), which follows from the box. The four values
    /// tested first form a tetrahedron.
    SevenSided, 4, 0, 4
}
slabs! {
    /// An octahedron: slabs of x, y, z and −(x + y + z). The four values tested first form a
    /// tetrahedron.
    Octahedron, 4, 0, 4
}

impl Bounding for BoxByX {
    fn bounding(points: &[[f32; 3]; 50]) -> Self {
        Self(Batched::slabs(&<Aabb<f32, 3> as Bounding>::bounding(points)))
    }
}

impl Bounding for SevenSided {
    fn bounding(points: &[[f32; 3]; 50]) -> Self {
        let bounds = Aabb::<f32, 3>::of_points(*points).expect("points without NaN");
        let [low, high] = [bounds.max, bounds.min].map(minus_sum);
        Self(with_fourth(&bounds, low[0], high[1]))
    }
}

impl Bounding for Octahedron {
    fn bounding(points: &[[f32; 3]; 50]) -> Self {
        let bounds = Aabb::<f32, 3>::of_points(*points).expect("points without NaN");
        let sums = points.map(minus_sum);
        let low = sums.iter().map(|sum| sum[0]).fold(f32::MAX, f32::min);
        let high = sums.iter().map(|sum| sum[1]).fold(f32::MIN, f32::max);
        Self(with_fourth(&bounds, low, high))
    }
}

/// Returns −(x + y + z), rounded down and up.
fn minus_sum(point: [f32; 3]) -> [f32; 2] {
    // The f64 sum of three floats of similar magnitude is exact.
    let sum = -point.iter().map(|&x| f64::from(x)).sum::<f64>();
    let nearest = sum as f32;
    let (low, high) = (f64::from(nearest) > sum, f64::from(nearest) < sum);
    [
        if low { nearest.next_down() } else { nearest } + 0.0,
        if high { nearest.next_up() } else { nearest } + 0.0,
    ]
}

fn with_fourth(bounds: &Aabb<f32, 3>, low: f32, high: f32) -> Slabs<4> {
    let mut slabs = Batched::slabs(bounds);
    (slabs.min[3], slabs.max[3]) = (low.key_below(), high.key_above());
    slabs
}
