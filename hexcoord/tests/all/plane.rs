//! Tests of the continuous plane: lengths, angles, rotations and affine maps.

use crate::random::Random;
use hexcoord::{Affine, Angle, Grid, Layout, Orientation, Point, Pose, hex};
use proptest::prelude::*;

const REACH: i32 = 1 << 29;

fn points() -> impl Strategy<Value = Point> {
    let coordinate = || prop_oneof![-REACH..=REACH, -999..999, Just(REACH), Just(-REACH), Just(0)];
    (coordinate(), coordinate()).prop_map(|(a, b)| Point::new(a, b))
}

fn any_points() -> impl Strategy<Value = Point> {
    let any = (any::<i32>(), 0..31).prop_map(|(x, shift)| x >> shift);
    let coordinate = || prop_oneof![any.clone(), Just(i32::MIN), Just(i32::MAX)];
    (coordinate(), coordinate()).prop_map(|(a, b)| Point::new(a, b))
}

/// Returns Cartesian coordinates, computed in floats with the matrix from "Hexagonal coordinate
/// representations in Hexeline".
fn cartesian(p: Point) -> [f64; 2] {
    let (a, b) = (f64::from(p.a), f64::from(p.b));
    [(1.5f64).sqrt() * a, a / 2.0f64.sqrt() + 2.0f64.sqrt() * b]
}

/// Returns the direction in units of 2^-16 turns, measured from axis a, which is 30° from x.
fn direction(p: Point) -> f64 {
    let [x, y] = cartesian(p);
    (y.atan2(x).to_degrees() - 30.0).rem_euclid(360.0) / 360.0 * 65_536.0
}

fn squared_length(p: Point) -> u128 {
    let [a, b] = [i128::from(p.a), i128::from(p.b)];
    (2 * (a * a + a * b + b * b)) as u128
}

fn angle_between(angle: Angle, direction: f64) -> f64 {
    let d = (f64::from(angle.0) - direction).rem_euclid(65_536.0);
    d.min(65_536.0 - d)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn products_match_cartesian(p in points(), q in points()) {
        let ([x, y], [z, w]) = (cartesian(p), cartesian(q));
        let scale = 1.0 + x.hypot(y) * z.hypot(w);
        prop_assert!((p.dot(q) as f64 - (x * z + y * w)).abs() <= 1e-9 * scale);
        // The unit rhombus has the area √3.
        prop_assert!((p.cross(q) as f64 * 3f64.sqrt() - (x * w - y * z)).abs() <= 1e-9 * scale);
        prop_assert_eq!(p.dot(p) as u128, squared_length(p));
    }

    #[test]
    fn lengths_and_angles_hold_for_every_i32(p in any_points()) {
        let length = u128::from(p.length());
        let squared = squared_length(p);
        prop_assert!(length * length <= squared && squared < (length + 1) * (length + 1));
        if p != Point::ORIGIN {
            prop_assert!(angle_between(p.angle(), direction(p)) <= 0.51, "{} {}", p, p.angle().0);
        }
    }

    #[test]
    fn point_arithmetic_is_a_group(p in any_points(), q in any_points(), n in any::<i32>()) {
        prop_assert_eq!(p + q - q, p);
        let mut sum = p;
        sum += q;
        prop_assert_eq!(sum, p + q);
        sum -= q;
        prop_assert_eq!(sum, p);
        prop_assert_eq!(p + -p, Point::ORIGIN);
        prop_assert_eq!((p + q) * n, p * n + q * n);
        prop_assert_eq!(p.a.wrapping_add(p.b).wrapping_add(p.c()), 0);
        prop_assert_eq!(Point::from(<[i32; 2]>::from(p)), p);
    }

    #[test]
    fn rotation_error_is_within_the_documented_bound(p in points(), angle in any::<u16>()) {
        let rotation = Angle(angle).rotation();
        let turned = rotation.rotate(p);
        let (sin, cos) = Angle(angle).to_radians().sin_cos();
        let (a, b, u) = (f64::from(p.a), f64::from(p.b), sin / 3f64.sqrt());
        let bound = (a.abs() + b.abs()) / f64::from(1 << 30) + 0.5 + 1e-6;
        prop_assert!((f64::from(turned.a) - ((cos - u) * a - 2.0 * u * b)).abs() <= bound);
        prop_assert!((f64::from(turned.b) - (2.0 * u * a + (cos + u) * b)).abs() <= bound);
        // Rotating back restores the point, except for rounding. The inverse rotation is the
        // rotation by the opposite angle.
        if p.a.abs() < REACH / 3 && p.b.abs() < REACH / 3 {
            let back = rotation.inverse().rotate(turned) - p;
            prop_assert!(back.a.abs() <= 3 && back.b.abs() <= 3, "{}", back);
        }
        prop_assert_eq!((-Angle(angle)).rotation().constants(), rotation.inverse().constants());
    }

    #[test]
    fn poses_round_trip(p in points(), at in any_points(), angle in any::<u16>()) {
        let pose = Pose::new(at, Angle(angle));
        let small = Point::new(p.a / 4, p.b / 4);
        let back = pose.to_body(pose.to_world(small)) - small;
        prop_assert!(back.a.abs() <= 2 && back.b.abs() <= 2);
    }

    #[test]
    fn fixed_point_cartesian_conversion_matches_f64(x in -REACH..REACH, y in -REACH..REACH) {
        let p = Point::from_cartesian([x, y]);
        let exact = Point::<f64>::from_cartesian([f64::from(x), f64::from(y)]);
        prop_assert!((f64::from(p.a) - exact.a).abs() < 1.0);
        prop_assert!((f64::from(p.b) - exact.b).abs() < 1.0);
        let [u, v] = Point::new(x, y).to_cartesian();
        let [s, t] = cartesian(Point::new(x, y));
        prop_assert!((f64::from(u) - s).abs() < 1.0 && (f64::from(v) - t).abs() < 1.0);
    }
}

