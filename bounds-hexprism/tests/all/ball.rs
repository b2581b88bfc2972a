//! Balls against exact arithmetic: integers of 128 bits, and small integers times powers of two.

use bounds_hexprism::{Aabb, Ball, Bounds, InvalidBounds, Scalar};
use proptest::prelude::*;

use crate::numbers::{Numbers, points};

/// Returns whether two balls of integers overlap, computed with 128 bits.
fn exact<const D: usize>(a: ([i32; D], i32), b: ([i32; D], i32)) -> bool {
    let square = |axis: usize| (i128::from(a.0[axis]) - i128::from(b.0[axis])).pow(2);
    (0..D).map(square).sum::<i128>() <= (i128::from(a.1) + i128::from(b.1)).pow(2)
}

/// Any center, and a radius such that the ball is in the range of `i32`.
fn integer_balls<const D: usize>() -> impl Strategy<Value = Ball<i32, D>> {
    (points::<i32, D>(), 0.0..=1.0).prop_map(|(center, part): ([i32; D], f64)| {
        let reach = |x: &i32| x.abs_diff(i32::MIN).min(x.abs_diff(i32::MAX));
        let most = center.iter().map(reach).min().unwrap_or(0);
        Ball::new(center, (f64::from(most) * part) as i32)
    })
}

fn integers_are_exact<const D: usize>() {
    proptest!(ProptestConfig::with_cases(2000), |(
        [a, b] in [integer_balls::<D>(), integer_balls::<D>()],
        by in points::<i32, D>(),
    )| {
        prop_assert_eq!(a.checked(), Ok(a));
        let expected = exact((a.center, a.radius), (b.center, b.radius));
        prop_assert_eq!((a.overlaps(&b), b.overlaps(&a)), (expected, expected));
        prop_assert_eq!(a.aabb(), Aabb::of_ball(a.center, a.radius));
        let moved = a.translated(by);
        let sum = |axis: usize| a.center[axis].checked_add(by[axis]);
        prop_assert_eq!(moved.is_some(), (0..D).all(|axis| sum(axis).is_some()));
        if let Some(moved) = moved {
            prop_assert_eq!((sum(0), moved.radius), (Some(moved.center[0]), a.radius));
        }
    });
}

#[test]
fn balls_of_integers_are_exact() {
    integers_are_exact::<1>();
    integers_are_exact::<3>();
}

#[test]
fn integer_balls_at_the_ends_of_the_range() {
    let (low, high) = (Ball::new([i32::MIN; 3], 0), Ball::new([i32::MAX; 3], 0));
    let [all, half] = [i32::MAX, i32::MAX / 2].map(|radius| Ball::new([0; 3], radius));
    assert!(all.overlaps(&all) && all.overlaps(&half));
    assert!(!low.overlaps(&high) && !all.overlaps(&high));
    assert!(all.overlaps(&Ball::new([i32::MAX, 0, 0], 0)));
    assert!(!all.overlaps(&Ball::new([i32::MAX, 1, 0], 0)));
    // The squares of the distances have more than 64 bits.
    assert!(!Ball::new([i32::MIN; 3], 1).overlaps(&Ball::new([i32::MAX; 3], 1)));
    for (ball, axis) in [(Ball::new([0, i32::MAX - 2], 3), 1), (Ball::new([i32::MIN, 0], 1), 0)] {
        assert_eq!(ball.checked(), Err(InvalidBounds::OutOfRange { axis }));
    }
}

/// Small integers times a power of two: all results are exact, also where squares overflow or
/// underflow. Many of the balls touch.
fn scaled_floats_are_exact<S: Scalar, const D: usize>(powers: core::ops::RangeInclusive<i32>) {
    let ball = || (prop::collection::vec(-9i32..=9, D), 0i32..=9);
    proptest!(ProptestConfig::with_cases(4000), |([a, b] in [ball(), ball()], power in powers)| {
        let [a, b] = [a, b].map(|(center, radius)| -> ([i32; D], i32) {
            (center.try_into().expect("one number for each axis"), radius)
        });
        let scaled = |number: i32| S::from_f64(f64::from(number) * 2f64.powi(power));
        let [one, other] = [a, b].map(|(center, radius)| {
            Ball::<S, D>::new(center.map(scaled), scaled(radius))
        });
        prop_assert_eq!(one.checked(), Ok(one));
        prop_assert_eq!(one.overlaps(&other), exact(a, b), "{:?} {:?}", one, other);
        let bounds = Aabb::of_ball(a.0, a.1);
        prop_assert_eq!(one.aabb(), Aabb::new(bounds.min.map(scaled), bounds.max.map(scaled)));
    });
}

#[test]
fn touching_balls_of_floats_overlap_whatever_their_scale() {
    scaled_floats_are_exact::<f32, 2>(-149..=122);
    scaled_floats_are_exact::<f64, 3>(-1022..=1018);
}

