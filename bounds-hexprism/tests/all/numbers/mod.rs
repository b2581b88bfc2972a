//! Random numbers and volumes for property tests.

use bounds_hexprism::{Aabb, Axes, HexPrism, Hexagon, Scalar};
use proptest::prelude::*;

/// A number type with a strategy: small numbers (their volumes often touch), all numbers, and the
/// ends of the range.
pub(crate) trait Numbers: Scalar {
    fn numbers() -> BoxedStrategy<Self>;
}

impl Numbers for i32 {
    fn numbers() -> BoxedStrategy<Self> {
        prop_oneof![-4..4, any::<Self>(), Just(Self::MIN), Just(Self::MAX)].boxed()
    }
}

impl Numbers for f32 {
    fn numbers() -> BoxedStrategy<Self> {
        let small = (-4i8..4).prop_map(Self::from);
        let any = any::<u32>().prop_map(Self::from_bits).prop_filter("finite", |x| x.is_finite());
        let extreme = prop::sample::select(vec![Self::MIN, Self::MAX, -0.0, 1e-45, -1e-45]);
        prop_oneof![small, any, extreme].boxed()
    }
}

impl Numbers for f64 {
    fn numbers() -> BoxedStrategy<Self> {
        let small = (-4i8..4).prop_map(Self::from);
        let any = any::<u64>().prop_map(Self::from_bits).prop_filter("finite", |x| x.is_finite());
        let extreme = prop::sample::select(vec![Self::MIN, Self::MAX, -0.0, 5e-324, 1.0 + 1e-16]);
        prop_oneof![small, any, f32::numbers().prop_map(Self::from), extreme].boxed()
    }
}

pub(crate) fn points<S: Numbers, const D: usize>() -> impl Strategy<Value = [S; D]> {
    prop::collection::vec(S::numbers(), D)
        .prop_map(|numbers| core::array::from_fn(|axis| numbers[axis].canonical()))
}

pub(crate) fn boxes<S: Numbers, const D: usize>() -> impl Strategy<Value = Aabb<S, D>> {
    (points::<S, D>(), points::<S, D>())
        .prop_map(|(a, b)| Aabb::point(a).union(&Aabb::point(b)).checked().expect("finite"))
}

/// Returns one to three points whose forms are in range.
pub(crate) fn few_points<S: Numbers, A: Axes, const D: usize>() -> impl Strategy<Value = Vec<[S; D]>>
{
    prop::collection::vec(points::<S, D>(), 1..4).prop_filter("forms in range", |points| {
        Hexagon::<S, A>::of_points(points.iter().map(|point| [point[0], point[1]])).is_ok()
    })
}

/// Returns tight hexagons around points, and hexagons with arbitrary ordered limits.
pub(crate) fn hexagons<S: Numbers, A: Axes>() -> impl Strategy<Value = Hexagon<S, A>> {
    let tight = few_points::<S, A, 2>().prop_map(|points| Hexagon::of_points(points).expect("ok"));
    let any = boxes::<S, 3>().prop_map(|intervals| Hexagon::new(intervals.min, intervals.max));
    prop_oneof![tight, any]
}

pub(crate) fn prisms<S: Numbers, A: Axes>() -> impl Strategy<Value = HexPrism<S, A>> {
    (hexagons(), boxes::<S, 1>())
        .prop_map(|(hexagon, z)| HexPrism { hexagon, z: [z.min[0], z.max[0]].into() })
}

pub(crate) fn everything<S: Scalar, A: Axes>() -> HexPrism<S, A> {
    HexPrism::new([S::MIN; 3], [S::MAX; 3], [S::MIN, S::MAX])
}
