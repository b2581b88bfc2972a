//! Laws of hexagons and prisms for all number types and axes, tested with small numbers, all
//! numbers and the ends of the range.

use crate::algebra::{Volume, algebra};
use crate::numbers::{Numbers, boxes, everything, few_points, hexagons, points, prisms};
use bounds_hexprism::{
    Aabb, Axes, Bounds, Elegant, HexPrism, Hexagon, InvalidBounds, Pragmatic, SplitPrism, Turned,
};
use proptest::prelude::*;

/// Checks the laws of volumes, also with the empty volume and the largest one.
fn volume_laws<S: Numbers, const D: usize, V: Volume<S, D>>(
    volumes: impl Strategy<Value = V> + Clone,
    [empty, everything]: [V; 2],
) {
    let config = ProptestConfig::with_cases(500);
    proptest!(config, |(a in volumes.clone(), b in volumes.clone(), c in volumes.clone())| {
        algebra(a, b, c)?;
        // The empty volume overlaps only volumes that contain everything, and unions ignore it.
        let full = a.contains(&everything);
        prop_assert_eq!((a.overlaps(&empty), empty.overlaps(&a)), (full, full));
        prop_assert_eq!(a.union(&empty), a);
        prop_assert!(a.contains(&empty));
    });
}

/// Checks that volumes around point sets with a common point contain this point and overlap.
fn containment<S: Numbers, A: Axes>() {
    let points = few_points::<S, A, 3>;
    proptest!(ProptestConfig::with_cases(500), |(a in points(), b in points(), shared in points())| {
        let shared = shared[0];
        let with_shared = |points: &[[S; 3]]| {
            HexPrism::<S, A>::of_points(points.iter().copied().chain([shared]))
        };
        let (a, b) = (with_shared(&a).expect("in range"), with_shared(&b).expect("in range"));
        prop_assert!(a.contains_point(shared) && b.contains_point(shared));
        prop_assert!(a.overlaps(&b) && a.slabs().overlaps(&b.slabs()));
        prop_assert!(a.aabb().overlaps(&b.aabb()));
        prop_assert!(a.aabb().contains_point(shared));
        let point = HexPrism::of_points([shared]).expect("in range");
        prop_assert!(a.contains(&point));
        prop_assert!(a.hexagon.contains(&point.hexagon));
        // The prism around the box of the prism contains the point, too.
        if let Ok(around) = HexPrism::<S, A>::of_aabb(&a.aabb()) {
            prop_assert!(around.contains_point(shared));
        }
    });
}

fn laws<S: Numbers, A: Axes>() {
    let all = everything::<S, A>();
    volume_laws(hexagons::<S, A>().boxed(), [Hexagon::EMPTY, all.hexagon]);
    volume_laws(prisms::<S, A>().boxed(), [HexPrism::EMPTY, all]);
    containment::<S, A>();
}

#[test]
fn hexagons_and_prisms_obey_the_laws() {
    laws::<i32, Pragmatic>();
    laws::<i32, Elegant>();
    laws::<i32, Turned>();
    laws::<f32, Pragmatic>();
    laws::<f32, Elegant>();
    laws::<f32, Turned>();
    laws::<f64, Pragmatic>();
    laws::<f64, Elegant>();
    laws::<f64, Turned>();
}

#[test]
fn split_prisms_overlap_like_prisms() {
    fn law<S: Numbers>() {
        proptest!(|(a in prisms::<S, Pragmatic>(), b in prisms::<S, Pragmatic>())| {
            let (up, down) = (SplitPrism::from(a), SplitPrism::from(b));
            prop_assert_eq!(HexPrism::from(up), a);
            prop_assert_eq!(up.overlaps(&down), a.overlaps(&b));
            let above = up.up.min_z > down.down.max_z;
            prop_assert!(!above || !up.up.overlaps(&down.down), "a volume above is rejected by the first half");
        });
    }
    law::<i32>();
    law::<f32>();
    law::<f64>();
}

/// Checks that prisms made from boxes overlap if and only if the boxes do, and that five
/// comparisons are enough to compare the hexagons of such prisms.
#[test]
fn prisms_of_boxes_overlap_like_the_boxes() {
    fn law<S: Numbers>() {
        proptest!(ProptestConfig::with_cases(2_000), |(a in boxes::<S, 3>(), b in boxes::<S, 3>())| {
            let prisms = (HexPrism::<S>::of_aabb(&a), HexPrism::<S>::of_aabb(&b));
            let (Ok(p), Ok(q)) = prisms else { return Ok(()) };
            prop_assert_eq!(p.overlaps(&q), a.overlaps(&b));
            prop_assert_eq!(p.aabb(), a);
            prop_assert_eq!(p.contains(&q), a.contains(&b));
            let (p, q) = (p.hexagon, q.hexagon);
            let five = p.up.overlaps(&q.down)
                && q.up.min_a <= p.down.max_a
                && q.up.min_b <= p.down.max_b;
            prop_assert_eq!(five, p.overlaps(&q));
        });
    }
    law::<i32>();
    law::<f32>();
    law::<f64>();
}