#[test]
fn rotation_constants_are_rounded_to_nearest() {
    let unit = f64::from(1 << 30);
    for angle in 0..=u16::MAX {
        let [re, im] = Angle(angle).rotation().constants().map(f64::from);
        let (sin, cos) = Angle(angle).to_radians().sin_cos();
        assert!((re - cos * unit).abs() <= 0.500_001, "{angle}");
        assert!((im - sin / 3f64.sqrt() * unit).abs() <= 0.500_001, "{angle}");
    }
    assert_eq!(Angle(0).rotation(), hexcoord::Rotation::IDENTITY);
    assert_eq!(Angle::HALF.rotation().rotate(Point::new(77, -3)), Point::new(-77, 3));
}

#[test]
fn angle_inverts_rotation() {
    for angle in 0..=u16::MAX {
        let p = Angle(angle).rotation().rotate(Point::new(1 << 28, 0));
        assert_eq!(p.angle(), Angle(angle));
    }
    assert_eq!(<Point>::ORIGIN.angle(), Angle(0));
}

#[test]
fn angle_units_round_trip() {
    for units in (0..=u16::MAX).step_by(17) {
        let angle = Angle(units);
        assert_eq!(Angle::from_degrees(angle.to_degrees()), angle);
        assert_eq!(Angle::from_radians(angle.to_radians()), angle);
        assert_eq!(Angle::from_degrees(angle.to_degrees() - 7.0 * 360.0), angle);
        assert_eq!(Angle::from_degrees(-angle.to_degrees()), -angle);
    }
    assert_eq!(Angle::from_radians(f64::NAN), Angle(0));
    assert_eq!(Angle::from_degrees(f64::INFINITY), Angle(0));
    assert_eq!(Angle::from_degrees(360.0), Angle(0));
}

#[test]
fn cartesian_matrices_match_the_article() {
    let close = |x: f64, y: f64| (x - y).abs() < 1e-12;
    let p = Point::<f64>::from_cartesian([1.0, 0.0]);
    assert!(close(p.a, (2.0f64 / 3.0).sqrt()));
    assert!(close(p.b, -1.0 / 6.0f64.sqrt()) && close(p.c(), -1.0 / 6.0f64.sqrt()));
    let p = Point::<f64>::from_cartesian([0.0, 1.0]);
    assert!(p.a == 0.0 && close(p.b, 0.5f64.sqrt()) && close(p.c(), -0.5f64.sqrt()));
    let [x, y] = Point::new(1.0, 0.0).to_cartesian();
    assert!(close(x, 1.5f64.sqrt()) && close(y, 0.5f64.sqrt()));
    let [x, y] = Point::new(0.0, 1.0).to_cartesian();
    assert!(x == 0.0 && close(y, 2.0f64.sqrt()));
}