#[test]
fn sums_of_radii_may_overflow() {
    let ball = |x: f32, radius: f32| Ball::new([x * 3e38, x * 3e38], radius * 3e38);
    // The distances are 0.8 √2 and 0.9 √2; the sums of the radii are 1.2 and 1.1.
    assert!(ball(-0.4, 0.6).overlaps(&ball(0.4, 0.6)));
    assert!(!ball(-0.45, 0.55).overlaps(&ball(0.45, 0.55)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Any numbers of moderate size, for which `f64` computes nearly exactly: balls whose distance
    /// differs from the sum of the radii by four float steps are decided right.
    #[test]
    fn balls_of_f32_agree_with_f64(
        centers in prop::array::uniform2([-1e6f32..1e6, -10.0..10.0, -1e-3..1e-3]),
        near in prop::option::of(-1e-5f64..1e-5),
        first in 0f32..1e6,
        second in 0f32..1e6,
    ) {
        let [one, other] = centers.map(|center| center.map(f64::from));
        let square = |axis: usize| (one[axis] - other[axis]).powi(2);
        let distance = (square(0) + square(1) + square(2)).sqrt();
        // Often choose the second radius such that the balls nearly touch.
        let second = near.map_or(second, |near| {
            (((1.0 + near) * distance - f64::from(first)) as f32).max(0.0)
        });
        let (a, b) = (Ball::new(centers[0], first), Ball::new(centers[1], second));
        let sum = f64::from(first) + f64::from(second);
        let steps = 4.0 * f64::from((sum as f32).next_up() - sum as f32);
        if (distance - sum).abs() > steps {
            // The boxes are tested, too, but contain the balls.
            prop_assert_eq!(a.overlaps(&b), distance <= sum, "{} {}", distance, sum);
        }
        prop_assert_eq!(a.overlaps(&b), b.overlaps(&a));
        prop_assert!(!a.overlaps(&b) || a.aabb().overlaps(&b.aabb()));
        prop_assert!(a.overlaps(&a));
    }

    /// Boxes and moved balls contain the exact ball, and are exact if no number is rounded.
    #[test]
    fn boxes_and_moved_balls_contain_the_ball(
        center in [-1e6f32..1e6, -10.0..10.0],
        by in [prop_oneof![-1e6f32..1e6, Just(0.0)], prop_oneof![-10f32..10.0, Just(64.0)]],
        radius in prop_oneof![0f32..1e6, 0f32..1.0],
    ) {
        let ball = Ball::new(center, radius);
        let (bounds, wide) = (ball.aabb(), f64::from(radius));
        for (axis, at) in center.map(f64::from).into_iter().enumerate() {
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            prop_assert!(f64::from(min) <= at - wide && at - wide < f64::from(min.next_up()));
            prop_assert!(f64::from(max.next_down()) < at + wide && at + wide <= f64::from(max));
        }
        let moved = ball.translated(by).expect("small numbers");
        let off = |axis: usize| {
            (f64::from(center[axis]) + f64::from(by[axis]) - f64::from(moved.center[axis])).abs()
        };
        let error = off(0).hypot(off(1));
        prop_assert!(f64::from(moved.radius) >= wide + error);
        prop_assert!(f64::from(moved.radius) <= (wide + off(0) + off(1)) * (1.0 + 1e-6));
        prop_assert!(error > 0.0 || moved.radius == radius);
    }
}

fn check_invalid<S: Numbers>(bad: [S; 3]) {
    let [nan, infinite, huge] = bad;
    let zero = S::ZERO;
    let why = |center: [S; 2], radius: S| Ball::new(center, radius).checked().unwrap_err();
    assert_eq!(why([zero, nan], huge), InvalidBounds::NotANumber { axis: 1 });
    assert_eq!(why([zero, zero], nan), InvalidBounds::NotANumber { axis: 0 });
    assert_eq!(why([zero, infinite], zero), InvalidBounds::Infinite { axis: 1 });
    assert_eq!(why([zero, zero], infinite), InvalidBounds::Infinite { axis: 0 });
    assert_eq!(why([zero, huge], huge), InvalidBounds::Infinite { axis: 1 });
    assert!(!Ball::new([nan, zero], zero).overlaps(&Ball::new([zero; 2], zero)));
    assert_eq!(Ball::new([infinite.minus(infinite); 2], zero).translated([zero; 2]), None);
}

#[test]
fn invalid_balls_are_rejected() {
    check_invalid([f32::NAN, f32::INFINITY, f32::MAX]);
    check_invalid([f64::NAN, f64::INFINITY, f64::MAX]);
    let inverted = Some(InvalidBounds::Inverted { axis: 0 });
    assert_eq!(
        Ball::new([1e9f32, 0.0], -1e-9).checked().err(),
        inverted,
        "negative, but rounded away"
    );
    assert_eq!(Ball::new([0, 0], -1).checked().err(), inverted);
    assert_eq!(Ball::new([0.0, 0.0], f64::NEG_INFINITY).checked().err(), inverted);
    let zeros = Ball::new([-0.0f32, 1.0], -0.0).checked().expect("a point");
    assert_eq!(zeros.center[0].to_bits() | zeros.radius.to_bits(), 0);
}