#[test]
fn axes_compute_their_forms() {
    let of = |a: Hexagon<i32, Elegant>| (a.up.to_array(), a.down.to_array());
    assert_eq!(of(Hexagon::of_points([[3, 4]]).unwrap()), ([3, 4, -7], [3, 4, -7]));
    // a − b, b − c, c − a of (a, b, c) = (3, 4, −7).
    let turned = Hexagon::<i32, Turned>::of_points([[3, 4]]).unwrap();
    assert_eq!(turned.up.to_array(), [-1, 11, -10]);
    let pragmatic = Hexagon::<f32>::of_points([[0.5, 4.0]]).unwrap();
    assert_eq!(pragmatic.up.to_array(), [0.5, 4.0, -4.5]);
    assert_eq!(pragmatic.down.to_array(), [0.5, 4.0, -4.5]);
    // A third form between two `f32` is rounded down for lower limits and up for upper limits.
    let wide = Hexagon::<f32>::of_points([[1.0, 1e-30]]).unwrap();
    assert_eq!((wide.up.min_c, wide.down.max_c), ((-1f32).next_down(), -1.0));
    assert_eq!([Pragmatic::NAME, Elegant::NAME, Turned::NAME], ["pragmatic", "elegant", "turned"]);
}

proptest! {
    /// Checks the interval of the second `Elegant` form of an `f32` point: it contains −x/2 + √3/2
    /// y, computed in exact integers.
    #[test]
    fn elegant_forms_enclose_the_true_value(x in -1_000_000i32..1_000_000, y in 0..1_000_000) {
        let hexagon = Hexagon::<f32, Elegant>::of_points([[x as f32, y as f32]]).unwrap();
        let [low, high] = [hexagon.up.min_b, hexagon.down.max_b];
        prop_assert!(low <= high && high <= low.next_up());
        // Compare 2 b + x with √3 y, in units of 2^-24.
        let units = |b: f32| (f64::from(b) * 2.0 + f64::from(x)) * f64::from(1 << 24);
        let square = |b: f32| {
            let units = units(b) as i128;
            units * units.abs()
        };
        let exact = (3 * i128::from(y) * i128::from(y)) << 48;
        prop_assert!(square(low) <= exact && exact <= square(high));
    }

    #[test]
    fn discs_are_enclosed(x in -99..99i32, y in -99..99i32, dx in -50..50i32, dy in -50..50i32) {
        let (square, oblique) = (dx * dx + dy * dy, 4 * (dx * dx + dx * dy + dy * dy));
        let radius = (0..).find(|r| r * r >= square).unwrap();
        let oblique_radius = (0..).find(|r| 3 * r * r >= oblique).unwrap();
        let (center, point) = ([x, y], [x + dx, y + dy]);
        let pragmatic = Hexagon::<i32>::of_disc(center, radius).unwrap();
        prop_assert!(pragmatic.contains_point(point));
        let elegant = Hexagon::<i32, Elegant>::of_disc(center, oblique_radius).unwrap();
        prop_assert!(elegant.contains_point(point));
        prop_assert!(!elegant.contains_point([x + oblique_radius + 1, y]));
        prop_assert!(Hexagon::<i32, Turned>::of_disc(center, oblique_radius).unwrap().contains_point(point));
        let [center, point] = [center, point].map(|point| point.map(|n| n as f32));
        let radius = radius as f32;
        prop_assert!(Hexagon::<f32>::of_disc(center, radius).unwrap().contains_point(point));
        prop_assert!(Hexagon::<f32, Elegant>::of_disc(center, radius).unwrap().contains_point(point));
        let turned = Hexagon::<f32, Turned>::of_disc(center, radius).unwrap();
        prop_assert!(turned.contains_point(point));
        prop_assert!(!turned.contains_point([center[0], center[1] + radius + 0.1]));
    }

    #[test]
    fn translated_prisms_keep_their_points(
        inside in few_points::<f32, Elegant, 3>(),
        by in points::<f32, 3>(),
    ) {
        let prism = HexPrism::<f32, Elegant>::of_points(inside.iter().copied()).unwrap();
        if let Some(moved) = prism.translated(by) {
            let point = inside[0];
            let target = [point[0] + by[0], point[1] + by[1], point[2] + by[2]];
            // The law requires that the sum is not rounded.
            let exact = (0..3).all(|i| f64::from(target[i]) == f64::from(point[i]) + f64::from(by[i]));
            prop_assert!(!exact || moved.contains_point(target));
        }
    }
}