#[test]
fn affine_maps_match_cartesian() {
    let mut random = Random::new(7);
    let mut number = || random.between(-1_000_000, 1_000_000) as f64 / 250_000.0;
    for _ in 0..20_000 {
        let matrix = [[number(), number()], [number(), number()]];
        let [dx, dy] = [number(), number()];
        let [x, y] = [number(), number()];
        let map = Affine::<f64>::from_cartesian(matrix, [dx, dy]);
        let [[xx, xy], [yx, yy]] = matrix;
        let expected = [xx * x + xy * y + dx, yx * x + yy * y + dy];
        let p = Point::<f64>::from_cartesian([x, y]);
        let found = map.apply(p).to_cartesian();
        let close = |p: [f64; 2], q: [f64; 2], by: f64| {
            (p[0] - q[0]).abs() < by && (p[1] - q[1]).abs() < by
        };
        assert!(close(found, expected, 1e-11));
    }
}

proptest! {
    #[test]
    fn cell_units_round_trip(point in any_points(), near in points(), shift in 0..30u32) {
        let grid = Grid::new(shift);
        let cells: Point<f64> = grid.to_cell_units(point);
        let scale = f64::from(grid.cell_size());
        prop_assert_eq!(cells * scale, Point::new(f64::from(point.a), f64::from(point.b)));
        prop_assert_eq!(grid.to_units(cells), point);
        // 24 bits fit in an `f32`.
        let near = Point::new(near.a >> 6, near.b >> 6);
        prop_assert_eq!(grid.to_units(grid.to_cell_units::<f32>(near)), near);
        prop_assert_eq!(grid.to_cell_units::<f32>(near).cell(), grid.cell(near));
        // Convert to pixels and back. The layout computes in `f32`, so allow an error.
        let layout = Layout::new(Orientation::Flat, 30.0).with_origin([50.0, -20.0]);
        let near = Point::new(near.a % (20 << shift), near.b % (20 << shift));
        let again = grid.to_units(layout.point(layout.position(grid.to_cell_units(near)))) - near;
        prop_assert!(again.length() <= 2 + (1 << shift) / 50_000, "{}", again);
    }

    #[test]
    fn units_are_the_nearest(a in -3000.0..3000.0, b in -3000.0f32..3000.0, shift in 0..12u32) {
        let (grid, scale) = (Grid::new(shift), f64::from(1 << shift));
        let exact = [a * scale, f64::from(b) * scale];
        let units = [grid.to_units(Point::new(a, 0.0)).a, grid.to_units(Point::new(0.0, b)).b];
        for (exact, units) in exact.into_iter().zip(units) {
            prop_assert!((-0.5..0.5).contains(&(exact - f64::from(units))), "{exact} {units}");
        }
    }
}

#[test]
fn halves_of_units_round_upwards_and_the_rest_saturates() {
    let nearest = |x: f64| Grid::new(0).to_units(Point::new(x, 0.0)).a;
    for (x, expected) in [(0.5, 1), (-0.5, 0), (1.5, 2), (-1.5, -1), (-2.5, -2), (-2.75, -3)] {
        assert_eq!(nearest(x), expected, "{x}");
        assert_eq!(nearest(x.next_down()), (x - 0.25).round() as i32, "{x}");
    }
    assert_eq!([nearest(1e300), nearest(-1e300)], [i32::MAX, i32::MIN]);
    assert_eq!([nearest(f64::INFINITY), nearest(f64::NEG_INFINITY)], [i32::MAX, i32::MIN]);
    assert_eq!(
        [nearest(f64::NAN), nearest(-0.0), nearest(f64::from(i32::MIN) - 0.5)],
        [0, 0, i32::MIN]
    );
}

#[test]
fn grid_matches_flat_layout() {
    // Neighboring centers are √2 cells apart: √3 sizes.
    let layout = Layout::new(Orientation::Flat, (2.0f32 / 3.0).sqrt());
    let grid = Grid::new(9);
    for cell in hex(0, 0).range(6) {
        let center = grid.center(cell).to_cartesian().map(|n| n as f32 / 512.0);
        assert_eq!(layout.cell(center), cell);
    }
}
