//! Tests segments and rays against prisms; the oracle computes exact fractions in integers.

use crate::numbers::{Numbers, few_points, points, prisms};
use bounds_hexprism::{Axes, Elegant, HexPrism, Hexagon, Pragmatic, Scalar, Turned};
use proptest::prelude::*;

/// Returns the four forms of a point in exact integers.
fn forms<A: Axes>([x, y, z]: [i64; 3]) -> [i128; 4] {
    let (a, b, z) = (i128::from(x), i128::from(y), i128::from(z));
    let c = -a - b;
    match A::NAME {
        "turned" => [a - b, b - c, c - a, z],
        _ => [a, b, c, z],
    }
}

/// Returns the first time at which all forms are within the limits. This is 0 or a time at which a
/// form of the path equals a limit, so only these times are tested.
fn first_time<A: Axes>(
    prism: &HexPrism<i32, A>,
    from: [i32; 3],
    way: [i64; 3],
    end: bool,
) -> Option<f64> {
    let (start, way) = (forms::<A>(from.map(i64::from)), forms::<A>(way));
    let ([a, b, c], [d, e, f]) = (prism.hexagon.up.to_array(), prism.hexagon.down.to_array());
    let min = [a, b, c, prism.z.min_z].map(i128::from);
    let max = [d, e, f, prism.z.max_z].map(i128::from);
    let mut times = vec![(0, 1)];
    for axis in (0..4).filter(|&axis| way[axis] != 0) {
        for limit in [min[axis], max[axis]] {
            let sign = way[axis].signum();
            times.push(((limit - start[axis]) * sign, way[axis] * sign));
        }
    }
    let inside = |&(n, d): &(i128, i128)| {
        let at = |axis: usize| start[axis] * d + way[axis] * n;
        n >= 0
            && (!end || n <= d)
            && (0..4).all(|axis| min[axis] * d <= at(axis) && at(axis) <= max[axis] * d)
    };
    let first = times.into_iter().filter(inside).min_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    first.map(|(n, d)| n as f64 / d as f64)
}

fn check_integer_casts<A: Axes>() {
    let small = prop::array::uniform3(-9..9i32);
    let all = prop_oneof![small.clone(), points::<i32, 3>()];
    let config = ProptestConfig::with_cases(3_000);
    proptest!(config, |(prism in prisms::<i32, A>(), from in all.clone(), to in all)| {
        let way = [0, 1, 2].map(|axis| i64::from(to[axis]) - i64::from(from[axis]));
        prop_assert_eq!(prism.cast_segment(from, to), first_time(&prism, from, way, true));
        prop_assert_eq!(prism.cast_ray(from, to), first_time(&prism, from, to.map(i64::from), false));
        // Compare casts against the hexagon alone with casts against a prism of unlimited height.
        let flat = HexPrism { hexagon: prism.hexagon, z: [i32::MIN, i32::MAX].into() };
        let ([x, y, _], [far_x, far_y, _]) = (from, to);
        prop_assert_eq!(
            prism.hexagon.cast_segment([x, y], [far_x, far_y]),
            first_time(&flat, from, [way[0], way[1], 0], true)
        );
        prop_assert_eq!(
            prism.hexagon.cast_ray([x, y], [far_x, far_y]),
            first_time(&flat, from, [far_x.into(), far_y.into(), 0], false)
        );
        prop_assert_eq!(prism.cast_segment(from, from).is_some(), prism.contains_point(from));
    });
}

#[test]
fn integer_casts_are_exact() {
    check_integer_casts::<Pragmatic>();
    check_integer_casts::<Elegant>();
    check_integer_casts::<Turned>();
}

/// Checks that a path through a point of the prism hits it, at that point or earlier.
fn check_paths_through_a_point<S: Numbers, A: Axes>() {
    let way = prop::array::uniform3(-9i8..9);
    let config = ProptestConfig::with_cases(2_000);
    proptest!(config, |(points in few_points::<S, A, 3>(), way in way)| {
        let prism = HexPrism::<S, A>::of_points(points.iter().copied()).expect("in range");
        let (point, way) = (points[0], way.map(|n| S::from_f64(n.into())));
        let from = [0, 1, 2].map(|axis| point[axis].minus(way[axis]));
        let to = [0, 1, 2].map(|axis| point[axis].plus(way[axis]));
        // Test only paths whose ends and midpoint are computed without rounding.
        let exact = (0..3).all(|i| {
            let (p, w) = (point[i].to_f64(), way[i].to_f64());
            from[i].to_f64() + w == p && to[i].to_f64() - w == p
                && from[i].is_finite() && to[i].is_finite() && p.abs() < 1e15
        });
        if !exact {
            return Ok(());
        }
        let hit = prism.cast_segment(from, to).map(Scalar::to_f64);
        prop_assert!(hit.is_some_and(|at| at >= 0.0), "{hit:?}");
        prop_assert!(hit.is_some_and(|at| at <= 0.5 + 1e-6), "{hit:?}");
        prop_assert!(prism.cast_ray(from, way).is_some());
        prop_assert_eq!(prism.cast_segment(point, to).map(Scalar::to_f64), Some(0.0));
    });
}

#[test]
fn paths_through_a_bounded_point_hit() {
    check_paths_through_a_point::<f32, Pragmatic>();
    check_paths_through_a_point::<f32, Elegant>();
    check_paths_through_a_point::<f32, Turned>();
    check_paths_through_a_point::<f64, Pragmatic>();
    check_paths_through_a_point::<f64, Elegant>();
    check_paths_through_a_point::<f64, Turned>();
    check_paths_through_a_point::<i32, Turned>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// Checks that float and integer casts are equal if no number is rounded.
    #[test]
    fn floats_agree_with_integers_where_both_are_exact(
        points in prop::collection::vec(prop::array::uniform3(-9..9i32), 1..4),
        from in prop::array::uniform3(-20..20i32),
        to in prop::array::uniform3(-20..20i32),
    ) {
        let integer = HexPrism::<i32>::of_points(points.iter().copied()).expect("small");
        let float = HexPrism::<f64>::of_points(points.iter().map(|p| p.map(f64::from))).expect("small");
        let [start, end] = [from, to].map(|p| p.map(f64::from));
        prop_assert_eq!(float.cast_segment(start, end), integer.cast_segment(from, to));
        prop_assert_eq!(float.cast_ray(start, end), integer.cast_ray(from, to));
    }
}

#[test]
fn invalid_paths_miss() {
    let rock = Hexagon::<f32>::of_disc([0.0, 0.0], 1.0).expect("finite");
    assert_eq!(rock.cast_segment([f32::NAN, 0.0], [0.0, 0.0]), None);
    assert_eq!(rock.cast_ray([-5.0, 0.0], [f32::INFINITY, 0.0]), None);
    assert_eq!(rock.cast_ray([-5.0, 0.0], [1.0, 0.0]), Some(4.0));
    assert_eq!(rock.cast_ray([-5.0, 0.0], [0.0, 0.0]), None);
    assert_eq!(rock.cast_ray([0.5, 0.0], [0.0, 0.0]), Some(0.0));
    assert_eq!(Hexagon::<f32>::EMPTY.cast_ray([0.0, 0.0], [1.0, 0.0]), None);
}