#[test]
fn errors_name_the_axis() {
    use InvalidBounds::{Infinite, Inverted, NoPoints, NotANumber, OutOfRange};
    let far = i32::MAX;
    let point = |x, y| Hexagon::<i32>::of_points([[x, y]]);
    assert!(point(far, 0).is_ok() && point(-far, far).is_ok() && point(far, i32::MIN).is_ok());
    assert_eq!(point(far, 2), Err(OutOfRange { axis: 2 }));
    assert_eq!(point(i32::MIN, 0), Err(OutOfRange { axis: 2 }));
    assert_eq!(Hexagon::<i32, Turned>::of_points([[0, far]]), Err(OutOfRange { axis: 1 }));
    let bounds = Aabb::new([0, 0], [far, far]);
    assert_eq!(Hexagon::<i32>::of_aabb(&bounds), Err(OutOfRange { axis: 2 }));
    assert_eq!(Hexagon::<i32>::of_disc([far, 0], 1), Err(OutOfRange { axis: 0 }));
    assert_eq!(Hexagon::<i32>::of_disc([0, 0], -1), Err(Inverted { axis: 0 }));
    let edge = point(far - 5, 0).unwrap();
    assert!(edge.translated([5, -5]).is_some());
    assert_eq!([edge.translated([9, 0]), edge.translated([0, 9])], [None; 2]);
    let high = HexPrism::<i32>::of_points([[0, 0, far]]).unwrap();
    assert_eq!(high.translated([0, 0, 1]), None);
    assert_eq!(HexPrism::<i32>::of_cylinder([0, 0, far], 1, 1), Err(OutOfRange { axis: 3 }));
    let none: [[f32; 3]; 0] = [];
    assert_eq!(HexPrism::<f32>::of_points(none), Err(NoPoints));
    let nan = f32::NAN;
    for points in [[[nan, 0.0], [1.0; 2]], [[1.0; 2], [nan, 0.0]]] {
        assert_eq!(Hexagon::<f32>::of_points(points), Err(NotANumber { axis: 0 }));
    }
    assert_eq!(Hexagon::<f32>::of_points([[0.0, f32::INFINITY]]), Err(Infinite { axis: 1 }));
    assert_eq!(Hexagon::<f32>::of_points([[f32::MAX; 2]]), Err(Infinite { axis: 2 }));
    assert_eq!(HexPrism::<f32>::of_points([[0.0, 0.0, nan]]), Err(NotANumber { axis: 3 }));
    let inverted = HexPrism::<i32>::new([0, 0, 0], [0, 0, 0], [1, 0]);
    assert_eq!(inverted.checked(), Err(Inverted { axis: 3 }));
    assert_eq!(Hexagon::<i32>::EMPTY.checked(), Err(Inverted { axis: 0 }));
    assert_eq!(point(far, 2).unwrap_err().to_string(), "bounds do not fit integers on axis 2");
}

#[test]
fn empty_volumes_stay_empty() {
    let empty = HexPrism::<f64>::EMPTY;
    assert_eq!(empty.translated([1.0; 3]), Some(empty));
    let empty = Hexagon::<f64>::EMPTY;
    assert_eq!(empty.translated([1.0; 2]), Some(empty));
}

#[test]
fn boxes_of_hexagons_are_tight() {
    let bounds = Aabb::new([-3, 5], [4, 9]);
    assert_eq!(Hexagon::<i32, Elegant>::of_aabb(&bounds).unwrap().aabb(), bounds);
    // The factor 1/3 of the coordinates is not a float, so the box may be wider by 1 on each side.
    let turned = Hexagon::<i32, Turned>::of_aabb(&Aabb::point([7, 9])).unwrap().aabb();
    assert!(turned.contains_point([7, 9]) && Aabb::new([6, 8], [8, 10]).contains(&turned));
    let disc = Hexagon::<f64, Elegant>::of_disc([0.0, 0.0], 3.0).unwrap().aabb();
    assert!((disc.max[0] - 3.0).abs() < 1e-9);
    assert!((disc.max[1] - 12f64.sqrt()).abs() < 1e-9, "a corner of the hexagon");
}
