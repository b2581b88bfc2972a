//! Volumes tighter than their boxes: hexagons and discs.

use hexphase::{Aabb, Ball, Hexagon};
use laws::numbers::Numbers;
use proptest::prelude::*;

use crate::laws::volume::{Volume, lattice};

impl Volume<i32, 2> for Hexagon<i32> {
    fn some() -> BoxedStrategy<Self> {
        let hostile = [i32::hostile(), i32::hostile()];
        let corner = prop_oneof![20 => lattice::<i32, 2>(), 1 => hostile];
        let spread = prop::collection::vec([-4i32..=4, -4i32..=4], 0..3);
        // Coordinates too large for a hexagon are replaced by an invalid volume.
        (corner, spread)
            .prop_map(|(corner, spread)| {
                let others = spread
                    .into_iter()
                    .map(|[x, y]| [corner[0].saturating_add(x), corner[1].saturating_add(y)]);
                Self::of_points(others.chain([corner])).unwrap_or(Self::EMPTY)
            })
            .boxed()
    }
    fn wrong() -> BoxedStrategy<Self> {
        let limits = || [-9i32..9, -9i32..9, -9i32..9];
        (limits(), limits(), 0..3usize)
            .prop_map(|(up, mut down, axis)| {
                down[axis] = up[axis] - 1;
                let ([min_a, min_b, min_c], [max_a, max_b, max_c]) = (up, down);
                let up = hexphase::bounds::UpTriangle { min_a, min_b, min_c };
                Self::new(up, hexphase::bounds::DownTriangle { max_a, max_b, max_c })
            })
            .boxed()
    }
    fn stored(self, _: Aabb<i32, 2>) -> Self {
        self
    }
    fn touches(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    fn moved(&self, by: [i32; 2]) -> Self {
        self.translated(by).unwrap_or(*self)
    }
}

impl Volume<f32, 2> for Ball {
    fn some() -> BoxedStrategy<Self> {
        let hostile = [f32::hostile(), f32::hostile()];
        let center = prop_oneof![20 => lattice::<f32, 2>(), 1 => hostile];
        let radius =
            prop_oneof![40 => (0u8..5).prop_map(|n| f32::from(n) * 0.5), 1 => f32::hostile()];
        (center, radius).prop_map(|(center, radius)| Self { center, radius }).boxed()
    }
    fn wrong() -> BoxedStrategy<Self> {
        let radius = [-1.0, f32::NAN, f32::INFINITY];
        (lattice::<f32, 2>(), prop::sample::select(radius.to_vec()))
            .prop_map(|(center, radius)| Self { center, radius })
            .boxed()
    }
    fn stored(self, _: Aabb) -> Self {
        self
    }
    fn touches(&self, other: &Self) -> bool {
        self.overlaps(other)
    }
    fn moved(&self, by: [f32; 2]) -> Self {
        self.translated(by).unwrap_or(*self)
    }
}
