//! Regions and paths against independent definitions.

use broadphase_core::{Aabb, Path, Region, Target};
use proptest::prelude::*;

use super::contact::{corners, expected};

type Point = [i32; 2];

fn number() -> BoxedStrategy<i32> {
    prop_oneof![8 => -12..12, 1 => any::<i32>(), 1 => Just(i32::MIN), 1 => Just(i32::MAX)].boxed()
}

fn point() -> BoxedStrategy<Point> {
    (number(), number()).prop_map(<[i32; 2]>::from).boxed()
}

fn area() -> BoxedStrategy<Aabb<i32, 2>> {
    (point(), point()).prop_map(|(a, b)| Aabb::of_points([a, b]).expect("two points")).boxed()
}

/// Returns the fraction at which a box that moves by `way` first touches another box.
fn first_touch(start: &Aabb<i32, 2>, way: [i128; 2], other: &Aabb<i32, 2>) -> Option<f64> {
    let begin = corners(start);
    let end = begin.map(|at| [at[0] + way[0], at[1] + way[1]]);
    expected([begin, end], [corners(other); 2])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4000, ..Default::default() })]

    #[test]
    fn integer_paths_are_exact(start in area(), by in point(), other in area()) {
        let way = [0, 1].map(|axis| i128::from(by[axis]) - i128::from(start.max[axis]));
        let expected = first_touch(&Aabb::point(start.max), way, &other);
        prop_assert_eq!(Path::segment(start.max, by).first_touch(&other), expected);
        let expected = first_touch(&start, by.map(i128::from), &other);
        prop_assert_eq!(Path::sweep(start, by).first_touch(&other), expected);
        // A ray moves as the segment does, but without end.
        let ray = Path::ray(start.min, by);
        let alone = first_touch(&Aabb::point(start.min), by.map(i128::from), &other);
        prop_assert_eq!(ray.until(1.0).first_touch(&other), alone);
    }

    #[test]
    fn small_floats_agree_with_integers(
        from in [-12i8..12, -12..12], to in [-12i8..12, -12..12], min in [-12i8..12, -12..12],
        size in [0i8..6, 0..6],
    ) {
        let max = [0, 1].map(|axis| min[axis] + size[axis]);
        let exact = Path::segment(from.map(i32::from), to.map(i32::from))
            .first_touch(&Aabb::new(min.map(i32::from), max.map(i32::from)));
        let single = Path::segment(from.map(f32::from), to.map(f32::from))
            .first_touch(&Aabb::new(min.map(f32::from), max.map(f32::from)));
        let double = Path::segment(from.map(f64::from), to.map(f64::from))
            .first_touch(&Aabb::new(min.map(f64::from), max.map(f64::from)));
        prop_assert_eq!(double, exact);
        prop_assert_eq!(single, exact.map(|fraction| fraction as f32));
    }

    #[test]
    fn integer_balls_are_exact(center in point(), radius in 0..=i32::MAX, other in area()) {
        for radius in [radius, radius % 20] {
            let gap = |axis: usize| {
                let nearest = center[axis].clamp(other.min[axis], other.max[axis]);
                i128::from(center[axis]) - i128::from(nearest)
            };
            let square = gap(0).pow(2) + gap(1).pow(2);
            let expected = square <= i128::from(radius).pow(2);
            prop_assert_eq!(Region::ball(center, radius).overlaps(&other), expected);
            let target = Target::from(center);
            prop_assert_eq!(target.distance_squared(&other), Some(square as f64));
            let within = target.within(radius).distance_squared(&other);
            prop_assert_eq!(within.is_some(), expected);
        }
    }

    #[test]
    fn reach_overlaps_everything_the_region_overlaps(
        center in [any::<f32>(), any::<f32>()], radius in any::<f32>(), gap in -4i8..4,
        side in any::<bool>(),
    ) {
        let Some(ball) = Region::ball(center, radius).normalized() else { return Ok(()) };
        let reach = ball.reach();
        prop_assert!(reach.overlaps(&Aabb::point(center)));
        // Move a few representable numbers to either side of the region's end.
        let mut at = center;
        at[0] = if side { center[0] + radius } else { center[0] - radius };
        for _ in 0..gap.unsigned_abs() {
            at[0] = if gap > 0 { at[0].next_up() } else { at[0].next_down() };
        }
        let other = Aabb::point(at);
        if other.checked().is_ok() && ball.overlaps(&other) {
            prop_assert!(reach.overlaps(&other), "{ball:?} {other:?}");
        }
    }
}

#[test]
fn long_and_tiny_paths_are_correct() {
    let everything = Aabb::new([f32::MIN; 2], [f32::MAX; 2]);
    let corner = Aabb::point([f32::MAX; 2]);
    let diagonal = Path::segment([f32::MIN; 2], [f32::MAX; 2]);
    assert_eq!(diagonal.first_touch(&everything), Some(0.0));
    assert_eq!(diagonal.first_touch(&corner), Some(1.0));
    assert_eq!(diagonal.first_touch(&Aabb::point([0.0; 2])), Some(0.5));
    assert_eq!(Path::sweep(everything, [f32::MAX; 2]).first_touch(&corner), Some(0.0));
    // A segment of denormal length.
    let tiny = Path::segment([0.0_f32, 0.0], [4e-45, 0.0]);
    assert_eq!(tiny.first_touch(&Aabb::point([2e-45, 0.0])), Some(1.0 / 3.0));
    assert_eq!(tiny.first_touch(&Aabb::point([2e-45, 1e-45])), None);
    // Borders and corners count in every direction.
    let unit = Aabb::new([0.0, 0.0], [1.0, 1.0]);
    assert_eq!(Path::ray([-2.0, 1.0], [1.0, 0.0]).first_touch(&unit), Some(2.0));
    assert_eq!(Path::ray([3.0, -2.0], [-1.0, 1.0]).first_touch(&unit), Some(2.0));
    assert_eq!(Path::ray([-1.0, 1.0], [0.5, 0.5]).first_touch(&unit), None);
    assert_eq!(Path::ray([-1.0, 0.0], [0.5, 0.5]).first_touch(&unit), Some(2.0));
    assert_eq!(Path::ray([-2.0, 0.5], [-1.0, 0.0]).first_touch(&unit), None, "the box is behind");
}
